// Matrix products on the CPU: C = op(A) op(B), row-major. float runs on oneDNN, one OpenMP thread per call, with the
// split over threads made here: no OpenMP team ever starts. 16-bit floats are multiplied as float; integers wrap
// around.
#ifndef WEIR_DEVICE_CPU_GEMM_H_
#define WEIR_DEVICE_CPU_GEMM_H_

#include <complex>
#include <cstdint>

#include "base/status.h"
#include "base/thread_pool.h"
#include "device/cpu/finish_rows.h"
#include "tensor/half.h"

namespace weir {

// op(A) is [m,k], op(B) [k,n], C [m,n]. A leading dimension is the distance between rows as stored; 0: rows are dense.
struct GemmLayout {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;  // A is stored as [k,m]
  bool transpose_b = false;  // B is stored as [n,k]
  bool conjugate_a = false;  // of complex numbers only
  bool conjugate_b = false;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  bool accumulate = false;  // C += instead of C =
};

// T: float, double, half, bfloat16, complex, and integers of 16 bits or more and uint8_t. A null pool means the calling
// thread alone. An error means that scratch memory could not be had.
template <class T>
Status Gemm(ThreadPool* pool, const GemmLayout& layout, const T* a, const T* b, T* c);

// The same of floats, with what is done to the results: the sums are those of Gemm, bit for bit. REQUIRES: not
// `accumulate`.
Status GemmThen(ThreadPool* pool, const GemmLayout& layout, const float* a, const float* b, float* c,
                FinishRows finish);

// What a product costs on one thread, in nanoseconds, roughly.
template <class T>
int64_t GemmCost(const GemmLayout& layout);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_GEMM_H_
