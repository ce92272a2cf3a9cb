#include "ops/math/linalg_condensed.h"

#include <limits>

#include "device/cpu/lapack.h"

namespace weir::ops {
namespace {

using Complex = std::complex<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// LAPACK has separate functions for real and for complex matrices.
void ToTridiagonal(const Lapack& lapack, int n, double* a, double* d, double* e, double* tau, double* work, int lwork,
                   int* info) {
  lapack.dsytrd_("L", &n, a, &n, d, e, tau, work, &lwork, info, 1);
}
void ToTridiagonal(const Lapack& lapack, int n, Complex* a, double* d, double* e, Complex* tau, Complex* work,
                   int lwork, int* info) {
  lapack.zhetrd_("L", &n, a, &n, d, e, tau, work, &lwork, info, 1);
}
void ToBidiagonal(const Lapack& lapack, int m, int n, double* a, double* d, double* e, double* tauq, double* taup,
                  double* work, int lwork, int* info) {
  lapack.dgebrd_(&m, &n, a, &m, d, e, tauq, taup, work, &lwork, info);
}
void ToBidiagonal(const Lapack& lapack, int m, int n, Complex* a, double* d, double* e, Complex* tauq, Complex* taup,
                  Complex* work, int lwork, int* info) {
  lapack.zgebrd_(&m, &n, a, &m, d, e, tauq, taup, work, &lwork, info);
}

// Uses of FactorScratch::Panel.
constexpr int kWork = 4, kReals = 5, kIntegers = 6, kReflectors = 7;

template <class C>
void Divide(std::vector<C>& values, double scale) {
  if (scale == 1) return;
  for (C& x : values) x /= scale;
}

// Reads [rows,cols] from column-major memory whose columns are `stride` apart.
template <class C>
void Transpose(int64_t rows, int64_t cols, const C* from, int64_t stride, C* to) {
  constexpr int64_t kBlock = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kBlock) {
    const int64_t end = std::min(rows, i0 + kBlock);
    for (int64_t j = 0; j < cols; ++j) {
      for (int64_t i = i0; i < end; ++i) to[i * cols + j] = from[j * stride + i];
    }
  }
}

Status NoConvergence(const char* what) {
  return InvalidArgument("{} did not converge. The input might not be valid.", what);
}

// a[m,n], column-major, with m >= n, = Q B P^H. u = Q U, v = P V, where B = U diag(s) V^T.
template <class C>
Status SolveTall(const Lapack& lapack, int64_t m, int64_t n, C* a, Matrix<C>& values, Matrix<C>* u, Matrix<C>* v,
                 double scale, FactorScratch& scratch) {
  const int64_t space_size = u == nullptr ? 8 * n : 3 * n * n + 4 * n;
  double* const d = scratch.Panel<double>(kReals, 2 * n + space_size + (u == nullptr ? 0 : 2 * n * n));
  double* const e = d + n;
  double* const space = e + n;
  double* const left = space + space_size;
  double* const right = left + n * n;
  int* const integers = scratch.Panel<int>(kIntegers, 8 * n);
  const int64_t work_size = lapack.ReductionWork(m + n);
  C* const work = scratch.Panel<C>(kWork, work_size);
  C* const tauq = scratch.Panel<C>(kReflectors, 2 * n + (u == nullptr ? 0 : m * n));
  C* const taup = tauq + n;
  C* const reflectors = taup + n;
  const int size = static_cast<int>(n);
  int info = 0;
  {
    const LapackCall call(lapack);
    ToBidiagonal(lapack, static_cast<int>(m), size, a, d, e, tauq, taup, work, static_cast<int>(work_size), &info);
    double unused = 0;
    int unused_integer = 0;
    if (u == nullptr) {
      const int one = 1;
      lapack.dbdsdc_("U", "N", &size, d, e, &unused, &one, &unused, &one, &unused, &unused_integer, space, integers,
                     &info, 1, 1);
    } else {
      lapack.dbdsdc_("U", "I", &size, d, e, left, &size, right, &size, &unused, &unused_integer, space, integers, &info,
                     1, 1);
    }
  }
  if (info != 0) return NoConvergence("Singular value decomposition");
  for (int64_t i = 0; i < n; ++i) values.data[static_cast<size_t>(i)] = d[i] * scale;
  if (u == nullptr) return OkStatus();
  Transpose(m, n, a, m, reflectors);
  // U, and ones on the diagonal of the columns beyond it.
  SetIdentity(*u);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) (*u)(i, j) = left[j * n + i];
  }
  ApplyReflectors(/*adjoint=*/false, m, n, reflectors, n, tauq, u->cols, u->data.data(), u->cols, scratch);
  std::copy_n(right, n * n, v->data.begin());  // V^T by columns is V by rows
  // P's reflectors are conjugated rows, one to the right of the diagonal.
  if (n < 2) return OkStatus();
  const int64_t count = n - 1;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < i; ++j) reflectors[i * count + j] = Conjugate(a[(i + 1) * m + j]);
  }
  ApplyReflectors(/*adjoint=*/false, count, count, reflectors, count, taup, n, v->data.data() + n, n, scratch);
  return OkStatus();
}

}  // namespace

