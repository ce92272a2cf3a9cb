// tf.losses: per-element losses, weighted, reduced and added to a collection. Errors are recorded in the graph's build
// state, or returned as a Status where shapes are checked at construction time.
#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

enum class LossReduction { kNone, kSum, kMean, kSumOverBatchSize, kSumByNonzeroWeights };

struct LossOptions {
  Input weights = {};  // absent: 1
  std::string scope = "";
  std::string collection = "losses";  // empty: none
  LossReduction reduction = LossReduction::kSumByNonzeroWeights;
};

// losses * weights, reduced. Weights are a scalar, or have the rank of the losses with each dimension equal or 1.
Result<Output> WeightedLoss(Graph& graph, const Input& losses, const LossOptions& options = {});
// total / count if the count is positive, else zero.
Output SafeMean(Output total, Output count);

Result<Output> AbsoluteDifference(Graph& graph, const Input& labels, const Input& predictions,
                                  const LossOptions& options = {});
Result<Output> CosineDistance(Graph& graph, const Input& labels, const Input& predictions, int64_t axis,
                              const LossOptions& options = {});
Result<Output> HingeLoss(Graph& graph, const Input& labels, const Input& logits, const LossOptions& options = {});
Result<Output> HuberLoss(Graph& graph, const Input& labels, const Input& predictions, double delta,
                         const LossOptions& options = {});
Result<Output> LogLoss(Graph& graph, const Input& labels, const Input& predictions, double epsilon,
                       const LossOptions& options = {});
Result<Output> MeanPairwiseSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                        const LossOptions& options = {});
Result<Output> MeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                const LossOptions& options = {});
Result<Output> SigmoidLoss(Graph& graph, const Input& labels, const Input& logits, const Input& label_smoothing,
                           const LossOptions& options = {});
Result<Output> SoftmaxLoss(Graph& graph, const Input& labels, const Input& logits, const Input& label_smoothing,
                           const LossOptions& options = {});
Result<Output> SparseSoftmaxLoss(Graph& graph, const Input& labels, const Input& logits,
                                 const LossOptions& options = {});

}  // namespace weir
