// Shared by the linear algebra ops, which process matrices in the last two dimensions one by one. An op is a struct
// that knows the sizes of its results and computes one matrix. Everything is computed in double (or complex double) and
// rounded once.
#ifndef WEIR_OPS_MATH_LINALG_BATCH_H_
#define WEIR_OPS_MATH_LINALG_BATCH_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <mutex>
#include <vector>

#include "device/cpu/dense_factors.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {

// Row-major. Keeps its memory when it shrinks.
template <class C>
struct Matrix {
  int64_t rows = 0;
  int64_t cols = 0;
  std::vector<C> data;

  Matrix() = default;
  Matrix(int64_t r, int64_t c) { Resize(r, c); }
  void Resize(int64_t r, int64_t c) { rows = r, cols = c, data.resize(static_cast<size_t>(r * c)); }
  void Fill(C value) { std::fill(data.begin(), data.end(), value); }
  C& operator()(int64_t i, int64_t j) { return data[static_cast<size_t>(i * cols + j)]; }
  const C& operator()(int64_t i, int64_t j) const { return data[static_cast<size_t>(i * cols + j)]; }
};

// --- arithmetic of double and complex numbers alike
inline double Conjugate(double x) { return x; }
inline std::complex<double> Conjugate(std::complex<double> x) { return std::conj(x); }
inline bool IsFinite(double x) { return std::isfinite(x); }
inline bool IsFinite(std::complex<double> x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

template <class C>
void SetIdentity(Matrix<C>& m) {
  m.Fill(C(0));
  for (int64_t i = 0; i < std::min(m.rows, m.cols); ++i) m(i, i) = C(1);
}
template <class C>
Matrix<C> AdjointOf(const Matrix<C>& m) {
  Matrix<C> result(m.cols, m.rows);
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t j = 0; j < m.cols; ++j) result(j, i) = Conjugate(m(i, j));
  }
  return result;
}
template <class C>
Matrix<C> Product(const Matrix<C>& a, const Matrix<C>& b, FactorScratch& scratch) {
  Matrix<C> result(a.rows, b.cols);
  AddDense<C>(1, a.rows, b.cols, a.cols, a.data.data(), a.cols, b.data.data(), b.cols, result.data.data(), b.cols,
              scratch);
  return result;
}
// Solves a y = x for y, with triangular a, and stores y in x.
template <class C>
void SolveInPlace(Triangle triangle, const Matrix<C>& a, Matrix<C>& x, FactorScratch& scratch) {
  SolveTriangle<C>(triangle, a.rows, x.cols, a.data.data(), a.cols, x.data.data(), x.cols, scratch);
}

// The size of an input matrix; the trailing dimensions of each output: [m,n], [n], or none.
struct MatrixSize {
  int64_t rows = 0;
  int64_t cols = 0;
};
using ResultDims = std::vector<DimVector>;

Status MustBeSquare(const MatrixSize& size);

// All but the last two dimensions, which must be the same for inputs [0, count).
Result<DimVector> CommonBatch(const KernelContext& ctx, int count);
MatrixSize SizeOf(const Tensor& t);
// Load matrix `index` of t; store `m` as matrix `index` of t.
void Load(const Tensor& t, int64_t index, Matrix<double>& m);
void Load(const Tensor& t, int64_t index, Matrix<std::complex<double>>& m);
void Store(const Matrix<double>& m, const Tensor& t, int64_t index);
void Store(const Matrix<std::complex<double>>& m, const Tensor& t, int64_t index);

// Base of an op without attributes whose result has the size of its square input.
template <class Op>
struct SquareMatrixOp {
  static Result<Op> Make(KernelSetup&) { return Op(); }
  Result<ResultDims> Results(const std::vector<MatrixSize>& in) const {
    WEIR_TRY(MustBeSquare(in[0]));
    return ResultDims{{in[0].rows, in[0].cols}};
  }
};

