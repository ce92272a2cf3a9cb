// The interpolation points of the transforms are 0, 1, -1, 1/2, -2 and infinity: they have the smallest rounding
// errors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "device/cpu/winograd_simd.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "device/cpu/winograd_simd.h"

HWY_BEFORE_NAMESPACE();
namespace weir::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kTile = kWinogradTile;

// 1-d transforms: each reads the numbers x(0), x(1), ... and writes the results with out(i, value).

template <class In, class Out>
HWY_INLINE void ImageLine(In x, Out out) {
  const D d;
  const V half = hn::Set(d, 0.5f), three_halves = hn::Set(d, 1.5f), two = hn::Set(d, 2.0f), more = hn::Set(d, 2.5f);
  const V x0 = x(0), x1 = x(1), x2 = x(2), x3 = x(3), x4 = x(4), x5 = x(5);
  const V odd = hn::Sub(x3, x1);
  const V even = hn::Sub(x4, x2);
  out(0, hn::MulAdd(three_halves, odd, hn::Add(x0, hn::NegMulAdd(two, x2, x4))));
  out(1, hn::MulAdd(more, x3, hn::Sub(hn::MulAdd(half, x2, x4), x1)));
  out(2, hn::MulAdd(half, x3, hn::Add(hn::NegMulAdd(more, x2, x4), x1)));
  out(3, hn::MulAdd(two, odd, even));
  out(4, hn::NegMulAdd(half, odd, even));
  out(5, hn::MulAdd(three_halves, even, hn::Add(x1, hn::NegMulAdd(two, x3, x5))));
}

template <int kFilter, class In, class Out>
HWY_INLINE void ResultLine(In x, Out out) {
  const D d;
  const V half = hn::Set(d, 0.5f), two = hn::Set(d, 2.0f);
  const V x0 = x(0), x1 = x(1), x2 = x(2), x3 = x(3), x4 = x(4), x5 = x(5);
  const V sum = hn::Add(x1, x2);
  const V difference = hn::Sub(x1, x2);
  out(0, hn::Add(hn::Add(x0, sum), hn::Add(x3, x4)));
  const V second = hn::NegMulAdd(two, x4, hn::MulAdd(half, x3, difference));
  if constexpr (kFilter == 5) {
    out(1, hn::Add(second, x5));
  } else {
    out(1, second);
    out(2, hn::MulAdd(hn::Set(d, 4.0f), x4, hn::MulAdd(hn::Set(d, 0.25f), x3, sum)));
    out(3, hn::NegMulAdd(hn::Set(d, 8.0f), x4, hn::MulAdd(hn::Set(d, 0.125f), x3, hn::Add(difference, x5))));
  }
}

template <class In, class Out>
HWY_INLINE void GradientLine(In x, Out out) {
  const D d;
  const V x0 = x(0), x1 = x(1);
  out(0, x0);
  out(1, hn::Add(x0, x1));
  out(2, hn::Sub(x0, x1));
  out(3, hn::MulAdd(hn::Set(d, 0.5f), x1, x0));
  out(4, hn::NegMulAdd(hn::Set(d, 2.0f), x1, x0));
  out(5, x1);
}

// Row of point p: p^j / product of (p - q) over the other finite points q. The row of infinity, which FilterNumber
// computes, is 1 for the last number and 0 for the others.
constexpr float kFilterRows[kTile][5] = {
    {1.0f, 0, 0, 0, 0},
    {1.0f / 3, 1.0f / 3, 1.0f / 3, 1.0f / 3, 1.0f / 3},
    {-1.0f / 3, 1.0f / 3, -1.0f / 3, 1.0f / 3, -1.0f / 3},
    {-16.0f / 15, -8.0f / 15, -4.0f / 15, -2.0f / 15, -1.0f / 15},
    {1.0f / 15, -2.0f / 15, 4.0f / 15, -8.0f / 15, 16.0f / 15},
};
constexpr float FilterNumber(int filter, int row, int j) {
  return row < kTile - 1 ? kFilterRows[row][j] : (j == filter - 1 ? 1.0f : 0.0f);
}

