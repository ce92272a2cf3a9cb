#include "device/cpu/dense_factors.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "device/cpu/gemm_simd.h"

namespace weir {

double* FactorScratch::packed() {
  if (packed_ == nullptr) packed_.reset(new double[kPackedDoubles]);  // not initialized: most of it stays untouched
  return packed_.get();
}

double* FactorScratch::Doubles(int64_t count) {
  if (doubles_.size() < static_cast<size_t>(count)) doubles_.resize(static_cast<size_t>(count));
  return doubles_.data();
}

namespace {

using Complex = std::complex<double>;

// The width of a panel, which is factored column by column, without matrix products.
constexpr int64_t kPanel = 32;

double Conj(double x) { return x; }
Complex Conj(Complex x) { return std::conj(x); }
double Real(double x) { return x; }
double Real(Complex x) { return x.real(); }
double Norm(double x) { return x * x; }
double Norm(Complex x) { return x.real() * x.real() + x.imag() * x.imag(); }
// Like the complex products of compilers, but without their slow recovery of infinities from NaNs.
double Times(double x, double y) { return x * y; }
Complex Times(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// y -= f x
void SubtractRow(int64_t n, double f, const double* __restrict x, double* __restrict y) {
  for (int64_t j = 0; j < n; ++j) y[j] -= f * x[j];
}
// y -= f[0] x[0, n) + ... + f[3] x[3 stride, 3 stride + n)
void SubtractFourRows(int64_t n, const double* f, const double* __restrict x, int64_t stride, double* __restrict y) {
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  for (int64_t j = 0; j < n; ++j)
    y[j] -= (f0 * x[j] + f1 * x[stride + j]) + (f2 * x[2 * stride + j] + f3 * x[3 * stride + j]);
}
void SubtractRow(int64_t n, Complex f, const Complex* x, Complex* y) {
  const double re = f.real(), im = f.imag();
  const double* __restrict from = reinterpret_cast<const double*>(x);
  double* __restrict to = reinterpret_cast<double*>(y);
  for (int64_t j = 0; j < 2 * n; j += 2) {
    to[j] -= re * from[j] - im * from[j + 1];
    to[j + 1] -= re * from[j + 1] + im * from[j];
  }
}

}  // namespace

template <>
void AddDense(double sign, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b, int64_t ldb,
              double* c, int64_t ldc, FactorScratch& scratch) {
  if (sign == 1) return AddProduct(m, n, k, a, lda, 1, b, ldb, 1, c, ldc, scratch.packed());
  double* scaled = scratch.Doubles(k * n);
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < n; ++j) scaled[p * n + j] = sign * b[p * ldb + j];
  }
  AddProduct(m, n, k, a, lda, 1, scaled, n, 1, c, ldc, scratch.packed());
}

// A complex number is two real ones: row p of b becomes the rows (re, im, ...) and (-im, re, ...).
template <>
void AddDense(double sign, int64_t m, int64_t n, int64_t k, const Complex* a, int64_t lda, const Complex* b,
              int64_t ldb, Complex* c, int64_t ldc, FactorScratch& scratch) {
  double* wide = scratch.Doubles(4 * k * n);
  for (int64_t p = 0; p < k; ++p) {
    double* first = wide + 4 * p * n;
    double* second = first + 2 * n;
    for (int64_t j = 0; j < n; ++j) {
      const Complex x = b[p * ldb + j];
      first[2 * j] = sign * x.real();
      first[2 * j + 1] = sign * x.imag();
      second[2 * j] = -sign * x.imag();
      second[2 * j + 1] = sign * x.real();
    }
  }
  AddProduct(m, 2 * n, 2 * k, reinterpret_cast<const double*>(a), 2 * lda, 1, wide, 2 * n, 1,
             reinterpret_cast<double*>(c), 2 * ldc, scratch.packed());
}

// --- LU

