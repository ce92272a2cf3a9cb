// Matrix decompositions: eigenvalues of self-adjoint matrices, QR, and the square root.
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <unsupported/Eigen/MatrixFunctions>

#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"

namespace weir::ops {
namespace {

// --- eigenvalues

// In ascending order. Only the lower triangle is read.
struct SelfAdjointEigOp {
  bool vectors;
  static Result<SelfAdjointEigOp> Make(KernelSetup& setup) {
    WEIR_ASSIGN(const bool vectors, setup.Attr<bool>("compute_v"));
    return SelfAdjointEigOp{vectors};
  }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    if (!vectors) return ResultDims{{in[0].rows}};
    return ResultDims{{in[0].rows}, {in[0].rows, in[0].cols}};
  }
  template <class C>
  Status Run(const std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out) const {
    if (in[0].rows() == 0) return OkStatus();
    const Eigen::SelfAdjointEigenSolver<Matrix<C>> solver(
        in[0], vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
    if (solver.info() != Eigen::Success)
      return InvalidArgument("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
    out[0] = solver.eigenvalues().template cast<C>();
    if (vectors) out[1] = solver.eigenvectors();
    return OkStatus();
  }
};

Status SelfAdjointEigShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix m, SquareInput(ctx, 0));
  WEIR_ASSIGN(const bool vectors, ctx.Attr<bool>("compute_v"));
  ctx.set_output(0, m.batch.Concat(PartialShape{m.rows}));
  ctx.set_output(1, vectors ? m.batch.Concat(PartialShape{m.rows, m.rows}) : PartialShape{0});
  return OkStatus();
}

Result<Gradients> SelfAdjointEigGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool vectors, g.Attr<bool>("compute_v"));
  const Output de = MatrixDiag(g.d_output(0));
  Output da;
  if (vectors) {
    Output e = g.output(0), v = g.output(1);
    const Output gaps = MatrixSetDiag(SafeReciprocal(ExpandDims(e, -2) - ExpandDims(e, -1)), ZerosLike(e));
    da = Times(v, TimesAdjoint(de + gaps * AdjointTimes(v, g.d_output(1)), v));
  } else {
    const Output v = SelfAdjointEigV2(g.input(0)).v;
    da = Times(v, TimesAdjoint(de, v));
  }
  // Only the lower triangle was read.
  da = Lower(da + Adjoint(da));
  return Gradients{MatrixSetDiag(da, MatrixDiagPart(da) * 0.5)};
}

// --- QR
struct QrOp {
  bool full;
  static Result<QrOp> Make(KernelSetup& setup) {
    WEIR_ASSIGN(const bool full, setup.Attr<bool>("full_matrices"));
    return QrOp{full};
  }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    const int64_t rank = full ? in[0].rows : std::min(in[0].rows, in[0].cols);
    return ResultDims{{in[0].rows, rank}, {rank, in[0].cols}};
  }
  template <class C>
  Status Run(const std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out) const {
    if (in[0].size() == 0) {
      out[0].setIdentity();
      return OkStatus();
    }
    const Eigen::HouseholderQR<Matrix<C>> qr(in[0]);
    out[0] = qr.householderQ() * Matrix<C>::Identity(in[0].rows(), out[0].cols());
    out[1] = qr.matrixQR().topRows(out[1].rows()).template triangularView<Eigen::Upper>();
    return OkStatus();
  }
};

Status QrShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix m, MatrixInput(ctx, 0));
  WEIR_ASSIGN(const bool full, ctx.Attr<bool>("full_matrices"));
  int64_t rank = m.rows;
  if (!full)
    rank = m.rows < 0 || m.cols < 0 ? (m.rows == 0 || m.cols == 0 ? 0 : kUnknownDim) : std::min(m.rows, m.cols);
  ctx.set_output(0, m.batch.Concat(PartialShape{m.rows, rank}));
  ctx.set_output(1, m.batch.Concat(PartialShape{rank, m.cols}));
  return OkStatus();
}

// x R^-H
Output DivideByAdjoint(Output x, Output r) { return Adjoint(MatrixTriangularSolve(r, Adjoint(x), {.lower = false})); }

// For matrices with at least as many rows as columns.
Output TallQrGradient(Output q, Output r, Output dq, Output dr) {
  const Output qdq = AdjointTimes(q, dq);
  const Output rdr = TimesAdjoint(r, dr);
  const Output asymmetric = Lower((qdq - Adjoint(qdq)) + (rdr - Adjoint(rdr)));
  const Output through_r = Times(q, dr + DivideByAdjoint(asymmetric, r));
  const Output da = through_r + DivideByAdjoint(dq - Times(q, qdq), r);
  if (!IsComplex(q.base_dtype())) return da;
  // The diagonal of r stays real, which determines the phases of q's columns.
  const Output diagonal = MatrixDiagPart(rdr - Adjoint(qdq));
  return da + DivideByAdjoint(Times(q, MatrixDiag(0.5 * (ConjOf(diagonal) - diagonal))), r);
}

