// Lu: the LU decomposition with partial pivoting, as L without its diagonal of ones and U in one matrix, and the
// permutation p of rows: row p[i] of the input is row i of L U.
#include <numeric>

#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"

namespace weir::ops {
namespace {

template <class C>
Status Decompose(KernelContext& ctx) {
  const Tensor& a = ctx.input(0);
  WEIR_TRY(CommonBatch(ctx, 1).status());
  const MatrixSize size = SizeOf(a);
  WEIR_TRY(MustBeSquare(size));
  const int64_t n = size.rows;
  Shape rows = a.shape();
  rows.RemoveLastDims(1);
  WEIR_ASSIGN(const Tensor lu, ctx.Allocate(0, a.shape()));
  WEIR_ASSIGN(const Tensor p, ctx.Allocate(1, rows));
  if (lu.num_elements() == 0) return OkStatus();
  std::atomic<bool> singular = false;
  WEIR_TRY(ctx.ParallelFor(lu.num_elements() / (n * n), n * n * n / 3 + 100, [&](int64_t k) {
    Matrix<C> matrix(n, n);
    Load(a, k, matrix);
    FactorScratch scratch;
    std::vector<int64_t> pivots(static_cast<size_t>(n)), order(static_cast<size_t>(n));
    FactorLu(n, matrix.data.data(), pivots.data(), scratch);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = 0; i < order.size(); ++i) {
      std::swap(order[i], order[static_cast<size_t>(pivots[i])]);
      const auto at = static_cast<int64_t>(i);
      if (!(std::abs(matrix(at, at)) > 0)) singular = true;
    }
    Store(matrix, lu, k);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = order[static_cast<size_t>(i)];
      if (p.dtype() == kInt32) {
        p.data<int32_t>()[k * n + i] = static_cast<int32_t>(row);
      } else {
        p.data<int64_t>()[k * n + i] = row;
      }
    }
  }));
  return singular ? InvalidArgument("Input is not invertible.") : OkStatus();
}

template <class C>
Result<Kernel> MakeLu(KernelSetup&) {
  return Kernel::Sync(Decompose<C>);
}

Status LuShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix m, SquareInput(ctx, 0));
  ctx.set_output(0, m.batch.Concat(PartialShape{m.rows, m.rows}));
  ctx.set_output(1, m.batch.Concat(PartialShape{m.rows}));
  return OkStatus();
}

// With p a = l u: d(p a) = l^-H (strict lower part of l^H dl + upper part of du u^H) u^-H.
Result<Gradients> LuGradient(GradientContext& g) {
  const Output lu = g.output(0), p = g.output(1), d = g.d_output(0);
  const Output strict = lu - Upper(lu);
  const Output diagonal = MatrixDiagPart(lu);
  const Output l = MatrixSetDiag(strict, OnesLike(diagonal)), u = Upper(lu);
  const Output lower = AdjointTimes(l, d - Upper(d));
  const Output middle = lower - Upper(lower) + Upper(TimesAdjoint(Upper(d), u));
  const Output left = MatrixTriangularSolve(l, middle, {.lower = true, .adjoint = true});
  const Output right = Adjoint(MatrixTriangularSolve(u, Adjoint(left), {.lower = false}));
  const Output n = StridedSlice(ShapeOf(lu), {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1});
  const Output order = Cast(OneHot(p, n, 1.0f, 0.0f), lu.base_dtype());
  return Gradients{AdjointTimes(order, right)};
}

}  // namespace

void RegisterLinalgLu(OpRegistry& registry) {
  registry.Add({
      .name = "Lu",
      .signature = "input: T -> lu: T, p: output_idx_type",
      .attrs = {"T: {double, float, half, complex64, complex128}", "output_idx_type: {int32, int64} = DT_INT32"},
      .shape = LuShape,
      .gradient = LuGradient,
      .kernels = JoinKernels({CpuKernelForTypes("T", {kHalf, kFloat, kDouble}, MakeLu<double>),
                              CpuKernelForTypes("T", {kComplex64, kComplex128}, MakeLu<std::complex<double>>)}),
  });
}

}  // namespace weir::ops
