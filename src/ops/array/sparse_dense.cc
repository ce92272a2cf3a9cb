// Ops on sparse and dense tensors: SparseToDense, SparseTensorDenseMatMul, SparseTensorDenseAdd, SparseReduceSum.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/sparse_input.h"
#include "ops/array/strided_copy.h"
#include "ops/array/summable.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeSparseToDense(KernelSetup& setup) {
  WEIR_ASSIGN(bool validate, setup.Attr<bool>("validate_indices"));
  return Kernel::Sync([validate](KernelContext& ctx) -> Status {
    const Tensor &indices = ctx.input(0), &values = ctx.input(2), &fallback = ctx.input(3);
    if (indices.rank() > 2)
      return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape {}", indices.shape());
    WEIR_ASSIGN(Shape shape, ShapeFromTensor(ctx.input(1), "output_shape"));
    const int64_t count = indices.rank() > 0 ? indices.dim(0) : 1;
    const int64_t rank = indices.rank() > 1 ? indices.dim(1) : 1;
    if (rank != shape.rank())
      return InvalidArgument("output_shape has incorrect number of elements: {} should be: {}", shape.rank(), rank);
    if (values.rank() > 1 || (values.rank() == 1 && values.dim(0) != count))
      return InvalidArgument("sparse_values has incorrect shape {}, should be [] or [{}]", values.shape(), count);
    if (fallback.rank() != 0)
      return InvalidArgument("default_value should be a scalar, got shape {}", fallback.shape());
    const Ints at = IntsOf(indices);
    const DimVector strides = RowMajorStrides(shape);
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    const Elements elements(out.dtype());
    elements.Fill(out.raw(), fallback.raw(), out.num_elements());
    int64_t last = -1;
    for (int64_t i = 0; i < count; ++i) {
      int64_t flat = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        const int64_t v = at[static_cast<size_t>(i * rank + d)];
        if (v < 0 || v >= shape[d])
          return InvalidArgument("indices[{}] is out of bounds: {} is not in [0, {}) of dimension {}", i, v, shape[d],
                                 d);
        flat += v * strides[d];
      }
      if (validate && flat <= last) {
        if (flat == last) return InvalidArgument("indices[{}] is repeated", i);
        return InvalidArgument("indices[{}] is out of order. Many sparse ops require sorted indices.", i);
      }
      last = flat;
      elements.Copy(elements.At(out, flat), elements.At(values, values.rank() == 0 ? 0 : i), 1);
    }
    return OkStatus();
  });
}

template <class T>
T ConjugateIf(T v) {
  return v;
}
template <class T>
std::complex<T> ConjugateIf(std::complex<T> v) {
  return std::conj(v);
}

template <class T>
Result<Kernel> MakeSparseMatMul(KernelSetup& setup) {
  WEIR_ASSIGN(bool adjoint_a, setup.Attr<bool>("adjoint_a"));
  WEIR_ASSIGN(bool adjoint_b, setup.Attr<bool>("adjoint_b"));
  return Kernel::Sync([adjoint_a, adjoint_b](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseInput a, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "a_"));
    const Tensor& b = ctx.input(3);
    if (a.rank != 2) return InvalidArgument("a_shape must have 2 elements, got {}", a.rank);
    if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix: {}", b.shape());
    const int64_t rows = a.shape[adjoint_a ? 1 : 0], inner = a.shape[adjoint_a ? 0 : 1];
    const int64_t b_inner = b.dim(adjoint_b ? 1 : 0), cols = b.dim(adjoint_b ? 0 : 1);
    if (inner != b_inner)
      return InvalidArgument(
          "Cannot multiply A and B because inner dimension does not match: {} vs. {}. Did you forget a transpose? "
          "Dimensions of A: {}. Dimensions of B: {}",
          inner, b_inner, a.shape, b.shape());
    WEIR_ASSIGN(Shape shape, Shape::Make({rows, cols}));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    out.ZeroFill();
    const T *values = a.values.data<T>(), *matrix = b.data<T>();
    T* product = out.data<T>();
    // Every thread processes all values for a band of columns, so no two threads write to one element.
    return ctx.ParallelFor(cols, a.count, [&](int64_t begin, int64_t end) {
      for (int64_t k = 0; k < a.count; ++k) {
        const int64_t i = a.index(k)[adjoint_a ? 1 : 0], j = a.index(k)[adjoint_a ? 0 : 1];
        const T v = adjoint_a ? ConjugateIf(values[k]) : values[k];
        T* to = product + i * cols;
        if (adjoint_b) {
          for (int64_t c = begin; c < end; ++c) to[c] = static_cast<T>(to[c] + v * ConjugateIf(matrix[c * inner + j]));
        } else {
          const T* from = matrix + j * cols;
          for (int64_t c = begin; c < end; ++c) to[c] = static_cast<T>(to[c] + v * from[c]);
        }
      }
    });
  });
}

