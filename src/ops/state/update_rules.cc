// Compiled once per instruction set (Highway re-includes this file). A rule is a class over a vector tag: the
// constructor prepares the scalars, operator() updates one vector of every slot. The same class with one lane handles
// the end of a row.
#include "ops/state/update_rules.h"

#include <algorithm>
#include <cmath>

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/state/update_rules.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace weir::ops {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Shared by all rules: constants, and functions that propagate NaN.
template <class D>
struct Base {
  using F = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static HWY_INLINE V C(F x) { return hn::Set(D(), x); }
  static HWY_INLINE V Sign(V x) {
    const V zero = hn::Zero(D());
    return hn::IfThenElse(hn::Gt(x, zero), C(1), hn::IfThenElse(hn::Lt(x, zero), C(-1), x));
  }
  // sign(x) * max(|x| - t, 0)
  static HWY_INLINE V Shrink(V x, V t) { return Sign(x) * hn::Max(hn::Abs(x) - t, hn::Zero(D())); }
  static HWY_INLINE V Power(V x, F exponent) {
    alignas(64) F lanes[hn::MaxLanes(D())];
    hn::Store(x, D(), lanes);
    for (size_t i = 0; i < hn::Lanes(D()); ++i) lanes[i] = std::pow(lanes[i], exponent);
    return hn::Load(D(), lanes);
  }
};

template <class D>
struct GradientDescent : Base<D> {
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 1;
  V lr;
  explicit GradientDescent(const UpdateScalars<F>& s) : lr(this->C(s.in[0])) {}
  HWY_INLINE void operator()(V* s, V g) const { s[0] = s[0] - g * lr; }
};

template <class D>
struct ProximalGradientDescent : Base<D> {
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 1;
  V lr, threshold, denominator;
  bool shrink;
  explicit ProximalGradientDescent(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])),
        threshold(this->C(s.in[0] * s.in[1])),
        denominator(this->C(F(1) + s.in[2] * s.in[0])),
        shrink(s.in[1] > F(0)) {}
  HWY_INLINE void operator()(V* s, V g) const {
    V x = s[0] - g * lr;
    if (shrink) x = this->Shrink(x, threshold);
    s[0] = x / denominator;
  }
};

template <class D>
struct Adadelta : Base<D> {  // var, accum, accum_update; lr, rho, epsilon
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 3;
  V lr, rho, one_minus_rho, epsilon;
  explicit Adadelta(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])),
        rho(this->C(s.in[1])),
        one_minus_rho(this->C(F(1) - s.in[1])),
        epsilon(this->C(s.in[2])) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] * rho + g * g * one_minus_rho;
    const V update = hn::Sqrt(s[2] + epsilon) / hn::Sqrt(s[1] + epsilon) * g;
    s[0] = s[0] - update * lr;
    s[2] = s[2] * rho + update * update * one_minus_rho;
  }
};

template <class D>
struct Adagrad : Base<D> {  // var, accum; lr
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 2;
  V lr;
  bool update_slots;
  explicit Adagrad(const UpdateScalars<F>& s) : lr(this->C(s.in[0])), update_slots(s.flag) {}
  HWY_INLINE void operator()(V* s, V g) const {
    if (update_slots) s[1] = s[1] + g * g;
    s[0] = s[0] - g * lr / hn::Sqrt(s[1]);
  }
};

template <class D>
struct AdagradV2 : Base<D> {  // var, accum; lr, epsilon
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 2;
  V lr, epsilon;
  bool update_slots;
  explicit AdagradV2(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])), epsilon(this->C(s.in[1])), update_slots(s.flag) {}
  HWY_INLINE void operator()(V* s, V g) const {
    if (update_slots) s[1] = s[1] + g * g;
    s[0] = s[0] - g * lr / (hn::Sqrt(s[1]) + epsilon);
  }
};

