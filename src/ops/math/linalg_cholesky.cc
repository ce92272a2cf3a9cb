// Cholesky decompositions, their gradient, and least squares based on them. Only the lower triangles of symmetric
// matrices are read. A matrix that is not positive definite gives NaNs.
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"

namespace weir::ops {
namespace {

struct CholeskyOp {
  static Result<CholeskyOp> Make(KernelSetup&) { return CholeskyOp{}; }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    return ResultDims{{in[0].rows, in[0].cols}};
  }
  template <class C>
  Status Run(const std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out) const {
    const Eigen::LLT<Matrix<C>> llt(in[0]);
    if (llt.info() == Eigen::Success) {
      out[0] = llt.matrixL();
    } else {
      out[0].setZero();
      out[0].template triangularView<Eigen::Lower>().setConstant(C(std::numeric_limits<double>::quiet_NaN()));
    }
    return OkStatus();
  }
};

// dA is the symmetric part of L^-T P L^-1, with P = the lower triangle of L^T dL with its diagonal halved.
struct CholeskyGradOp {
  static Result<CholeskyGradOp> Make(KernelSetup&) { return CholeskyGradOp{}; }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    if (in[0].rows != in[1].rows || in[0].cols != in[1].cols)
      return InvalidArgument("Inputs must have the same shape: [{},{}] and [{},{}]", in[0].rows, in[0].cols, in[1].rows,
                             in[1].cols);
    return ResultDims{{in[0].rows, in[0].cols}};
  }
  template <class C>
  Status Run(const std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out) const {
    const Matrix<C> l = in[0].template triangularView<Eigen::Lower>();
    const Matrix<C> dl = in[1].template triangularView<Eigen::Lower>();
    Matrix<C> p = (l.adjoint() * dl).template triangularView<Eigen::Lower>();
    p.diagonal() *= 0.5;
    Matrix<C> right = l.template triangularView<Eigen::Lower>().adjoint().solve(p);
    const Matrix<C> da =
        l.template triangularView<Eigen::Lower>().adjoint().solve(Matrix<C>(right.adjoint())).adjoint();
    out[0] = 0.5 * (da + Matrix<C>(da.adjoint()));
    return OkStatus();
  }
};

template <class C>
Status LeastSquares(const Matrix<C>& a, const Matrix<C>& b, double l2, bool fast, Matrix<C>& x) {
  if (a.rows() == 0 || a.cols() == 0 || b.cols() == 0) {
    x.setZero();
    return OkStatus();
  }
  if (!fast) {
    x = Eigen::CompleteOrthogonalDecomposition<Matrix<C>>(a).solve(b);
    return OkStatus();
  }
  const bool tall = a.rows() >= a.cols();
  Matrix<C> gramian = tall ? Matrix<C>(a.adjoint() * a) : Matrix<C>(a * a.adjoint());
  gramian.diagonal().array() += l2;
  const Eigen::LLT<Matrix<C>> llt(gramian);
  if (llt.info() != Eigen::Success)
    return InvalidArgument(
        "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger l2_regularizer "
        "> 0.");
  if (tall) {
    x = llt.solve(a.adjoint() * b);
  } else {
    x = a.adjoint() * llt.solve(b);
  }
  return OkStatus();
}

// The regularizer is a third, scalar input, so the op is created in every run.
struct LeastSquaresOp {
  bool fast;
  double l2;
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    if (in[0].rows != in[1].rows)
      return InvalidArgument("Input matrix and rhs are incompatible: {} and {} rows", in[0].rows, in[1].rows);
    return ResultDims{{in[0].cols, in[1].cols}};
  }
  template <class C>
  Status Run(const std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out) const {
    return LeastSquares(in[0], in[1], l2, fast, out[0]);
  }
};

template <class C>
Result<Kernel> MakeLeastSquares(KernelSetup& setup) {
  WEIR_ASSIGN(const bool fast, setup.Attr<bool>("fast"));
  return Kernel::Sync([fast](KernelContext& ctx) -> Status {
    const Tensor& l2 = ctx.input(2);
    if (l2.rank() != 0) return InvalidArgument("Regularizer must be scalar, got shape {}", l2.shape());
    if (!(l2.scalar<double>() >= 0)) return InvalidArgument("l2_regularizer must be >= 0, got {}", l2.scalar<double>());
    return RunPerMatrix<C>(ctx, LeastSquaresOp{fast, l2.scalar<double>()}, 2);
  });
}

