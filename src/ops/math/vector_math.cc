// Fixes the results of Highway's functions outside of their valid range (overflow, NaN, huge angles). Compiled once per
// instruction set by foreach_target. So the namespace below must not call inline functions of other headers: the linker
// keeps only one copy, possibly the one for the newest processor.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/math/vector_math.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>  // must be the first include

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ops/math/vector_math.h"

#ifndef WEIR_VECTOR_MATH_TABLE
#define WEIR_VECTOR_MATH_TABLE
namespace weir::ops {
template <class T>
struct VectorMathTable {
  using Map = void (*)(const T*, T*, int64_t);
  using Fold = T (*)(const T*, int64_t);
  Map exp, expm1, log, log1p, sin, cos, tanh, sigmoid, softplus, sqrt, rsqrt;
  Fold sum, max, min;
  T (*exp_minus)(const T*, T, T*, int64_t);
};
// Null if the machine has no instructions for it.
struct HalfTable {
  void (*widen)(const half*, float*, int64_t) = nullptr;
  void (*narrow)(const float*, half*, int64_t) = nullptr;
};
}  // namespace weir::ops
#endif

HWY_BEFORE_NAMESPACE();
namespace weir::ops::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr T kInf = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T kExpLimit = sizeof(T) == 4 ? T(88.7228394) : T(709.782712893384);

// One function object per elementary function, so that loops and compositions can share them.
struct ExpFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    // Highway's double version fails near the largest argument: compute exp(x / 2)^2 there.
    const V limit = Set(d, kExpLimit<T>);
    V y;
    if constexpr (sizeof(T) == 8) {
      const auto high = Gt(x, Set(d, T(700)));
      const V half = hn::Exp(d, Mul(Min(x, limit), IfThenElse(high, Set(d, T(0.5)), Set(d, T(1)))));
      y = IfThenElse(high, Mul(half, half), half);
    } else {
      y = hn::Exp(d, Min(x, limit));
    }
    y = IfThenElse(Gt(x, limit), Set(d, kInf<T>), y);
    return IfThenElse(hn::IsNaN(x), x, y);
  }
};
struct Expm1Fn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V limit = Set(d, sizeof(T) == 4 ? T(88) : T(700));
    V y = hn::Expm1(d, Min(x, limit));
    y = IfThenElse(Gt(x, limit), ExpFn()(d, x), y);
    y = IfThenElse(Eq(x, Zero(d)), x, y);
    return IfThenElse(hn::IsNaN(x), x, y);
  }
};
// The special cases that all logarithms of t share: NaN, negative, zero, infinite.
template <class D, class V>
HWY_INLINE V LogEdges(D d, V t, V y) {
  using T = hn::TFromD<D>;
  y = IfThenElse(Eq(t, Set(d, kInf<T>)), t, y);
  y = IfThenElse(Eq(t, Zero(d)), Set(d, -kInf<T>), y);
  y = IfThenElse(Lt(t, Zero(d)), Set(d, kNan<T>), y);
  return IfThenElse(hn::IsNaN(t), t, y);
}
struct LogFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return LogEdges(d, x, hn::Log(d, x));
  }
};
struct Log1pFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    return LogEdges(d, Add(x, Set(d, T(1))), hn::Log1p(d, x));
  }
};
struct TanhFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    V y = hn::Tanh(d, x);
    y = IfThenElse(Eq(x, Zero(d)), x, y);
    return IfThenElse(hn::IsNaN(x), x, y);
  }
};
struct SigmoidFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = Set(d, T(1));
    const V e = hn::Exp(d, Neg(Abs(x)));
    const V y = Div(IfThenElse(Lt(x, Zero(d)), e, one), Add(one, e));
    return IfThenElse(hn::IsNaN(x), x, y);
  }
};
struct SoftplusFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V y = Add(Max(x, Zero(d)), hn::Log1p(d, hn::Exp(d, Neg(Abs(x)))));
    return IfThenElse(hn::IsNaN(x), x, y);
  }
};
struct SqrtFn {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return Sqrt(x);
  }
};
struct RsqrtFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    return Div(Set(d, T(1)), Sqrt(x));
  }
};
// The range reduction of Highway's sine and cosine is limited; larger angles use the C library.
template <class F, auto Scalar>
struct AngleFn {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    if (HWY_LIKELY(hn::AllTrue(d, Le(Abs(x), Set(d, T(30000)))))) return F()(d, x);
    // Small angles use the vector version here, too: an element's result must not depend on its neighbours.
    const auto small = Le(Abs(x), Set(d, T(30000)));
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    Store(x, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = static_cast<T>(Scalar(static_cast<double>(lanes[i])));
    return IfThenElse(small, F()(d, IfThenElseZero(small, x)), Load(d, lanes));
  }
};
struct RawSin {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return IfThenElse(Eq(x, Zero(d)), x, hn::Sin(d, x));
  }
};
struct RawCos {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = Set(d, T(1));
    return IfThenElse(Lt(Abs(x), Set(d, sizeof(T) == 4 ? T(1e-4) : T(1e-8))), one, hn::Cos(d, x));
  }
};
inline double LibSin(double x) { return std::sin(x); }
inline double LibCos(double x) { return std::cos(x); }

