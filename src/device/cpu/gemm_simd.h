// Products of doubles with SIMD instructions, chosen at run time.
#ifndef WEIR_DEVICE_CPU_GEMM_SIMD_H_
#define WEIR_DEVICE_CPU_GEMM_SIMD_H_

#include <cstdint>

namespace weir {

// C[m,n] += A B on the calling thread, where A(i, p) is a[i * a_row + p * a_col] and B(p, j) is
// b[p * b_row + j * b_col]. `packed` is scratch memory for kPackedDoubles elements.
constexpr int64_t kPackedDoubles = 256 * 256 + 256 * 64;
void AddProduct(int64_t m, int64_t n, int64_t k, const double* a, int64_t a_row, int64_t a_col, const double* b,
                int64_t b_row, int64_t b_col, double* c, int64_t ldc, double* packed);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_GEMM_SIMD_H_
