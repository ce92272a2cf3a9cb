// Matrix products over the last two dimensions. The batch dimensions are equal (BatchMatMul) or broadcast
// (BatchMatMulV2). adj_x and adj_y take the conjugate transpose. SparseMatMul is computed as a dense product.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/math/batch_product.h"
#include "ops/math/cast.h"

namespace weir::ops {
namespace {

Status CheckSameBatch(const Tensor& x, const Tensor& y) {
  if (x.rank() != y.rank())
    return InvalidArgument("In[0] and In[1] has different ndims: {} vs. {}", x.shape(), y.shape());
  for (int i = 0; i + 2 < x.rank(); ++i) {
    if (x.dim(i) != y.dim(i))
      return InvalidArgument("In[0].dim({}) and In[1].dim({}) must be the same: {} vs {}", i, i, x.shape(), y.shape());
  }
  return OkStatus();
}

Result<Kernel> MakeBatchMatMul(KernelSetup& setup, bool broadcast) {
  WEIR_ASSIGN(const bool adj_x, setup.Attr<bool>("adj_x"));
  WEIR_ASSIGN(const bool adj_y, setup.Attr<bool>("adj_y"));
  return Kernel::Sync([adj_x, adj_y, broadcast](KernelContext& ctx) -> Status {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    if (!broadcast) WEIR_TRY(CheckSameBatch(x, y));
    for (int i = 0; i < 2; ++i) {
      if (ctx.input(i).rank() < 2) return InvalidArgument("In[{}] ndims must be >= 2: {}", i, ctx.input(i).rank());
    }
    GemmLayout layout{.transpose_a = adj_x, .transpose_b = adj_y, .conjugate_a = adj_x, .conjugate_b = adj_y};
    layout.m = x.dim(x.rank() - (adj_x ? 1 : 2));
    layout.k = x.dim(x.rank() - (adj_x ? 2 : 1));
    layout.n = y.dim(y.rank() - (adj_y ? 2 : 1));
    if (layout.k != y.dim(y.rank() - (adj_y ? 1 : 2)))
      return InvalidArgument("Matrix size-incompatible: In[0]: {}, In[1]: {}", x.shape(), y.shape());
    WEIR_ASSIGN(const DimVector batch, BroadcastBatch(x.shape(), y.shape()));
    DimVector dims = batch;
    dims.push_back(layout.m);
    dims.push_back(layout.n);
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    BatchIndex index = IndexBatch(x.shape(), y.shape(), batch);
    // With a single matrix on the right, the rows of all batches form one matrix.
    if (y.num_elements() == layout.k * layout.n && !adj_x && x.num_elements() == index.count * layout.m * layout.k) {
      layout.m *= index.count;
      index = {};
    }
    return BatchProduct(ctx, x.dtype(), layout, index, x.raw(), y.raw(), out.raw());
  });
}

Status BatchMatMulShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape x, ctx.WithRankAtLeast(0, 2));
  WEIR_ASSIGN(const PartialShape y, ctx.WithRankAtLeast(1, 2));
  WEIR_ASSIGN(const bool adj_x, ctx.Attr<bool>("adj_x"));
  WEIR_ASSIGN(const bool adj_y, ctx.Attr<bool>("adj_y"));
  // Dimension i from the end; unknown if the rank is unknown.
  auto last = [](const PartialShape& s, int i) { return s.known_rank() ? s[s.rank() - i] : kUnknownDim; };
  WEIR_TRY(MergeDims(last(x, adj_x ? 2 : 1), last(y, adj_y ? 1 : 2)).status());
  PartialShape batch;
  if (x.known_rank() && y.known_rank()) {
    WEIR_ASSIGN(const PartialShape x_batch, x.Sub(0, x.rank() - 2));
    WEIR_ASSIGN(const PartialShape y_batch, y.Sub(0, y.rank() - 2));
    WEIR_ASSIGN(batch, BroadcastShapes(x_batch, y_batch));
  }
  ctx.set_output(0, batch.Concat(PartialShape{last(x, adj_x ? 1 : 2), last(y, adj_y ? 2 : 1)}));
  return OkStatus();
}

