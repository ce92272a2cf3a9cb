// Reductions and splits of sparse tensors along axes: SparseReduceMax, SparseReduceSumSparse, SparseReduceMaxSparse,
// SparseSplit. Only stored entries count: a group without entries is missing in a sparse result, and zero in a dense
// one.
#include <map>

#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/ordered_keys.h"
#include "ops/array/sparse_input.h"
#include "ops/array/strided_copy.h"
#include "ops/array/summable.h"

namespace weir::ops {
namespace {

// Entries that are reduced to one, keyed and ordered by their remaining indices.
struct Groups {
  Shape shape;  // of the result
  std::map<Ints, std::vector<int64_t>> entries;
};

Result<Groups> GroupEntries(const SparseInput& in, const Tensor& axes, bool keep_dims) {
  WEIR_TRY(CheckReductionAxes(axes));
  std::vector<bool> reduced(static_cast<size_t>(in.rank));
  for (int64_t axis : IntsOf(axes)) {
    WEIR_ASSIGN(int d, CheckedAxis(axis, in.rank, "reduction axis"));
    reduced[static_cast<size_t>(d)] = true;
  }
  Groups groups;
  DimVector dims;
  for (int d = 0; d < in.rank; ++d) {
    if (!reduced[static_cast<size_t>(d)])
      dims.push_back(in.shape[d]);
    else if (keep_dims)
      dims.push_back(1);
  }
  WEIR_ASSIGN(groups.shape, Shape::Make(dims));
  for (int64_t k = 0; k < in.count; ++k) {
    Ints index;
    for (size_t d = 0; d < reduced.size(); ++d) {
      if (!reduced[d])
        index.push_back(in.index(k)[d]);
      else if (keep_dims)
        index.push_back(0);
    }
    groups.entries[std::move(index)].push_back(k);
  }
  return groups;
}

// Writes the sum of the entries to `to`.
Status SumEntries(const Tensor& values, const std::vector<int64_t>& entries, void* to) {
  const bool known = ForSummableType(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(values.raw());
    T sum{};
    for (int64_t k : entries) sum = static_cast<T>(sum + from[k]);
    *static_cast<T*>(to) = sum;
  });
  return known ? OkStatus() : Unimplemented("addition is not supported for elements of type {}", values.dtype());
}

// Writes the maximum of the entries to `to`.
Status MaxEntries(const Tensor& values, const std::vector<int64_t>& entries, void* to) {
  const Elements elements(values.dtype());
  const bool known = WithOrderedKeys(values, [&](auto key, auto load) {
    typename decltype(key)::type best{}, v;
    int64_t at = -1;
    for (int64_t k : entries) {
      load(k, 1, &v);
      if (at >= 0 && !KeyLess(best, v)) continue;
      best = v;
      at = k;
    }
    elements.Copy(to, elements.At(values, at), 1);
  });
  return known ? OkStatus() : Unimplemented("elements of type {} cannot be compared", values.dtype());
}

using Reduction = Status (*)(const Tensor&, const std::vector<int64_t>&, void*);

template <Reduction combine>
Result<Kernel> MakeDense(KernelSetup& setup) {
  WEIR_ASSIGN(bool keep_dims, setup.Attr<bool>("keep_dims"));
  return Kernel::Sync([keep_dims](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseInput in,
                ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "input_", Entries::kAnywhere));
    WEIR_ASSIGN(Groups groups, GroupEntries(in, ctx.input(3), keep_dims));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, groups.shape));
    const Elements elements(out.dtype());
    elements.Clear(out.raw(), out.num_elements());
    const DimVector strides = RowMajorStrides(groups.shape);
    for (const auto& [index, entries] : groups.entries) {
      int64_t flat = 0;
      for (size_t d = 0; d < index.size(); ++d) {
        const int64_t size = groups.shape[static_cast<int>(d)];
        if (index[d] < 0 || index[d] >= size)
          return Internal("Obtained a write index of {} which is outside of bounds of [0, {})", index[d], size);
        flat += index[d] * strides[d];
      }
      WEIR_TRY(combine(in.values, entries, elements.At(out, flat)));
    }
    return OkStatus();
  });
}

template <Reduction combine>
Result<Kernel> MakeSparse(KernelSetup& setup) {
  WEIR_ASSIGN(bool keep_dims, setup.Attr<bool>("keep_dims"));
  return Kernel::Sync([keep_dims](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseInput in,
                ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "input_", Entries::kAnywhere));
    WEIR_ASSIGN(Groups groups, GroupEntries(in, ctx.input(3), keep_dims));
    const auto count = static_cast<int64_t>(groups.entries.size());
    WEIR_ASSIGN(Tensor values, ctx.Allocate(1, Shape{count}));
    const Elements elements(values.dtype());
    Ints indices;
    int64_t k = 0;
    for (const auto& [index, entries] : groups.entries) {
      indices.insert(indices.end(), index.begin(), index.end());
      WEIR_TRY(combine(in.values, entries, elements.At(values, k++)));
    }
    WEIR_ASSIGN(Tensor matrix, IndexMatrix(indices, count, groups.shape.rank()));
    WEIR_ASSIGN(Tensor shape, IntVector(kInt64, groups.shape.dims()));
    ctx.set_output(0, std::move(matrix));
    ctx.set_output(2, std::move(shape));
    return OkStatus();
  });
}