namespace {

template <class C>
void FactorLuPanel(int64_t n, int64_t begin, int64_t end, C* a, int64_t* pivots) {
  for (int64_t k = begin; k < end; ++k) {
    int64_t pivot = k;
    double largest = Norm(a[k * n + k]);
    for (int64_t i = k + 1; i < n; ++i) {
      const double size = Norm(a[i * n + k]);
      if (size > largest) largest = size, pivot = i;
    }
    // Squares overflow and underflow.
    if (!(largest > 1e-290 && largest < 1e290)) {
      largest = std::abs(a[k * n + k]);
      pivot = k;
      for (int64_t i = k + 1; i < n; ++i) {
        const double size = std::abs(a[i * n + k]);
        if (size > largest) largest = size, pivot = i;
      }
    }
    pivots[k] = pivot;
    if (pivot != k) std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
    const C diagonal = a[k * n + k];
    if (diagonal == C(0)) continue;
    const C* row = a + k * n;
    for (int64_t i = k + 1; i < n; ++i) {
      const C f = a[i * n + k] / diagonal;
      a[i * n + k] = f;
      SubtractRow(end - k - 1, f, row + k + 1, a + i * n + k + 1);
    }
  }
}

template <class C>
void SolveSmall(Triangle triangle, int64_t n, int64_t k, const C* a, int64_t lda, C* x, int64_t ldx) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = triangle.lower ? step : n - 1 - step;
    C* row = x + i * ldx;
    const int64_t end = triangle.lower ? i : n;
    int64_t j = triangle.lower ? 0 : i + 1;
    if constexpr (std::is_same_v<C, double>) {
      for (; j + 4 <= end; j += 4) SubtractFourRows(k, a + i * lda + j, x + j * ldx, ldx, row);
    }
    for (; j < end; ++j) SubtractRow(k, a[i * lda + j], x + j * ldx, row);
    if (triangle.ones) continue;
    const C diagonal = a[i * lda + i];
    for (int64_t j = 0; j < k; ++j) row[j] /= diagonal;
  }
}

}  // namespace

template <class C>
void FactorLu(int64_t n, C* a, int64_t* pivots, FactorScratch& scratch) {
  if (n <= kPanel) return FactorLuPanel(n, 0, n, a, pivots);
  for (int64_t begin = 0; begin < n; begin += kPanel) {
    const int64_t end = std::min(n, begin + kPanel);
    FactorLuPanel(n, begin, end, a, pivots);
    if (end == n) break;
    C* right = a + begin * n + end;
    SolveSmall({.lower = true, .ones = true}, end - begin, n - end, a + begin * n + begin, n, right, n);
    AddDense<C>(-1, n - end, n - end, end - begin, a + end * n + begin, n, right, n, a + end * n + end, n, scratch);
  }
}

// --- Cholesky

namespace {

template <class C>
bool FactorCholeskyBlock(int64_t n, C* a, int64_t lda) {
  C column[kPanel];
  for (int64_t k = 0; k < n; ++k) {
    const double square = Real(a[k * lda + k]);
    if (square <= 0) return false;
    const double diagonal = std::sqrt(square);
    a[k * lda + k] = diagonal;
    for (int64_t i = k + 1; i < n; ++i) {
      a[i * lda + k] /= diagonal;
      column[i] = Conj(a[i * lda + k]);
    }
    for (int64_t i = k + 1; i < n; ++i) SubtractRow(i - k, a[i * lda + k], column + k + 1, a + i * lda + k + 1);
  }
  return true;
}

}  // namespace