Status SameBatchShape(ShapeContext& ctx) {
  WEIR_TRY(BatchMatMulShape(ctx));
  const PartialShape& x = ctx.input(0);
  const PartialShape& y = ctx.input(1);
  if (!x.known_rank() || !y.known_rank()) {
    const PartialShape& known = x.known_rank() ? x : y;
    if (!known.known_rank()) return OkStatus();
    WEIR_ASSIGN(const PartialShape batch, known.Sub(0, known.rank() - 2));
    WEIR_ASSIGN(const PartialShape matrix,
                ctx.output(0).known_rank() ? ctx.output(0).Sub(-2) : PartialShape::OfRank(2));
    ctx.set_output(0, batch.Concat(matrix));
    return OkStatus();
  }
  WEIR_ASSIGN(const PartialShape x_batch, x.Sub(0, x.rank() - 2));
  WEIR_ASSIGN(const PartialShape y_batch, y.Sub(0, y.rank() - 2));
  WEIR_TRY(x_batch.Merge(y_batch).status());
  return OkStatus();
}

template <class Product>
Result<Gradients> ProductGradient(GradientContext& g, const Product& product) {
  WEIR_ASSIGN(const bool adj_x, g.Attr<bool>("adj_x"));
  WEIR_ASSIGN(const bool adj_y, g.Attr<bool>("adj_y"));
  Output x = g.input(0), y = g.input(1), dz = g.d_output(0);
  Output dx = adj_x ? product(y, dz, adj_y, true) : product(dz, y, false, !adj_y);
  Output dy = adj_y ? product(dz, x, true, adj_x) : product(x, dz, !adj_x, false);
  return Gradients{dx, dy};
}

Result<Gradients> BatchMatMulGradient(GradientContext& g) {
  return ProductGradient(g, [](Output a, Output b, bool adj_a, bool adj_b) {
    return BatchMatMul(a, b, {.adj_x = adj_a, .adj_y = adj_b});
  });
}

Result<Gradients> BatchMatMulV2Gradient(GradientContext& g) {
  WEIR_ASSIGN(Gradients gradients, ProductGradient(g, [](Output a, Output b, bool adj_a, bool adj_b) {
                return BatchMatMulV2(a, b, {.adj_x = adj_a, .adj_y = adj_b});
              }));
  Output x = g.input(0), y = g.input(1);
  const PartialShape xs = x.shape(), ys = y.shape();
  if (xs.known_rank() && xs.rank() == ys.rank()) {
    if (xs.rank() == 2) return gradients;
    WEIR_ASSIGN(const PartialShape x_batch, xs.Sub(0, xs.rank() - 2));
    WEIR_ASSIGN(const PartialShape y_batch, ys.Sub(0, ys.rank() - 2));
    if (x_batch.fully_defined() && x_batch == y_batch) return gradients;
  }
  const Output sx = ShapeOf(x), sy = ShapeOf(y);
  auto batch_of = [](Output shape) { return StridedSlice(shape, {0}, {-2}, {1}, {.begin_mask = 1}); };
  const BroadcastGradientArgsResult repeated = BroadcastGradientArgs(batch_of(sx), batch_of(sy));
  return Gradients{Reshape(Sum(std::get<Output>(gradients[0]), repeated.r0), sx),
                   Reshape(Sum(std::get<Output>(gradients[1]), repeated.r1), sy)};
}

// --- SparseMatMul
Result<Tensor> AsFloats(const Tensor& t) {
  if (t.dtype() == kFloat) return t;
  WEIR_ASSIGN(Tensor wide, Tensor::Allocate(kFloat, t.shape()));
  CastLoop(t.dtype(), kFloat)(t.raw(), wide.raw(), t.num_elements());
  return wide;
}

