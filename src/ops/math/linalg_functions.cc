// The exponential and the logarithm of square matrices.
#include <limits>

#include "graph/node_builder.h"
#include "ops/math/linalg_batch.h"
#include "ops/math/linalg_build.h"
#include "ops/math/linalg_condensed.h"

namespace weir::ops {
namespace {

// The largest sum of magnitudes in a column.
template <class C>
double ColumnNorm(const Matrix<C>& m) {
  double norm = 0;
  for (int64_t j = 0; j < m.cols; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < m.rows; ++i) sum += std::abs(m(i, j));
    if (!(sum <= norm)) norm = sum;
  }
  return norm;
}

// e^a by the Pade approximant of degree 13 of e^(a / 2^s), squared s times (Higham, "The scaling and squaring method
// for the matrix exponential revisited").
struct ExponentialOp : SquareMatrixOp<ExponentialOp> {
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    Matrix<C>& a = in[0];
    const double norm = ColumnNorm(a);
    if (!std::isfinite(norm)) {
      out[0].Fill(C(std::numeric_limits<double>::quiet_NaN()));
      return OkStatus();
    }
    constexpr double kLargestNorm = 5.371920351148152;
    int squarings = 0;
    if (norm > kLargestNorm) squarings = static_cast<int>(std::ceil(std::log2(norm / kLargestNorm)));
    for (C& x : a.data) x = C(x * std::ldexp(1.0, -squarings));
    Approximate(a, out[0], scratch);
    for (int i = 0; i < squarings; ++i) out[0] = Product(out[0], out[0], scratch);
    return OkStatus();
  }

 private:
  static constexpr double kPade[] = {64764752532480000.0,
                                     32382376266240000.0,
                                     7771770303897600.0,
                                     1187353796428800.0,
                                     129060195264000.0,
                                     10559470521600.0,
                                     670442572800.0,
                                     33522128640.0,
                                     1323241920.0,
                                     40840800.0,
                                     960960.0,
                                     16380.0,
                                     182.0,
                                     1.0};

  // p(x) = x^6 (c6 x6 + c4 x4 + c2 x2) + d6 x6 + d4 x4 + d2 x2 + d0, with the coefficients first, first + 2, ...
  template <class C>
  static Matrix<C> Polynomial(int first, const Matrix<C>& x2, const Matrix<C>& x4, const Matrix<C>& x6,
                              FactorScratch& scratch) {
    Matrix<C> high(x2.rows, x2.cols);
    const double* c = kPade + first;
    for (size_t i = 0; i < high.data.size(); ++i)
      high.data[i] = C(c[12] * x6.data[i]) + C(c[10] * x4.data[i]) + C(c[8] * x2.data[i]);
    Matrix<C> sum = Product(x6, high, scratch);
    for (size_t i = 0; i < sum.data.size(); ++i)
      sum.data[i] += C(c[6] * x6.data[i]) + C(c[4] * x4.data[i]) + C(c[2] * x2.data[i]);
    for (int64_t i = 0; i < sum.rows; ++i) sum(i, i) += C(c[0]);
    return sum;
  }

  template <class C>
  static void Approximate(const Matrix<C>& a, Matrix<C>& out, FactorScratch& scratch) {
    const Matrix<C> x2 = Product(a, a, scratch), x4 = Product(x2, x2, scratch), x6 = Product(x4, x2, scratch);
    const Matrix<C> odd = Product(a, Polynomial(1, x2, x4, x6, scratch), scratch);
    Matrix<C> below = Polynomial(0, x2, x4, x6, scratch);
    out = below;
    for (size_t i = 0; i < out.data.size(); ++i) {
      out.data[i] += odd.data[i];
      below.data[i] -= odd.data[i];
    }
    std::vector<int64_t> pivots(static_cast<size_t>(a.rows));
    FactorLu(a.rows, below.data.data(), pivots.data(), scratch);
    for (int64_t i = 0; i < a.rows; ++i) {
      const int64_t other = pivots[static_cast<size_t>(i)];
      if (other != i) std::swap_ranges(&out(i, 0), &out(i, 0) + out.cols, &out(other, 0));
    }
    SolveInPlace({.lower = true, .ones = true}, below, out, scratch);
    SolveInPlace({.lower = false}, below, out, scratch);
  }
};

