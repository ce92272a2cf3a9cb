// Inverses, determinants and solutions of linear systems, by LU decomposition with partial pivoting.
#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"

namespace weir::ops {
namespace {

// PA = LU, in place.
template <class C>
struct Lu {
  Matrix<C>& a;
  std::vector<int64_t> pivots;
  Lu(Matrix<C>& matrix, FactorScratch& scratch) : a(matrix), pivots(static_cast<size_t>(matrix.rows)) {
    FactorLu(a.rows, a.data.data(), pivots.data(), scratch);
  }
  // False for NaNs too.
  bool invertible() const {
    for (int64_t i = 0; i < a.rows; ++i) {
      if (!(std::abs(a(i, i)) > 0)) return false;
    }
    return true;
  }
  // x = a^-1 x
  void Solve(Matrix<C>& x, FactorScratch& scratch) const {
    for (int64_t i = 0; i < a.rows; ++i) {
      const int64_t other = pivots[static_cast<size_t>(i)];
      if (other != i && x.cols > 0) std::swap_ranges(&x(i, 0), &x(i, 0) + x.cols, &x(other, 0));
    }
    SolveInPlace({.lower = true, .ones = true}, a, x, scratch);
    SolveInPlace({.lower = false}, a, x, scratch);
  }
};

struct InverseOp {
  bool adjoint;
  static Result<InverseOp> Make(KernelSetup& setup) {
    WEIR_ASSIGN(const bool adjoint, setup.Attr<bool>("adjoint"));
    return InverseOp{adjoint};
  }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    return ResultDims{{in[0].rows, in[0].cols}};
  }
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    if (adjoint) in[0] = AdjointOf(in[0]);
    const Lu<C> lu(in[0], scratch);
    if (!lu.invertible()) return InvalidArgument("Input is not invertible.");
    SetIdentity(out[0]);
    lu.Solve(out[0], scratch);
    return OkStatus();
  }
};

// The sign (or phase) and the logarithm of the magnitude of a determinant.
template <class C>
std::pair<C, double> LogDeterminant(Matrix<C>& a, FactorScratch& scratch) {
  const Lu<C> lu(a, scratch);
  C sign(1);
  double log_size = 0;
  for (int64_t i = 0; i < a.rows; ++i) {
    if (lu.pivots[static_cast<size_t>(i)] != i) sign = -sign;
    const C x = a(i, i);
    const double size = std::abs(x);
    sign *= size == 0 ? C(0) : x / size;
    log_size += std::log(size);
  }
  return {sign, log_size};
}

struct DeterminantOp {
  static Result<DeterminantOp> Make(KernelSetup&) { return DeterminantOp{}; }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    return ResultDims{{}};
  }
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    const auto [sign, log_size] = LogDeterminant(in[0], scratch);
    out[0](0, 0) = sign == C(0) ? C(0) : sign * std::exp(log_size);
    return OkStatus();
  }
};

struct LogDeterminantOp {
  static Result<LogDeterminantOp> Make(KernelSetup&) { return LogDeterminantOp{}; }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    return ResultDims{{}, {}};
  }
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    const auto [sign, log_size] = LogDeterminant(in[0], scratch);
    out[0](0, 0) = sign;
    out[1](0, 0) = log_size;
    return OkStatus();
  }
};

struct SolveOp {
  bool adjoint;
  static Result<SolveOp> Make(KernelSetup& setup) {
    WEIR_ASSIGN(const bool adjoint, setup.Attr<bool>("adjoint"));
    return SolveOp{adjoint};
  }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    if (in[0].rows != in[0].cols)
      return InvalidArgument("First input (lhs) must be a square matrix, it is [{},{}]", in[0].rows, in[0].cols);
    if (in[0].rows != in[1].rows)
      return InvalidArgument("Input matrix and rhs are incompatible: {} and {} rows", in[0].rows, in[1].rows);
    return ResultDims{{in[0].cols, in[1].cols}};
  }
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    if (adjoint) in[0] = AdjointOf(in[0]);
    const Lu<C> lu(in[0], scratch);
    if (!lu.invertible()) return InvalidArgument("Input matrix is not invertible.");
    out[0] = in[1];
    lu.Solve(out[0], scratch);
    return OkStatus();
  }
};

// --- shapes
Status SolveShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix a, SquareInput(ctx, 0));
  WEIR_ASSIGN(const PartialMatrix b, MatrixInput(ctx, 1));
  WEIR_ASSIGN(const int64_t rows, MergeDims(a.rows, b.rows));
  WEIR_ASSIGN(const PartialShape batch, a.batch.Merge(b.batch));
  ctx.set_output(0, batch.Concat(PartialShape{rows, b.cols}));
  return OkStatus();
}

// --- gradients
Result<Gradients> InverseGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool adjoint, g.Attr<bool>("adjoint"));
  Output inverse = g.output(0);
  const Output inner = BatchMatMulV2(g.d_output(0), inverse, {.adj_x = adjoint, .adj_y = !adjoint});
  return Gradients{-BatchMatMulV2(inverse, inner, {.adj_x = !adjoint})};
}

Result<Gradients> DeterminantGradient(GradientContext& g) {
  return Gradients{PerMatrix(g.d_output(0) * g.output(0)) * MatrixInverse(g.input(0), {.adjoint = true})};
}
Result<Gradients> LogDeterminantGradient(GradientContext& g) {
  return Gradients{PerMatrix(g.d_output(1)) * MatrixInverse(g.input(0), {.adjoint = true})};
}

Result<Gradients> SolveGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool adjoint, g.Attr<bool>("adjoint"));
  Output x = g.output(0);
  Output db = MatrixSolve(g.input(0), g.d_output(0), {.adjoint = !adjoint});
  Output da = -(adjoint ? TimesAdjoint(x, db) : TimesAdjoint(db, x));
  return Gradients{da, db};
}

}  // namespace

void RegisterLinalgSolve(OpRegistry& registry) {
  registry.Add({
      .name = "MatrixInverse",
      .signature = "input: T -> output: T",
      .attrs = {"adjoint: bool = false", "T: {double, float, half, complex64, complex128}"},
      .shape = SquareToSame(),
      .gradient = InverseGradient,
      .kernels = LinalgKernels<InverseOp>(),
  });
  registry.Add({
      .name = "MatrixDeterminant",
      .signature = "input: T -> output: T",
      .attrs = {"T: {half, float, double, complex64, complex128}"},
      .shape = SquareToScalars(),
      .gradient = DeterminantGradient,
      .kernels = LinalgKernels<DeterminantOp>(),
  });
  registry.Add({
      .name = "LogMatrixDeterminant",
      .signature = "input: T -> sign: T, log_abs_determinant: T",
      .attrs = {"T: {half, float, double, complex64, complex128}"},
      .shape = SquareToScalars(),
      .gradient = LogDeterminantGradient,
      .kernels = LinalgKernels<LogDeterminantOp>(),
  });
  registry.Add({
      .name = "MatrixSolve",
      .signature = "matrix: T, rhs: T -> output: T",
      .attrs = {"adjoint: bool = false", "T: {double, float, half, complex64, complex128}"},
      .shape = SolveShape,
      .gradient = SolveGradient,
      .kernels = LinalgKernels<SolveOp>(2),
  });
}

}  // namespace weir::ops
