#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/gemm_simd.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "device/cpu/gemm_simd.h"

HWY_BEFORE_NAMESPACE();
namespace weir {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Block sizes: kDepth x kWide of B stays in the L2 cache, panels of A stay in the L1 cache.
constexpr int64_t kDepth = 256;
constexpr int64_t kWide = 256;
constexpr int64_t kHigh = 64;
constexpr int64_t kRows = 6;  // rows of a tile

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;

// c += a b for a tile of kCount rows and two vectors of columns. a is [depth][kRows] and b is [depth][2 vectors], both
// packed.
template <int kCount>
HWY_INLINE void Tile(int64_t depth, const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, double* HWY_RESTRICT c,
                     int64_t ldc, int64_t columns) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V s00 = hn::Zero(d), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  V s30 = s00, s31 = s00, s40 = s00, s41 = s00, s50 = s00, s51 = s00;
  for (int64_t p = 0; p < depth; ++p, a += kRows, b += 2 * lanes) {
    const V b0 = hn::LoadU(d, b);
    const V b1 = hn::LoadU(d, b + lanes);
    auto row = [&](int i, V& x, V& y) {
      const V v = hn::Set(d, a[i]);
      x = hn::MulAdd(v, b0, x);
      y = hn::MulAdd(v, b1, y);
    };
    row(0, s00, s01);
    if constexpr (kCount > 1) row(1, s10, s11);
    if constexpr (kCount > 2) row(2, s20, s21);
    if constexpr (kCount > 3) row(3, s30, s31);
    if constexpr (kCount > 4) row(4, s40, s41);
    if constexpr (kCount > 5) row(5, s50, s51);
  }
  auto store = [&](int i, V x, V y) {
    double* to = c + i * ldc;
    if (columns == 2 * lanes) {
      hn::StoreU(hn::Add(hn::LoadU(d, to), x), d, to);
      hn::StoreU(hn::Add(hn::LoadU(d, to + lanes), y), d, to + lanes);
    } else {
      HWY_ALIGN double rest[size_t{2} * HWY_MAX_BYTES / sizeof(double)];
      hn::StoreU(x, d, rest);
      hn::StoreU(y, d, rest + lanes);
      for (int64_t j = 0; j < columns; ++j) to[j] += rest[j];
    }
  };
  store(0, s00, s01);
  if constexpr (kCount > 1) store(1, s10, s11);
  if constexpr (kCount > 2) store(2, s20, s21);
  if constexpr (kCount > 3) store(3, s30, s31);
  if constexpr (kCount > 4) store(4, s40, s41);
  if constexpr (kCount > 5) store(5, s50, s51);
}

void AddProductOnTarget(int64_t m, int64_t n, int64_t k, const double* a, int64_t a_row, int64_t a_col, const double* b,
                        int64_t b_row, int64_t b_col, double* c, int64_t ldc, double* packed) {
  const int64_t width = 2 * static_cast<int64_t>(hn::Lanes(D()));
  double* packed_b = packed;
  double* packed_a = packed + kDepth * kWide;
  constexpr int64_t kHighest = kHigh / kRows * kRows;
  for (int64_t j0 = 0; j0 < n; j0 += kWide) {
    const int64_t nb = std::min(kWide, n - j0);
    for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
      const int64_t kb = std::min(kDepth, k - p0);
      for (int64_t j = 0; j < nb; j += width) {
        double* to = packed_b + j * kb;
        const int64_t columns = std::min(width, nb - j);
        for (int64_t p = 0; p < kb; ++p, to += width) {
          const double* from = b + (p0 + p) * b_row + (j0 + j) * b_col;
          for (int64_t x = 0; x < columns; ++x) to[x] = from[x * b_col];
          for (int64_t x = columns; x < width; ++x) to[x] = 0;
        }
      }
      for (int64_t i0 = 0; i0 < m; i0 += kHighest) {
        const int64_t mb = std::min(kHighest, m - i0);
        for (int64_t i = 0; i < mb; i += kRows) {
          double* to = packed_a + i * kb;
          const int64_t rows = std::min(kRows, mb - i);
          for (int64_t p = 0; p < kb; ++p, to += kRows) {
            const double* from = a + (i0 + i) * a_row + (p0 + p) * a_col;
            for (int64_t x = 0; x < rows; ++x) to[x] = from[x * a_row];
          }
        }
        for (int64_t j = 0; j < nb; j += width) {
          const int64_t columns = std::min(width, nb - j);
          for (int64_t i = 0; i < mb; i += kRows) {
            const double* pa = packed_a + i * kb;
            const double* pb = packed_b + j * kb;
            double* to = c + (i0 + i) * ldc + j0 + j;
            switch (std::min(kRows, mb - i)) {
              case 1:
                Tile<1>(kb, pa, pb, to, ldc, columns);
                break;
              case 2:
                Tile<2>(kb, pa, pb, to, ldc, columns);
                break;
              case 3:
                Tile<3>(kb, pa, pb, to, ldc, columns);
                break;
              case 4:
                Tile<4>(kb, pa, pb, to, ldc, columns);
                break;
              case 5:
                Tile<5>(kb, pa, pb, to, ldc, columns);
                break;
              default:
                Tile<6>(kb, pa, pb, to, ldc, columns);
                break;
            }
          }
        }
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace weir
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir {

HWY_EXPORT(AddProductOnTarget);

void AddProduct(int64_t m, int64_t n, int64_t k, const double* a, int64_t a_row, int64_t a_col, const double* b,
                int64_t b_row, int64_t b_col, double* c, int64_t ldc, double* packed) {
  HWY_DYNAMIC_DISPATCH(AddProductOnTarget)(m, n, k, a, a_row, a_col, b, b_row, b_col, c, ldc, packed);
}

}  // namespace weir
#endif
