// Set operations along the last dimension: DenseToDenseSetOperation, DenseToSparseSetOperation,
// SparseToSparseSetOperation and SetSize. An operand is read as sorted, distinct pairs (set number, element), so that
// an operation is one pass over both operands.
#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "op/op_registry.h"
#include "ops/array/sparse_input.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

const char* const kSetTypes = "T: {int8, int16, int32, int64, uint8, uint16, string}";

template <class T>
struct KeyOf {
  using type = T;
};
template <>
struct KeyOf<std::string> {
  using type = std::string_view;
};

// The sets of one operand.
template <class T>
struct Sets {
  using Pair = std::pair<int64_t, typename KeyOf<T>::type>;
  DimVector groups;  // one set per position in these dimensions
  std::vector<Pair> pairs;

  void Sort() {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  }
};

template <class T>
Result<Sets<T>> DenseSets(const Tensor& t, const char* what) {
  if (t.rank() < 2) return InvalidArgument("{} must have at least 2 dimensions, but has shape {}", what, t.shape());
  Sets<T> sets;
  sets.groups = t.shape().dims();
  sets.groups.pop_back();
  sets.pairs.reserve(static_cast<size_t>(t.num_elements()));
  const int64_t length = t.dim(t.rank() - 1);
  for (int64_t i = 0; i < t.num_elements(); ++i) sets.pairs.emplace_back(i / length, t.data<T>()[i]);
  sets.Sort();
  return sets;
}

Result<SparseInput> ReadSets(const KernelContext& ctx, int first, bool validate, const char* what) {
  WEIR_ASSIGN(SparseInput s, ReadSparseInput(ctx.input(first), ctx.input(first + 1), ctx.input(first + 2), what));
  if (s.rank < 2) return InvalidArgument("Invalid rank {}: {}shape needs at least 2 dimensions", s.rank, what);
  for (int64_t i = 1; validate && i < s.count; ++i) {
    const int order = s.Compare(i - 1, s, i);
    if (order > 0)
      return InvalidArgument(
          "{}indices[{}] = [{}] is out of order. Many sparse ops require sorted indices; tf.sparse.reorder sorts them",
          what, i, fmt::join(s.index(i), ","));
    if (order == 0) return InvalidArgument("{}indices[{}] = [{}] is repeated", what, i, fmt::join(s.index(i), ","));
  }
  return s;
}

template <class T>
Result<Sets<T>> SparseSets(const KernelContext& ctx, int first, bool validate, const char* what) {
  WEIR_ASSIGN(const SparseInput s, ReadSets(ctx, first, validate, what));
  Sets<T> sets;
  sets.groups = s.shape.dims();
  sets.groups.pop_back();
  WEIR_ASSIGN(const Shape groups, Shape::Make(sets.groups));
  const DimVector strides = RowMajorStrides(groups);
  sets.pairs.reserve(static_cast<size_t>(s.count));
  for (int64_t i = 0; i < s.count; ++i) {
    int64_t group = 0;
    for (int d = 0; d < groups.rank(); ++d) group += s.index(i)[static_cast<size_t>(d)] * strides[d];
    sets.pairs.emplace_back(group, s.values.data<T>()[i]);
  }
  sets.Sort();
  return sets;
}

enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

Result<SetOperation> OperationOf(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string given, setup.Attr<std::string>("set_operation"));
  const std::string name = absl::AsciiStrToLower(given);
  if (name == "a-b") return SetOperation::kAMinusB;
  if (name == "b-a") return SetOperation::kBMinusA;
  if (name == "intersection") return SetOperation::kIntersection;
  if (name == "union") return SetOperation::kUnion;
  return InvalidArgument("Invalid set_operation '{}': it is one of a-b, b-a, intersection and union", given);
}

