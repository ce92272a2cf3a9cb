#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/nn/float_loops.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must be the first include
#include <hwy/highway.h>

#include "ops/nn/float_loops.h"

HWY_BEFORE_NAMESPACE();
namespace weir::ops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(tag, index of first element) over n elements: whole vectors, then single elements.
template <class F>
HWY_INLINE void ForVectors(int64_t n, F body) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> d1;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) body(d, i);
  for (; i < n; ++i) body(d1, i);
}

void Relu(const float* x, float* y, int64_t n) {
  ForVectors(n, [=](auto d, int64_t i) {
    const auto v = LoadU(d, x + i);
    StoreU(IfThenZeroElse(Lt(v, Zero(d)), v), d, y + i);
  });
}

void ReluGrad(const float* x, const float* y, float* z, int64_t n, int64_t x_step, int64_t y_step) {
  if (x_step == 0 || y_step == 0) {
    for (int64_t i = 0; i < n; ++i) z[i] = y[i * y_step] > 0 ? x[i * x_step] : 0.0f;
    return;
  }
  ForVectors(
      n, [=](auto d, int64_t i) { StoreU(IfThenElseZero(Gt(LoadU(d, y + i), Zero(d)), LoadU(d, x + i)), d, z + i); });
}

void AddBias(float* y, int64_t rows, int64_t stride, const float* bias, int64_t columns, bool relu) {
  for (int64_t r = 0; r < rows; ++r, y += stride) {
    if (relu) {
      ForVectors(columns, [=](auto d, int64_t c) {
        const auto v = Add(LoadU(d, y + c), LoadU(d, bias + c));
        StoreU(IfThenZeroElse(Lt(v, Zero(d)), v), d, y + c);
      });
    } else {
      ForVectors(columns, [=](auto d, int64_t c) { StoreU(Add(LoadU(d, y + c), LoadU(d, bias + c)), d, y + c); });
    }
  }
}

void Max(const float* const* taps, int64_t count, int64_t channels, float* y) {
  ForVectors(channels, [=](auto d, int64_t c) {
    auto best = LoadU(d, taps[0] + c);
    for (int64_t t = 1; t < count; ++t) {
      const auto v = LoadU(d, taps[t] + c);
      best = IfThenElse(Gt(v, best), v, best);
    }
    StoreU(best, d, y + c);
  });
}

// The index of a tap is kept as a float beside its value. That is exact below 2^24.
void MaxGradient(const float* const* taps, float* const* to, int64_t count, int64_t channels, const float* dy,
                 bool add) {
  ForVectors(channels, [=](auto d, int64_t c) {
    auto best = LoadU(d, taps[0] + c);
    auto first = Zero(d);
    for (int64_t t = 1; t < count; ++t) {
      const auto v = LoadU(d, taps[t] + c);
      const auto better = Gt(v, best);
      best = IfThenElse(better, v, best);
      first = IfThenElse(better, Set(d, static_cast<float>(t)), first);
    }
    const auto gradient = LoadU(d, dy + c);
    for (int64_t t = 0; t < count; ++t) {
      const auto share = IfThenElseZero(Eq(first, Set(d, static_cast<float>(t))), gradient);
      StoreU(add ? Add(LoadU(d, to[t] + c), share) : share, d, to[t] + c);
    }
  });
}

}  // namespace weir::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir::ops {
namespace {
HWY_EXPORT(Relu);
HWY_EXPORT(ReluGrad);
HWY_EXPORT(AddBias);
HWY_EXPORT(Max);
HWY_EXPORT(MaxGradient);
}  // namespace

void ReluLoop(const void* x, void* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(Relu)(static_cast<const float*>(x), static_cast<float*>(y), n);
}
LoopError ReluGradLoop(const void* x, const void* y, void* z, int64_t n, ScalarOperand moving) {
  HWY_DYNAMIC_DISPATCH(ReluGrad)
  (static_cast<const float*>(x), static_cast<const float*>(y), static_cast<float*>(z), n,
   moving == ScalarOperand::kX ? 0 : 1, moving == ScalarOperand::kY ? 0 : 1);
  return LoopError::kNone;
}
void AddBiasToRows(float* y, int64_t rows, int64_t stride, const float* bias, int64_t columns, bool relu) {
  HWY_DYNAMIC_DISPATCH(AddBias)(y, rows, stride, bias, columns, relu);
}
void MaxOfTaps(const float* const* taps, int64_t count, int64_t channels, float* y) {
  HWY_DYNAMIC_DISPATCH(Max)(taps, count, channels, y);
}
void MaxGradientOfTaps(const float* const* taps, float* const* to, int64_t count, int64_t channels, const float* dy,
                       bool add) {
  HWY_DYNAMIC_DISPATCH(MaxGradient)(taps, to, count, channels, dy, add);
}
}  // namespace weir::ops
#endif