template <class T, class F>
void Map(const T* x, T* y, int64_t n, const F& f) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) StoreU(f(d, LoadU(d, x + i)), d, y + i);
  if (i == n) return;
  HWY_ALIGN T rest[hn::MaxLanes(d)] = {};
  std::memcpy(rest, x + i, (n - i) * sizeof(T));
  Store(f(d, Load(d, rest)), d, rest);
  std::memcpy(y + i, rest, (n - i) * sizeof(T));
}
template <class F, class T>
void MapOf(const T* x, T* y, int64_t n) {
  Map(x, y, n, F());
}

// Blocks are summed up in lanes of T and block results in double, so that the error practically does not grow with n.
template <class T>
T Sum(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kBlock = 1024;
  double total = 0;
  int64_t i = 0;
  while (n - i >= 4 * lanes) {
    const int64_t end = i + HWY_MIN(kBlock, (n - i) / (4 * lanes) * (4 * lanes));
    auto s0 = Zero(d), s1 = Zero(d), s2 = Zero(d), s3 = Zero(d);
    for (; i < end; i += 4 * lanes) {
      s0 = Add(s0, LoadU(d, x + i));
      s1 = Add(s1, LoadU(d, x + i + lanes));
      s2 = Add(s2, LoadU(d, x + i + 2 * lanes));
      s3 = Add(s3, LoadU(d, x + i + 3 * lanes));
    }
    total += static_cast<double>(GetLane(hn::SumOfLanes(d, Add(Add(s0, s1), Add(s2, s3)))));
  }
  for (; i < n; ++i) total += static_cast<double>(x[i]);
  return static_cast<T>(total);
}

template <class T>
T ExpMinus(const T* x, T shift, T* y, int64_t n) {
  const hn::ScalableTag<T> d;
  const auto s = Set(d, shift);
  Map(x, y, n, [&](auto, auto v) { return ExpFn()(d, Sub(v, s)); });
  return Sum(y, n);
}

template <bool kMax, class T>
T Extreme(const T* x, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  T best = kMax ? -kInf<T> : kInf<T>;
  int64_t i = 0;
  if (n >= lanes) {
    auto m = Set(d, best);
    auto nan = hn::IsNaN(m);
    for (; i + lanes <= n; i += lanes) {
      const auto v = LoadU(d, x + i);
      nan = hn::Or(nan, hn::IsNaN(v));
      m = kMax ? Max(v, m) : Min(v, m);
    }
    if (!hn::AllFalse(d, nan)) return kNan<T>;
    best = GetLane(kMax ? hn::MaxOfLanes(d, m) : hn::MinOfLanes(d, m));
  }
  for (; i < n; ++i) {
    if (x[i] != x[i]) return x[i];
    if (kMax ? x[i] > best : x[i] < best) best = x[i];
  }
  return best;
}

template <class T>
constexpr VectorMathTable<T> MakeTable() {
  return {
      .exp = MapOf<ExpFn, T>,
      .expm1 = MapOf<Expm1Fn, T>,
      .log = MapOf<LogFn, T>,
      .log1p = MapOf<Log1pFn, T>,
      .sin = MapOf<AngleFn<RawSin, LibSin>, T>,
      .cos = MapOf<AngleFn<RawCos, LibCos>, T>,
      .tanh = MapOf<TanhFn, T>,
      .sigmoid = MapOf<SigmoidFn, T>,
      .softplus = MapOf<SoftplusFn, T>,
      .sqrt = MapOf<SqrtFn, T>,
      .rsqrt = MapOf<RsqrtFn, T>,
      .sum = Sum<T>,
      .max = Extreme<true, T>,
      .min = Extreme<false, T>,
      .exp_minus = ExpMinus<T>,
  };
}
const VectorMathTable<float>* FloatTable() {
  static constexpr VectorMathTable<float> kTable = MakeTable<float>();
  return &kTable;
}
const VectorMathTable<double>* DoubleTable() {
  static constexpr VectorMathTable<double> kTable = MakeTable<double>();
  return &kTable;
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
void Widen(const half* x, float* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const hwy::float16_t* in = reinterpret_cast<const hwy::float16_t*>(x);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) StoreU(hn::PromoteTo(d, LoadU(dh, in + i)), d, y + i);
  if (i == n) return;
  HWY_ALIGN hwy::float16_t rest[hn::MaxLanes(d)] = {};
  HWY_ALIGN float wide[hn::MaxLanes(d)];
  std::memcpy(rest, in + i, (n - i) * sizeof(half));
  Store(hn::PromoteTo(d, Load(dh, rest)), d, wide);
  std::memcpy(y + i, wide, (n - i) * sizeof(float));
}
void Narrow(const float* x, half* y, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  hwy::float16_t* out = reinterpret_cast<hwy::float16_t*>(y);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) StoreU(hn::DemoteTo(dh, LoadU(d, x + i)), dh, out + i);
  if (i == n) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  HWY_ALIGN hwy::float16_t narrow[hn::MaxLanes(d)];
  std::memcpy(rest, x + i, (n - i) * sizeof(float));
  Store(hn::DemoteTo(dh, Load(d, rest)), dh, narrow);
  std::memcpy(static_cast<void*>(out + i), narrow, (n - i) * sizeof(half));
}
HalfTable Halves() { return {.widen = Widen, .narrow = Narrow}; }
#else
HalfTable Halves() { return {}; }
#endif

}  // namespace weir::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir::ops {
namespace {
HWY_EXPORT(FloatTable);
HWY_EXPORT(DoubleTable);
HWY_EXPORT(Halves);
const VectorMathTable<float>& Table(const float*) { return *HWY_DYNAMIC_DISPATCH(FloatTable)(); }
const VectorMathTable<double>& Table(const double*) { return *HWY_DYNAMIC_DISPATCH(DoubleTable)(); }
}  // namespace