template <class C>
bool FactorCholesky(int64_t n, C* a, FactorScratch& scratch) {
  for (int64_t begin = 0; begin < n; begin += kPanel) {
    const int64_t size = std::min(n - begin, kPanel), end = begin + size, rest = n - end;
    C* block = a + begin * n + begin;
    if (!FactorCholeskyBlock(size, block, n)) return false;
    if (rest == 0) break;
    // The adjoint of the panel below the block. Its rows are long, which suits SolveSmall.
    C* turned = scratch.Panel<C>(0, size * rest);
    for (int64_t i = 0; i < rest; ++i) {
      for (int64_t j = 0; j < size; ++j) turned[j * rest + i] = Conj(a[(end + i) * n + begin + j]);
    }
    SolveSmall({}, size, rest, block, n, turned, rest);
    for (int64_t i = 0; i < rest; ++i) {
      for (int64_t j = 0; j < size; ++j) a[(end + i) * n + begin + j] = Conj(turned[j * rest + i]);
    }
    // Updates the lower triangle of the rest: square blocks on its diagonal, and everything to their left. A square
    // block is computed in scratch memory, so that the upper triangle stays unchanged.
    constexpr int64_t kHigh = 64;
    C* square = scratch.Panel<C>(1, kHigh * kHigh);
    for (int64_t i = 0; i < rest; i += kHigh) {
      const int64_t high = std::min(kHigh, rest - i);
      const C* rows = a + (end + i) * n + begin;
      if (i > 0) AddDense<C>(-1, high, i, size, rows, n, turned, rest, a + (end + i) * n + end, n, scratch);
      std::fill_n(square, high * high, C(0));
      AddDense<C>(-1, high, high, size, rows, n, turned + i, rest, square, high, scratch);
      for (int64_t x = 0; x < high; ++x) {
        C* to = a + (end + i + x) * n + end + i;
        for (int64_t y = 0; y <= x; ++y) to[y] += square[x * high + y];
      }
    }
  }
  return true;
}

// --- triangular systems

template <class C>
void SolveTriangle(Triangle triangle, int64_t n, int64_t k, const C* a, int64_t lda, C* x, int64_t ldx,
                   FactorScratch& scratch) {
  if (n <= 2 * kPanel || k < 8) return SolveSmall(triangle, n, k, a, lda, x, ldx);
  const int64_t blocks = (n + kPanel - 1) / kPanel;
  for (int64_t step = 0; step < blocks; ++step) {
    const int64_t begin = (triangle.lower ? step : blocks - 1 - step) * kPanel;
    const int64_t size = std::min(kPanel, n - begin), end = begin + size;
    SolveSmall(triangle, size, k, a + begin * lda + begin, lda, x + begin * ldx, ldx);
    const int64_t from = triangle.lower ? end : 0, rows = triangle.lower ? n - end : begin;
    AddDense<C>(-1, rows, k, size, a + from * lda + begin, lda, x + begin * ldx, ldx, x + from * ldx, ldx, scratch);
  }
}

// --- QR

namespace {

// The length of x[0], x[stride], ..., without overflow or underflow.
template <class C>
double Length(int64_t n, const C* x, int64_t stride) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += Norm(x[i * stride]);
  if (sum > 1e-280 && sum < 1e280) return std::sqrt(sum);
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double size = std::abs(x[i * stride]);
    if (!(size <= largest)) largest = size;  // NaN too
  }
  if (largest == 0 || !std::isfinite(largest)) return largest;
  sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double size = std::abs(x[i * stride]) / largest;
    sum += size * size;
  }
  return largest * std::sqrt(sum);
}

// Computes the reflector that zeroes column `at` of a[m,..] below row `at`, and applies it to the columns up to `end`.
// `sums` is scratch memory for those.
template <class C>
C Reflect(int64_t m, int64_t at, int64_t end, C* a, int64_t lda, C* sums) {
  C* top = a + at * lda + at;
  const C alpha = *top;
  const double tail = Length(m - at - 1, top + lda, lda);
  if (tail == 0 && alpha == C(Real(alpha))) return C(0);
  double beta = std::hypot(std::abs(alpha), tail);
  if (Real(alpha) >= 0) beta = -beta;
  const C tau = (C(beta) - alpha) / beta;
  const C divisor = alpha - C(beta);
  *top = C(beta);
  const int64_t columns = end - at - 1;
  std::copy_n(top + 1, columns, sums);
  for (int64_t i = at + 1; i < m; ++i) {
    C* row = a + i * lda + at;
    *row = *row / divisor;
    SubtractRow(columns, -Conj(*row), row + 1, sums);
  }
  const C factor = Conj(tau);
  for (int64_t j = 0; j < columns; ++j) sums[j] = Times(factor, sums[j]);
  SubtractRow(columns, C(1), sums, top + 1);
  for (int64_t i = at + 1; i < m; ++i) SubtractRow(columns, a[i * lda + at], sums, a + i * lda + at + 1);
  return tau;
}

