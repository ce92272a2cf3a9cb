// Distributions of single real numbers.
#include <cmath>
#include <limits>
#include <numbers>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/distribution_kinds.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

constexpr double kPiOfDensities = std::numbers::pi;
constexpr double kLogOfTwoPi = 1.8378770664093453;

// P(X <= x) of the standard normal distribution, without cancellation in the lower tail.
Output NormalCdf(Output x) { return 0.5 * Erfc(x * -std::numbers::sqrt2 / 2); }

// The logarithm of NormalCdf: an asymptotic series far in the lower tail, 1 - p far in the upper one.
Output LogNormalCdf(Output x) {
  const bool wide = x.base_dtype() == kDouble;
  const double lower = wide ? -20 : -10, upper = wide ? 8 : 5;
  Graph& graph = x.graph();
  const auto number = [&](double v) { return ValueOf(graph, Input(v), x.base_dtype(), "Const"); };
  const Output tail = Minimum(x, number(lower));
  const Output square = Square(tail);
  Output sum = OnesLike(x), power = OnesLike(x);
  for (int i = 1; i <= 3; ++i) {
    power = power * (-(2.0 * i - 1)) / square;
    sum = sum + power;
  }
  const Output in_tail = -0.5 * square - Log(-tail) - 0.5 * kLogOfTwoPi + Log(sum);
  const Output inside = Log(NormalCdf(Maximum(x, number(lower))));
  return Select(Greater(x, OnesLike(x) * upper), -NormalCdf(-x),
                Select(Greater(x, OnesLike(x) * lower), inside, in_tail));
}

class NormalDistribution final : public Distribution {
 public:
  explicit NormalDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["loc"].base_dtype(), true), loc_(spec["loc"]), scale_(spec["scale"]) {
    SetShapes({loc_, scale_});
    SetParameter("loc", loc_);
    SetParameter("scale", scale_);
  }
  Output LogProb(Output x) const override { return -0.5 * Square(Z(x)) - (0.5 * kLogOfTwoPi + Log(scale_)); }
  Output Cdf(Output x) const override { return NormalCdf(Z(x)); }
  Output LogCdf(Output x) const override { return LogNormalCdf(Z(x)); }
  Output Survival(Output x) const override { return NormalCdf(-Z(x)); }
  Output LogSurvival(Output x) const override { return LogNormalCdf(-Z(x)); }
  Output Quantile(Output p) const override { return Ndtri(p) * scale_ + loc_; }
  Output Mean() const override { return loc_ * OnesLike(scale_); }
  Output Stddev() const override { return scale_ * OnesLike(loc_); }
  Output Variance() const override { return Square(Stddev()); }
  Output Mode() const override { return Mean(); }
  Output Entropy() const override { return 0.5 * (kLogOfTwoPi + 1) + Log(scale_ * OnesLike(loc_)); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    return RandomNormal(graph(), shape, 0.0f, 1.0f, dtype(), seed) * scale_ + loc_;
  }

 private:
  Output Z(Output x) const { return (x - loc_) / scale_; }
  Output loc_, scale_;
};

class UniformDistribution final : public Distribution {
 public:
  explicit UniformDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["low"].base_dtype(), true), low_(spec["low"]), high_(spec["high"]) {
    SetShapes({low_, high_});
    SetParameter("low", low_);
    SetParameter("high", high_);
    SetParameter("range", high_ - low_);
  }
  Output Prob(Output x) const override {
    const Output all = x * OnesLike(low_ * high_);
    const Output density = OnesLike(all) / Range();
    return SelectV2(IsNan(all), all,
                    SelectV2(LogicalOr(Less(all, low_), GreaterEqual(all, high_)), ZerosLike(all), density));
  }
  Output LogProb(Output x) const override { return Log(Prob(x)); }
  Output Cdf(Output x) const override {
    const Output all = x * OnesLike(low_ * high_);
    const Output inside = (all - low_) / Range();
    return SelectV2(Less(all, low_), ZerosLike(all), SelectV2(GreaterEqual(all, high_), OnesLike(all), inside));
  }
  Output Mean() const override { return (low_ + high_) / 2; }
  Output Variance() const override { return Square(Range()) / 12; }
  Output Stddev() const override { return Range() / std::sqrt(12.0); }
  Output Entropy() const override { return Log(Range()); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    return low_ + Range() * RandomUniform(graph(), shape, 0, {}, dtype(), seed);
  }

 private:
  Output Range() const { return parameter("range"); }
  Output low_, high_;
};

