// Matrix products on the CPU: C = op(A) op(B), row-major. float uses oneDNN with one OpenMP thread per call; the split
// over threads is done here, so that no OpenMP team starts. 16-bit floats are multiplied as float. Integers wrap
// around.
#ifndef WEIR_DEVICE_CPU_GEMM_H_
#define WEIR_DEVICE_CPU_GEMM_H_

#include <complex>
#include <cstdint>

#include "base/status.h"
#include "base/thread_pool.h"
#include "device/cpu/row_epilogue.h"
#include "tensor/half.h"

namespace weir {

// op(A) is [m,k], op(B) is [k,n], C is [m,n]. A leading dimension (lda, ldb, ldc) is the distance between stored rows;
// 0 means that rows are dense.
struct GemmLayout {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;  // A is stored as [k,m]
  bool transpose_b = false;  // B is stored as [n,k]
  bool conjugate_a = false;  // for complex numbers only
  bool conjugate_b = false;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  bool accumulate = false;  // add to C instead of overwriting it
};

// T: float, double, half, bfloat16, complex, and unsigned integers (for signed ones too: the bits are the same). With a
// null pool everything runs on the calling thread. ResourceExhausted if scratch memory cannot be allocated.
template <class T>
Status Gemm(ThreadPool* pool, const GemmLayout& layout, const T* a, const T* b, T* c);

// Gemm for floats that passes finished results to `finish`. The sums are the same as with Gemm, bit for bit.
// REQUIRES: not `accumulate`.
Status GemmWithEpilogue(ThreadPool* pool, const GemmLayout& layout, const float* a, const float* b, float* c,
                        RowEpilogue finish);

// The approximate time of a product on one thread, in nanoseconds.
template <class T>
int64_t GemmCost(const GemmLayout& layout);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_GEMM_H_