template <class C>
double ExtremeScale(const std::vector<C>& values) {
  constexpr double kLarge = 1e100;
  double largest = 0;
  for (const C& x : values) {
    if (!IsFinite(x)) return kNaN;
    largest = std::max(largest, std::max(std::abs(std::real(x)), std::abs(std::imag(x))));
  }
  return largest > kLarge || (largest > 0 && largest < 1 / kLarge) ? largest : 1;
}

template <class C>
Status SelfAdjointEigen(Matrix<C>& a, Matrix<C>& values, Matrix<C>* vectors, FactorScratch& scratch) {
  const int64_t n = a.rows;
  WEIR_TRY(FitsLapack(n, n));
  WEIR_ASSIGN(const Lapack* const lapack, Lapack::Load());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) a(j, i) = a(i, j);  // the lower triangle by columns
  }
  const double scale = ExtremeScale(a.data);
  if (!std::isfinite(scale))
    return InvalidArgument("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
  Divide(a.data, scale);
  const int64_t space_size = vectors == nullptr ? 0 : 1 + 4 * n + n * n;
  double* const d = scratch.Panel<double>(kReals, 2 * n + space_size + (vectors == nullptr ? 0 : n * n));
  double* const e = d + n;
  double* const space = e + n;
  double* const z = space + space_size;
  int* const integers = scratch.Panel<int>(kIntegers, 3 + 5 * n);
  const int64_t work_size = lapack->ReductionWork(n);
  C* const work = scratch.Panel<C>(kWork, work_size);
  C* const tau = scratch.Panel<C>(kReflectors, n + (vectors == nullptr ? 0 : n * n));
  C* const reflectors = tau + n;
  const int size = static_cast<int>(n);
  int info = 0;
  {
    const LapackCall call(*lapack);
    ToTridiagonal(*lapack, size, a.data.data(), d, e, tau, work, static_cast<int>(work_size), &info);
    if (vectors == nullptr) {
      lapack->dsterf_(&size, d, e, &info);
    } else {
      const int lwork = static_cast<int>(space_size), liwork = static_cast<int>(3 + 5 * n);
      lapack->dstedc_("I", &size, d, e, z, &size, space, &lwork, integers, &liwork, &info, 1);
    }
  }
  if (info != 0) return NoConvergence("Self-adjoint eigen decomposition");
  for (int64_t i = 0; i < n; ++i) values.data[static_cast<size_t>(i)] = d[i] * scale;
  if (vectors == nullptr) return OkStatus();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) (*vectors)(i, j) = z[j * n + i];
  }
  if (n < 2) return OkStatus();
  // a is Q T Q^H; Q's reflectors start one below the diagonal.
  Transpose(n - 1, n - 1, a.data.data() + 1, n, reflectors);
  ApplyReflectors(/*adjoint=*/false, n - 1, n - 1, reflectors, n - 1, tau, n, vectors->data.data() + n, n, scratch);
  return OkStatus();
}