Status LeastSquaresShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(2, 0).status());
  WEIR_ASSIGN(const PartialMatrix a, MatrixInput(ctx, 0));
  WEIR_ASSIGN(const PartialMatrix b, MatrixInput(ctx, 1));
  WEIR_TRY(MergeDims(a.rows, b.rows).status());
  WEIR_ASSIGN(const PartialShape batch, a.batch.Merge(b.batch));
  ctx.set_output(0, batch.Concat(PartialShape{a.cols, b.cols}));
  return OkStatus();
}

// --- gradients
Output Symmetric(Output x) { return (x + Adjoint(x)) * 0.5; }

Result<Gradients> CholeskyGradient(GradientContext& g) {
  Output l = g.output(0);
  Output p = AdjointTimes(l, g.d_output(0));
  p = Lower(MatrixSetDiag(p, MatrixDiagPart(p) * 0.5));
  const Output right = MatrixTriangularSolve(l, p, {.adjoint = true});  // L^-H P
  // (L^-H P) L^-1 = (L^-H (L^-H P)^H)^H
  return Gradients{Symmetric(Adjoint(MatrixTriangularSolve(l, Adjoint(right), {.adjoint = true})))};
}

Output SolveWithFactor(Output l, Output b) {
  return MatrixTriangularSolve(l, MatrixTriangularSolve(l, b), {.adjoint = true});
}

// The Cholesky factor of the regularized Gramian of a.
Output GramianFactor(Output a, Output l2, bool tall) {
  const Output gramian = tall ? AdjointTimes(a, a) : TimesAdjoint(a, a);
  return Cholesky(MatrixSetDiag(gramian, MatrixDiagPart(gramian) + Cast(l2, a.base_dtype())));
}

Result<Gradients> LeastSquaresGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool fast, g.Attr<bool>("fast"));
  if (!fast) return InvalidArgument("Gradient not defined for fast=False");
  Output a = g.input(0), b = g.input(1), x = g.output(0), dx = g.d_output(0);
  const PartialShape shape = a.shape();
  if (!shape.known_rank() || shape[shape.rank() - 2] < 0 || shape[shape.rank() - 1] < 0)
    return Unimplemented("the gradient of MatrixSolveLs needs to know the rows and columns of the matrix: {}", shape);
  const bool tall = shape[shape.rank() - 2] >= shape[shape.rank() - 1];
  const Output factor = GramianFactor(a, g.input(2), tall);
  if (tall) {
    const Output z = SolveWithFactor(factor, dx);
    const Output xz = TimesAdjoint(x, z);
    return Gradients{TimesAdjoint(b, z) - Times(a, xz + Adjoint(xz)), Times(a, z), std::monostate{}};
  }
  const Output db = SolveWithFactor(factor, Times(a, dx));
  const Output solved = SolveWithFactor(factor, b);
  const Output through_inverse = -Times(db, AdjointTimes(solved, a));
  const Output direct = TimesAdjoint(solved, dx - AdjointTimes(a, db));
  return Gradients{through_inverse + direct, db, std::monostate{}};
}

}  // namespace

void RegisterLinalgCholesky(OpRegistry& registry) {
  registry.Add({
      .name = "Cholesky",
      .signature = "input: T -> output: T",
      .attrs = {"T: {double, float, half, complex64, complex128}"},
      .shape = SquareToSame(),
      .gradient = CholeskyGradient,
      .kernels = LinalgKernels<CholeskyOp>(),
  });
  registry.Add({
      .name = "CholeskyGrad",
      .signature = "l: T, grad: T -> output: T",
      .attrs = {"T: {half, float, double}"},
      .shape = SquareToSame(),
      .kernels = LinalgKernels<CholeskyGradOp, /*kReal=*/true>(2),
  });
  registry.Add({
      .name = "MatrixSolveLs",
      .signature = "matrix: T, rhs: T, l2_regularizer: double -> output: T",
      .attrs = {"T: {double, float, half, complex64, complex128}", "fast: bool = true"},
      .shape = LeastSquaresShape,
      .gradient = LeastSquaresGradient,
      .kernels =
          JoinKernels({CpuKernelForTypes("T", {kHalf, kFloat, kDouble}, MakeLeastSquares<double>),
                       CpuKernelForTypes("T", {kComplex64, kComplex128}, MakeLeastSquares<std::complex<double>>)}),
  });
}

}  // namespace weir::ops