// The derivative of e^a in direction d is the upper right block of e^[[a, d], [0, a]].
Result<Gradients> ExponentialGradient(GradientContext& g) {
  const Output dy = g.d_output(0), a = Adjoint(g.input(0));
  const Output upper = ConcatV2({a, dy}, -1), lower = ConcatV2({ZerosLike(a), a}, -1);
  const Output both = MatrixExponential(ConcatV2({upper, lower}, -2));
  const Output n = StridedSlice(ShapeOf(a), {-1}, {0}, {1}, {.end_mask = 1});
  const Output zero = Constant(dy.graph(), Tensor::Vector<int32_t>({0}));
  const Output one = Constant(dy.graph(), Tensor::Vector<int32_t>({1}));
  // [..., :n, n:]
  return Gradients{StridedSlice(both, ConcatV2({zero, zero, n}, 0), ConcatV2({zero, n, zero}, 0),
                                ConcatV2({one, one, one}, 0), {.begin_mask = 2, .end_mask = 4, .ellipsis_mask = 1})};
}

// log a = 2^k log(a^(1/2^k)), by the Schur form and the Pade approximant of degree 7 as a sum of fractions.
struct LogarithmOp : SquareMatrixOp<LogarithmOp> {
  template <class C>
  Status Run(std::vector<Matrix<C>>& in, std::vector<Matrix<C>>& out, FactorScratch& scratch) const {
    if (in[0].data.empty()) return OkStatus();
    if (!std::isfinite(ColumnNorm(in[0]))) {
      out[0].Fill(C(std::numeric_limits<double>::quiet_NaN()));
      return OkStatus();
    }
    WEIR_ASSIGN(const Schur schur, SchurOf(in[0], scratch));
    constexpr double kLargestNorm = 0.2642960831111435;
    constexpr int kMostRoots = 100;
    Matrix<C> x = schur.triangle;
    double factor = 1;
    for (int i = 0; i < kMostRoots && !(FromIdentity(x) <= kLargestNorm); ++i, factor *= 2) x = RootOfTriangle(x);
    for (int64_t i = 0; i < x.rows; ++i) x(i, i) -= C(1);
    Matrix<C> log = LogOfOnePlus(x, scratch);
    for (C& v : log.data) v *= factor;
    out[0] = Product(Product(schur.vectors, log, scratch), AdjointOf(schur.vectors), scratch);
    return OkStatus();
  }

 private:
  template <class C>
  static double FromIdentity(Matrix<C> x) {
    for (int64_t i = 0; i < x.rows; ++i) x(i, i) -= C(1);
    return ColumnNorm(x);
  }

  // The integral of x (1 + t x)^-1 over t from 0 to 1, by Gauss-Legendre quadrature.
  template <class C>
  static Matrix<C> LogOfOnePlus(const Matrix<C>& x, FactorScratch& scratch) {
    constexpr double kNodes[] = {0, 0.4058451513773972, 0.7415311855993945, 0.9491079123427585};
    constexpr double kWeights[] = {0.4179591836734694, 0.3818300505051189, 0.2797053914892766, 0.1294849661688697};
    Matrix<C> sum(x.rows, x.cols);
    sum.Fill(C(0));
    for (int node = -3; node <= 3; ++node) {
      const double t = 0.5 + 0.5 * (node < 0 ? -kNodes[-node] : kNodes[node]);
      Matrix<C> below = x, part = x;
      for (C& v : below.data) v *= t;
      for (int64_t i = 0; i < x.rows; ++i) below(i, i) += C(1);
      SolveInPlace({.lower = false}, below, part, scratch);
      const double weight = 0.5 * kWeights[std::abs(node)];
      for (size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += weight * part.data[i];
    }
    return sum;
  }
};

KernelList LogarithmKernels() {
  return CpuKernelForTypes("T", {kComplex64, kComplex128}, [](KernelSetup& setup) -> Result<Kernel> {
    WEIR_ASSIGN(const LogarithmOp op, LogarithmOp::Make(setup));
    return Kernel::Sync([op](KernelContext& ctx) { return RunPerMatrix<std::complex<double>>(ctx, op, 1); });
  });
}

}  // namespace

void RegisterLinalgFunctions(OpRegistry& registry) {
  registry.Add({
      .name = "MatrixExponential",
      .signature = "input: T -> output: T",
      .attrs = {"T: {double, float, half, complex64, complex128}"},
      .shape = SquareToSame(),
      .gradient = ExponentialGradient,
      .kernels = LinalgKernels<ExponentialOp>(),
  });
  registry.Add({
      .name = "MatrixLogarithm",
      .signature = "input: T -> output: T",
      .attrs = {"T: {complex64, complex128}"},
      .shape = SquareToSame(),
      .kernels = LogarithmKernels(),
  });
}

}  // namespace weir::ops
