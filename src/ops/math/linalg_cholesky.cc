// Cholesky decompositions, their gradient, and least squares based on them. Only the lower triangles of symmetric
// matrices are read. A matrix that is not positive definite gives NaNs.
#include <limits>

#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"

namespace weir::ops {
namespace {

struct CholeskyOp : SquareMatrixOp<CholeskyOp> {
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    const int64_t n = in[0].rows;
    const bool definite = FactorCholesky(n, in[0].data.data(), scratch);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j)
        out[0](i, j) = j > i ? C(0) : definite ? in[0](i, j) : C(std::numeric_limits<double>::quiet_NaN());
    }
    return OkStatus();
  }
};

template <class C>
void KeepLower(Matrix<C>& m) {
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = i + 1; j < m.cols; ++j) m(i, j) = C(0);
  }
}

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
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    for (Matrix<C>& m : in) KeepLower(m);
    const Matrix<C> l = AdjointOf(in[0]);
    Matrix<C> p = Product(l, in[1], scratch);
    KeepLower(p);
    for (int64_t i = 0; i < p.rows; ++i) p(i, i) *= 0.5;
    SolveInPlace({.lower = false}, l, p, scratch);
    Matrix<C> da = AdjointOf(p);
    SolveInPlace({.lower = false}, l, da, scratch);
    for (int64_t i = 0; i < da.rows; ++i) {
      for (int64_t j = 0; j < da.cols; ++j) out[0](i, j) = 0.5 * (da(i, j) + Conjugate(da(j, i)));
    }
    return OkStatus();
  }
};

// --- least squares

// The solution by the normal equations.
template <class C>
Status SolveByGramian(const Matrix<C>& a, const Matrix<C>& b, double l2, Matrix<C>& x, FactorScratch& scratch) {
  const Matrix<C> adjoint = AdjointOf(a);
  const bool tall = a.rows >= a.cols;
  Matrix<C> gramian = tall ? Product(adjoint, a, scratch) : Product(a, adjoint, scratch);
  for (int64_t i = 0; i < gramian.rows; ++i) gramian(i, i) += l2;
  if (!FactorCholesky(gramian.rows, gramian.data.data(), scratch))
    return InvalidArgument(
        "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger l2_regularizer "
        "> 0.");
  Matrix<C> y = tall ? Product(adjoint, b, scratch) : b;
  SolveInPlace({.lower = true}, gramian, y, scratch);
  SolveInPlace({.lower = false}, AdjointOf(gramian), y, scratch);
  x = tall ? std::move(y) : Product(adjoint, y, scratch);
  return OkStatus();
}

template <class C>
double Length(const std::vector<C>& values) {
  double largest = 0, sum = 0;
  for (const C& x : values) largest = std::max(largest, std::abs(x));
  if (largest == 0) return 0;
  for (const C& x : values) sum += std::norm(x / largest);
  return largest * std::sqrt(sum);
}

// The first `rows` rows of R in the result of FactorQr.
template <class C>
Matrix<C> UpperOf(const Matrix<C>& factors, int64_t rows) {
  Matrix<C> r(rows, factors.cols);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i; j < factors.cols; ++j) r(i, j) = factors(i, j);
  }
  return r;
}

// True if the condition number of an upper triangular matrix is certainly below `limit`.
template <class C>
bool ConditionIsBelow(double limit, const Matrix<C>& r, FactorScratch& scratch) {
  const double size = Length(r.data);
  const int64_t n = r.rows;
  // First try a cheap bound, which usually suffices: the largest row sum of the inverse of a matrix whose elements have
  // the same magnitudes but never cancel. The factor sqrt(n) converts it to the norm that is compared with `limit`.
  std::vector<double> sums(static_cast<size_t>(n));
  double largest = 0;
  for (int64_t i = n - 1; i >= 0; --i) {
    double sum = 1;
    for (int64_t j = i + 1; j < n; ++j) sum += std::abs(r(i, j)) * sums[static_cast<size_t>(j)];
    sums[static_cast<size_t>(i)] = sum / std::abs(r(i, i));
    largest = std::max(largest, sums[static_cast<size_t>(i)]);
  }
  if (size * largest * std::sqrt(static_cast<double>(n)) < limit) return true;
  Matrix<C> inverse(n, n);
  SetIdentity(inverse);
  SolveInPlace({.lower = false}, r, inverse, scratch);
  return size * Length(inverse.data) < limit;
}

