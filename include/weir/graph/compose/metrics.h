// tf.metrics: measures over all batches seen so far. Each metric accumulates sums in local variables (not saved), which
// are also metric variables. `value` reads them; `update` adds a batch and returns the new value. Variables and results
// have TensorFlow's names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/compose/sets.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir::metrics {

struct Metric {
  Output value;
  Output update;
};

struct MetricOptions {
  Input weights = {};  // absent: 1; a scalar, or of the values' rank with each dimension equal or 1
  std::vector<std::string> metrics_collections = {};
  std::vector<std::string> updates_collections = {};
  std::string name = "";
};

// --- Means ---
Result<Metric> Mean(Graph& graph, const Input& values, const MetricOptions& options = {});
// The mean of each element.
Result<Metric> MeanTensor(Graph& graph, const Input& values, const MetricOptions& options = {});
Result<Metric> Accuracy(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options = {});
Result<Metric> MeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                const MetricOptions& options = {});
Result<Metric> RootMeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                    const MetricOptions& options = {});
Result<Metric> MeanAbsoluteError(Graph& graph, const Input& labels, const Input& predictions,
                                 const MetricOptions& options = {});
// labels - predictions| / normalizer, or zero where the normalizer is zero.
Result<Metric> MeanRelativeError(Graph& graph, const Input& labels, const Input& predictions, const Input& normalizer,
                                 const MetricOptions& options = {});
// 1 - cos. The inputs must be unit vectors along `axis`.
Result<Metric> MeanCosineDistance(Graph& graph, const Input& labels, const Input& predictions, int64_t axis,
                                  const MetricOptions& options = {});
Result<Metric> PercentageBelow(Graph& graph, const Input& values, const Input& threshold,
                               const MetricOptions& options = {});

// --- Binary classification counts ---
enum class Cell { kTruePositives, kFalseNegatives, kTrueNegatives, kFalsePositives };
Result<Metric> CountOf(Graph& graph, Cell cell, const Input& labels, const Input& predictions,
                       const MetricOptions& options = {});
Result<Metric> Precision(Graph& graph, const Input& labels, const Input& predictions,
                         const MetricOptions& options = {});
Result<Metric> Recall(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options = {});

// --- Predictions in [0, 1]; those above a threshold are positive ---
Result<Metric> CountAtThresholds(Graph& graph, Cell cell, const Input& labels, const Input& predictions,
                                 const std::vector<float>& thresholds, const MetricOptions& options = {});
Result<Metric> PrecisionAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                     const std::vector<float>& thresholds, const MetricOptions& options = {});
Result<Metric> RecallAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                  const std::vector<float>& thresholds, const MetricOptions& options = {});

enum class Curve { kRoc, kPrecisionRecall };
enum class Summation { kTrapezoidal, kMinoring, kMajoring, kCarefulInterpolation };
struct AreaOptions {
  int64_t num_thresholds = 200;
  Curve curve = Curve::kRoc;
  Summation summation = Summation::kTrapezoidal;
  std::optional<std::vector<float>> thresholds = {};  // replaces evenly spaced ones; 0 and 1 are added
};
// Area under the curve.
Result<Metric> Auc(Graph& graph, const Input& labels, const Input& predictions, const AreaOptions& area = {},
                   const MetricOptions& options = {});
Result<Metric> SensitivityAtSpecificity(Graph& graph, const Input& labels, const Input& predictions, double specificity,
                                        int64_t num_thresholds = 200, const MetricOptions& options = {});
Result<Metric> SpecificityAtSensitivity(Graph& graph, const Input& labels, const Input& predictions, double sensitivity,
                                        int64_t num_thresholds = 200, const MetricOptions& options = {});

// --- Classes ---
// Intersection over union, averaged over classes. `update` returns the confusion matrix.
Result<Metric> MeanIou(Graph& graph, const Input& labels, const Input& predictions, int64_t num_classes,
                       const MetricOptions& options = {});
// Accuracy averaged over classes. `update` returns the accuracy of each class.
Result<Metric> MeanPerClassAccuracy(Graph& graph, const Input& labels, const Input& predictions, int64_t num_classes,
                                    const MetricOptions& options = {});

// --- The k highest-scored classes, with several labels per row ---
struct RankOptions {
  std::optional<int64_t> k = {};         // if the classes are given, only used in names
  std::optional<int64_t> class_id = {};  // count only this class
};
// Labels are class ids [..., labels], or [...] for one label per row; sparse labels allow any number per row.
// Predictions are scores [..., classes]. Weights are per row. Values are double, and NaN if nothing was counted.
Result<Metric> PrecisionAtK(Graph& graph, const SetOperand& labels, const Input& predictions, const RankOptions& rank,
                            const MetricOptions& options = {});
Result<Metric> RecallAtK(Graph& graph, const SetOperand& labels, const Input& predictions, const RankOptions& rank,
                         const MetricOptions& options = {});
// Takes the chosen classes: [..., k].
Result<Metric> PrecisionAtTopK(Graph& graph, const SetOperand& labels, const Input& predictions_idx,
                               const RankOptions& rank = {}, const MetricOptions& options = {});
Result<Metric> RecallAtTopK(Graph& graph, const SetOperand& labels, const Input& predictions_idx,
                            const RankOptions& rank = {}, const MetricOptions& options = {});
// The mean over rows of the average precision: the precision at the rank of each label found.
Result<Metric> AveragePrecisionAtK(Graph& graph, const SetOperand& labels, const Input& predictions, int64_t k,
                                   const MetricOptions& options = {});
// Takes the chosen classes: [..., k].
Result<Metric> AveragePrecisionAtTopK(Graph& graph, const SetOperand& labels, const Input& predictions_idx,
                                      const MetricOptions& options = {});

}  // namespace weir::metrics
