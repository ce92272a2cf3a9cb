// Distributions of single integers: coins, dice, counts.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/distribution_kinds.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

// log(1 + e^-|x|) + max(x, 0) - x z: the negative logarithm of sigmoid(x) for z = 1, of 1 - sigmoid(x) for z = 0.
Output SigmoidCrossEntropy(Output z, Output x) { return Relu(x) - x * z + Log1p(Exp(-Abs(x))); }

class BernoulliDistribution final : public Distribution {
 public:
  explicit BernoulliDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec.dtype, false), logits_(spec["logits"]), probs_(spec["probs"]) {
    SetShapes({probs_});
    SetParameter("logits", logits_);
    SetParameter("probs", probs_);
  }
  Output LogProb(Output x) const override {
    const Output event = CastValue(graph(), x, parameter_type_) * OnesLike(logits_);
    return -SigmoidCrossEntropy(event, logits_ * OnesLike(event));
  }
  Output Mean() const override { return Identity(probs_); }
  Output Variance() const override { return probs_ * (1 - probs_); }
  Output Mode() const override { return Cast(Greater(probs_, Number(0.5)), dtype()); }
  Output Entropy() const override { return -logits_ * (Sigmoid(logits_) - 1) + Softplus(-logits_); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output uniform = RandomUniform(graph(), shape, 0, {}, parameter_type_, seed);
    return Cast(Less(uniform, probs_), dtype());
  }

 private:
  Output logits_, probs_;
};

class CategoricalDistribution final : public Distribution {
 public:
  explicit CategoricalDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec.dtype, false), logits_(spec["logits"]), probs_(spec["probs"]) {
    // An event is one class id. The last dimension of the logits, the classes, is not part of the batch shape.
    const Output one_per_batch = ReduceSum(logits_, -1);
    SetShapes({one_per_batch});
    SetParameter("logits", logits_);
    SetParameter("probs", probs_);
    SetParameter("event_size", LastDimension(logits_));
  }
  Output LogProb(Output x) const override {
    const auto [classes, logits] = Together(CastValue(graph(), x, kInt32));
    const Output depth = parameter("event_size");
    const SparseSoftmaxCrossEntropyWithLogitsResult loss =
        SparseSoftmaxCrossEntropyWithLogits(Reshape(logits, Pack({Input(-1), depth})), Reshape(classes, {-1}));
    return -Reshape(loss.loss, ShapeValue(graph(), classes));
  }
  Output Cdf(Output x) const override {
    const Output classes = Together(CastValue(graph(), x, kInt32)).first;
    const Output below = Less(Range(graph(), 0, parameter("event_size"), 1, kInt32), ExpandDims(classes, -1));
    return ReduceSum(probs_ * Cast(below, parameter_type_), -1);
  }
  Output Mode() const override { return CastValue(graph(), ArgMax(logits_, -1, {.output_type = kInt64}), dtype()); }
  Output Entropy() const override { return -ReduceSum(LogSoftmax(logits_) * probs_, -1); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output dims = SampleDims(shape);
    const Output rows = Reshape(logits_, Pack({Input(-1), parameter("event_size")}));
    const Output drawn = MultinomialSamples(rows, Prod(dims, 0), seed);
    return CastValue(graph(), Reshape(Transpose(drawn, {1, 0}), shape), dtype());
  }

 private:
  // Broadcasts the classes and the logits to one batch shape.
  std::pair<Output, Output> Together(Output classes) const {
    const Output ones = Cast(OnesLike(classes), parameter_type_);
    const Output logits = logits_ * ExpandDims(ones, -1);
    return {classes * OnesLike(Cast(ReduceSum(logits, -1), kInt32)), logits};
  }
  Output logits_, probs_;
};

class PoissonDistribution final : public Distribution {
 public:
  explicit PoissonDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["rate"].base_dtype(), false), rate_(spec["rate"]) {
    SetShapes({rate_});
    SetParameter("rate", rate_);
    SetParameter("log_rate", Log(rate_));
  }
  Output LogProb(Output x) const override { return Xlogy(x, rate_) - Lgamma(1 + x) - rate_; }
  Output Cdf(Output x) const override { return Igammac(1 + Floor(x), rate_ * OnesLike(x)); }
  Output Mean() const override { return Identity(rate_); }
  Output Variance() const override { return Identity(rate_); }
  Output Mode() const override { return Floor(rate_); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    return RandomPoissonValues(graph(), rate_, SampleDims(shape), dtype(), seed);
  }

 private:
  Output rate_;
};

}  // namespace

Status CompleteLogits(DistributionSpec& spec, bool multidimensional) {
  if (spec.has("logits") == spec.has("probs")) return InvalidArgument("Must pass probs or logits, but not both.");
  if (spec.has("probs")) {
    const Output probs = spec["probs"];
    spec.parameters["logits"] = multidimensional ? Log(probs) : Log(probs) - Log1p(-probs);
  } else {
    spec.parameters["probs"] = multidimensional ? Softmax(spec["logits"]) : Sigmoid(spec["logits"]);
  }
  return OkStatus();
}

Result<DistributionPtr> MakeDiscrete(DistributionSpec& spec) {
  if (spec.kind == "Bernoulli") {
    WEIR_TRY(CompleteLogits(spec, false));
    return std::make_shared<const BernoulliDistribution>(spec);
  }
  if (spec.kind == "Categorical") {
    WEIR_TRY(CompleteLogits(spec, true));
    return std::make_shared<const CategoricalDistribution>(spec);
  }
  if (spec.kind == "Poisson") {
    WEIR_TRY(RequireParameters(spec, {"rate"}));
    return std::make_shared<const PoissonDistribution>(spec);
  }
  return DistributionPtr();
}

}  // namespace weir