template <int kFilter, class In, class Out>
HWY_INLINE void FilterLine(In x, Out out) {
  const D d;
  for (int i = 0; i < kTile; ++i) {
    V sum = hn::Zero(d);
    for (int j = 0; j < kFilter; ++j) sum = hn::MulAdd(hn::Set(d, FilterNumber(kFilter, i, j)), x(j), sum);
    out(i, sum);
  }
}
template <class In, class Out>
HWY_INLINE void FilterBackLine(In x, Out out) {
  const D d;
  for (int j = 0; j < 5; ++j) {
    V sum = hn::Zero(d);
    for (int i = 0; i < kTile; ++i) sum = hn::MulAdd(hn::Set(d, FilterNumber(5, i, j)), x(i), sum);
    out(j, sum);
  }
}

// A 2-d transform: applies line(in, out), which turns kFrom numbers into kTo, to the columns and then to the rows.
// Reads with load(i, j) and writes with store(i, j, value).
template <int kFrom, int kTo, class Line, class Load, class Store>
HWY_INLINE void Transform2d(Line line, Load load, Store store) {
  const D d;
  HWY_ALIGN float between[kTile * kTile * 16];
  for (int j = 0; j < kFrom; ++j) {
    line([=](int i) { return load(i, j); },
         [&](int i, V v) { hn::Store(v, d, between + ptrdiff_t{i * kTile + j} * 16); });
  }
  for (int i = 0; i < kTo; ++i) {
    line([&](int j) { return hn::Load(d, between + ptrdiff_t{i * kTile + j} * 16); },
         [=](int j, V v) { store(i, j, v); });
  }
}

void Image(const float* const* taps, int64_t channels, float* to, int64_t step) {
  const D d;
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    Transform2d<kTile, kTile>([](auto in, auto out) { ImageLine(in, out); },
                              [=](int i, int j) { return hn::LoadU(d, taps[i * kTile + j] + c); },
                              [=](int i, int j, V v) { hn::StoreU(v, d, to + (i * kTile + j) * step + c); });
  }
}

template <int kFilter>
HWY_INLINE void BackOf(const float* from, int64_t step, int64_t channels, float* const* to) {
  constexpr int kResults = WinogradResults(kFilter);
  const D d;
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    Transform2d<kTile, kResults>([](auto in, auto out) { ResultLine<kFilter>(in, out); },
                                 [=](int i, int j) { return hn::LoadU(d, from + (i * kTile + j) * step + c); },
                                 [=](int i, int j, V v) { hn::StoreU(v, d, to[i * kResults + j] + c); });
  }
}
void Back(int filter, const float* from, int64_t step, int64_t channels, float* const* to) {
  filter == 5 ? BackOf<5>(from, step, channels, to) : BackOf<3>(from, step, channels, to);
}

void Gradient(const float* const* taps, int64_t channels, float* to, int64_t step) {
  constexpr int kResults = WinogradResults(5);
  const D d;
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    Transform2d<kResults, kTile>([](auto in, auto out) { GradientLine(in, out); },
                                 [=](int i, int j) { return hn::LoadU(d, taps[i * kResults + j] + c); },
                                 [=](int i, int j, V v) { hn::StoreU(v, d, to + (i * kTile + j) * step + c); });
  }
}

template <int kFilter>
HWY_INLINE void FilterOf(const float* w, int64_t tap_step, int64_t channels, float* to, int64_t step) {
  const D d;
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    Transform2d<kFilter, kTile>([](auto in, auto out) { FilterLine<kFilter>(in, out); },
                                [=](int i, int j) { return hn::LoadU(d, w + (i * kFilter + j) * tap_step + c); },
                                [=](int i, int j, V v) { hn::StoreU(v, d, to + (i * kTile + j) * step + c); });
  }
}
void Filter(int filter, const float* w, int64_t tap_step, int64_t channels, float* to, int64_t step) {
  filter == 5 ? FilterOf<5>(w, tap_step, channels, to, step) : FilterOf<3>(w, tap_step, channels, to, step);
}

void FilterBack(const float* from, int64_t step, int64_t channels, float* w, int64_t tap_step) {
  const D d;
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    Transform2d<kTile, 5>([](auto in, auto out) { FilterBackLine(in, out); },
                          [=](int i, int j) { return hn::LoadU(d, from + (i * kTile + j) * step + c); },
                          [=](int i, int j, V v) { hn::StoreU(v, d, w + (i * 5 + j) * tap_step + c); });
  }
}

