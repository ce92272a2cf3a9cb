// Samples from gamma and Poisson distributions, `shape` of them for each parameter: the output has the shape shape +
// parameter.shape. Every output has its own part of the sequence, so results do not depend on threads.
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"
#include "ops/math/random_fill.h"

namespace weir::ops {
namespace {

// Gamma by rejection from a normal distribution (Marsaglia and Tsang, "A simple method for generating gamma
// variables").
class GammaSampler final {
 public:
  explicit GammaSampler(double alpha)
      : alpha_(alpha), d_(alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3)), c_(1.0 / 3 / std::sqrt(d_)) {}

  double operator()(Philox& generator) const {
    UniformDoubles uniform;
    if (alpha_ == 1) return -std::log1p(-uniform(generator));
    std::array<double, 2> normals{};
    int left = 0;
    for (;;) {
      if (left == 0) {
        normals = Normal<double>()(generator);
        left = 2;
      }
      const double x = normals[static_cast<size_t>(--left)];
      double v = 1 + c_ * x;
      if (v <= 0) continue;
      v = v * v * v;
      const double u = uniform(generator);
      if (!(u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d_ * (1 - v + std::log(v)))) continue;
      // For a shape parameter below 1, the sample for shape + 1 is scaled toward zero.
      return alpha_ < 1 ? d_ * v * std::pow(uniform(generator), 1 / alpha_) : d_ * v;
    }
  }

 private:
  const double alpha_;
  const double d_;
  const double c_;
};

// Poisson: multiplies uniform numbers for small rates (Knuth), else transformed rejection (Hormann, "The transformed
// rejection method for generating Poisson random variables"). `highest`: the largest value that the output type can
// hold.
class PoissonSampler final {
 public:
  PoissonSampler(double rate, double highest)
      : rate_(rate),
        highest_(highest),
        exp_neg_rate_(std::exp(-rate)),
        log_rate_(std::log(rate)),
        b_(0.931 + 2.53 * std::sqrt(rate)),
        a_(-0.059 + 0.02483 * b_),
        inv_alpha_(1.1239 + 1.1328 / (b_ - 3.4)) {}

  double operator()(Philox& generator) const {
    if (!(rate_ >= 0)) return std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(rate_)) return rate_;
    if (rate_ > highest_) return highest_;  // rejection would not terminate
    UniformDoubles uniform;
    return rate_ < 10 ? Multiplying(uniform, generator) : Rejecting(uniform, generator);
  }

 private:
  double Multiplying(UniformDoubles& uniform, Philox& generator) const {
    double product = 1;
    for (double x = 0;; x += 1) {
      product *= uniform(generator);
      if (product <= exp_neg_rate_ && x <= highest_) return x;
    }
  }
  double Rejecting(UniformDoubles& uniform, Philox& generator) const {
    for (;;) {
      const double u = uniform(generator) - 0.5;
      const double v = uniform(generator);
      const double shifted = 0.5 - std::abs(u);
      const double k = std::floor((2 * a_ / shifted + b_) * u + rate_ + 0.43);
      if (k > highest_) continue;
      if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b_ - 2)) return k;
      if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
      const double s = std::log(v * inv_alpha_ / (a_ / (shifted * shifted) + b_));
      int sign;
      if (s <= -rate_ + k * log_rate_ - lgamma_r(k + 1, &sign)) return k;
    }
  }

  const double rate_;
  const double highest_;
  const double exp_neg_rate_;
  const double log_rate_;
  const double b_;
  const double a_;
  const double inv_alpha_;
};

template <class T>
double Highest() {
  if constexpr (std::is_same_v<T, half>)
    return 65504;
  else
    return static_cast<double>(std::numeric_limits<T>::max());
}

template <class T>
T Narrowed(double x) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isnan(x)) return 0;
    if (x >= Highest<T>()) return std::numeric_limits<T>::max();
  }
  return static_cast<T>(x);
}