// x[m,k] -> H x or H^H x, one reflector of v[m,count] at a time.
template <class C>
void ApplySingly(bool adjoint, int64_t m, int64_t count, const C* v, int64_t ldv, const C* tau, int64_t k, C* x,
                 int64_t ldx, FactorScratch& scratch) {
  C* sums = scratch.Panel<C>(2, k);
  for (int64_t step = 0; step < count; ++step) {
    const int64_t at = adjoint ? step : count - 1 - step;
    std::copy_n(x + at * ldx, k, sums);
    for (int64_t i = at + 1; i < m; ++i) SubtractRow(k, -Conj(v[i * ldv + at]), x + i * ldx, sums);
    const C factor = adjoint ? Conj(tau[at]) : tau[at];
    SubtractRow(k, factor, sums, x + at * ldx);
    for (int64_t i = at + 1; i < m; ++i) SubtractRow(k, Times(factor, v[i * ldv + at]), sums, x + i * ldx);
  }
}

// x[m,k] -> H x or H^H x with H = 1 - V T V^H, the product of the reflectors of v[m,count]. REQUIRES: count <= kPanel.
template <class C>
void ApplyBlock(bool adjoint, int64_t m, int64_t count, const C* v, int64_t ldv, const C* tau, int64_t k, C* x,
                int64_t ldx, FactorScratch& scratch) {
  if (m <= kPanel / 2 || k < 4) return ApplySingly(adjoint, m, count, v, ldv, tau, k, x, ldx, scratch);
  C* whole = scratch.Panel<C>(0, m * count);
  C* turned = scratch.Panel<C>(1, m * count);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < count; ++j) {
      const C value = i > j ? v[i * ldv + j] : C(i == j ? 1 : 0);
      whole[i * count + j] = value;
      turned[j * m + i] = Conj(value);
    }
  }
  C products[kPanel * kPanel] = {};
  AddDense<C>(1, count, count, m, turned, m, whole, count, products, count, scratch);
  C t[kPanel * kPanel] = {};  // upper triangle
  for (int64_t i = 0; i < count; ++i) {
    t[i * kPanel + i] = tau[i];
    for (int64_t r = 0; r < i; ++r) {
      C sum(0);
      for (int64_t p = r; p < i; ++p) sum += Times(t[r * kPanel + p], products[p * count + i]);
      t[r * kPanel + i] = -Times(tau[i], sum);
    }
  }
  if (adjoint) {
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        t[i * kPanel + j] = Conj(t[j * kPanel + i]);
        t[j * kPanel + i] = C(0);
      }
      t[i * kPanel + i] = Conj(t[i * kPanel + i]);
    }
  }
  C* sums = scratch.Panel<C>(2, count * k);
  C* scaled = scratch.Panel<C>(3, count * k);
  std::fill_n(sums, count * k, C(0));
  std::fill_n(scaled, count * k, C(0));
  AddDense<C>(1, count, k, m, turned, m, x, ldx, sums, k, scratch);
  AddDense<C>(1, count, k, count, t, kPanel, sums, k, scaled, k, scratch);
  AddDense<C>(-1, m, k, count, whole, count, scaled, k, x, ldx, scratch);
}

}  // namespace

