// tf.metrics: measures over all batches seen so far. Each keeps sums in variables that are local (not saved) and listed
// as metric variables; `value` reads them, `update` adds a batch and gives the measure after it. Names of variables and
// results are TensorFlow's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/compose/sets.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir::metrics {

struct Metric {
  Output value;
  Output update;
};

struct MetricOptions {
  Input weights = {};  // absent: 1. A scalar, or of the values' rank with each dimension equal or 1
  std::vector<std::string> metrics_collections = {};
  std::vector<std::string> updates_collections = {};
  std::string name = "";
};

// --- means
Result<Metric> Mean(Graph& graph, const Input& values, const MetricOptions& options = {});
// Of each element.
Result<Metric> MeanTensor(Graph& graph, const Input& values, const MetricOptions& options = {});
Result<Metric> Accuracy(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options = {});
Result<Metric> MeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                const MetricOptions& options = {});
Result<Metric> RootMeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                    const MetricOptions& options = {});
Result<Metric> MeanAbsoluteError(Graph& graph, const Input& labels, const Input& predictions,
                                 const MetricOptions& options = {});
// |labels - predictions| / normalizer, zero where the normalizer is.
Result<Metric> MeanRelativeError(Graph& graph, const Input& labels, const Input& predictions, const Input& normalizer,
                                 const MetricOptions& options = {});
// 1 - cos, of vectors of length 1 along an axis.
Result<Metric> MeanCosineDistance(Graph& graph, const Input& labels, const Input& predictions, int64_t axis,
                                  const MetricOptions& options = {});
Result<Metric> PercentageBelow(Graph& graph, const Input& values, const Input& threshold,
                               const MetricOptions& options = {});

// --- counts of a yes-or-no question
enum class Cell { kTruePositives, kFalseNegatives, kTrueNegatives, kFalsePositives };
Result<Metric> CountOf(Graph& graph, Cell cell, const Input& labels, const Input& predictions,
                       const MetricOptions& options = {});
Result<Metric> Precision(Graph& graph, const Input& labels, const Input& predictions,
                         const MetricOptions& options = {});
Result<Metric> Recall(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options = {});

// --- predictions in [0, 1], of which those above a threshold say yes
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
  std::optional<std::vector<float>> thresholds = {};  // instead of evenly spaced ones; the ends are added
};
// The area under the curve.
Result<Metric> Auc(Graph& graph, const Input& labels, const Input& predictions, const AreaOptions& area = {},
                   const MetricOptions& options = {});
Result<Metric> SensitivityAtSpecificity(Graph& graph, const Input& labels, const Input& predictions, double specificity,
                                        int64_t num_thresholds = 200, const MetricOptions& options = {});
Result<Metric> SpecificityAtSensitivity(Graph& graph, const Input& labels, const Input& predictions, double sensitivity,
                                        int64_t num_thresholds = 200, const MetricOptions& options = {});

// --- classes
// The mean over classes of intersection over union. The update gives the confusion matrix.
Result<Metric> MeanIou(Graph& graph, const Input& labels, const Input& predictions, int64_t num_classes,
                       const MetricOptions& options = {});
// The mean over classes of the accuracy. The update gives the accuracy of each class.
Result<Metric> MeanPerClassAccuracy(Graph& graph, const Input& labels, const Input& predictions, int64_t num_classes,
                                    const MetricOptions& options = {});

// --- the k classes with the highest scores, and several labels a row
struct RankOptions {
  std::optional<int64_t> k = {};         // how many; where the classes are given it is only part of names
  std::optional<int64_t> class_id = {};  // count this class alone
};
// Labels are the numbers of classes [..., labels], or [...] for one a row; sparse ones may be of any number a row.
// Predictions are scores [..., classes]; weights are those of rows. Values are double; without any, not a number.
Result<Metric> PrecisionAtK(Graph& graph, const SetOperand& labels, const Input& predictions, const RankOptions& rank,
                            const MetricOptions& options = {});
Result<Metric> RecallAtK(Graph& graph, const SetOperand& labels, const Input& predictions, const RankOptions& rank,
                         const MetricOptions& options = {});
// Of classes that are chosen already: [..., k].
Result<Metric> PrecisionAtTopK(Graph& graph, const SetOperand& labels, const Input& predictions_idx,
                               const RankOptions& rank = {}, const MetricOptions& options = {});
Result<Metric> RecallAtTopK(Graph& graph, const SetOperand& labels, const Input& predictions_idx,
                            const RankOptions& rank = {}, const MetricOptions& options = {});
// The mean over rows of the precision at each label that is found.
Result<Metric> AveragePrecisionAtK(Graph& graph, const SetOperand& labels, const Input& predictions, int64_t k,
                                   const MetricOptions& options = {});

}  // namespace weir::metrics
