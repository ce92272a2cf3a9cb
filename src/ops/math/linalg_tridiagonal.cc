// Tridiagonal matrices, stored as their diagonals: solutions of systems and products. Element i of each diagonal
// belongs to row i, so the last element above and the first below the main diagonal are ignored.
#include <limits>

#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"

namespace weir::ops {
namespace {

// The diagonals of one matrix.
template <class C>
struct Diagonals {
  std::vector<C> above, main, below;
};

// Gaussian elimination that may swap neighbouring rows, so that rows have up to two elements above the diagonal.
// Returns false if the matrix is singular.
template <class C>
bool EliminateWithPivots(Diagonals<C>& d, Matrix<C>& x) {
  const auto n = static_cast<size_t>(x.rows);
  std::vector<C> second(n, C(0));
  const auto row = [&](size_t i) { return x.data.data() + static_cast<int64_t>(i) * x.cols; };
  for (size_t i = 0; i + 1 < n; ++i) {
    if (std::abs(d.main[i]) < std::abs(d.below[i + 1])) {
      std::swap(d.main[i], d.below[i + 1]);
      std::swap(d.above[i], d.main[i + 1]);
      second[i] = i + 2 < n ? d.above[i + 1] : C(0);
      if (i + 2 < n) d.above[i + 1] = C(0);
      std::swap_ranges(row(i), row(i) + x.cols, row(i + 1));
    }
    if (d.main[i] == C(0)) return false;
    const C factor = d.below[i + 1] / d.main[i];
    d.main[i + 1] -= factor * d.above[i];
    if (i + 2 < n) d.above[i + 1] -= factor * second[i];
    for (int64_t j = 0; j < x.cols; ++j) row(i + 1)[j] -= factor * row(i)[j];
  }
  if (d.main[n - 1] == C(0)) return false;
  for (size_t i = n; i-- > 0;) {
    for (int64_t j = 0; j < x.cols; ++j) {
      C v = row(i)[j];
      if (i + 1 < n) v -= d.above[i] * row(i + 1)[j];
      if (i + 2 < n) v -= second[i] * row(i + 2)[j];
      row(i)[j] = v / d.main[i];
    }
  }
  return true;
}

template <class C>
bool EliminateInPlace(Diagonals<C>& d, Matrix<C>& x) {
  const auto n = static_cast<size_t>(x.rows);
  const auto row = [&](size_t i) { return x.data.data() + static_cast<int64_t>(i) * x.cols; };
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) {
      const C factor = d.below[i] / d.main[i - 1];
      d.main[i] -= factor * d.above[i - 1];
      for (int64_t j = 0; j < x.cols; ++j) row(i)[j] -= factor * row(i - 1)[j];
    }
    if (d.main[i] == C(0)) return false;
  }
  for (size_t i = n; i-- > 0;) {
    for (int64_t j = 0; j < x.cols; ++j)
      row(i)[j] = (row(i)[j] - (i + 1 < n ? d.above[i] * row(i + 1)[j] : C(0))) / d.main[i];
  }
  return true;
}

struct TridiagonalSolveOp {
  bool pivots;
  static Result<TridiagonalSolveOp> Make(KernelSetup& setup) {
    WEIR_ASSIGN(const bool pivots, setup.Attr<bool>("partial_pivoting"));
    WEIR_ASSIGN(const bool perturb, setup.Attr<bool>("perturb_singular"));
    if (perturb) return Unimplemented("perturb_singular is not supported on CPUs");
    return TridiagonalSolveOp{pivots};
  }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    if (in[0].rows != 3)
      return InvalidArgument("Expected diagonals to be provided as a matrix with 3 rows, got {} rows.", in[0].rows);
    if (in[0].cols != in[1].rows)
      return InvalidArgument("The length of diagonals and the number of rows of rhs must be equal, got {} and {}",
                             in[0].cols, in[1].rows);
    return ResultDims{{in[1].rows, in[1].cols}};
  }
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch&) const {
    const auto n = in[0].cols;
    const C* from = in[0].data.data();
    Diagonals<C> d{{from, from + n}, {from + n, from + 2 * n}, {from + 2 * n, from + 3 * n}};
    out[0] = in[1];
    if (n == 0) return OkStatus();
    const bool solved = pivots ? EliminateWithPivots(d, out[0]) : EliminateInPlace(d, out[0]);
    if (!solved) out[0].Fill(C(std::numeric_limits<double>::quiet_NaN()));
    return OkStatus();
  }
};

Status TridiagonalSolveShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix diagonals, MatrixInput(ctx, 0));
  WEIR_ASSIGN(const PartialMatrix rhs, MatrixInput(ctx, 1));
  WEIR_TRY(MergeDims(diagonals.rows, ctx.input(0).known_rank() ? 3 : kUnknownDim).status());
  WEIR_ASSIGN(const int64_t rows, MergeDims(diagonals.cols, rhs.rows));
  WEIR_ASSIGN(const PartialShape batch, diagonals.batch.Merge(rhs.batch));
  ctx.set_output(0, batch.Concat(PartialShape{rows, rhs.cols}));
  return OkStatus();
}