class BetaDistribution final : public Distribution {
 public:
  explicit BetaDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["concentration1"].base_dtype(), true),
        spec_(spec),
        a_(spec["concentration1"]),
        b_(spec["concentration0"]),
        total_(a_ + b_) {
    SetShapes({total_});
    SetParameter("concentration1", a_);
    SetParameter("concentration0", b_);
    SetParameter("total_concentration", total_);
  }
  Output LogProb(Output x) const override { return Xlogy(a_ - 1, x) + (b_ - 1) * Log1p(-x) - LogNormalizer(); }
  Output Cdf(Output x) const override {
    const Output shape = OnesLike(x * total_);
    return Betainc(a_ * shape, b_ * shape, x * shape);
  }
  Output Mean() const override { return a_ / total_; }
  Output Variance() const override {
    const Output mean = Mean();
    return mean * (1 - mean) / (1 + total_);
  }
  Output Mode() const override {
    const Output mode = (a_ - 1) / (total_ - 2);
    return DefinedWhere(spec_, LogicalAnd(Greater(a_, Number(1)), Greater(b_, Number(1))), mode, "mode");
  }
  Output Entropy() const override {
    return LogNormalizer() - (a_ - 1) * Digamma(a_) - (b_ - 1) * Digamma(b_) + (total_ - 2) * Digamma(total_);
  }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    // Broadcast the parameters to the batch shape, so that every element of the batch gets its own gamma samples.
    const Output ones = OnesLike(total_);
    const Output dims = SampleDims(shape);
    const OpSeed second = seed ? OpSeed(*seed + 1) : OpSeed();
    const Output x = RandomGammaValues(graph(), dims, a_ * ones, {}, dtype(), seed);
    const Output y = RandomGammaValues(graph(), dims, b_ * ones, {}, dtype(), second);
    return x / (x + y);
  }

 private:
  Output LogNormalizer() const { return Lgamma(a_) + Lgamma(b_) - Lgamma(total_); }
  DistributionSpec spec_;
  Output a_, b_, total_;
};

// Gamma, and Exponential as the case of concentration 1.
class GammaDistribution final : public Distribution {
 public:
  explicit GammaDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["rate"].base_dtype(), true),
        spec_(spec),
        rate_(spec["rate"]),
        exponential_(!spec.has("concentration")),
        shape_(exponential_ ? OnesLike(rate_) : spec["concentration"]) {
    SetShapes({shape_, rate_});
    SetParameter("rate", rate_);
    SetParameter("concentration", shape_);
  }
  Output LogProb(Output x) const override {
    return Xlogy(shape_ - 1, x) - rate_ * x - (Lgamma(shape_) - shape_ * Log(rate_));
  }
  Output Cdf(Output x) const override { return Igamma(shape_, rate_ * x); }
  Output Mean() const override { return shape_ / rate_; }
  Output Variance() const override { return shape_ / Square(rate_); }
  Output Stddev() const override { return Sqrt(shape_) / rate_; }
  Output Mode() const override {
    const Output mode = (shape_ - 1) / rate_;
    return DefinedWhere(spec_, Greater(shape_ * OnesLike(rate_), Number(1)), mode, "mode");
  }
  Output Entropy() const override { return shape_ - Log(rate_) + Lgamma(shape_) + (1 - shape_) * Digamma(shape_); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    if (exponential_) {
      const double tiny = dtype() == kDouble ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
      const Output uniform =
          RandomUniform(graph(), shape, Number(dtype() == kHalf ? 6.104e-5 : tiny), Number(1), dtype(), seed);
      return -Log(uniform) / rate_;
    }
    const Output dims = SampleDims(shape);
    return RandomGammaValues(graph(), dims, shape_, rate_, dtype(), seed);
  }

 private:
  DistributionSpec spec_;
  Output rate_;
  bool exponential_;
  Output shape_;
};

