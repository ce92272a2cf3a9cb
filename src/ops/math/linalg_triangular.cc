// MatrixTriangularSolve: solves triangular systems by substitution; batch dimensions broadcast. A zero on the diagonal
// gives infinities, not an error.
#include "ops/math/batch_product.h"
#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"

namespace weir::ops {
namespace {

template <class C>
Status Solve(KernelContext& ctx, bool lower, bool adjoint) {
  const Tensor& a = ctx.input(0);
  const Tensor& b = ctx.input(1);
  for (int i = 0; i < 2; ++i) {
    if (ctx.input(i).rank() < 2) return InvalidArgument("In[{}] ndims must be >= 2: {}", i, ctx.input(i).rank());
  }
  const MatrixSize size = SizeOf(a), rhs = SizeOf(b);
  if (size.rows != size.cols)
    return InvalidArgument("In[0] matrices in the last dimensions must be square ({} =/= {})", size.cols, size.rows);
  if (size.rows != rhs.rows)
    return InvalidArgument("In[0] mismatch In[1] shape: {} vs. {}: {} {}", size.rows, rhs.rows, a.shape(), b.shape());
  WEIR_ASSIGN(const DimVector batch, BroadcastBatch(a.shape(), b.shape()));
  DimVector dims = batch;
  dims.push_back(rhs.rows);
  dims.push_back(rhs.cols);
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const BatchIndex index = IndexBatch(a.shape(), b.shape(), batch);
  return ctx.ParallelFor(index.count, size.rows * size.rows * rhs.cols / 2 + 100, [&](int64_t k) {
    Matrix<C> matrix(size.rows, size.cols), x(rhs.rows, rhs.cols);
    Load(a, index.a.empty() ? k : index.a[static_cast<size_t>(k)], matrix);
    Load(b, index.b.empty() ? k : index.b[static_cast<size_t>(k)], x);
    if (adjoint) matrix = AdjointOf(matrix);
    FactorScratch scratch;
    SolveInPlace({.lower = lower != adjoint}, matrix, x, scratch);
    Store(x, out, k);
  });
}

template <class C>
Result<Kernel> MakeSolve(KernelSetup& setup) {
  WEIR_ASSIGN(const bool lower, setup.Attr<bool>("lower"));
  WEIR_ASSIGN(const bool adjoint, setup.Attr<bool>("adjoint"));
  return Kernel::Sync([lower, adjoint](KernelContext& ctx) { return Solve<C>(ctx, lower, adjoint); });
}

Status TriangularShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix a, SquareInput(ctx, 0));
  WEIR_ASSIGN(const PartialMatrix b, MatrixInput(ctx, 1));
  WEIR_ASSIGN(const int64_t rows, MergeDims(a.rows, b.rows));
  WEIR_ASSIGN(const PartialShape batch, BroadcastShapes(a.batch, b.batch));
  ctx.set_output(0, batch.Concat(PartialShape{rows, b.cols}));
  return OkStatus();
}

Result<Gradients> TriangularGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool lower, g.Attr<bool>("lower"));
  WEIR_ASSIGN(const bool adjoint, g.Attr<bool>("adjoint"));
  Output a = g.input(0), b = g.input(1), x = g.output(0);
  Output db = MatrixTriangularSolve(a, g.d_output(0), {.lower = lower, .adjoint = !adjoint});
  Output da = -(adjoint ? TimesAdjoint(x, db) : TimesAdjoint(db, x));
  da = lower ? Lower(da) : Upper(da);
  const PartialShape as = a.shape(), bs = b.shape();
  if (as.known_rank() && as.rank() == bs.rank()) {
    WEIR_ASSIGN(const PartialShape a_batch, as.Sub(0, as.rank() - 2));
    WEIR_ASSIGN(const PartialShape b_batch, bs.Sub(0, bs.rank() - 2));
    if (a_batch.fully_defined() && a_batch == b_batch) return Gradients{da, db};
  }
  const Output sa = ShapeOf(a), sb = ShapeOf(b);
  auto batch_of = [](Output shape) { return StridedSlice(shape, {0}, {-2}, {1}, {.begin_mask = 1}); };
  const BroadcastGradientArgsResult repeated = BroadcastGradientArgs(batch_of(sa), batch_of(sb));
  return Gradients{Reshape(Sum(da, repeated.r0), sa), Reshape(Sum(db, repeated.r1), sb)};
}

}  // namespace

void RegisterLinalgTriangular(OpRegistry& registry) {
  registry.Add({
      .name = "MatrixTriangularSolve",
      .signature = "matrix: T, rhs: T -> output: T",
      .attrs = {"lower: bool = true", "adjoint: bool = false",
                "T: {bfloat16, double, float, half, complex64, complex128}"},
      .shape = TriangularShape,
      .gradient = TriangularGradient,
      .kernels = JoinKernels({CpuKernelForTypes("T", {kBFloat16, kHalf, kFloat, kDouble}, MakeSolve<double>),
                              CpuKernelForTypes("T", {kComplex64, kComplex128}, MakeSolve<std::complex<double>>)}),
  });
}

}  // namespace weir::ops