// x = the solution of the least squares problem min |a x - b| with the smallest norm, for `a` of full rank: a = QR, or
// a^H = QR if `a` is wide. Returns false if the condition number of `a` may reach `limit`.
template <class C>
bool SolveFullRank(const Matrix<C>& a, const Matrix<C>& b, double limit, Matrix<C>& x, FactorScratch& scratch) {
  const bool tall = a.rows >= a.cols;
  Matrix<C> factors = tall ? a : AdjointOf(a);
  const int64_t m = factors.rows, n = factors.cols, k = b.cols;
  std::vector<C> tau(static_cast<size_t>(n));
  FactorQr(m, n, factors.data.data(), tau.data(), scratch);
  const Matrix<C> r = UpperOf(factors, n);
  if (std::isfinite(limit) && !ConditionIsBelow(limit, r, scratch)) return false;
  Matrix<C> y = b;
  if (tall) {
    ApplyReflectors(/*adjoint=*/true, m, n, factors.data.data(), n, tau.data(), k, y.data.data(), k, scratch);
    y.Resize(n, k);
    SolveInPlace({.lower = false}, r, y, scratch);
  } else {
    SolveInPlace({.lower = true}, AdjointOf(r), y, scratch);
    y.data.resize(static_cast<size_t>(m * k), C(0));
    y.rows = m;
    ApplyReflectors(/*adjoint=*/false, m, n, factors.data.data(), n, tau.data(), k, y.data.data(), k, scratch);
  }
  x = std::move(y);
  return true;
}

// The same for any rank, with column pivoting: a P = QR. The rank is the number of pivots that are not negligible
// compared with the first one. The first `rank` rows, [R11 R12] P^T x = Q^H b, then have full rank.
template <class C>
void SolveAnyRank(Matrix<C> a, Matrix<C> b, double threshold, Matrix<C>& x, FactorScratch& scratch) {
  const int64_t m = a.rows, n = a.cols, k = b.cols, most = std::min(m, n);
  std::vector<C> tau(static_cast<size_t>(most));
  std::vector<int64_t> columns(static_cast<size_t>(n));
  FactorPivotedQr(m, n, a.data.data(), tau.data(), columns.data());
  int64_t rank = 0;
  while (rank < most && std::abs(a(rank, rank)) > threshold * std::abs(a(0, 0))) ++rank;
  x.Fill(C(0));
  if (rank == 0) return;
  ApplyReflectors(/*adjoint=*/true, m, most, a.data.data(), n, tau.data(), k, b.data.data(), k, scratch);
  b.Resize(rank, k);
  Matrix<C> y;
  SolveFullRank(UpperOf(a, rank), b, /*limit=*/std::numeric_limits<double>::infinity(), y, scratch);
  for (int64_t i = 0; i < n; ++i) std::copy_n(&y(i, 0), k, &x(columns[static_cast<size_t>(i)], 0));
}

template <class C>
Status LeastSquares(Matrix<C>& a, Matrix<C>& b, double l2, bool fast, Matrix<C>& x, FactorScratch& scratch) {
  if (a.rows == 0 || a.cols == 0 || b.cols == 0) {
    x.Fill(C(0));
    return OkStatus();
  }
  if (fast) return SolveByGramian(a, b, l2, x, scratch);
  for (const C& value : a.data) {
    if (!IsFinite(value)) return InvalidArgument("Input matrix has a value that is not finite.");
  }
  const double threshold = std::numeric_limits<double>::epsilon() * static_cast<double>(std::min(a.rows, a.cols));
  if (!SolveFullRank(a, b, 1 / threshold, x, scratch)) SolveAnyRank(std::move(a), std::move(b), threshold, x, scratch);
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
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    return LeastSquares(in[0], in[1], l2, fast, out[0], scratch);
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