Status SparseMatMulShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(0, 2).status());
  WEIR_TRY(ctx.WithRank(1, 1).status());
  WEIR_ASSIGN(PartialShape a, ShapeArgument(ctx, 2));
  WEIR_ASSIGN(PartialShape b, ctx.WithRank(3, 2));
  WEIR_ASSIGN(bool adjoint_a, ctx.Attr<bool>("adjoint_a"));
  WEIR_ASSIGN(bool adjoint_b, ctx.Attr<bool>("adjoint_b"));
  if (a.known_rank() && a.rank() != 2) return InvalidArgument("a_shape must have 2 elements, not {}", a.rank());
  WEIR_TRY(MergeDims(a.dim(adjoint_a ? 0 : 1), b.dim(adjoint_b ? 1 : 0)).status());
  ctx.set_output(0, PartialShape({a.dim(adjoint_a ? 1 : 0), b.dim(adjoint_b ? 0 : 1)}));
  return OkStatus();
}

Result<Gradients> SparseMatMulGradient(GradientContext& g) {
  WEIR_ASSIGN(bool adjoint_a, g.Attr<bool>("adjoint_a"));
  WEIR_ASSIGN(bool adjoint_b, g.Attr<bool>("adjoint_b"));
  const Output dy = g.d_output(0), b = g.input(3);
  Output db = SparseTensorDenseMatMul(g.input(0), g.input(1), g.input(2), dy, {.adjoint_a = !adjoint_a});
  if (adjoint_b) db = ConjugateTranspose(db, {1, 0});
  const OutputList at = Unpack(g.input(0), 2, {.axis = 1});
  if (at.empty()) return Gradients(4);
  const Output rows = at[adjoint_a ? 1 : 0], cols = at[adjoint_a ? 0 : 1];
  const Output right = adjoint_b ? ConjugateTranspose(b, {1, 0}) : b;
  Output picked = GatherV2(right, cols, 0);
  if (IsComplex(b.base_dtype())) picked = Conj(picked);
  Output da = Sum(GatherV2(dy, rows, 0) * picked, {1});
  if (adjoint_a && IsComplex(b.base_dtype())) da = Conj(da);
  return Gradients{std::monostate{}, da, std::monostate{}, db};
}

Status RunSparseDenseAdd(KernelContext& ctx) {
  WEIR_ASSIGN(SparseInput a, ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "a_"));
  const Tensor& b = ctx.input(3);
  if (!(a.shape == b.shape()))
    return InvalidArgument("the shapes of the sparse {} and the dense operand {} differ", a.shape, b.shape());
  WEIR_ASSIGN(Tensor out, CopyOrForward(ctx, 3, 0));
  const DimVector strides = RowMajorStrides(a.shape);
  const bool known = ForSummableType(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(a.values.raw());
    T* to = static_cast<T*>(out.raw());
    for (int64_t k = 0; k < a.count; ++k) {
      int64_t flat = 0;
      for (int d = 0; d < a.rank; ++d) flat += a.index(k)[static_cast<size_t>(d)] * strides[d];
      to[flat] = static_cast<T>(to[flat] + from[k]);
    }
  });
  if (!known) return Unimplemented("addition is not supported for elements of type {}", out.dtype());
  return OkStatus();
}