template <class T>
Sets<T> Combine(SetOperation operation, const Sets<T>& a, const Sets<T>& b) {
  Sets<T> out{a.groups, {}};
  const auto to = std::back_inserter(out.pairs);
  const auto &x = a.pairs, &y = b.pairs;
  switch (operation) {
    case SetOperation::kAMinusB:
      std::set_difference(x.begin(), x.end(), y.begin(), y.end(), to);
      break;
    case SetOperation::kBMinusA:
      std::set_difference(y.begin(), y.end(), x.begin(), x.end(), to);
      break;
    case SetOperation::kIntersection:
      std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), to);
      break;
    case SetOperation::kUnion:
      std::set_union(x.begin(), x.end(), y.begin(), y.end(), to);
      break;
  }
  return out;
}

// Outputs a sparse tensor whose last dimension is the size of the largest set.
template <class T>
Status SetSparseOutputs(KernelContext& ctx, const Sets<T>& sets) {
  const auto count = static_cast<int64_t>(sets.pairs.size());
  const auto rank = static_cast<int64_t>(sets.groups.size()) + 1;
  WEIR_ASSIGN(const Shape rows, Shape::Make({count, rank}));
  WEIR_ASSIGN(const Tensor indices, ctx.Allocate(0, rows));
  WEIR_ASSIGN(const Tensor values, ctx.Allocate(1, Shape{count}));
  WEIR_ASSIGN(const Tensor shape, ctx.Allocate(2, Shape{rank}));
  int64_t* index = indices.data<int64_t>();
  int64_t place = 0, largest = 0;
  for (int64_t i = 0; i < count; ++i, index += rank) {
    const auto& [group, value] = sets.pairs[static_cast<size_t>(i)];
    place = i > 0 && sets.pairs[static_cast<size_t>(i - 1)].first == group ? place + 1 : 0;
    largest = std::max(largest, place + 1);
    int64_t rest = group;
    for (int64_t d = rank - 2; d >= 0; --d) {
      index[d] = rest % sets.groups[static_cast<size_t>(d)];
      rest /= sets.groups[static_cast<size_t>(d)];
    }
    index[rank - 1] = place;
    values.data<T>()[i] = T(value);
  }
  std::copy(sets.groups.begin(), sets.groups.end(), shape.data<int64_t>());
  shape.data<int64_t>()[rank - 1] = largest;
  return OkStatus();
}

// Each operand is either one dense input or three inputs of a sparse tensor.
template <class T>
Result<Kernel> MakeOperation(KernelSetup& setup, bool dense_a, bool dense_b) {
  WEIR_ASSIGN(const SetOperation operation, OperationOf(setup));
  WEIR_ASSIGN(const bool validate, setup.Attr<bool>("validate_indices"));
  return Kernel::Sync([operation, validate, dense_a, dense_b](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Sets<T> a,
                dense_a ? DenseSets<T>(ctx.input(0), "set1") : SparseSets<T>(ctx, 0, validate, "set1_"));
    const int second = dense_a ? 1 : 3;
    WEIR_ASSIGN(const Sets<T> b,
                dense_b ? DenseSets<T>(ctx.input(second), "set2") : SparseSets<T>(ctx, second, validate, "set2_"));
    if (a.groups != b.groups)
      return InvalidArgument("Mismatched shapes [{}] vs [{}]: all dimensions but the last must agree",
                             fmt::join(a.groups, ","), fmt::join(b.groups, ","));
    return SetSparseOutputs(ctx, Combine(operation, a, b));
  });
}

template <class T>
Result<Kernel> MakeDenseToDense(KernelSetup& setup) {
  return MakeOperation<T>(setup, true, true);
}
template <class T>
Result<Kernel> MakeDenseToSparse(KernelSetup& setup) {
  return MakeOperation<T>(setup, true, false);
}
template <class T>
Result<Kernel> MakeSparseToSparse(KernelSetup& setup) {
  return MakeOperation<T>(setup, false, false);
}

template <class T>
Result<Kernel> MakeSetSize(KernelSetup& setup) {
  WEIR_ASSIGN(const bool validate, setup.Attr<bool>("validate_indices"));
  return Kernel::Sync([validate](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const Sets<T> sets, SparseSets<T>(ctx, 0, validate, "set_"));
    if (sets.pairs.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
      return InvalidArgument("sets of {} elements do not fit into int32", sets.pairs.size());
    WEIR_ASSIGN(const Shape groups, Shape::Make(sets.groups));
    WEIR_ASSIGN(const Tensor sizes, ctx.Allocate(0, groups));
    sizes.ZeroFill();
    for (const auto& pair : sets.pairs) ++sizes.data<int32_t>()[pair.first];
    return OkStatus();
  });
}