// If the axis does not divide evenly, the first parts are longer by one.
Result<Kernel> MakeSparseSplit(KernelSetup& setup) {
  WEIR_ASSIGN(int64_t parts, setup.Attr<int64_t>("num_split"));
  return Kernel::Sync([parts](KernelContext& ctx) -> Status {
    if (ctx.input(0).rank() != 0)
      return InvalidArgument("Input axis should be a scalar but received shape {}", ctx.input(0).shape());
    WEIR_ASSIGN(int64_t wanted, ScalarInt(ctx.input(0), "split_dim"));
    WEIR_ASSIGN(SparseInput in, ReadSparseInput(ctx.input(1), ctx.input(2), ctx.input(3), ""));
    WEIR_ASSIGN(int axis, CheckedAxis(wanted, in.rank, "split_dim"));
    const int64_t size = in.shape[axis];
    if (parts < 1 || parts > size)
      return InvalidArgument("num_split must be between 1 and the size {} of dimension {}, not {}", size, axis, parts);
    const int64_t length = size / parts, longer = size % parts;
    std::vector<Ints> indices(static_cast<size_t>(parts));
    std::vector<std::vector<int64_t>> entries(static_cast<size_t>(parts));
    for (int64_t k = 0; k < in.count; ++k) {
      const int64_t v = in.index(k)[static_cast<size_t>(axis)];
      const int64_t bound = longer * (length + 1);
      const int64_t part = v < bound ? v / (length + 1) : longer + (v - bound) / length;
      const int64_t begin = part * length + std::min(part, longer);
      Ints& to = indices[static_cast<size_t>(part)];
      to.insert(to.end(), in.index(k).begin(), in.index(k).end());
      to[to.size() - static_cast<size_t>(in.rank - axis)] -= begin;
      entries[static_cast<size_t>(part)].push_back(k);
    }
    for (int64_t p = 0; p < parts; ++p) {
      const auto u = static_cast<size_t>(p);
      const auto count = static_cast<int64_t>(entries[u].size());
      const auto n = static_cast<int>(parts);
      WEIR_ASSIGN(Tensor values, ctx.Allocate(n + static_cast<int>(p), Shape{count}));
      const Elements elements(values.dtype());
      for (int64_t k = 0; k < count; ++k)
        elements.Copy(elements.At(values, k), elements.At(in.values, entries[u][static_cast<size_t>(k)]), 1);
      WEIR_ASSIGN(Tensor matrix, IndexMatrix(indices[u], count, in.rank));
      Ints dims(in.shape.dims().begin(), in.shape.dims().end());
      dims[static_cast<size_t>(axis)] = length + (p < longer ? 1 : 0);
      WEIR_ASSIGN(Tensor shape, IntVector(kInt64, dims));
      ctx.set_output(static_cast<int>(p), std::move(matrix));
      ctx.set_output(2 * n + static_cast<int>(p), std::move(shape));
    }
    return OkStatus();
  });
}

const char kReduceNumbers[] = "T: numbertype";
const char kReduceReals[] = "T: realnumbertype";

OpEntry SparseEntry(const char* name, const char* types, KernelList kernels) {
  return {
      .name = name,
      .signature =
          "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 -> output_indices: int64, "
          "output_values: T, output_shape: int64",
      .attrs = {"keep_dims: bool = false", types},
      .shape = UnknownOutputs(),
      .kernels = std::move(kernels)};
}

}  // namespace

void RegisterSparseReduce(OpRegistry& registry) {
  registry.Add({
      .name = "SparseReduceMax",
      .signature = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 -> output: T",
      .attrs = {"keep_dims: bool = false", kReduceReals},
      .shape = SparseReduceShape,
      .kernels = CpuKernel(MakeDense<MaxEntries>),
  });
  registry.Add(SparseEntry("SparseReduceSumSparse", kReduceNumbers, CpuKernel(MakeSparse<SumEntries>)));
  registry.Add(SparseEntry("SparseReduceMaxSparse", kReduceReals, CpuKernel(MakeSparse<MaxEntries>)));
  registry.Add({
      .name = "SparseSplit",
      .signature = "split_dim: int64, indices: int64, values: T, shape: int64 -> output_indices: num_split * int64, "
                   "output_values: num_split * T, output_shape: num_split * int64",
      .attrs = {"num_split: int >= 1", "T: type"},
      .shape = [](ShapeContext& ctx) -> Status {
        const PartialShape shape({ctx.input(3).rank() == 1 ? ctx.input(3).dim(0) : kUnknownDim});
        const int n = ctx.num_outputs() / 3;
        for (int i = 0; i < n; ++i) {
          ctx.set_output(i, PartialShape({kUnknownDim, shape.dim(0)}));
          ctx.set_output(n + i, PartialShape::OfRank(1));
          ctx.set_output(2 * n + i, shape);
        }
        return OkStatus();
      },
      .kernels = CpuKernel(MakeSparseSplit),
  });
}

}  // namespace weir::ops