class LaplaceDistribution final : public Distribution {
 public:
  explicit LaplaceDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["loc"].base_dtype(), true), loc_(spec["loc"]), scale_(spec["scale"]) {
    SetShapes({loc_, scale_});
    SetParameter("loc", loc_);
    SetParameter("scale", scale_);
  }
  Output LogProb(Output x) const override { return -Abs(Z(x)) - std::log(2.0) - Log(scale_); }
  Output Cdf(Output x) const override {
    const Output z = Z(x);
    return 0.5 + 0.5 * Sign(z) * (1 - Exp(-Abs(z)));
  }
  Output LogCdf(Output x) const override { return LogCdfOf(Z(x)); }
  Output LogSurvival(Output x) const override { return LogCdfOf(-Z(x)); }
  Output Mean() const override { return loc_ + ZerosLike(scale_); }
  Output Stddev() const override { return std::numbers::sqrt2 * scale_ + ZerosLike(loc_); }
  Output Variance() const override { return Square(Stddev()); }
  Output Mode() const override { return Mean(); }
  Output Entropy() const override { return std::log(2.0) + 1 + Log(scale_ + ZerosLike(loc_)); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    // Draw from (-1, 1): at -1 and 1 the logarithm below is infinite.
    const double low = dtype() == kDouble ? std::nextafter(-1.0, 0.0)
                       : dtype() == kHalf ? -0.99951
                                          : std::nextafter(-1.0f, 0.0f);
    const Output uniform = RandomUniform(graph(), shape, Number(low), Number(1), dtype(), seed);
    return loc_ - scale_ * Sign(uniform) * Log1p(-Abs(uniform));
  }

 private:
  Output Z(Output x) const { return (x - loc_) / scale_; }
  // Both branches are finite for every z: otherwise the branch that is not selected would make the gradient NaN.
  Output LogCdfOf(Output z) const {
    const Output below = -std::log(2.0) + Minimum(z, ZerosLike(z));
    const Output above = Log1p(-0.5 * Exp(-Abs(z)));
    return Select(Less(z, ZerosLike(z)), below, above);
  }
  Output loc_, scale_;
};

