// Distributions of vectors.
#include <cmath>
#include <limits>
#include <numbers>

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

Output AsColumn(Output x) { return ExpandDims(x, -1); }

// log(total! / (counts[0]! counts[1]! ...))
Output LogCombinations(Output total, Output counts) { return Lgamma(total + 1) - ReduceSum(Lgamma(counts + 1), -1); }

// -scale x x^T with `diagonal` on the diagonal.
Output CovarianceOf(Output x, Output diagonal, Output scale) {
  const Output outer = -AsColumn(AsColumn(scale)) * (AsColumn(x) * ExpandDims(x, -2));
  return MatrixSetDiag(outer, diagonal);
}

// The number of each class among `total` draws with these logits, for every row: [rows, classes].
Output CountsOf(Graph& graph, Output logits, Output total, Output classes, OpSeed seed) {
  // Draw as many samples as the row with the largest total needs, and mask the surplus of the others.
  const Output most = Cast(Max(total, 0), kInt32);
  const Output drawn = MultinomialSamples(logits, most, seed);
  const Output used = Less(Cast(Range(graph, 0, most, 1, kInt32), total.base_dtype()), AsColumn(total));
  const Output counts = OneHot(drawn, classes, 1.0f, 0.0f);
  return Cast(ReduceSum(counts * AsColumn(Cast(used, kFloat)), -2), logits.base_dtype());
}

class DirichletDistribution final : public Distribution {
 public:
  explicit DirichletDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["concentration"].base_dtype(), true),
        spec_(spec),
        c_(spec["concentration"]),
        total_(ReduceSum(c_, -1)) {
    SetShapes({}, {c_});
    SetParameter("concentration", c_);
    SetParameter("total_concentration", total_);
  }
  Output LogProb(Output x) const override { return ReduceSum(Xlogy(c_ - 1, x), -1) - LogBeta(graph(), c_); }
  Output Mean() const override { return c_ / AsColumn(total_); }
  Output Variance() const override {
    const Output mean = Mean();
    return mean * (1 - mean) / (1 + AsColumn(total_));
  }
  Output Covariance() const override { return CovarianceOf(Mean(), Variance(), 1 / (1 + total_)); }
  Output Mode() const override {
    const Output size = CastValue(graph(), LastDimension(c_), dtype());
    const Output mode = (c_ - 1) / (AsColumn(total_) - size);
    return DefinedWhere(spec_, ReduceAll(Greater(c_, Number(1)), -1, kKeepDims), mode, "mode");
  }
  Output Entropy() const override {
    const Output size = CastValue(graph(), LastDimension(c_), dtype());
    return LogBeta(graph(), c_) + (total_ - size) * Digamma(total_) - ReduceSum((c_ - 1) * Digamma(c_), -1);
  }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output gamma = RandomGammaValues(graph(), SampleDims(shape), c_, {}, dtype(), seed);
    return gamma / ReduceSum(gamma, -1, kKeepDims);
  }

 private:
  DistributionSpec spec_;
  Output c_, total_;
};

class MultinomialDistribution final : public Distribution {
 public:
  explicit MultinomialDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["logits"].base_dtype(), false),
        total_(spec["total_count"]),
        logits_(spec["logits"]),
        probs_(spec["probs"]) {
    SetShapes({total_}, {logits_});
    SetParameter("total_count", total_);
    SetParameter("logits", logits_);
    SetParameter("probs", probs_);
  }
  Output LogProb(Output x) const override {
    return LogCombinations(total_, x) + ReduceSum(x * LogSoftmax(logits_), -1);
  }
  Output Mean() const override { return AsColumn(total_) * probs_; }
  Output Variance() const override {
    const Output p = probs_ * OnesLike(AsColumn(total_));
    return AsColumn(total_) * p - AsColumn(total_) * Square(p);
  }
  Output Covariance() const override {
    const Output p = probs_ * OnesLike(AsColumn(total_));
    return CovarianceOf(p, Variance(), total_ * OnesLike(ReduceSum(p, -1)));
  }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output classes = LastDimension(logits_);
    const Output full = ConcatV2({shape, Reshape(classes, {1})}, 0);
    const Output rows = Reshape(BroadcastTo(logits_, full), Pack({Input(-1), classes}));
    const Output totals = Reshape(BroadcastTo(total_, shape), {-1});
    return Reshape(CountsOf(graph(), rows, totals, classes, seed), full);
  }

 private:
  Output total_, logits_, probs_;
};

class DirichletMultinomialDistribution final : public Distribution {
 public:
  explicit DirichletMultinomialDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["concentration"].base_dtype(), false),
        total_(spec["total_count"]),
        c_(spec["concentration"]),
        sum_(ReduceSum(c_, -1)) {
    SetShapes({total_}, {c_});
    SetParameter("total_count", total_);
    SetParameter("concentration", c_);
    SetParameter("total_concentration", sum_);
  }
  Output LogProb(Output x) const override {
    return LogBeta(graph(), c_ + x) - LogBeta(graph(), c_) + LogCombinations(total_, x);
  }
  Output Mean() const override { return AsColumn(total_) * (c_ / AsColumn(sum_)); }
  Output Variance() const override {
    const Output p = c_ / AsColumn(sum_) * OnesLike(AsColumn(total_));
    return AsColumn(Square(Scale())) * (AsColumn(total_) * p * (1 - p));
  }
  Output Covariance() const override {
    const Output p = c_ / AsColumn(sum_) * OnesLike(AsColumn(total_));
    return CovarianceOf(p, Variance(), Square(Scale()) * total_);
  }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output classes = LastDimension(c_);
    const Output full = ConcatV2({shape, Reshape(classes, {1})}, 0);
    const OpSeed second = seed ? OpSeed(*seed + 1) : OpSeed();
    const Output gamma =
        RandomGammaValues(graph(), SampleDims(shape),
                          BroadcastTo(c_, ConcatV2({BatchShape(), Reshape(classes, {1})}, 0)), {}, dtype(), seed);
    const Output rows = Reshape(Log(gamma), Pack({Input(-1), classes}));
    const Output totals = Reshape(BroadcastTo(total_, shape), {-1});
    return Reshape(CountsOf(graph(), rows, totals, classes, second), full);
  }

 private:
  // The standard deviation relative to that of a multinomial distribution.
  Output Scale() const { return Sqrt((sum_ + total_) / (1 + sum_)); }
  Output total_, c_, sum_;
};