template <class D>
struct AdagradDA : Base<D> {  // var, gradient_accumulator, gradient_squared_accumulator; lr, l1, l2, global_step
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 3;
  V minus_lr, threshold, offset;
  bool shrink;
  explicit AdagradDA(const UpdateScalars<F>& s)
      : minus_lr(this->C(-s.in[0])),
        threshold(this->C(s.in[1] * s.in[3])),
        offset(this->C(s.in[2] * s.in[3] * s.in[0])),
        shrink(s.in[1] > F(0)) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] + g;
    s[2] = s[2] + g * g;
    const V x = shrink ? this->Shrink(s[1], threshold) : s[1];
    s[0] = minus_lr * x / (offset + hn::Sqrt(s[2]));
  }
};

template <class D>
struct ProximalAdagrad : Base<D> {  // var, accum; lr, l1, l2
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 2;
  V lr, l1, l2;
  bool shrink;
  explicit ProximalAdagrad(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])), l1(this->C(s.in[1])), l2(this->C(s.in[2])), shrink(s.in[1] > F(0)) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] + g * g;
    const V rate = lr / hn::Sqrt(s[1]);
    V x = s[0] - g * rate;
    if (shrink) x = this->Shrink(x, rate * l1);
    s[0] = x / (this->C(1) + l2 * rate);
  }
};

// With multiply_linear_by_lr, the linear slot is scaled by lr.
template <class D, bool kV2>
struct FtrlBase : Base<D> {  // var, accum, linear; lr, l1, l2, [l2_shrinkage,] lr_power
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 3;
  V grad_scale, inverse_lr, l1, two_l2, two_shrinkage;
  F exponent;
  explicit FtrlBase(const UpdateScalars<F>& s)
      : grad_scale(this->C(s.flag ? s.in[0] : F(1))),
        inverse_lr(this->C(s.flag ? F(1) : F(1) / s.in[0])),
        l1(this->C(s.flag ? s.in[1] * s.in[0] : s.in[1])),
        two_l2(this->C(s.flag ? F(2) * s.in[2] * s.in[0] : F(2) * s.in[2])),
        two_shrinkage(this->C(kV2 ? F(2) * s.in[3] : F(0))),
        exponent(-s.in[kV2 ? 4 : 3]) {}
  HWY_INLINE V Rate(V accum) const { return exponent == F(0.5) ? hn::Sqrt(accum) : this->Power(accum, exponent); }
  HWY_INLINE void operator()(V* s, V g) const {
    const V accum = s[1] + g * g;
    const V rate = Rate(accum);
    const V full_grad = kV2 ? g + two_shrinkage * s[0] : g;
    s[2] = s[2] + full_grad * grad_scale - (rate - Rate(s[1])) * inverse_lr * s[0];
    const V x = l1 * this->Sign(s[2]) - s[2];
    const V y = rate * inverse_lr + two_l2;
    s[0] = hn::IfThenElseZero(hn::Gt(hn::Abs(s[2]), l1), x / y);
    s[1] = accum;
  }
};
template <class D>
using Ftrl = FtrlBase<D, false>;
template <class D>
using FtrlV2 = FtrlBase<D, true>;

template <class D>
struct Momentum : Base<D> {  // var, accum; lr, momentum
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 2;
  V lr, momentum;
  bool nesterov;
  explicit Momentum(const UpdateScalars<F>& s) : lr(this->C(s.in[0])), momentum(this->C(s.in[1])), nesterov(s.flag) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] * momentum + g;
    s[0] = s[0] - (nesterov ? g * lr + s[1] * momentum * lr : s[1] * lr);
  }
};

template <class D>
struct KerasMomentum : Base<D> {  // var, accum; lr, momentum. Accumulates the steps, lr included.
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 2;
  V lr, momentum;
  bool nesterov;
  explicit KerasMomentum(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])), momentum(this->C(s.in[1])), nesterov(s.flag) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] * momentum - g * lr;
    s[0] = s[0] + (nesterov ? s[1] * momentum - g * lr : s[1]);
  }
};