class StudentTDistribution final : public Distribution {
 public:
  explicit StudentTDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["df"].base_dtype(), true),
        spec_(spec),
        df_(spec["df"]),
        loc_(spec["loc"]),
        scale_(spec["scale"]) {
    SetShapes({df_, loc_, scale_});
    SetParameter("df", df_);
    SetParameter("loc", loc_);
    SetParameter("scale", scale_);
  }
  Output LogProb(Output x) const override {
    const Output y = (x - loc_) / scale_;
    const Output normalizer = Log(Abs(scale_)) + 0.5 * Log(df_) + 0.5 * std::log(kPiOfDensities) + Lgamma(0.5 * df_) -
                              Lgamma(0.5 * (df_ + 1));
    return -0.5 * (df_ + 1) * Log1p(Square(y) / df_) - normalizer;
  }
  Output Cdf(Output x) const override {
    const Output y = (x - loc_) / Abs(scale_) * OnesLike(df_);
    const Output ones = OnesLike(y);
    const Output below = 0.5 * Betainc(0.5 * df_ * ones, 0.5 * ones, df_ / (Square(y) + df_));
    return Select(Less(y, ZerosLike(y)), below, 1 - below);
  }
  Output Mean() const override {
    const Output mean = OverBatch(loc_);
    return DefinedWhere(spec_, OverBatch(Greater(df_, Number(1))), mean, "mean");
  }
  Output Variance() const override {
    const Output df = OverBatch(df_);
    const Output denominator = Select(Greater(df, OnesLike(df) * 2), df - 2, OnesLike(df));
    const Output finite = OverBatch(Square(scale_)) * df / denominator;
    const Output infinite = OnesLike(df) * std::numeric_limits<float>::infinity();
    const Output variance = Select(Greater(df, OnesLike(df) * 2), finite, infinite);
    return DefinedWhere(spec_, Greater(df, OnesLike(df)), variance, "variance");
  }
  Output Mode() const override { return OverBatch(loc_); }
  Output Entropy() const override {
    const Output half = 0.5 * df_, above = 0.5 * (df_ + 1);
    const Output log_beta = Lgamma(half) + std::log(std::sqrt(kPiOfDensities)) - Lgamma(above);
    return OverBatch(Log(Abs(scale_)) + 0.5 * Log(df_) + log_beta + above * (Digamma(above) - Digamma(half)) +
                     ZerosLike(loc_));
  }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output normal = RandomNormal(graph(), shape, 0.0f, 1.0f, dtype(), seed);
    const Output dims = SampleDims(shape);
    const Output df = OverBatch(df_);
    const OpSeed second = seed ? OpSeed(*seed + 1) : OpSeed();
    const Output gamma = RandomGammaValues(graph(), dims, 0.5 * df, Number(0.5), dtype(), second);
    return normal * Rsqrt(gamma / df) * scale_ + loc_;
  }

 private:
  DistributionSpec spec_;
  Output df_, loc_, scale_;
};

template <class T>
DistributionPtr Made(const DistributionSpec& spec) {
  return std::make_shared<const T>(spec);
}

}  // namespace

Status RequireParameters(const DistributionSpec& spec, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!spec.has(name)) return InvalidArgument("{} needs '{}'", spec.kind, name);
  }
  return OkStatus();
}

Output DefinedWhere(const DistributionSpec& spec, Output condition, Output value, const char* what) {
  if (spec.nan_stats) {
    const Output nan = OnesLike(value) * std::numeric_limits<float>::quiet_NaN();
    return SelectV2(condition, value, nan);
  }
  const Output text = Constant(spec.graph, Tensor::Scalar(fmt::format("{} of {} is not defined", what, spec.kind)));
  const Output all =
      raw_ops::All(spec.graph, condition, raw_ops::Range(spec.graph, 0, raw_ops::Rank(spec.graph, condition), 1));
  Node* assertion = raw_ops::Assert(spec.graph, all, {text});
  if (assertion == nullptr) return Output::Failed(spec.graph);
  ControlDependencies after(spec.graph, {assertion});
  return raw_ops::Identity(spec.graph, value);
}

Result<DistributionPtr> MakeContinuous(DistributionSpec& spec) {
  struct Row {
    const char* kind;
    std::vector<const char*> parameters;
    DistributionPtr (*make)(const DistributionSpec&);
  };
  const Row rows[] = {
      {"Normal", {"loc", "scale"}, Made<NormalDistribution>},
      {"Uniform", {"low", "high"}, Made<UniformDistribution>},
      {"Beta", {"concentration1", "concentration0"}, Made<BetaDistribution>},
      {"Gamma", {"concentration", "rate"}, Made<GammaDistribution>},
      {"Exponential", {"rate"}, Made<GammaDistribution>},
      {"Laplace", {"loc", "scale"}, Made<LaplaceDistribution>},
      {"StudentT", {"df", "loc", "scale"}, Made<StudentTDistribution>},
  };
  for (const Row& row : rows) {
    if (spec.kind != row.kind) continue;
    for (const char* name : row.parameters) WEIR_TRY(RequireParameters(spec, {name}));
    return row.make(spec);
  }
  return DistributionPtr();
}

}  // namespace weir
