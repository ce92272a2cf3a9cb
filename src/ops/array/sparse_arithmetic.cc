// Arithmetic on the stored values of sparse tensors: SparseDenseCwise*, SparseSparseMaximum/Minimum, SparseSoftmax.
// Missing entries count as zero and stay missing.
#include <cmath>
#include <map>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/sparse_input.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

enum class Operator { kAdd, kMul, kDiv };

// For each entry, the index of the element of `dense` that broadcasts to it.
Result<Ints> DenseElements(const SparseInput& sparse, const Tensor& dense) {
  const int missing = sparse.rank - dense.rank();
  if (missing < 0)
    return InvalidArgument(
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {} vs. {}", sparse.shape,
        dense.shape());
  DimVector strides = RowMajorStrides(dense.shape());
  for (int d = 0; d < dense.rank(); ++d) {
    if (dense.dim(d) == 1) {
      strides[d] = 0;
    } else if (dense.dim(d) != sparse.shape[missing + d]) {
      return InvalidArgument(
          "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {} vs. {}", sparse.shape,
          dense.shape());
    }
  }
  Ints elements(static_cast<size_t>(sparse.count), 0);
  for (int64_t k = 0; k < sparse.count; ++k)
    for (int d = 0; d < dense.rank(); ++d)
      elements[static_cast<size_t>(k)] += sparse.index(k)[static_cast<size_t>(missing + d)] * strides[d];
  return elements;
}

template <class T, Operator op>
Result<Kernel> MakeSparseDense(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseInput sparse, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "sp_"));
    WEIR_ASSIGN(Ints at, DenseElements(sparse, ctx.input(3)));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{sparse.count}));
    const T *x = sparse.values.data<T>(), *dense = ctx.input(3).data<T>();
    T* y = out.data<T>();
    for (int64_t k = 0; k < sparse.count; ++k) {
      const T d = dense[at[static_cast<size_t>(k)]];
      if constexpr (op == Operator::kAdd) {
        y[k] = static_cast<T>(x[k] + d);
      } else if constexpr (op == Operator::kMul) {
        y[k] = static_cast<T>(x[k] * d);
      } else {
        if constexpr (std::is_integral_v<T>) {
          if (d == T(0)) return InvalidArgument("Integer division by zero");
          if (d == T(-1)) {  // the smallest number has no negative
            y[k] = static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x[k]));
            continue;
          }
        }
        y[k] = static_cast<T>(x[k] / d);
      }
    }
    return OkStatus();
  });
}
template <class T>
Result<Kernel> MakeSparseDenseAdd(KernelSetup& setup) {
  return MakeSparseDense<T, Operator::kAdd>(setup);
}
template <class T>
Result<Kernel> MakeSparseDenseMul(KernelSetup& setup) {
  return MakeSparseDense<T, Operator::kMul>(setup);
}
template <class T>
Result<Kernel> MakeSparseDenseDiv(KernelSetup& setup) {
  return MakeSparseDense<T, Operator::kDiv>(setup);
}

// Mul and Div. The gradient of the dense operand is summed up over its broadcast copies.
template <Operator op>
Result<Gradients> SparseDenseGradient(GradientContext& g) {
  const Output indices = g.input(0), values = g.input(1), shape = g.input(2), dense = g.input(3), dy = g.d_output(0);
  const Output dense_shape = ShapeOf(dense, {.out_type = kInt64});
  const Output missing = Size(shape) - Size(dense_shape);
  const Output padded = ConcatV2({Fill(Reshape(missing, {1}), Tensor::Scalar(int64_t{1})), dense_shape}, 0);
  const Output scaled = FloorDiv(indices, FloorDiv(shape, Maximum(padded, Tensor::Scalar(int64_t{1}))));
  const Output at = Slice(scaled, Pack({0, missing}), {-1, -1});
  const Output picked = GatherNd(dense, at);
  Output d_sparse, d_values;
  if constexpr (op == Operator::kMul) {
    d_sparse = dy * picked;
    d_values = dy * values;
  } else {
    d_sparse = dy / picked;
    d_values = dy * (-values / (picked * picked));
  }
  return Gradients{std::monostate{}, d_sparse, std::monostate{}, ScatterNd(at, d_values, dense_shape)};
}

template <class T>
Result<Kernel> MakeSoftmax(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseInput in, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "sp_", Entries::kAnywhere));
    if (in.rank < 2) return InvalidArgument("Input should have rank >= 2, but received rank {}", in.rank);
    // Group the entries by row: all indices but the last.
    std::map<Ints, std::vector<int64_t>> rows;
    for (int64_t k = 0; k < in.count; ++k) rows[Ints(in.index(k).begin(), in.index(k).end() - 1)].push_back(k);
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{in.count}));
    const T* x = in.values.data<T>();
    T* y = out.data<T>();
    for (const auto& [row, entries] : rows) {
      double most = -INFINITY, sum = 0;
      for (int64_t k : entries) most = std::max(most, static_cast<double>(x[k]));
      for (int64_t k : entries) sum += std::exp(static_cast<double>(x[k]) - most);
      for (int64_t k : entries) y[k] = static_cast<T>(std::exp(static_cast<double>(x[k]) - most) / sum);
    }
    return OkStatus();
  });
}