// Fills out[sample, parameter] for all samples and parameters. make(parameter) returns the sampler for a parameter.
template <class Make>
Status FillPerParameter(KernelContext& ctx, NodeGenerator& generator, int64_t cost, const Make& make) {
  WEIR_ASSIGN(Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
  const int64_t samples = shape.num_elements();
  const Shape& parameters = ctx.input(1).shape();
  for (const int64_t size : parameters) WEIR_TRY(shape.AddDim(size));
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  const Philox start = generator.ReserveOutputs(out.num_elements());
  const int64_t stride = parameters.num_elements();
  return ctx.ParallelFor(out.num_elements(), cost, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;) {
      const int64_t parameter = at / samples;
      const auto store = make(parameter, out);
      for (int64_t sample = at % samples; sample < samples && at < end; ++sample, ++at) {
        Philox part = start;
        part.Skip(kReservedPerOutput * static_cast<uint64_t>(at));
        store(part, sample * stride + parameter);
      }
    }
  });
}

template <class T>
Result<Kernel> MakeGamma(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([generator](KernelContext& ctx) -> Status {
    const T* alpha = ctx.input(1).data<T>();
    return FillPerParameter(ctx, *generator, 100, [&](int64_t i, const Tensor& out) {
      return [sampler = GammaSampler(static_cast<double>(alpha[i])), to = out.data<T>()](Philox& part, int64_t at) {
        to[at] = static_cast<T>(sampler(part));
      };
    });
  });
}

double RateAt(const Tensor& rates, int64_t i) {
  switch (rates.dtype()) {
    case kHalf:
      return static_cast<double>(rates.data<half>()[i]);
    case kFloat:
      return static_cast<double>(rates.data<float>()[i]);
    case kDouble:
      return rates.data<double>()[i];
    default:
      return static_cast<double>(rates.Int(i));
  }
}

template <class T>
Result<Kernel> MakePoisson(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  return Kernel::Sync([generator](KernelContext& ctx) -> Status {
    const Tensor& rates = ctx.input(1);
    return FillPerParameter(ctx, *generator, 200, [&](int64_t i, const Tensor& out) {
      return [sampler = PoissonSampler(RateAt(rates, i), Highest<T>()), to = out.data<T>()](Philox& part, int64_t at) {
        to[at] = Narrowed<T>(sampler(part));
      };
    });
  });
}

// Implicit reparameterization: a sample changes with alpha as its quantile does (Figurnov, Mohamed, Mnih: "Implicit
// reparameterization gradients").
Result<Gradients> GammaGradient(GradientContext& g) {
  Output slope = NodeBuilder(g.node()->graph(), "RandomGammaGrad").In(g.input(1)).In(g.output(0)).BuildOutput();
  return Gradients{std::monostate{}, Sum(g.d_output(0) * slope, Range(0, Size(g.input(0)), 1))};
}

Status PerParameterShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape samples, ShapeOfInputValue(ctx, 0));
  ctx.set_output(0, samples.Concat(ctx.input(1)));
  return OkStatus();
}

}  // namespace

void RegisterRandomGamma(OpRegistry& registry) {
  registry.Add({
      .name = "RandomGamma",
      .signature = "shape: S, alpha: T -> output: T",
      .attrs = {"seed: int = 0", "seed2: int = 0", "S: {int32, int64}", "T: {half, float, double}"},
      .shape = PerParameterShape,
      .gradient = GammaGradient,
      .kernels = CpuKernels<half, float, double>(WEIR_FOR_TYPE(MakeGamma)),
      .traits = kComputesOnly,
      .stateful = true,
  });
  registry.Add({
      .name = "RandomPoissonV2",
      .signature = "shape: S, rate: R -> output: dtype",
      .attrs = {"seed: int = 0", "seed2: int = 0", "S: {int32, int64}",
                "R: {half, float, double, int32, int64} = DT_DOUBLE",
                "dtype: {half, float, double, int32, int64} = DT_INT64"},
      .shape = PerParameterShape,
      .kernels = CpuKernelsFor<half, float, double, int32_t, int64_t>("dtype", WEIR_FOR_TYPE(MakePoisson)),
      .traits = kComputesOnly,
      .stateful = true,
  });
}

}  // namespace weir::ops
