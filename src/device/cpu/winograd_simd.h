// The inner loops of winograd.cc with SIMD instructions, chosen at run time. A tile has 6 x 6 elements per channel. In
// a transformed tile the 36 elements are `step` floats apart, and channels are adjacent.
// REQUIRES: numbers of channels are multiples of 16, numbers of rows are multiples of 8.
#ifndef WEIR_DEVICE_CPU_WINOGRAD_SIMD_H_
#define WEIR_DEVICE_CPU_WINOGRAD_SIMD_H_

#include <cstdint>

namespace weir {

constexpr int kWinogradTile = 6;
constexpr int kWinogradTaps = kWinogradTile * kWinogradTile;

// A tile has 4 x 4 results for a 3 x 3 filter and 2 x 2 results for a 5 x 5 filter. Returns 4 or 2.
constexpr int WinogradResults(int filter) { return kWinogradTile + 1 - filter; }

// B^T x B, where x is taps[0..36) in row-major order. Each tap points to all channels.
void TransformImage(const float* const* taps, int64_t channels, float* to, int64_t step);
// A^T m A, stored to to[0..results * results) in row-major order.
void TransformBack(int filter, const float* from, int64_t step, int64_t channels, float* const* to);
// A dy A^T for a 5 x 5 filter: the adjoint of TransformBack.
void TransformGradient(const float* const* taps, int64_t channels, float* to, int64_t step);
// G w G^T. The taps of w are `tap_step` floats apart.
void TransformFilter(int filter, const float* w, int64_t tap_step, int64_t channels, float* to, int64_t step);
// G^T s G for a 5 x 5 filter: the adjoint of TransformFilter.
void TransformFilterBack(const float* from, int64_t step, int64_t channels, float* w, int64_t tap_step);

// c = a b, or c += a b if `add`. c is [rows, columns] and b is [depth, columns], both dense.
// a(i, k) = a[i * a_row + k * a_depth].
void MultiplyTiles(int64_t rows, int64_t depth, int64_t columns, const float* a, int64_t a_row, int64_t a_depth,
                   const float* b, float* c, bool add);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_WINOGRAD_SIMD_H_
