// Singular values and vectors: a = u diag(s) v^H, with s in descending order.
#include <limits>

#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"
#include "ops/math/linalg_condensed.h"

namespace weir::ops {
namespace {

struct SvdOp {
  bool vectors;
  bool full;
  static Result<SvdOp> Make(KernelSetup& setup) {
    WEIR_ASSIGN(const bool vectors, setup.Attr<bool>("compute_uv"));
    WEIR_ASSIGN(const bool full, setup.Attr<bool>("full_matrices"));
    return SvdOp{vectors, full};
  }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    const int64_t m = in[0].rows, n = in[0].cols, p = std::min(m, n);
    if (!vectors) return ResultDims{{p}};
    return full ? ResultDims{{p}, {m, m}, {n, n}} : ResultDims{{p}, {m, p}, {n, p}};
  }
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    if (in[0].data.empty()) {
      if (vectors) SetIdentity(out[1]), SetIdentity(out[2]);
      return OkStatus();
    }
    return SingularValues(in[0], out[0], vectors ? &out[1] : nullptr, vectors ? &out[2] : nullptr, scratch);
  }
};

Status SvdShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix a, MatrixInput(ctx, 0));
  WEIR_ASSIGN(const bool vectors, ctx.Attr<bool>("compute_uv"));
  WEIR_ASSIGN(const bool full, ctx.Attr<bool>("full_matrices"));
  const int64_t p =
      a.rows == 0 || a.cols == 0 ? 0 : (a.rows < 0 || a.cols < 0 ? kUnknownDim : std::min(a.rows, a.cols));
  ctx.set_output(0, a.batch.Concat(PartialShape{p}));
  ctx.set_output(1, vectors ? a.batch.Concat(PartialShape{a.rows, full ? a.rows : p}) : PartialShape{0});
  ctx.set_output(2, vectors ? a.batch.Concat(PartialShape{a.cols, full ? a.cols : p}) : PartialShape{0});
  return OkStatus();
}

// Infinite (in practice, large) if singular values are equal.
Result<Gradients> SvdGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool vectors, g.Attr<bool>("compute_uv"));
  WEIR_ASSIGN(const bool full, g.Attr<bool>("full_matrices"));
  Output a = g.input(0);
  const Output ds = MatrixDiag(g.d_output(0));
  if (!vectors) {
    const SvdResult svd = Svd(a);
    return Gradients{Times(svd.u, TimesAdjoint(ds, svd.v))};
  }
  const PartialShape shape = a.shape();
  if (!shape.known_rank() || shape[shape.rank() - 2] < 0 || shape[shape.rank() - 1] < 0)
    return Unimplemented("SVD gradient has not been implemented for input with unknown inner matrix shape: {}", shape);
  int64_t m = shape[shape.rank() - 2], n = shape[shape.rank() - 1];
  Output s = g.output(0), u = g.output(1), v = g.output(2), du = g.d_output(1), dv = g.d_output(2);
  // Treat a tall matrix as the adjoint of a wide one.
  const bool tall = m > n;
  if (tall) std::swap(m, n), std::swap(u, v), std::swap(du, dv);
  if (full && n - m > 1)
    return Unimplemented("svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True");
  const Output squares = Square(s);
  const Output gaps = MatrixSetDiag(SafeReciprocal(ExpandDims(squares, -2) - ExpandDims(squares, -1)), ZerosLike(s));
  const Output v1 = Columns(v, 0, m), dv1 = Columns(dv, 0, m);
  const Output fu = gaps * AdjointTimes(u, du), fv = gaps * AdjointTimes(v1, dv1);
  const Output s_matrix = MatrixDiag(s);
  const Output middle = ds + Times(fu + Adjoint(fu), s_matrix) + Times(s_matrix, fv + Adjoint(fv));
  Output da = Times(u, TimesAdjoint(middle, v1));
  if (m != n) {
    const Output dv1_t = Adjoint(dv1);
    Output outside = dv1_t - TimesAdjoint(Times(dv1_t, v1), v1);
    if (full) outside = outside - TimesAdjoint(AdjointTimes(v1, Columns(dv, m, -1)), Columns(v, m, -1));
    da = da + Times(Times(u, MatrixDiag(SafeReciprocal(s))), outside);
  }
  if (IsComplex(a.base_dtype())) {
    // The phases of u and v are coupled.
    const Output diagonal = MatrixDiagPart(AdjointTimes(v1, dv1));
    da = da + Times(u, TimesAdjoint(MatrixDiag(0.5 * SafeReciprocal(s) * (ConjOf(diagonal) - diagonal)), v1));
  }
  return Gradients{tall ? Adjoint(da) : da};
}

}  // namespace

void RegisterLinalgSvd(OpRegistry& registry) {
  registry.Add({
      .name = "Svd",
      .signature = "input: T -> s: T, u: T, v: T",
      .attrs = {"compute_uv: bool = true", "full_matrices: bool = false",
                "T: {double, float, half, complex64, complex128}"},
      .shape = SvdShape,
      .gradient = SvdGradient,
      .kernels = LinalgKernels<SvdOp>(),
  });
}

}  // namespace weir::ops
