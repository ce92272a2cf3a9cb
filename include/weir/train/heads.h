// Heads of models: from logits (the last layer) and labels they build the loss, the predictions and the metrics of a
// kind of task, under the names that tf.estimator gives them. Errors are InvalidArgument.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/train/estimator.h"

namespace weir {

enum class HeadKind {
  kBinary,      // one logit; labels 0 or 1
  kMultiClass,  // a logit per class; labels are class ids
  kMultiLabel,  // a logit per class; labels say for each class whether it applies
  kRegression,  // `dimension` values
  kPoisson,     // counts; logits are the logarithms of the predictions
  kLogistic,    // probabilities: labels from 0 to 1
};
enum class HeadReduction { kNone, kSum, kMean, kSumOverBatchSize, kSumByNonzeroWeights };

struct HeadOptions {
  HeadKind kind = HeadKind::kRegression;
  int64_t dimension = 1;                           // classes, or values per example
  std::vector<std::string> label_vocabulary = {};  // labels are these strings instead of class ids
  std::vector<double> thresholds = {};             // kBinary, kMultiLabel: thresholds of accuracy, precision and recall
  HeadReduction reduction = HeadReduction::kSum;
  std::string name = "";          // suffix of metric names: "accuracy/NAME"
  bool interpolate_areas = true;  // of the metric "auc_precision_recall"; false: trapezoids, as in canned estimators
  bool compute_full_loss = true;  // of kPoisson
  std::vector<int64_t> classes_for_metrics = {};  // kMultiLabel: classes that get metrics of their own
  // Losses of the examples instead of the default ones: [batch, 1] or [batch, dimension].
  std::function<Result<Output>(Output labels, Output logits)> loss_fn = {};
  std::function<Result<Output>(Output logits)> inverse_link = {};  // kRegression: turns logits into predictions

  int64_t logits_dimension() const { return kind == HeadKind::kBinary ? 1 : dimension; }
};

struct HeadLoss {
  Output total;        // weighted and reduced
  Output per_example;  // before that: [batch, 1] or [batch, dimension]
  Output weights;      // 1, or [batch, 1]
  Output labels;       // in the shape of the logits, or class ids [batch, 1]
};
// `weights` (may be invalid) has a number for each example.
Result<HeadLoss> BuildHeadLoss(Graph& graph, const HeadOptions& options, Output logits, Output labels, Output weights);

using NamedOutputs = std::vector<std::pair<std::string, Output>>;
// "logits", "probabilities", "class_ids", "classes", "predictions" and so on.
Result<NamedOutputs> BuildHeadPredictions(Graph& graph, const HeadOptions& options, Output logits);

Result<std::vector<EstimatorMetric>> BuildHeadMetrics(Graph& graph, const HeadOptions& options, const HeadLoss& loss,
                                                      const NamedOutputs& predictions);

}  // namespace weir