void WidenInto(const half* x, float* y, int64_t n) {
  if (auto widen = HWY_DYNAMIC_DISPATCH(Halves)().widen) return widen(x, y, n);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i]);
}
void NarrowInto(const float* x, half* y, int64_t n) {
  if (auto narrow = HWY_DYNAMIC_DISPATCH(Halves)().narrow) return narrow(x, y, n);
  for (int64_t i = 0; i < n; ++i) y[i] = half(x[i]);
}

void ExpInto(const float* x, float* y, int64_t n) { Table(x).exp(x, y, n); }
void ExpInto(const double* x, double* y, int64_t n) { Table(x).exp(x, y, n); }
void Expm1Into(const float* x, float* y, int64_t n) { Table(x).expm1(x, y, n); }
void Expm1Into(const double* x, double* y, int64_t n) { Table(x).expm1(x, y, n); }
void LogInto(const float* x, float* y, int64_t n) { Table(x).log(x, y, n); }
void LogInto(const double* x, double* y, int64_t n) { Table(x).log(x, y, n); }
void Log1pInto(const float* x, float* y, int64_t n) { Table(x).log1p(x, y, n); }
void Log1pInto(const double* x, double* y, int64_t n) { Table(x).log1p(x, y, n); }
void SinInto(const float* x, float* y, int64_t n) { Table(x).sin(x, y, n); }
void SinInto(const double* x, double* y, int64_t n) { Table(x).sin(x, y, n); }
void CosInto(const float* x, float* y, int64_t n) { Table(x).cos(x, y, n); }
void CosInto(const double* x, double* y, int64_t n) { Table(x).cos(x, y, n); }
void TanhInto(const float* x, float* y, int64_t n) { Table(x).tanh(x, y, n); }
void TanhInto(const double* x, double* y, int64_t n) { Table(x).tanh(x, y, n); }
void SigmoidInto(const float* x, float* y, int64_t n) { Table(x).sigmoid(x, y, n); }
void SigmoidInto(const double* x, double* y, int64_t n) { Table(x).sigmoid(x, y, n); }
void SoftplusInto(const float* x, float* y, int64_t n) { Table(x).softplus(x, y, n); }
void SoftplusInto(const double* x, double* y, int64_t n) { Table(x).softplus(x, y, n); }
void SqrtInto(const float* x, float* y, int64_t n) { Table(x).sqrt(x, y, n); }
void SqrtInto(const double* x, double* y, int64_t n) { Table(x).sqrt(x, y, n); }
void RsqrtInto(const float* x, float* y, int64_t n) { Table(x).rsqrt(x, y, n); }
void RsqrtInto(const double* x, double* y, int64_t n) { Table(x).rsqrt(x, y, n); }
float ExpMinusInto(const float* x, float shift, float* y, int64_t n) { return Table(x).exp_minus(x, shift, y, n); }
double ExpMinusInto(const double* x, double shift, double* y, int64_t n) { return Table(x).exp_minus(x, shift, y, n); }
float SumOf(const float* x, int64_t n) { return Table(x).sum(x, n); }
double SumOf(const double* x, int64_t n) { return Table(x).sum(x, n); }
float MaxOf(const float* x, int64_t n) { return Table(x).max(x, n); }
double MaxOf(const double* x, int64_t n) { return Table(x).max(x, n); }
float MinOf(const float* x, int64_t n) { return Table(x).min(x, n); }
double MinOf(const double* x, int64_t n) { return Table(x).min(x, n); }

}  // namespace weir::ops
#endif