struct TridiagonalProductOp {
  static Result<TridiagonalProductOp> Make(KernelSetup&) { return TridiagonalProductOp{}; }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    for (size_t i = 0; i < 3; ++i) {
      if (in[i].rows != 1 || in[i].cols != in[3].rows)
        return InvalidArgument("Diagonals must be [1, {}] like the rows of rhs, got [{}, {}]", in[3].rows, in[i].rows,
                               in[i].cols);
    }
    return ResultDims{{in[3].rows, in[3].cols}};
  }
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch&) const {
    const Matrix<C>& x = in[3];
    for (int64_t i = 0; i < x.rows; ++i) {
      for (int64_t j = 0; j < x.cols; ++j) {
        C sum = in[1](0, i) * x(i, j);
        if (i + 1 < x.rows) sum += in[0](0, i) * x(i + 1, j);
        if (i > 0) sum += in[2](0, i) * x(i - 1, j);
        out[0](i, j) = sum;
      }
    }
    return OkStatus();
  }
};

Status TridiagonalProductShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialMatrix rhs, MatrixInput(ctx, 3));
  PartialShape diagonals = rhs.batch.Concat(PartialShape{1, rhs.rows});
  for (int i = 0; i < 3; ++i) {
    WEIR_TRY(ctx.WithRankAtLeast(i, 2).status());
    WEIR_ASSIGN(diagonals, diagonals.Merge(ctx.input(i)));
  }
  ctx.set_output(0, ctx.input(3));
  return OkStatus();
}

// --- gradients

// MatrixRows [begin:end] of the second to last dimension.
Output MatrixRows(Output x, int begin, int end) {
  return StridedSlice(x, {0, begin, 0}, {0, end, 0}, {1, 1, 1},
                      {.begin_mask = begin == 0 ? 6 : 4, .end_mask = end == 0 ? 6 : 4, .ellipsis_mask = 1});
}
// Row i of the result is row i + 1, or i - 1, of x; zeros where there is none.
Output NextRows(Output x) { return ConcatV2({MatrixRows(x, 1, 0), ZerosLike(MatrixRows(x, 0, 1))}, -2); }
Output PreviousRows(Output x) { return ConcatV2({ZerosLike(MatrixRows(x, 0, 1)), MatrixRows(x, 0, -1)}, -2); }
Output Flipped(Output x) {
  const PartialShape shape = x.shape();
  return shape.known_rank() ? Adjoint(ConjOf(x)) : ConjOf(Adjoint(x));
}
// Sums over the columns: [..., m, k] -> [..., 1, m].
Output RowSums(Output x) { return Flipped(Sum(x, -1, {.keep_dims = true})); }

Result<Gradients> TridiagonalSolveGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool pivots, g.Attr<bool>("partial_pivoting"));
  const Output diagonals = g.input(0), x = g.output(0);
  const auto diagonal = [&](int i) { return MatrixRows(diagonals, i, i == 2 ? 0 : i + 1); };
  const auto shifted = [&](Output row, bool next) {
    return Flipped(next ? NextRows(Flipped(row)) : PreviousRows(Flipped(row)));
  };
  const Output transposed = ConcatV2({shifted(diagonal(2), true), diagonal(1), shifted(diagonal(0), false)}, -2);
  const Output db = TridiagonalSolve(transposed, g.d_output(0), {.partial_pivoting = pivots});
  const Output d = ConcatV2({RowSums(db * NextRows(x)), RowSums(db * x), RowSums(db * PreviousRows(x))}, -2);
  return Gradients{-d, db};
}

Result<Gradients> TridiagonalProductGradient(GradientContext& g) {
  const Output dy = g.d_output(0), x = ConjOf(g.input(3));
  const Output above = Flipped(ConjOf(g.input(0))), main = Flipped(ConjOf(g.input(1))),
               below = Flipped(ConjOf(g.input(2)));
  // Each diagonal as a column: [..., m, 1].
  const Output dx = main * dy + NextRows(below * dy) + PreviousRows(above * dy);
  return Gradients{RowSums(dy * NextRows(x)), RowSums(dy * x), RowSums(dy * PreviousRows(x)), dx};
}

template <class Op, int kInputs>
KernelList TridiagonalKernels() {
  auto make = []<class C>(TypeTag<C>) -> KernelFactory {
    return [](KernelSetup& setup) -> Result<Kernel> {
      WEIR_ASSIGN(const Op op, Op::Make(setup));
      return Kernel::Sync([op](KernelContext& ctx) { return RunPerMatrix<C>(ctx, op, kInputs); });
    };
  };
  return JoinKernels({CpuKernelForTypes("T", {kFloat, kDouble}, make(TypeTag<double>{})),
                      CpuKernelForTypes("T", {kComplex64, kComplex128}, make(TypeTag<std::complex<double>>{}))});
}

}  // namespace

void RegisterLinalgTridiagonal(OpRegistry& registry) {
  registry.Add({
      .name = "TridiagonalSolve",
      .signature = "diagonals: T, rhs: T -> output: T",
      .attrs = {"partial_pivoting: bool = true", "perturb_singular: bool = false",
                "T: {double, float, complex64, complex128}"},
      .shape = TridiagonalSolveShape,
      .gradient = TridiagonalSolveGradient,
      .kernels = TridiagonalKernels<TridiagonalSolveOp, 2>(),
  });
  registry.Add({
      .name = "TridiagonalMatMul",
      .signature = "superdiag: T, maindiag: T, subdiag: T, rhs: T -> output: T",
      .attrs = {"T: {double, float, complex64, complex128}"},
      .shape = TridiagonalProductShape,
      .gradient = TridiagonalProductGradient,
      .kernels = TridiagonalKernels<TridiagonalProductOp, 4>(),
  });
}

}  // namespace weir::ops