// Runs op on every matrix. Op:
//   Result<ResultDims> Results(const std::vector<MatrixSize>& inputs) const;   checks sizes
//   template <class C> Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch&) const;
// Run may overwrite its inputs.
// A result of dimensions [n] is a matrix of n elements, one without dimensions a 1x1 matrix. Outputs beyond those in
// Results are not computed: they are empty vectors.
template <class C, class Op>
Status RunPerMatrix(KernelContext& ctx, const Op& op, int num_matrices) {
  WEIR_ASSIGN(const DimVector batch, CommonBatch(ctx, num_matrices));
  std::vector<MatrixSize> sizes;
  for (int i = 0; i < num_matrices; ++i) sizes.push_back(SizeOf(ctx.input(i)));
  WEIR_ASSIGN(const ResultDims results, op.Results(sizes));
  std::vector<Tensor> outputs;
  int64_t count = 1;
  for (size_t i = 0; i < results.size(); ++i) {
    DimVector dims = batch;
    dims.insert(dims.end(), results[i].begin(), results[i].end());
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(static_cast<int>(i), shape));
    outputs.push_back(std::move(out));
  }
  for (int i = static_cast<int>(results.size()); i < ctx.num_outputs(); ++i)
    WEIR_TRY(ctx.Allocate(i, Shape{0}).status());
  bool nothing = true;
  for (const Tensor& out : outputs) nothing = nothing && out.num_elements() == 0;
  if (nothing) return OkStatus();
  for (const int64_t size : batch) count *= size;
  std::mutex mu;
  Status error;
  int64_t failed_at = count;
  const double n = static_cast<double>(std::max(sizes[0].rows, sizes[0].cols)) + 1;
  const auto cost = static_cast<int64_t>(std::min(1e12, 100 + n * n * n));
  WEIR_TRY(ctx.ParallelFor(count, cost, [&](int64_t begin, int64_t end) {
    std::vector<Matrix<C>> in(sizes.size());
    std::vector<Matrix<C>> out(results.size());
    FactorScratch scratch;
    for (int64_t k = begin; k < end; ++k) {
      for (size_t i = 0; i < in.size(); ++i) {
        in[i].Resize(sizes[i].rows, sizes[i].cols);
        Load(ctx.input(static_cast<int>(i)), k, in[i]);
      }
      for (size_t i = 0; i < out.size(); ++i) {
        out[i].Resize(results[i].empty() ? 1 : results[i][0], results[i].size() < 2 ? 1 : results[i][1]);
      }
      const Status status = op.template Run<C>(in, out, scratch);
      if (!status.ok()) {
        std::lock_guard lock(mu);
        if (k < failed_at) error = status, failed_at = k;
        return;
      }
      for (size_t i = 0; i < out.size(); ++i) Store(out[i], outputs[i], k);
    }
  }));
  return error;
}

// Kernels for half, float, double and (unless kReal) complex types. Op::Make(KernelSetup&) creates the op.
template <class Op, bool kReal = false>
KernelList LinalgKernels(int num_matrices = 1) {
  auto make = [num_matrices]<class C>(TypeTag<C>) -> KernelFactory {
    return [num_matrices](KernelSetup& setup) -> Result<Kernel> {
      WEIR_ASSIGN(const Op op, Op::Make(setup));
      return Kernel::Sync([op, num_matrices](KernelContext& ctx) { return RunPerMatrix<C>(ctx, op, num_matrices); });
    };
  };
  KernelList list = CpuKernelForTypes("T", {kHalf, kFloat, kDouble}, make(TypeTag<double>{}));
  if constexpr (!kReal) {
    KernelList complex = CpuKernelForTypes("T", {kComplex64, kComplex128}, make(TypeTag<std::complex<double>>{}));
    list.insert(list.end(), complex.begin(), complex.end());
  }
  return list;
}

// --- shape functions

// A batch of matrices, split into batch dimensions, rows and columns; unknown if the rank is unknown.
struct PartialMatrix {
  PartialShape batch;
  int64_t rows = kUnknownDim;
  int64_t cols = kUnknownDim;
};
Result<PartialMatrix> MatrixInput(const ShapeContext& ctx, int input);
Result<PartialMatrix> SquareInput(const ShapeContext& ctx, int input);
ShapeFn SquareToSame();     // [..., n, n] -> the same
ShapeFn SquareToScalars();  // [..., n, n] -> [...], every output

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_LINALG_BATCH_H_
