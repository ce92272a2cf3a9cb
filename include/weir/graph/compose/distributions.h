// Probability distributions: tf.distributions. A distribution is immutable and builds its formulas as nodes of the
// graph of its parameters. Errors are recorded in the graph's build state; the result is then invalid.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/graph/compose/random.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// Base of all distributions. Functions that a distribution does not override fail with Unimplemented.
// Thread-compatible.
class Distribution {
 public:
  virtual ~Distribution() = default;
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;

  const std::string& kind() const { return kind_; }
  Graph& graph() const { return graph_; }
  DType dtype() const { return dtype_; }
  // Whether samples have gradients with respect to the parameters.
  bool reparameterized() const { return reparameterized_; }
  PartialShape batch_shape() const;
  PartialShape event_shape() const;
  // int32 vectors.
  Output BatchShape() const;
  Output EventShape() const;
  // A parameter, or a value that follows from the parameters ("logits" from "probs"); absent if there is none.
  Output parameter(const std::string& name) const;

  Output Sample(const Input& sample_shape, OpSeed seed = {}) const;
  virtual Output LogProb(Output x) const;
  virtual Output Prob(Output x) const;
  virtual Output LogCdf(Output x) const;
  virtual Output Cdf(Output x) const;
  virtual Output LogSurvival(Output x) const;
  virtual Output Survival(Output x) const;
  virtual Output Quantile(Output p) const;
  virtual Output Mean() const;
  virtual Output Variance() const;
  virtual Output Stddev() const;
  virtual Output Mode() const;
  virtual Output Entropy() const;
  virtual Output Covariance() const;

 protected:
  Distribution(std::string kind, Graph& graph, DType dtype, bool reparameterized)
      : kind_(std::move(kind)), graph_(graph), dtype_(dtype), reparameterized_(reparameterized) {}

  // Samples of shape `shape` + event shape, where `shape` ends with the batch shape.
  virtual Output Draw(Output shape, OpSeed seed) const;
  // The batch shape is the broadcast shape of `scalars`, and of `vectors` without the last dimension, which is the
  // event.
  void SetShapes(std::vector<Output> scalars, std::vector<Output> vectors = {});
  void SetParameter(const std::string& name, Output value) { parameters_[name] = value; }
  Output NotImplemented(const char* what) const;
  // `shape` of Draw without the batch shape.
  Output SampleDims(Output shape) const;
  // x, broadcast to the batch shape.
  Output OverBatch(Output x) const;
  Output Number(double value) const;  // of the parameters' type

  DType parameter_type_ = kFloat;

 private:
  std::string kind_;
  Graph& graph_;
  DType dtype_;
  bool reparameterized_;
  std::map<std::string, Output> parameters_;
  std::vector<Output> scalars_, vectors_;
};

using DistributionPtr = std::shared_ptr<const Distribution>;
using DistributionInputs = std::map<std::string, Input>;

// Makes a distribution by its name in tf.distributions, from its parameters by name. `dtype`: the type of samples of
// discrete distributions. `nan_stats`: whether undefined statistics are NaN; they are checked at run time otherwise.
Result<DistributionPtr> MakeDistribution(Graph& graph, const std::string& kind, const DistributionInputs& inputs,
                                         DType dtype = kInt32, bool nan_stats = true);

// The Kullback-Leibler divergence of two distributions of the same kind. NotFound if it has no known formula.
Result<Output> KlDivergence(const Distribution& a, const Distribution& b);

}  // namespace weir
