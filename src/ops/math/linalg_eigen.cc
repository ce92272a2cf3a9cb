// Matrix decompositions: eigenvalues of self-adjoint matrices, QR, and the square root.
#include <limits>

#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"
#include "ops/math/linalg_condensed.h"

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
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    if (in[0].rows == 0) return OkStatus();
    return SelfAdjointEigen(in[0], out[0], vectors ? &out[1] : nullptr, scratch);
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
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    Matrix<C>& a = in[0];
    if (a.data.empty()) {
      SetIdentity(out[0]);
      return OkStatus();
    }
    const int64_t count = std::min(a.rows, a.cols);
    std::vector<C> tau(static_cast<size_t>(count));
    FactorQr(a.rows, a.cols, a.data.data(), tau.data(), scratch);
    for (int64_t i = 0; i < out[1].rows; ++i) {
      for (int64_t j = 0; j < a.cols; ++j) out[1](i, j) = i <= j ? a(i, j) : C(0);
    }
    FormReflectors(a.rows, count, a.data.data(), a.cols, tau.data(), out[0].cols, out[0].data.data(), scratch);
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
  const Output rest = Columns(g.input(0), rows, -1);
  const Output dr_rest = Columns(dr, rows, -1);
  const Output square = TallQrGradient(q, Columns(r, 0, rows), dq + TimesAdjoint(rest, dr_rest), Columns(dr, 0, rows));
  return Gradients{ConcatV2({square, Times(q, dr_rest)}, -1)};
}

// --- square root
struct SquareRootOp : SquareMatrixOp<SquareRootOp> {
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    if (in[0].data.empty()) return OkStatus();
    // Compute in complex numbers: a real matrix may have no real root. The result is then the real part.
    Matrix<std::complex<double>> a(in[0].rows, in[0].cols);
    std::copy(in[0].data.begin(), in[0].data.end(), a.data.begin());
    const double scale = ExtremeScale(a.data);
    if (!std::isfinite(scale)) {
      out[0].Fill(C(std::numeric_limits<double>::quiet_NaN()));
      return OkStatus();
    }
    for (auto& x : a.data) x /= scale;
    WEIR_ASSIGN(const Schur schur, SchurOf(a, scratch));
    const Matrix<std::complex<double>> root =
        Product(Product(schur.vectors, RootOfTriangle(schur.triangle), scratch), AdjointOf(schur.vectors), scratch);
    for (size_t i = 0; i < root.data.size(); ++i) {
      const std::complex<double> x = root.data[i] * std::sqrt(scale);
      if constexpr (std::is_same_v<C, double>) {
        out[0].data[i] = x.real();
      } else {
        out[0].data[i] = x;
      }
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
