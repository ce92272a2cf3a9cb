// ParameterizedTruncatedNormal: normal numbers between two bounds, with parameters for the whole output or per row. The
// bounds of a row determine the sampling method. One sequence serves all rows in order.
#include <limits>

#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/math/random_fill.h"

namespace weir::ops {
namespace {

constexpr int kMaxTries = 1000;

// Samples with mean 0 and deviation 1 in [low, high]. half is computed in float.
template <class T>
class BoundedNormal final {
 public:
  BoundedNormal(T low, T high, const CancelToken& cancel) : low_(low), high_(high), cancel_(cancel) {}

  // Calls take(sample) `count` times. Returns false if too many samples were rejected or the step was cancelled.
  template <class Take>
  bool Draw(Philox& generator, int64_t count, const Take& take) const {
    if (std::isnan(low_) || std::isnan(high_)) {  // every sample would be rejected
      for (; count > 0; --count) take(low_ + high_);
      return true;
    }
    constexpr T kFarEnough = T(1.3);
    if ((low_ < -kFarEnough && high_ >= 0) || (high_ > kFarEnough && low_ <= 0))
      return FromNormal(generator, count, take);
    const T root = std::sqrt(low_ * low_ + T(4));
    const T cutoff = T(2) * std::exp(T(0.5) + (low_ * (low_ - root)) / T(4)) / (low_ + root);
    if (high_ - low_ < cutoff) {
      return FromUniform(generator, count, take);
    }
    return FromExponential(generator, count, take, (low_ + root) / T(2));
  }

 private:
  // Bounds on both sides of the mean, at least one far away: accept most normal numbers.
  template <class Take>
  bool FromNormal(Philox& generator, int64_t count, const Take& take) const {
    int tries = 0;
    while (count > 0) {
      for (const T x : Normal<T>()(generator)) {
        if (x >= low_ && x <= high_) {
          take(x);
          tries = 0;
          if (--count == 0) break;
        } else if (++tries > kMaxTries) {
          return false;
        }
      }
    }
    return true;
  }
  // Bounds close together: uniform candidates, accepted with a probability proportional to the density.
  template <class Take>
  bool FromUniform(Philox& generator, int64_t count, const Take& take) const {
    const T plus = low_ < 0 ? T(0) : low_ * low_;
    int tries = 0;
    while (count > 0) {
      const auto places = Uniform<T>()(generator);
      const auto levels = Uniform<T>()(generator);
      for (size_t i = 0; i < places.size() && count > 0; ++i) {
        const T z = places[i] * (high_ - low_) + low_;
        if (levels[i] <= std::exp((plus - z * z) / T(2)) || ++tries >= kMaxTries) {
          if (tries >= kMaxTries && cancel_.cancelled()) return false;
          take(z);
          --count;
          tries = 0;
        }
      }
    }
    return true;
  }
  // In the tail: exponential candidates above the lower bound.
  template <class Take>
  bool FromExponential(Philox& generator, int64_t count, const Take& take, T alpha) const {
    int tries = 0;
    while (count > 0) {
      const auto numbers = Uniform<T>()(generator);
      for (size_t i = 0; i + 1 < numbers.size() && count > 0; i += 2) {
        const T z = -std::log(numbers[i]) / alpha + low_;
        const T x = low_ < alpha ? alpha - z : low_ - alpha;
        if ((numbers[i + 1] <= std::exp(-x * x / T(2)) && z < high_) || ++tries >= kMaxTries) {
          if (tries >= kMaxTries && cancel_.cancelled()) return false;
          take(z);
          --count;
          tries = 0;
        }
      }
    }
    return true;
  }

  const T low_;
  const T high_;
  const CancelToken& cancel_;  // checked when bounds make sampling slow
};

// Rows with equal parameters, or blocks of kBlock outputs if all outputs share their parameters.
struct Rows {
  int64_t count;
  int64_t size;
};
constexpr int64_t kBlock = 100;

Result<Rows> CheckParameters(const KernelContext& ctx, const Shape& shape) {
  if (shape.rank() < 1) return InvalidArgument("Shape tensor must not be empty, got {}", ctx.input(0).shape());
  static constexpr const char* kNames[] = {"means", "stdevs", "minvals", "maxvals"};
  bool all_single = true;
  for (int i = 0; i < 4; ++i) {
    const Tensor& parameter = ctx.input(i + 1);
    if (parameter.rank() > 1)
      return InvalidArgument("Input {} should be a scalar or vector, got shape: {}", kNames[i], parameter.shape());
    if (parameter.num_elements() == 1) continue;
    all_single = false;
    if (parameter.dim(0) != shape[0])
      return InvalidArgument("Input {} should have length 1 or shape[0], got shape: {}", kNames[i], parameter.shape());
  }
  if (all_single) return Rows{(shape.num_elements() + kBlock - 1) / kBlock, kBlock};
  return Rows{shape[0], shape.num_elements() / shape[0]};
}

template <class T>
Result<Kernel> MakeTruncated(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([generator](KernelContext& ctx) -> Status {
    using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
    WEIR_ASSIGN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
    if (shape.rank() > 0 && shape.num_elements() == 0) return OkStatus();
    WEIR_ASSIGN(const Rows rows, CheckParameters(ctx, shape));
    Philox random = generator->Reserve(static_cast<uint64_t>(rows.count) * 2 * kMaxTries *
                                       static_cast<uint64_t>(rows.size + 3) / 4);
    T* to = out.data<T>();
    for (int64_t row = 0; row < rows.count; ++row) {
      auto parameter = [&](int i) {
        const Tensor& t = ctx.input(i);
        return static_cast<Compute>(t.data<T>()[t.num_elements() == 1 ? 0 : row]);
      };
      const Compute mean = parameter(1);
      Compute deviation = parameter(2), low = parameter(3), high = parameter(4);
      if (!(deviation > 0 && low < high && (std::isfinite(low) || std::isfinite(high))))
        return InvalidArgument("Invalid parameters");
      // Mirror if that makes the lower bound the finite or nearer one.
      if ((std::isinf(low) && low < 0) || high < mean) {
        std::swap(low, high);
        deviation = -deviation;
      }
      const BoundedNormal<Compute> bounded((low - mean) / deviation, (high - mean) / deviation, ctx.cancel());
      const int64_t count = std::min((row + 1) * rows.size, shape.num_elements()) - row * rows.size;
      if (!bounded.Draw(random, count, [&](Compute x) { *to++ = T(x * deviation + mean); })) {
        WEIR_TRY(ctx.cancel().reason());
        return Internal("TruncatedNormal randn rejection sampler failed to accept a sample.");
      }
    }
    return OkStatus();
  });
}

Status TruncatedShape(ShapeContext& ctx) {
  for (int i = 1; i < 5; ++i) WEIR_TRY(ctx.WithRankAtMost(i, 1).status());
  WEIR_ASSIGN(PartialShape output, ShapeOfInputValue(ctx, 0));
  ctx.set_output(0, std::move(output));
  return OkStatus();
}

}  // namespace

void RegisterRandomTruncated(OpRegistry& registry) {
  registry.Add({
      .name = "ParameterizedTruncatedNormal",
      .signature = "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
      .attrs = {"seed: int = 0", "seed2: int = 0", "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"},
      .shape = TruncatedShape,
      .no_gradient = kNoGradient,
      .kernels = HostOnGpu(CpuKernelsFor<half, bfloat16, float, double>("dtype", WEIR_FOR_TYPE(MakeTruncated))),
      .traits = kComputesOnly,
      .stateful = true,
  });
}

}  // namespace weir::ops