template <class C>
Status SingularValues(Matrix<C>& a, Matrix<C>& values, Matrix<C>* u, Matrix<C>* v, FactorScratch& scratch) {
  WEIR_TRY(FitsLapack(a.rows, a.cols));
  WEIR_ASSIGN(const Lapack* const lapack, Lapack::Load());
  const double scale = ExtremeScale(a.data);
  if (!std::isfinite(scale)) {
    for (Matrix<C>* result : {&values, u, v}) {
      if (result != nullptr) result->Fill(C(kNaN));
    }
    return OkStatus();
  }
  Divide(a.data, scale);
  if (a.rows < a.cols) {  // of the adjoint, which by columns is the conjugate by rows
    for (C& x : a.data) x = Conjugate(x);
    return SolveTall(*lapack, a.cols, a.rows, a.data.data(), values, v, u, scale, scratch);
  }
  std::vector<C> columns(a.data.size());
  Transpose(a.cols, a.rows, a.data.data(), a.cols, columns.data());
  return SolveTall(*lapack, a.rows, a.cols, columns.data(), values, u, v, scale, scratch);
}

Result<Schur> SchurOf(const Matrix<Complex>& a, FactorScratch& scratch) {
  const int64_t n = a.rows;
  WEIR_TRY(FitsLapack(n, n));
  WEIR_ASSIGN(const Lapack* const lapack, Lapack::Load());
  Complex* const t = scratch.Panel<Complex>(kReflectors, 2 * n * n + n);
  Complex* const vectors = t + n * n;
  Complex* const w = vectors + n * n;
  Complex* const work = scratch.Panel<Complex>(kWork, 64 * n);
  double* const space = scratch.Panel<double>(kReals, n);
  Transpose(n, n, a.data.data(), n, t);
  const int size = static_cast<int>(n), lwork = static_cast<int>(64 * n);
  int sorted = 0, info = 0, unused = 0;
  {
    const LapackCall call(*lapack);
    lapack->zgees_("V", "N", nullptr, &size, t, &size, &sorted, w, vectors, &size, work, &lwork, space, &unused, &info,
                   1, 1);
  }
  if (info != 0) return NoConvergence("Schur decomposition");
  Schur schur{Matrix<Complex>(n, n), Matrix<Complex>(n, n)};
  Transpose(n, n, t, n, schur.triangle.data.data());
  Transpose(n, n, vectors, n, schur.vectors.data.data());
  return schur;
}

template double ExtremeScale(const std::vector<double>&);
template double ExtremeScale(const std::vector<Complex>&);
template Status SelfAdjointEigen(Matrix<double>&, Matrix<double>&, Matrix<double>*, FactorScratch&);
template Status SelfAdjointEigen(Matrix<Complex>&, Matrix<Complex>&, Matrix<Complex>*, FactorScratch&);
template Status SingularValues(Matrix<double>&, Matrix<double>&, Matrix<double>*, Matrix<double>*, FactorScratch&);
template Status SingularValues(Matrix<Complex>&, Matrix<Complex>&, Matrix<Complex>*, Matrix<Complex>*, FactorScratch&);

// Row by row from the bottom: r_ii^2 = t_ii, and t_ij = sum of r_ik r_kj for i <= k <= j.
Matrix<std::complex<double>> RootOfTriangle(const Matrix<std::complex<double>>& t) {
  const int64_t n = t.rows;
  Matrix<std::complex<double>> r(n, n);
  for (int64_t i = n - 1; i >= 0; --i) {
    for (int64_t j = i; j < n; ++j) r(i, j) = t(i, j);
    r(i, i) = std::sqrt(t(i, i));
    for (int64_t k = i + 1; k < n; ++k) {
      // r_ik is complete: subtract its products from the rest of the row.
      const std::complex<double> x = r(i, k) / (r(i, i) + r(k, k));
      r(i, k) = x;
      for (int64_t j = k + 1; j < n; ++j) {
        const std::complex<double> y = r(k, j);
        r(i, j) -=
            std::complex<double>(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
      }
    }
  }
  return r;
}

}  // namespace weir::ops