Result<Kernel> MakeSparseMatMul(KernelSetup& setup) {
  WEIR_ASSIGN(const bool transpose_a, setup.Attr<bool>("transpose_a"));
  WEIR_ASSIGN(const bool transpose_b, setup.Attr<bool>("transpose_b"));
  return Kernel::Sync([transpose_a, transpose_b](KernelContext& ctx) -> Status {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.rank() != 2) return InvalidArgument("a is not a matrix, its shape is {}", a.shape());
    if (b.rank() != 2) return InvalidArgument("b is not a matrix, its shape is {}", b.shape());
    GemmLayout layout{.transpose_a = transpose_a, .transpose_b = transpose_b};
    layout.m = a.dim(transpose_a ? 1 : 0);
    layout.k = a.dim(transpose_a ? 0 : 1);
    layout.n = b.dim(transpose_b ? 0 : 1);
    if (layout.k != b.dim(transpose_b ? 1 : 0))
      return InvalidArgument("Matrix size incompatible: a: {}, b: {}", a.shape(), b.shape());
    WEIR_ASSIGN(const Shape shape, Shape::Make({layout.m, layout.n}));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    WEIR_ASSIGN(const Tensor wide_a, AsFloats(a));
    WEIR_ASSIGN(const Tensor wide_b, AsFloats(b));
    return Gemm(ctx.step().pool, layout, wide_a.data<float>(), wide_b.data<float>(), out.data<float>());
  });
}

Result<Gradients> SparseMatMulGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool transpose_a, g.Attr<bool>("transpose_a"));
  WEIR_ASSIGN(const bool transpose_b, g.Attr<bool>("transpose_b"));
  Output a = g.input(0), b = g.input(1), dy = g.d_output(0);
  auto product = [](Output x, Output y, bool transpose_x, bool transpose_y, DType type) {
    const Output z = SparseMatMul(x, y, {.transpose_a = transpose_x, .transpose_b = transpose_y});
    return type == kFloat ? z : Cast(z, type);
  };
  Output da = transpose_a ? product(b, dy, transpose_b, true, a.base_dtype())
                          : product(dy, b, false, !transpose_b, a.base_dtype());
  Output db = transpose_b ? product(dy, a, true, transpose_a, b.base_dtype())
                          : product(a, dy, !transpose_a, false, b.base_dtype());
  return Gradients{da, db};
}

}  // namespace

void RegisterBatchMatMul(OpRegistry& registry) {
  registry.Add({
      .name = "BatchMatMul",
      .signature = "x: T, y: T -> output: T",
      .attrs = {"T: {bfloat16, half, float, double, int32, int64, complex64, complex128}", "adj_x: bool = false",
                "adj_y: bool = false"},
      .shape = SameBatchShape,
      .gradient = BatchMatMulGradient,
      .kernels = CpuKernel([](KernelSetup& setup) { return MakeBatchMatMul(setup, /*broadcast=*/false); }),
      .traits = kOwnMemory,
  });
  registry.Add({
      .name = "BatchMatMulV2",
      .signature = "x: T, y: T -> output: T",
      .attrs = {"T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, "
                "complex128}",
                "adj_x: bool = false", "adj_y: bool = false"},
      .shape = BatchMatMulShape,
      .gradient = BatchMatMulV2Gradient,
      .kernels = CpuKernel([](KernelSetup& setup) { return MakeBatchMatMul(setup, /*broadcast=*/true); }),
      .traits = kOwnMemory,
  });
  registry.Add({
      .name = "SparseMatMul",
      .signature = "a: Ta, b: Tb -> product: float",
      .attrs = {"transpose_a: bool = false", "transpose_b: bool = false", "a_is_sparse: bool = false",
                "b_is_sparse: bool = false", "Ta: {float, bfloat16} = DT_FLOAT", "Tb: {float, bfloat16} = DT_FLOAT"},
      .shape = MatMulShape,
      .gradient = SparseMatMulGradient,
      .kernels = CpuKernel(MakeSparseMatMul),
      .traits = kOwnMemory,
  });
}

}  // namespace weir::ops