Result<Kernel> MakeSparseReduceSum(KernelSetup& setup) {
  WEIR_ASSIGN(bool keep_dims, setup.Attr<bool>("keep_dims"));
  return Kernel::Sync([keep_dims](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(SparseInput in,
                ReadSparseInput(ctx.input(0), ctx.input(1), ctx.input(2), "input_", Entries::kAnywhere));
    WEIR_TRY(CheckReductionAxes(ctx.input(3)));
    std::vector<bool> summed(static_cast<size_t>(in.rank));
    for (int64_t axis : IntsOf(ctx.input(3))) {
      WEIR_ASSIGN(int d, CheckedAxis(axis, in.rank, "reduction axis"));
      summed[static_cast<size_t>(d)] = true;
    }
    DimVector all, kept;
    for (int d = 0; d < in.rank; ++d) {
      const bool gone = summed[static_cast<size_t>(d)];
      all.push_back(gone ? 1 : in.shape[d]);
      if (!gone || keep_dims) kept.push_back(all.back());
    }
    WEIR_ASSIGN(Shape full, Shape::Make(all));
    WEIR_ASSIGN(Shape shape, Shape::Make(kept));
    for (int64_t k = 0; k < in.count; ++k) {
      for (int d = 0; d < in.rank; ++d) {
        const int64_t v = in.index(k)[static_cast<size_t>(d)];
        if (!summed[static_cast<size_t>(d)] && (v < 0 || v >= in.shape[d]))
          return Internal("Obtained a write index of {} which is outside of bounds of [0, {})", v, in.shape[d]);
      }
    }
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    out.ZeroFill();
    const DimVector strides = RowMajorStrides(full);
    const bool known = ForSummableType(out.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* from = static_cast<const T*>(in.values.raw());
      T* to = static_cast<T*>(out.raw());
      for (int64_t k = 0; k < in.count; ++k) {
        int64_t flat = 0;
        for (int d = 0; d < in.rank; ++d)
          flat += summed[static_cast<size_t>(d)] ? 0 : in.index(k)[static_cast<size_t>(d)] * strides[d];
        to[flat] = static_cast<T>(to[flat] + from[k]);
      }
    });
    if (!known) return Unimplemented("addition is not supported for elements of type {}", out.dtype());
    return OkStatus();
  });
}

// For each value, dy at the position that the value was added to.
Result<Gradients> SparseReduceSumGradient(GradientContext& g) {
  const Output shape = g.input(2), axes = g.input(3);
  const Output rank = Size(shape);
  const Output turned = FloorMod(axes + rank, rank);
  const Output kept = DynamicStitch({Range(0, rank, 1), turned}, {Cast(shape, kInt32), OnesLike(turned)});
  const Output scale = FloorDiv(shape, Cast(kept, kInt64));
  const Output d = GatherNd(Reshape(g.d_output(0), kept), FloorDiv(g.input(0), scale));
  return Gradients{std::monostate{}, d, std::monostate{}, std::monostate{}};
}

const char kNumberTypes[] = "T: numbertype";

}  // namespace

void RegisterSparseDense(OpRegistry& registry) {
  registry.Add({
      .name = "SparseToDense",
      .signature = "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T -> dense: T",
      .attrs = {"validate_indices: bool = true", "T: type", "Tindices: {int32, int64}"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(PartialShape shape, ShapeArgument(ctx, 1));
        ctx.set_output(0, std::move(shape));
        return OkStatus();
      },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const Output dy = g.d_output(0);
        const Output d_values = GatherNd(dy, g.input(0));
        const Output rest = Sum(dy, Range(0, Rank(dy), 1)) - Sum(d_values, Range(0, Rank(d_values), 1));
        return Gradients{std::monostate{}, std::monostate{}, d_values, rest};
      },
      .kernels = CpuKernel(MakeSparseToDense),
  });
  registry.Add({
      .name = "SparseTensorDenseMatMul",
      .signature = "a_indices: Tindices, a_values: T, a_shape: int64, b: T -> product: T",
      .attrs = {"T: type", "Tindices: {int32, int64} = DT_INT64", "adjoint_a: bool = false", "adjoint_b: bool = false"},
      .shape = SparseMatMulShape,
      .gradient = SparseMatMulGradient,
      .kernels = CpuKernels<float, double, int32_t, bfloat16, std::complex<float>, std::complex<double>>(
          WEIR_FOR_TYPE(MakeSparseMatMul)),
  });
  registry.Add({
      .name = "SparseTensorDenseAdd",
      .signature = "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T",
      .attrs = {kNumberTypes, "Tindices: {int32, int64}"},
      .shape = [](ShapeContext& ctx) -> Status {
        ctx.set_output(0, ctx.input(3));
        return OkStatus();
      },
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const Output dy = g.d_output(0);
        return Gradients{std::monostate{}, GatherNd(dy, g.input(0)), std::monostate{}, dy};
      },
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunSparseDenseAdd); }),
  });
  registry.Add({
      .name = "SparseReduceSum",
      .signature = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32 -> output: T",
      .attrs = {"keep_dims: bool = false", kNumberTypes},
      .shape = SparseReduceShape,
      .gradient = SparseReduceSumGradient,
      .kernels = CpuKernel(MakeSparseReduceSum),
  });
}

}  // namespace weir::ops