Result<Gradients> SoftmaxGradient(GradientContext& g) {
  const Output indices = g.input(0), shape = g.input(2), y = g.output(0), dy = g.d_output(0);
  const Output sums = SparseReduceSum(indices, y * dy, shape, {-1}, {.keep_dims = true});
  const Output dense =
      NodeBuilder(dy.graph(), "SparseDenseCwiseAdd").In(indices).In(dy).In(shape).In(-sums).BuildOutput();
  return Gradients{std::monostate{}, dense * y, std::monostate{}};
}

// The sorted union of the entries of both operands. A missing entry counts as zero.
template <class T, bool maximum>
Result<Kernel> MakeExtreme(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseInput a, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "a_"));
    WEIR_ASSIGN(SparseInput b, ReadSparseInput(ctx.input(3), ctx.input(4), ctx.input(5), "b_"));
    if (!(a.shape == b.shape)) return InvalidArgument("Operands' shapes do not match: {} and {}", a.shape, b.shape);
    Ints indices;
    std::vector<T> values;
    const T *x = a.values.data<T>(), *y = b.values.data<T>();
    for (int64_t i = 0, j = 0; i < a.count || j < b.count;) {
      const int order = i == a.count ? 1 : j == b.count ? -1 : a.Compare(i, b, j);
      const absl::Span<const int64_t> index = order <= 0 ? a.index(i) : b.index(j);
      indices.insert(indices.end(), index.begin(), index.end());
      const T left = order <= 0 ? x[i] : T(0), right = order >= 0 ? y[j] : T(0);
      values.push_back((left < right) == maximum ? right : left);
      i += order <= 0 ? 1 : 0;
      j += order >= 0 ? 1 : 0;
    }
    const auto count = static_cast<int64_t>(values.size());
    WEIR_ASSIGN(Tensor out, ctx.Allocate(1, Shape{count}));
    std::copy(values.begin(), values.end(), out.data<T>());
    WEIR_ASSIGN(Tensor matrix, IndexMatrix(indices, count, a.rank));
    ctx.set_output(0, std::move(matrix));
    return OkStatus();
  });
}
template <class T>
Result<Kernel> MakeMaximum(KernelSetup& setup) {
  return MakeExtreme<T, true>(setup);
}
template <class T>
Result<Kernel> MakeMinimum(KernelSetup& setup) {
  return MakeExtreme<T, false>(setup);
}

Status ValuesShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape indices, ctx.WithRank(0, 2));
  ctx.set_output(0, PartialShape({indices.dim(0)}));
  return OkStatus();
}

const char kNumbers[] = "T: numbertype";
const char kReals[] = "T: realnumbertype";

OpEntry SparseDenseEntry(const char* name, GradientFn gradient, KernelList kernels) {
  return {.name = name,
          .signature = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T",
          .attrs = {kNumbers},
          .shape = ValuesShape,
          .gradient = std::move(gradient),
          .kernels = std::move(kernels)};
}

OpEntry ExtremeEntry(const char* name, const char* types, KernelList kernels) {
  return {.name = name,
          .signature =
              "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64 -> "
              "output_indices: int64, output_values: T",
          .attrs = {types},
          .shape = [](ShapeContext& ctx) -> Status {
            for (const int operand : {0, 3}) {
              WEIR_TRY(ctx.WithRank(operand, 2).status());
              WEIR_TRY(ctx.WithRank(operand + 1, 1).status());
              WEIR_TRY(ctx.WithRank(operand + 2, 1).status());
            }
            WEIR_ASSIGN(PartialShape shape, ctx.WithRank(2, 1));
            ctx.set_output(0, PartialShape({kUnknownDim, shape.dim(0)}));
            ctx.set_output(1, PartialShape::OfRank(1));
            return OkStatus();
          },
          .kernels = std::move(kernels)};
}

}  // namespace

void RegisterSparseArithmetic(OpRegistry& registry) {
  registry.Add(SparseDenseEntry("SparseDenseCwiseAdd", nullptr,
                                CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeSparseDenseAdd))));
  registry.Add(SparseDenseEntry("SparseDenseCwiseMul", SparseDenseGradient<Operator::kMul>,
                                CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeSparseDenseMul))));
  registry.Add(SparseDenseEntry("SparseDenseCwiseDiv", SparseDenseGradient<Operator::kDiv>,
                                CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeSparseDenseDiv))));
  registry.Add(ExtremeEntry("SparseSparseMaximum", kReals,
                            CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeMaximum))));
  registry.Add(ExtremeEntry("SparseSparseMinimum", kNumbers,
                            CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeMinimum))));
  registry.Add({
      .name = "SparseSoftmax",
      .signature = "sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T",
      .attrs = {"T: {half, float, double}"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(ctx.WithRank(0, 2).status());
        WEIR_ASSIGN(PartialShape values, ctx.WithRank(1, 1));
        WEIR_TRY(ctx.WithRank(2, 1).status());
        ctx.set_output(0, std::move(values));
        return OkStatus();
      },
      .gradient = SoftmaxGradient,
      .kernels = CpuKernels<float, double>(WEIR_FOR_TYPE(MakeSoftmax)),
  });
}

}  // namespace weir::ops
