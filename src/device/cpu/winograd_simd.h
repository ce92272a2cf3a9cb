// The inner loops of winograd.cc in the widest vectors of the machine, picked at run time. A tile is 6 x 6 numbers of
// each channel; in its transformed form the 36 numbers lie `step` floats apart, and channels beside each other.
// Numbers of channels are multiples of 16, those of rows of 8.
#ifndef WEIR_DEVICE_CPU_WINOGRAD_SIMD_H_
#define WEIR_DEVICE_CPU_WINOGRAD_SIMD_H_

#include <cstdint>

namespace weir {

constexpr int kWinogradTile = 6;
constexpr int kWinogradTaps = kWinogradTile * kWinogradTile;

// A filter of 3 x 3 or 5 x 5 gives 4 x 4 or 2 x 2 results of a tile.
constexpr int WinogradResults(int filter) { return kWinogradTile + 1 - filter; }

// B^T x B: x is taps[0..36), row by row, each with all channels.
void TransformImage(const float* const* taps, int64_t channels, float* to, int64_t step);
// A^T m A: to[0..results * results), row by row.
void TransformBack(int filter, const float* from, int64_t step, int64_t channels, float* const* to);
// A dy A^T for a filter of 5 x 5: the adjoint of TransformBack.
void TransformGradient(const float* const* taps, int64_t channels, float* to, int64_t step);
// G w G^T: taps of w lie `tap_step` floats apart.
void TransformFilter(int filter, const float* w, int64_t tap_step, int64_t channels, float* to, int64_t step);
// G^T s G for a filter of 5 x 5: the adjoint of TransformFilter.
void TransformFilterBack(const float* from, int64_t step, int64_t channels, float* w, int64_t tap_step);

// c = a b, or c += a b: c is [rows, columns] and b [depth, columns], dense; a(i, k) = a[i * a_row + k * a_depth].
void MultiplyTiles(int64_t rows, int64_t depth, int64_t columns, const float* a, int64_t a_row, int64_t a_depth,
                   const float* b, float* c, bool add);

}  // namespace weir

#endif  // WEIR_DEVICE_CPU_WINOGRAD_SIMD_H_