// The rows of a block of c that is kept in registers: 8 if the target has 32 vector registers, else 4.
constexpr int kRows = HWY_TARGET <= HWY_AVX3 ? 8 : 4;

template <int kVectors>
HWY_INLINE void Block(int64_t depth, const float* HWY_RESTRICT a, int64_t a_row, int64_t a_depth,
                      const float* HWY_RESTRICT b, int64_t columns, float* HWY_RESTRICT c, bool add) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V zero = hn::Zero(d);
  V s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero, s6 = zero, s7 = zero;
  V t0 = zero, t1 = zero, t2 = zero, t3 = zero, t4 = zero, t5 = zero, t6 = zero, t7 = zero;
  for (int64_t k = 0; k < depth; ++k, a += a_depth, b += columns) {
    const V b0 = hn::LoadU(d, b);
    const V b1 = kVectors > 1 ? hn::LoadU(d, b + lanes) : zero;
    auto row = [&](int64_t i, V& s, V& t) {
      const V v = hn::Set(d, a[i * a_row]);
      s = hn::MulAdd(v, b0, s);
      if constexpr (kVectors > 1) t = hn::MulAdd(v, b1, t);
    };
    row(0, s0, t0);
    row(1, s1, t1);
    row(2, s2, t2);
    row(3, s3, t3);
    if constexpr (kRows > 4) {
      row(4, s4, t4);
      row(5, s5, t5);
      row(6, s6, t6);
      row(7, s7, t7);
    }
  }
  auto store = [&](int64_t i, V s, V t) {
    float* to = c + i * columns;
    hn::StoreU(add ? hn::Add(hn::LoadU(d, to), s) : s, d, to);
    if constexpr (kVectors > 1) hn::StoreU(add ? hn::Add(hn::LoadU(d, to + lanes), t) : t, d, to + lanes);
  };
  store(0, s0, t0);
  store(1, s1, t1);
  store(2, s2, t2);
  store(3, s3, t3);
  if constexpr (kRows > 4) {
    store(4, s4, t4);
    store(5, s5, t5);
    store(6, s6, t6);
    store(7, s7, t7);
  }
}

void Multiply(int64_t rows, int64_t depth, int64_t columns, const float* a, int64_t a_row, int64_t a_depth,
              const float* b, float* c, bool add) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  int64_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) {
    for (int64_t i = 0; i < rows; i += kRows)
      Block<2>(depth, a + i * a_row, a_row, a_depth, b + j, columns, c + i * columns + j, add);
  }
  for (; j < columns; j += lanes) {
    for (int64_t i = 0; i < rows; i += kRows)
      Block<1>(depth, a + i * a_row, a_row, a_depth, b + j, columns, c + i * columns + j, add);
  }
}

}  // namespace weir::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir {
namespace {
HWY_EXPORT(Image);
HWY_EXPORT(Back);
HWY_EXPORT(Gradient);
HWY_EXPORT(Filter);
HWY_EXPORT(FilterBack);
HWY_EXPORT(Multiply);
}  // namespace

void TransformImage(const float* const* taps, int64_t channels, float* to, int64_t step) {
  HWY_DYNAMIC_DISPATCH(Image)(taps, channels, to, step);
}
void TransformBack(int filter, const float* from, int64_t step, int64_t channels, float* const* to) {
  HWY_DYNAMIC_DISPATCH(Back)(filter, from, step, channels, to);
}
void TransformGradient(const float* const* taps, int64_t channels, float* to, int64_t step) {
  HWY_DYNAMIC_DISPATCH(Gradient)(taps, channels, to, step);
}
void TransformFilter(int filter, const float* w, int64_t tap_step, int64_t channels, float* to, int64_t step) {
  HWY_DYNAMIC_DISPATCH(Filter)(filter, w, tap_step, channels, to, step);
}
void TransformFilterBack(const float* from, int64_t step, int64_t channels, float* w, int64_t tap_step) {
  HWY_DYNAMIC_DISPATCH(FilterBack)(from, step, channels, w, tap_step);
}
void MultiplyTiles(int64_t rows, int64_t depth, int64_t columns, const float* a, int64_t a_row, int64_t a_depth,
                   const float* b, float* c, bool add) {
  HWY_DYNAMIC_DISPATCH(Multiply)(rows, depth, columns, a, a_row, a_depth, b, c, add);
}
}  // namespace weir
#endif
