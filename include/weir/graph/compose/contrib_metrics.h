// The metrics of tf.contrib.metrics that tf.metrics does not have, with the conventions of metrics.h.
#pragma once

#include "weir/graph/compose/metrics.h"

namespace weir::metrics {

// The number of values, or the sum of their weights.
Result<Metric> Count(Graph& graph, const Input& values, const MetricOptions& options = {});
// NaN until there are two values.
Result<Metric> Covariance(Graph& graph, const Input& labels, const Input& predictions,
                          const MetricOptions& options = {});
Result<Metric> PearsonCorrelation(Graph& graph, const Input& labels, const Input& predictions,
                                  const MetricOptions& options = {});
// All values seen, concatenated along `axis`; at most max_size of them. Weights are not used.
Result<Metric> ConcatAll(Graph& graph, const Input& values, int64_t axis, std::optional<int64_t> max_size,
                         const MetricOptions& options = {});
// Cohen's kappa: how far labels and predictions (class ids) agree beyond what chance would give.
Result<Metric> CohenKappa(Graph& graph, const Input& labels, const Input& predictions_idx, int64_t num_classes,
                          const MetricOptions& options = {});
// False positives or negatives divided by all negatives or positives.
Result<Metric> FalsePositiveRate(Graph& graph, const Input& labels, const Input& predictions,
                                 const MetricOptions& options = {});
Result<Metric> FalseNegativeRate(Graph& graph, const Input& labels, const Input& predictions,
                                 const MetricOptions& options = {});

// --- At thresholds: metric_thresholds.cc ---
Result<Metric> FalsePositiveRateAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                             const std::vector<float>& thresholds, const MetricOptions& options = {});
Result<Metric> FalseNegativeRateAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                             const std::vector<float>& thresholds, const MetricOptions& options = {});
// The best F1 score over all thresholds.
Result<Metric> F1Score(Graph& graph, const Input& labels, const Input& predictions, int64_t num_thresholds = 200,
                       const MetricOptions& options = {});
// Points of a curve, [num_thresholds, 2]. `update` is a node without outputs.
struct CurvePoints {
  Output points;
  Node* update = nullptr;
};
Result<CurvePoints> PointsOfCurve(Graph& graph, const Input& labels, const Input& predictions,
                                  int64_t num_thresholds = 200, Curve curve = Curve::kRoc,
                                  const MetricOptions& options = {});
// With strict_mode: the recall at the smallest precision that is at least `precision`,
// or 0 if there is none. Without: the recall at the precision closest to `precision`.
Result<Metric> RecallAtPrecision(Graph& graph, const Input& labels, const Input& predictions, double precision,
                                 int64_t num_thresholds = 200, bool strict_mode = false,
                                 const MetricOptions& options = {});
Result<Metric> PrecisionAtRecall(Graph& graph, const Input& labels, const Input& predictions, double target_recall,
                                 int64_t num_thresholds = 200, const MetricOptions& options = {});

}  // namespace weir::metrics