template <class D>
struct Adam : Base<D> {  // var, m, v; beta1_power, beta2_power, lr, beta1, beta2, epsilon
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 3;
  V alpha, beta1, one_minus_beta1, one_minus_beta2, epsilon;
  bool nesterov;
  explicit Adam(const UpdateScalars<F>& s)
      : alpha(this->C(s.in[2] * std::sqrt(F(1) - s.in[1]) / (F(1) - s.in[0]))),
        beta1(this->C(s.in[3])),
        one_minus_beta1(this->C(F(1) - s.in[3])),
        one_minus_beta2(this->C(F(1) - s.in[4])),
        epsilon(this->C(s.in[5])),
        nesterov(s.flag) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] + (g - s[1]) * one_minus_beta1;
    s[2] = s[2] + (g * g - s[2]) * one_minus_beta2;
    const V m = nesterov ? g * one_minus_beta1 + beta1 * s[1] : s[1];
    s[0] = s[0] - m * alpha / (hn::Sqrt(s[2]) + epsilon);
  }
};

template <class D>
struct AdamWithAmsgrad : Base<D> {  // var, m, v, vhat; beta1_power, beta2_power, lr, beta1, beta2, epsilon
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 4;
  V alpha, one_minus_beta1, one_minus_beta2, epsilon;
  explicit AdamWithAmsgrad(const UpdateScalars<F>& s)
      : alpha(this->C(s.in[2] * std::sqrt(F(1) - s.in[1]) / (F(1) - s.in[0]))),
        one_minus_beta1(this->C(F(1) - s.in[3])),
        one_minus_beta2(this->C(F(1) - s.in[4])),
        epsilon(this->C(s.in[5])) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] + (g - s[1]) * one_minus_beta1;
    s[2] = s[2] + (g * g - s[2]) * one_minus_beta2;
    s[3] = hn::Max(s[3], s[2]);
    s[0] = s[0] - s[1] * alpha / (hn::Sqrt(s[3]) + epsilon);
  }
};

template <class D>
struct AdaMax : Base<D> {  // var, m, v; beta1_power, lr, beta1, beta2, epsilon
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 3;
  V rate, one_minus_beta1, beta2, epsilon;
  explicit AdaMax(const UpdateScalars<F>& s)
      : rate(this->C(s.in[1] / (F(1) - s.in[0]))),
        one_minus_beta1(this->C(F(1) - s.in[2])),
        beta2(this->C(s.in[3])),
        epsilon(this->C(s.in[4])) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] + (g - s[1]) * one_minus_beta1;
    s[2] = hn::Max(beta2 * s[2], hn::Abs(g));
    s[0] = s[0] - rate * (s[1] / (s[2] + epsilon));
  }
};

template <class D>
struct RmsProp : Base<D> {  // var, ms, mom; lr, rho, momentum, epsilon
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 3;
  V lr, one_minus_rho, momentum, epsilon;
  explicit RmsProp(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])),
        one_minus_rho(this->C(F(1) - s.in[1])),
        momentum(this->C(s.in[2])),
        epsilon(this->C(s.in[3])) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] + (g * g - s[1]) * one_minus_rho;
    s[2] = s[2] * momentum + g * lr / hn::Sqrt(s[1] + epsilon);
    s[0] = s[0] - s[2];
  }
};

template <class D>
struct CenteredRmsProp : Base<D> {  // var, mg, ms, mom; lr, rho, momentum, epsilon
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 4;
  V lr, one_minus_rho, momentum, epsilon;
  explicit CenteredRmsProp(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])),
        one_minus_rho(this->C(F(1) - s.in[1])),
        momentum(this->C(s.in[2])),
        epsilon(this->C(s.in[3])) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[2] = s[2] + (g * g - s[2]) * one_minus_rho;
    s[1] = s[1] + (g - s[1]) * one_minus_rho;
    const V denominator = s[2] - s[1] * s[1] + epsilon;
    s[3] = s[3] * momentum + g * lr / hn::Sqrt(denominator);
    s[0] = s[0] - s[3];
  }
};