class DiagonalNormalDistribution final : public Distribution {
 public:
  explicit DiagonalNormalDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec["scale_diag"].base_dtype(), true),
        scale_(spec["scale_diag"]),
        loc_(spec.has("loc") ? spec["loc"] : ZerosLike(scale_)) {
    SetShapes({}, {loc_, scale_});
    SetParameter("loc", loc_);
    SetParameter("scale_diag", scale_);
  }
  Output LogProb(Output x) const override {
    const Output all = OnesLike(loc_ + scale_);
    const Output size = ReduceSum(all, -1);
    return -0.5 * ReduceSum(Square((x - loc_) / scale_), -1) - ReduceSum(Log(Abs(scale_)) * all, -1) -
           0.5 * std::log(2 * std::numbers::pi) * size;
  }
  Output Mean() const override { return loc_ + ZerosLike(scale_); }
  Output Mode() const override { return Mean(); }
  Output Stddev() const override { return Abs(scale_) + ZerosLike(loc_); }
  Output Variance() const override { return Square(scale_) + ZerosLike(loc_); }
  Output Covariance() const override { return MatrixDiag(Variance()); }
  Output Entropy() const override {
    const Output all = OnesLike(loc_ + scale_);
    return ReduceSum(Log(Abs(scale_)) * all, -1) + 0.5 * (1 + std::log(2 * std::numbers::pi)) * ReduceSum(all, -1);
  }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output full = ConcatV2({shape, EventShape()}, 0);
    return RandomNormal(graph(), full, 0.0f, 1.0f, dtype(), seed) * scale_ + loc_;
  }

 private:
  Output scale_, loc_;
};

class OneHotCategoricalDistribution final : public Distribution {
 public:
  explicit OneHotCategoricalDistribution(const DistributionSpec& spec)
      : Distribution(spec.kind, spec.graph, spec.dtype, false), logits_(spec["logits"]), probs_(spec["probs"]) {
    SetShapes({}, {logits_});
    SetParameter("logits", logits_);
    SetParameter("probs", probs_);
    SetParameter("event_size", Classes());
  }
  Output LogProb(Output x) const override {
    return ReduceSum(CastValue(graph(), x, parameter_type_) * LogSoftmax(logits_), -1);
  }
  Output Mode() const override { return Hot(ArgMax(logits_, -1, {.output_type = kInt32})); }
  Output Mean() const override { return Identity(probs_); }
  Output Variance() const override { return probs_ * (1 - probs_); }
  Output Covariance() const override { return CovarianceOf(probs_, Variance(), OnesLike(ReduceSum(probs_, -1))); }
  Output Entropy() const override { return -ReduceSum(LogSoftmax(logits_) * probs_, -1); }

 protected:
  Output Draw(Output shape, OpSeed seed) const override {
    const Output rows = Reshape(logits_, Pack({Input(-1), Classes()}));
    const Output drawn = MultinomialSamples(rows, Prod(SampleDims(shape), 0), seed);
    return Hot(Reshape(Transpose(drawn, {1, 0}), shape));
  }

 private:
  Output Classes() const { return LastDimension(logits_); }
  Output Hot(Output classes) const { return CastValue(graph(), OneHot(classes, Classes(), 1.0f, 0.0f), dtype()); }
  Output logits_, probs_;
};

}  // namespace

Result<DistributionPtr> MakeMultivariate(DistributionSpec& spec) {
  if (spec.kind == "Dirichlet") {
    WEIR_TRY(RequireParameters(spec, {"concentration"}));
    return std::make_shared<const DirichletDistribution>(spec);
  }
  if (spec.kind == "Multinomial") {
    WEIR_TRY(RequireParameters(spec, {"total_count"}));
    WEIR_TRY(CompleteLogits(spec, true));
    return std::make_shared<const MultinomialDistribution>(spec);
  }
  if (spec.kind == "DirichletMultinomial") {
    WEIR_TRY(RequireParameters(spec, {"total_count", "concentration"}));
    return std::make_shared<const DirichletMultinomialDistribution>(spec);
  }
  if (spec.kind == "MultivariateNormalDiag") {
    WEIR_TRY(RequireParameters(spec, {"scale_diag"}));
    return std::make_shared<const DiagonalNormalDistribution>(spec);
  }
  if (spec.kind == "OneHotCategorical") {
    WEIR_TRY(CompleteLogits(spec, true));
    return std::make_shared<const OneHotCategoricalDistribution>(spec);
  }
  return DistributionPtr();
}

}  // namespace weir
