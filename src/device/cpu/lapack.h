// The part of LAPACK that Weir calls: the iterative solvers behind eigenvalues, singular values and Schur forms.
// liblapack.so.3 is loaded on first use: it is Debian's reference library, or OpenBLAS if that is installed. Matrices
// are column-major.
#ifndef WEIR_DEVICE_CPU_LAPACK_H_
#define WEIR_DEVICE_CPU_LAPACK_H_

#include <complex>
#include <cstdint>
#include <mutex>

#include "base/status.h"
#include "device/cpu/one_openmp_thread.h"

namespace weir {

// Functions by their LAPACK names, with all arguments by pointer; a trailing size_t is the length of a string argument.
// Thread-safe. Exists until the process ends.
class Lapack final {
 public:
  // Unimplemented if the library or one of the functions is missing.
  static Result<const Lapack*> Load();

  // The workspace to offer to a reduction of n columns, in elements: enough for blocks, or just enough to work column
  // by column. Blocks need fast products, which the reference library does not have.
  int64_t ReductionWork(int64_t n) const { return n * (set_threads_ != nullptr ? 64 : 1); }

  Lapack(const Lapack&) = delete;
  Lapack& operator=(const Lapack&) = delete;

  using Complex = std::complex<double>;
  // To tridiagonal form: uplo, n, a, lda, d, e, tau, work, lwork, info.
  void (*dsytrd_)(const char*, const int*, double*, const int*, double*, double*, double*, double*, const int*, int*,
                  size_t) = nullptr;
  void (*zhetrd_)(const char*, const int*, Complex*, const int*, double*, double*, Complex*, Complex*, const int*, int*,
                  size_t) = nullptr;
  // Eigenvalues of a tridiagonal matrix: n, d, e, info.
  void (*dsterf_)(const int*, double*, double*, int*) = nullptr;
  // The same with vectors: compz, n, d, e, z, ldz, work, lwork, iwork, liwork, info.
  void (*dstedc_)(const char*, const int*, double*, double*, double*, const int*, double*, const int*, int*, const int*,
                  int*, size_t) = nullptr;
  // To bidiagonal form: m, n, a, lda, d, e, tauq, taup, work, lwork, info.
  void (*dgebrd_)(const int*, const int*, double*, const int*, double*, double*, double*, double*, double*, const int*,
                  int*) = nullptr;
  void (*zgebrd_)(const int*, const int*, Complex*, const int*, double*, double*, Complex*, Complex*, Complex*,
                  const int*, int*) = nullptr;
  // Singular values of a bidiagonal matrix: uplo, compq, n, d, e, u, ldu, vt, ldvt, q, iq, work, iwork, info.
  void (*dbdsdc_)(const char*, const char*, const int*, double*, double*, double*, const int*, double*, const int*,
                  double*, int*, double*, int*, int*, size_t, size_t) = nullptr;
  // Schur form: jobvs, sort, select, n, a, lda, sdim, w, vs, ldvs, work, lwork, rwork, bwork, info.
  void (*zgees_)(const char*, const char*, void*, const int*, Complex*, const int*, int*, Complex*, Complex*,
                 const int*, Complex*, const int*, double*, int*, int*, size_t, size_t) = nullptr;

 private:
  friend class LapackCall;
  Lapack() = default;
  Status Open();

  // Null if the library is not OpenBLAS.
  int (*get_threads_)() = nullptr;
  void (*set_threads_)(int) = nullptr;
  mutable std::mutex mu_;
  mutable int calls_ = 0;           // guarded by mu_
  mutable int threads_before_ = 1;  // guarded by mu_
};

// While an object of this class lives, LAPACK starts no threads of its own: kernels split their work over Weir's pool.
// The last call in flight restores the number of threads, which other users of OpenBLAS in this process may have set.
class LapackCall final {
 public:
  explicit LapackCall(const Lapack& lapack);
  ~LapackCall();
  LapackCall(const LapackCall&) = delete;
  LapackCall& operator=(const LapackCall&) = delete;

 private:
  const Lapack& lapack_;
  const OneOpenMpThread one_openmp_thread_;
};

// LAPACK counts in 32 bits. InvalidArgument if a matrix of rows x cols or its workspace is too large for that.
Status FitsLapack(int64_t rows, int64_t cols);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_LAPACK_H_