template <class D>
struct AddSign : Base<D> {  // var, m; lr, alpha, sign_decay, beta
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 2;
  V lr, alpha, sign_decay, beta, one_minus_beta;
  explicit AddSign(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])),
        alpha(this->C(s.in[1])),
        sign_decay(this->C(s.in[2])),
        beta(this->C(s.in[3])),
        one_minus_beta(this->C(F(1) - s.in[3])) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] * beta + g * one_minus_beta;
    const V agreement = this->Sign(g) * this->Sign(s[1]);
    s[0] = s[0] - lr * (alpha + sign_decay * agreement) * g;
  }
};

template <class D>
struct PowerSign : Base<D> {  // var, m; lr, logbase, sign_decay, beta
  using typename Base<D>::F;
  using typename Base<D>::V;
  static constexpr int kSlots = 2;
  V lr, agreeing, opposing, beta, one_minus_beta;
  explicit PowerSign(const UpdateScalars<F>& s)
      : lr(this->C(s.in[0])),
        agreeing(this->C(std::exp(s.in[1] * s.in[2]))),
        opposing(this->C(std::exp(-s.in[1] * s.in[2]))),
        beta(this->C(s.in[3])),
        one_minus_beta(this->C(F(1) - s.in[3])) {}
  HWY_INLINE void operator()(V* s, V g) const {
    s[1] = s[1] * beta + g * one_minus_beta;
    const V agreement = this->Sign(g) * this->Sign(s[1]);
    const V zero = hn::Zero(D());
    const V scale = hn::IfThenElse(hn::Gt(agreement, zero), agreeing,
                                   hn::IfThenElse(hn::Lt(agreement, zero), opposing, this->C(1) + agreement));
    s[0] = s[0] - lr * scale * g;
  }
};

template <class D, class Rule, class F>
HWY_INLINE void Step(const Rule& rule, F* const* at, const F* grad, int64_t i) {
  constexpr D d;
  hn::Vec<D> s[Rule::kSlots];
  for (int k = 0; k < Rule::kSlots; ++k) s[k] = hn::LoadU(d, at[k] + i);
  rule(s, hn::LoadU(d, grad + i));
  for (int k = 0; k < Rule::kSlots; ++k) hn::StoreU(s[k], d, at[k] + i);
}

// Rows at random positions are prefetched this many rows ahead. Only their first bytes: the hardware prefetcher handles
// the rest.
constexpr int64_t kPrefetchRows = 8;
constexpr int64_t kPrefetchBytes = 256;