// Columns [begin, end) of the last dimension; end 0: all from begin on.
Output Columns(Output x, int64_t begin, int64_t end) {
  const int rank = x.shape().rank();
  std::vector<int64_t> from(static_cast<size_t>(rank), 0), size(static_cast<size_t>(rank), -1);
  from.back() = begin;
  if (end > 0) size.back() = end - begin;
  return Slice(x, from, size);
}

Result<Gradients> QrGradient(GradientContext& g) {
  Output q = g.output(0), r = g.output(1), dq = g.d_output(0), dr = g.d_output(1);
  const PartialShape qs = q.shape(), rs = r.shape();
  if (!rs.known_rank() || rs[rs.rank() - 2] < 0 || rs[rs.rank() - 1] < 0)
    return Unimplemented("QrGrad not implemented with dynamic shapes: {}", rs);
  const int64_t rows = qs[qs.rank() - 2], cols = rs[rs.rank() - 1];
  if (rs[rs.rank() - 2] > cols && rows == qs[qs.rank() - 1])
    return Unimplemented("QrGrad not implemented when nrows > ncols and full_matrices is true.");
  if (rows >= cols) return Gradients{TallQrGradient(q, r, dq, dr)};
  // The left square part determines q; the other columns follow.
  const Output rest = Columns(g.input(0), rows, 0);
  const Output dr_rest = Columns(dr, rows, 0);
  const Output square = TallQrGradient(q, Columns(r, 0, rows), dq + TimesAdjoint(rest, dr_rest), Columns(dr, 0, rows));
  return Gradients{ConcatV2({square, Times(q, dr_rest)}, -1)};
}

// --- square root
struct SquareRootOp {
  static Result<SquareRootOp> Make(KernelSetup&) { return SquareRootOp{}; }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    return ResultDims{{in[0].rows, in[0].cols}};
  }
  template <class C>
  Status Run(const std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out) const {
    if (in[0].size() == 0) return OkStatus();
    // Compute in complex numbers: a real matrix may have no real root. The result is then the real part.
    using Complex = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic>;
    Complex wide = in[0].template cast<std::complex<double>>();
    // Eigen reads out of bounds if its iteration does not converge, on values that are not finite or overflow.
    const double largest = wide.cwiseAbs().maxCoeff();
    if (!wide.allFinite() || !std::isfinite(largest)) {
      out[0].setConstant(C(std::numeric_limits<double>::quiet_NaN()));
      return OkStatus();
    }
    constexpr double kLarge = 1e100;
    const double scale = largest > kLarge || (largest > 0 && largest < 1 / kLarge) ? largest : 1;
    wide /= scale;
    const Complex root = wide.sqrt() * std::sqrt(scale);
    if constexpr (std::is_same_v<C, double>) {
      out[0] = root.real();
    } else {
      out[0] = root;
    }
    return OkStatus();
  }
};

// X^T G + G X^T = dX is linear in G, so solve for all elements of G at once. As in TensorFlow, there is no conjugate
// for complex matrices.
Result<Gradients> SquareRootGradient(GradientContext& g) {
  Output x = g.output(0), dx = g.d_output(0);
  const Output shape = ShapeOf(x);
  const Output n = StridedSlice(shape, {-1}, {0}, {1}, {.end_mask = 1});
  const Output batch = StridedSlice(shape, {0}, {-2}, {1}, {.begin_mask = 1});
  const Output eye = MatrixDiag(OnesLike(MatrixDiagPart(x)));
  const Output big = ConcatV2({batch, n * n, n * n}, 0);
  const Output left = Reshape(Einsum({x, eye}, "...ji,...kl->...ikjl"), big);
  const Output right = Reshape(Einsum({eye, x}, "...ij,...kl->...ikjl"), big);
  const Output column = Reshape(dx, ConcatV2({batch, n * n, {1}}, 0));
  return Gradients{Reshape(MatrixSolve(left + right, column), shape)};
}

}  // namespace

void RegisterLinalgEigen(OpRegistry& registry) {
  registry.Add({
      .name = "SelfAdjointEigV2",
      .signature = "input: T -> e: T, v: T",
      .attrs = {"compute_v: bool = true", "T: {double, float, half, complex64, complex128}"},
      .shape = SelfAdjointEigShape,
      .gradient = SelfAdjointEigGradient,
      .kernels = LinalgKernels<SelfAdjointEigOp>(),
  });
  registry.Add({
      .name = "Qr",
      .signature = "input: T -> q: T, r: T",
      .attrs = {"full_matrices: bool = false", "T: {double, float, half, complex64, complex128}"},
      .shape = QrShape,
      .gradient = QrGradient,
      .kernels = LinalgKernels<QrOp>(),
  });
  registry.Add({
      .name = "MatrixSquareRoot",
      .signature = "input: T -> output: T",
      .attrs = {"T: {double, float, half, complex64, complex128}"},
      .shape = SquareToSame(),
      .gradient = SquareRootGradient,
      .kernels = LinalgKernels<SquareRootOp>(),
  });
}

}  // namespace weir::ops