// --- shapes

// The rank of a dense operand, or -1.
Result<int64_t> DenseRank(ShapeContext& ctx, int input) {
  const PartialShape shape = ctx.input(input);
  if (!shape.known_rank()) return kUnknownDim;
  if (shape.rank() < 2)
    return InvalidArgument("Shape must be at least rank 2 but is rank {} for input {}", shape.rank(), input);
  return shape.rank();
}

Result<int64_t> SparseRank(ShapeContext& ctx, int first) {
  WEIR_ASSIGN(const PartialShape indices, ctx.WithRank(first, 2));
  WEIR_ASSIGN(const PartialShape values, ctx.WithRank(first + 1, 1));
  WEIR_ASSIGN(const PartialShape shape, ctx.WithRank(first + 2, 1));
  WEIR_TRY(MergeDims(indices[0], values[0]).status());
  return MergeDims(indices[1], shape[0]);
}

Status SetResult(ShapeContext& ctx, int64_t a, int64_t b) {
  WEIR_ASSIGN(const int64_t rank, MergeDims(a, b));
  ctx.set_output(0, PartialShape{kUnknownDim, rank});
  ctx.set_output(1, PartialShape{kUnknownDim});
  ctx.set_output(2, PartialShape{rank});
  return OkStatus();
}

Status DenseToDenseShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t a, DenseRank(ctx, 0));
  WEIR_ASSIGN(const int64_t b, DenseRank(ctx, 1));
  for (int d = 0; a == b && d + 1 < a; ++d) WEIR_TRY(MergeDims(ctx.input(0)[d], ctx.input(1)[d]).status());
  return SetResult(ctx, a, b);
}

Status DenseToSparseShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t a, DenseRank(ctx, 0));
  WEIR_ASSIGN(const int64_t b, SparseRank(ctx, 1));
  return SetResult(ctx, a, b);
}

Status SparseToSparseShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t a, SparseRank(ctx, 0));
  WEIR_ASSIGN(const int64_t b, SparseRank(ctx, 3));
  return SetResult(ctx, a, b);
}

}  // namespace

void RegisterSetOperations(OpRegistry& registry) {
  const char* const result = " -> result_indices: int64, result_values: T, result_shape: int64";
  const char* const sparse2 = "set2_indices: int64, set2_values: T, set2_shape: int64";
  registry.Add({
      .name = "DenseToDenseSetOperation",
      .signature = std::string("set1: T, set2: T") + result,
      .attrs = {"set_operation: string", "validate_indices: bool = true", kSetTypes},
      .shape = DenseToDenseShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(
          WEIR_FOR_TYPE(MakeDenseToDense)),
  });
  registry.Add({
      .name = "DenseToSparseSetOperation",
      .signature = std::string("set1: T, ") + sparse2 + result,
      .attrs = {"set_operation: string", "validate_indices: bool = true", kSetTypes},
      .shape = DenseToSparseShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(
          WEIR_FOR_TYPE(MakeDenseToSparse)),
  });
  registry.Add({
      .name = "SparseToSparseSetOperation",
      .signature = std::string("set1_indices: int64, set1_values: T, set1_shape: int64, ") + sparse2 + result,
      .attrs = {"set_operation: string", "validate_indices: bool = true", kSetTypes},
      .shape = SparseToSparseShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(
          WEIR_FOR_TYPE(MakeSparseToSparse)),
  });
  registry.Add({
      .name = "SetSize",
      .signature = "set_indices: int64, set_values: T, set_shape: int64 -> size: int32",
      .attrs = {"validate_indices: bool = true", kSetTypes},
      .shape = [](ShapeContext&) { return OkStatus(); },  // unknown, as in TensorFlow
      .no_gradient = kNoGradient,
      .kernels =
          CpuKernels<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, std::string>(WEIR_FOR_TYPE(MakeSetSize)),
  });
}

}  // namespace weir::ops