template <class C>
void FactorQr(int64_t m, int64_t n, C* a, C* tau, FactorScratch& scratch) {
  const int64_t rank = std::min(m, n);
  // Without products, the whole of a small matrix is one panel.
  const int64_t width = n <= 2 * kPanel ? n : kPanel;
  for (int64_t begin = 0; begin < rank; begin += width) {
    const int64_t end = std::min(rank, begin + width);
    const int64_t columns = width == n ? n : end;
    C* sums = scratch.Panel<C>(2, columns);
    for (int64_t k = begin; k < end; ++k) tau[k] = Reflect(m, k, columns, a, n, sums);
    if (columns == n) continue;
    ApplyBlock(/*adjoint=*/true, m - begin, end - begin, a + begin * n + begin, n, tau + begin, n - end,
               a + begin * n + end, n, scratch);
  }
}

template <class C>
void ApplyReflectors(bool adjoint, int64_t m, int64_t count, const C* v, int64_t ldv, const C* tau, int64_t k, C* x,
                     int64_t ldx, FactorScratch& scratch) {
  const int64_t blocks = (count + kPanel - 1) / kPanel;
  for (int64_t step = 0; step < blocks; ++step) {
    const int64_t begin = (adjoint ? step : blocks - 1 - step) * kPanel;
    ApplyBlock(adjoint, m - begin, std::min(kPanel, count - begin), v + begin * ldv + begin, ldv, tau + begin, k,
               x + begin * ldx, ldx, scratch);
  }
}

template <class C>
void FormReflectors(int64_t m, int64_t count, const C* v, int64_t ldv, const C* tau, int64_t k, C* q,
                    FactorScratch& scratch) {
  std::fill_n(q, m * k, C(0));
  for (int64_t i = 0; i < std::min(m, k); ++i) q[i * k + i] = C(1);
  // A block does not change the columns before its own: the rows that it combines are zero there.
  for (int64_t begin = (count - 1) / kPanel * kPanel; begin >= 0 && count > 0; begin -= kPanel) {
    if (begin >= k) continue;
    ApplyBlock(/*adjoint=*/false, m - begin, std::min(kPanel, count - begin), v + begin * ldv + begin, ldv, tau + begin,
               k - begin, q + begin * k + begin, k, scratch);
  }
}

template <class C>
void FactorPivotedQr(int64_t m, int64_t n, C* a, C* tau, int64_t* columns) {
  std::iota(columns, columns + n, 0);
  std::vector<C> sums(static_cast<size_t>(n));
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    int64_t longest = k;
    double length = -1;
    for (int64_t j = k; j < n; ++j) {
      const double now = Length(m - k, a + k * n + j, n);
      if (now > length) length = now, longest = j;
    }
    if (longest != k) {
      for (int64_t i = 0; i < m; ++i) std::swap(a[i * n + k], a[i * n + longest]);
      std::swap(columns[k], columns[longest]);
    }
    tau[k] = Reflect(m, k, n, a, n, sums.data());
  }
}

#define WEIR_INSTANTIATE_FACTORS(C)                                                                         \
  template void FactorLu(int64_t, C*, int64_t*, FactorScratch&);                                            \
  template bool FactorCholesky(int64_t, C*, FactorScratch&);                                                \
  template void SolveTriangle(Triangle, int64_t, int64_t, const C*, int64_t, C*, int64_t, FactorScratch&);  \
  template void FactorQr(int64_t, int64_t, C*, C*, FactorScratch&);                                         \
  template void ApplyReflectors(bool, int64_t, int64_t, const C*, int64_t, const C*, int64_t, C*, int64_t,  \
                                FactorScratch&);                                                            \
  template void FormReflectors(int64_t, int64_t, const C*, int64_t, const C*, int64_t, C*, FactorScratch&); \
  template void FactorPivotedQr(int64_t, int64_t, C*, C*, int64_t*);
WEIR_INSTANTIATE_FACTORS(double)
WEIR_INSTANTIATE_FACTORS(std::complex<double>)
#undef WEIR_INSTANTIATE_FACTORS

}  // namespace weir