template <class F>
HWY_INLINE void PrefetchRow(F* const* slots, int num_slots, int64_t row, int64_t width) {
  const int64_t bytes = std::min(kPrefetchBytes, width * static_cast<int64_t>(sizeof(F)));
  for (int k = 0; k < num_slots; ++k) {
    const char* begin = reinterpret_cast<const char*>(slots[k] + row * width);
    for (int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(begin + at, 1);
  }
}

template <template <class> class Rule, class F>
void Rows(const UpdateScalars<F>& scalars, F* const* slots, const F* grad, const UpdateRows& rows) {
  using D = hn::ScalableTag<F>;
  using D1 = hn::CappedTag<F, 1>;
  const Rule<D> rule(scalars);
  const Rule<D1> one(scalars);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  const auto is_mine = [&](int64_t row) { return rows.shards == 1 || row % rows.shards == rows.shard; };
  for (int64_t r = 0; r < rows.count; ++r) {
    int64_t row = r;
    if (rows.rows != nullptr) {
      row = rows.rows[r];
      if (r + kPrefetchRows < rows.count && is_mine(rows.rows[r + kPrefetchRows]))
        PrefetchRow(slots, Rule<D>::kSlots, rows.rows[r + kPrefetchRows], rows.width);
      if (!is_mine(row)) continue;
    }
    F* at[Rule<D>::kSlots];
    for (int k = 0; k < Rule<D>::kSlots; ++k) at[k] = slots[k] + row * rows.width;
    const F* g = grad + r * rows.width;
    int64_t i = 0;
    for (; i + lanes <= rows.width; i += lanes) Step<D>(rule, at, g, i);
    for (; i < rows.width; ++i) Step<D1>(one, at, g, i);
  }
}

template <class F>
void Dispatch(UpdateRule rule, const UpdateScalars<F>& scalars, F* const* slots, const F* grad,
              const UpdateRows& rows) {
  switch (rule) {
    case UpdateRule::kGradientDescent:
      return Rows<GradientDescent>(scalars, slots, grad, rows);
    case UpdateRule::kProximalGradientDescent:
      return Rows<ProximalGradientDescent>(scalars, slots, grad, rows);
    case UpdateRule::kAdadelta:
      return Rows<Adadelta>(scalars, slots, grad, rows);
    case UpdateRule::kAdagrad:
      return Rows<Adagrad>(scalars, slots, grad, rows);
    case UpdateRule::kAdagradV2:
      return Rows<AdagradV2>(scalars, slots, grad, rows);
    case UpdateRule::kAdagradDA:
      return Rows<AdagradDA>(scalars, slots, grad, rows);
    case UpdateRule::kProximalAdagrad:
      return Rows<ProximalAdagrad>(scalars, slots, grad, rows);
    case UpdateRule::kFtrl:
      return Rows<Ftrl>(scalars, slots, grad, rows);
    case UpdateRule::kFtrlV2:
      return Rows<FtrlV2>(scalars, slots, grad, rows);
    case UpdateRule::kMomentum:
      return Rows<Momentum>(scalars, slots, grad, rows);
    case UpdateRule::kKerasMomentum:
      return Rows<KerasMomentum>(scalars, slots, grad, rows);
    case UpdateRule::kAdam:
      return Rows<Adam>(scalars, slots, grad, rows);
    case UpdateRule::kAdamWithAmsgrad:
      return Rows<AdamWithAmsgrad>(scalars, slots, grad, rows);
    case UpdateRule::kAdaMax:
      return Rows<AdaMax>(scalars, slots, grad, rows);
    case UpdateRule::kRmsProp:
      return Rows<RmsProp>(scalars, slots, grad, rows);
    case UpdateRule::kCenteredRmsProp:
      return Rows<CenteredRmsProp>(scalars, slots, grad, rows);
    case UpdateRule::kAddSign:
      return Rows<AddSign>(scalars, slots, grad, rows);
    case UpdateRule::kPowerSign:
      return Rows<PowerSign>(scalars, slots, grad, rows);
  }
}

void RunFloat(UpdateRule rule, const UpdateScalars<float>& scalars, float* const* slots, const float* grad,
              const UpdateRows& rows) {
  Dispatch<float>(rule, scalars, slots, grad, rows);
}
void RunDouble(UpdateRule rule, const UpdateScalars<double>& scalars, double* const* slots, const double* grad,
               const UpdateRows& rows) {
  Dispatch<double>(rule, scalars, slots, grad, rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace weir::ops
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir::ops {

HWY_EXPORT(RunFloat);
HWY_EXPORT(RunDouble);

void RunUpdate(UpdateRule rule, const UpdateScalars<float>& scalars, float* const* slots, const float* grad,
               const UpdateRows& rows) {
  HWY_DYNAMIC_DISPATCH(RunFloat)(rule, scalars, slots, grad, rows);
}
void RunUpdate(UpdateRule rule, const UpdateScalars<double>& scalars, double* const* slots, const double* grad,
               const UpdateRows& rows) {
  HWY_DYNAMIC_DISPATCH(RunDouble)(rule, scalars, slots, grad, rows);
}

}  // namespace weir::ops
#endif
