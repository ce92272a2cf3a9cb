// tf.metrics.
#include "graph/compose/metrics.h"

#include "bind/arguments.h"
#include "bind/contrib.h"
#include "bind/metrics.h"
#include "bind/sets.h"
#include "graph/compose/checks.h"
#include "graph/compose/contrib_metrics.h"
#include "graph/compose/metric_parts.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

using metrics::Metric;
using metrics::MetricOptions;

// The collections to add a result to: None, one name or several.
std::vector<std::string> KeysFrom(const py::object& collections) {
  if (collections.is_none()) return {};
  if (PyUnicode_Check(collections.ptr())) return {py::cast<std::string>(collections)};
  std::vector<std::string> keys;
  for (py::handle key : py::iter(collections)) keys.push_back(py::cast<std::string>(key));
  return keys;
}

MetricOptions Options(const Input& weights, const py::object& metrics, const py::object& updates, const Name& name) {
  return {.weights = weights,
          .metrics_collections = KeysFrom(metrics),
          .updates_collections = KeysFrom(updates),
          .name = name.text};
}

using Pair = std::pair<Output, Output>;
Pair PairOf(Result<Metric> metric) {
  const Metric made = Take(std::move(metric));
  return {made.value, made.update};
}

std::vector<float> ThresholdsFrom(const py::object& list) {
  std::vector<float> thresholds;
  for (py::handle item : py::iter(list)) thresholds.push_back(static_cast<float>(py::cast<double>(item)));
  return thresholds;
}

using OfPair = Result<Metric> (*)(Graph&, const Input&, const Input&, const MetricOptions&);

void DefPair(py::module_& m, const char* name, OfPair function) {
  m.def(name,
        Building([function](Graph& g, Input labels, Input predictions, Input weights, py::object metrics,
                            py::object updates, Name n) {
          return PairOf(function(g, labels, predictions, Options(weights, metrics, updates, n)));
        }),
        py::arg("labels"), py::arg("predictions"), py::arg("weights") = py::none(),
        py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
        py::arg("name") = py::none());
}

using AtThresholds = Result<Metric> (*)(Graph&, const Input&, const Input&, const std::vector<float>&,
                                        const MetricOptions&);

void DefAtThresholds(py::module_& m, const char* name, AtThresholds function) {
  m.def(name,
        Building([function](Graph& g, Input labels, Input predictions, py::object thresholds, Input weights,
                            py::object metrics, py::object updates, Name n) {
          return PairOf(
              function(g, labels, predictions, ThresholdsFrom(thresholds), Options(weights, metrics, updates, n)));
        }),
        py::arg("labels"), py::arg("predictions"), py::arg("thresholds"), py::arg("weights") = py::none(),
        py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
        py::arg("name") = py::none());
}

template <metrics::Cell kCell>
void DefCell(py::module_& m, const std::string& name) {
  DefPair(m, name.c_str(), [](Graph& g, const Input& labels, const Input& predictions, const MetricOptions& options) {
    return metrics::CountOf(g, kCell, labels, predictions, options);
  });
  DefAtThresholds(m, (name + "_at_thresholds").c_str(),
                  [](Graph& g, const Input& labels, const Input& predictions, const std::vector<float>& thresholds,
                     const MetricOptions& options) {
                    return metrics::CountAtThresholds(g, kCell, labels, predictions, thresholds, options);
                  });
}

using OfValues = Result<Metric> (*)(Graph&, const Input&, const MetricOptions&);

void DefValues(py::module_& m, const char* name, OfValues function) {
  m.def(name,
        Building([function](Graph& g, Input values, Input weights, py::object metrics, py::object updates, Name n) {
          return PairOf(function(g, values, Options(weights, metrics, updates, n)));
        }),
        py::arg("values"), py::arg("weights") = py::none(), py::arg("metrics_collections") = py::none(),
        py::arg("updates_collections") = py::none(), py::arg("name") = py::none());
}

using OfClasses = Result<Metric> (*)(Graph&, const Input&, const Input&, int64_t, const MetricOptions&);

void DefClasses(py::module_& m, const char* name, OfClasses function) {
  m.def(name,
        Building([function](Graph& g, Input labels, Input predictions, int64_t num_classes, Input weights,
                            py::object metrics, py::object updates, Name n) {
          return PairOf(function(g, labels, predictions, num_classes, Options(weights, metrics, updates, n)));
        }),
        py::arg("labels"), py::arg("predictions"), py::arg("num_classes"), py::arg("weights") = py::none(),
        py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
        py::arg("name") = py::none());
}

using AtPoint = Result<Metric> (*)(Graph&, const Input&, const Input&, double, int64_t, const MetricOptions&);

void DefAtPoint(py::module_& m, const char* name, const char* point, AtPoint function) {
  m.def(name,
        Building([function](Graph& g, Input labels, Input predictions, double at, Input weights, int64_t num_thresholds,
                            py::object metrics, py::object updates, Name n) {
          return PairOf(function(g, labels, predictions, at, num_thresholds, Options(weights, metrics, updates, n)));
        }),
        py::arg("labels"), py::arg("predictions"), py::arg(point), py::arg("weights") = py::none(),
        py::arg("num_thresholds") = 200, py::arg("metrics_collections") = py::none(),
        py::arg("updates_collections") = py::none(), py::arg("name") = py::none());
}

metrics::AreaOptions AreaFrom(int64_t num_thresholds, const std::string& curve, const std::string& method,
                              const py::object& thresholds) {
  metrics::AreaOptions area{.num_thresholds = num_thresholds};
  if (curve == "PR") {
    area.curve = metrics::Curve::kPrecisionRecall;
  } else if (curve != "ROC") {
    RaiseValue(fmt::format("curve must be either ROC or PR, {} unknown", curve));
  }
  struct Row {
    const char* text;
    metrics::Summation summation;
  };
  const Row rows[] = {{"trapezoidal", metrics::Summation::kTrapezoidal},
                      {"minoring", metrics::Summation::kMinoring},
                      {"majoring", metrics::Summation::kMajoring},
                      {"careful_interpolation", metrics::Summation::kCarefulInterpolation}};
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return method == r.text; });
  if (row == std::end(rows)) RaiseValue(fmt::format("Invalid summation_method: {}", method));
  area.summation = row->summation;
  if (!thresholds.is_none()) area.thresholds = ThresholdsFrom(thresholds);
  return area;
}

using TopKMetric = Result<Metric> (*)(Graph&, const SetOperand&, const Input&, const metrics::RankOptions&,
                                      const MetricOptions&);

// Metrics of the k highest scores.
void DefTopK(py::module_& m, const char* name, TopKMetric function) {
  m.def(name,
        Building([function](Graph& g, SetsArgument labels, Input predictions, std::optional<int64_t> k,
                            std::optional<int64_t> class_id, Input weights, py::object metrics, py::object updates,
                            Name n) {
          if (!k.has_value())
            RaiseValue("Tried to convert 'k' to a tensor and failed. Error: None values not supported.");
          return PairOf(function(g, labels.sets, predictions, {k, class_id}, Options(weights, metrics, updates, n)));
        }),
        py::arg("labels"), py::arg("predictions"), py::arg("k"), py::arg("class_id") = py::none(),
        py::arg("weights") = py::none(), py::arg("metrics_collections") = py::none(),
        py::arg("updates_collections") = py::none(), py::arg("name") = py::none());
}
// Metrics of given class ids. k only affects names.
void DefClassIds(py::module_& m, const char* name, TopKMetric function) {
  m.def(name,
        Building([function](Graph& g, SetsArgument labels, Input predictions, std::optional<int64_t> k,
                            std::optional<int64_t> class_id, Input weights, py::object metrics, py::object updates,
                            Name n) {
          return PairOf(function(g, labels.sets, predictions, {k, class_id}, Options(weights, metrics, updates, n)));
        }),
        py::arg("labels"), py::arg("predictions_idx"), py::arg("k") = py::none(), py::arg("class_id") = py::none(),
        py::arg("weights") = py::none(), py::arg("metrics_collections") = py::none(),
        py::arg("updates_collections") = py::none(), py::arg("name") = py::none());
}

void BindRankMetrics(py::module_& m) {
  DefTopK(m, "metric_precision_at_k", metrics::PrecisionAtK);
  DefTopK(m, "metric_recall_at_k", metrics::RecallAtK);
  DefClassIds(m, "metric_precision_at_top_k", metrics::PrecisionAtTopK);
  DefClassIds(m, "metric_recall_at_top_k", metrics::RecallAtTopK);
  Def(
      m, "metric_average_precision_at_k",
      +[](Graph& g, SetsArgument labels, Input predictions, int64_t k, Input weights, py::object metrics,
          py::object updates, Name n) {
        return PairOf(
            metrics::AveragePrecisionAtK(g, labels.sets, predictions, k, Options(weights, metrics, updates, n)));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("k"), py::arg("weights") = py::none(),
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("name") = py::none());
}

void BindMetricWeights(py::module_& m) {
  Def(
      m, "broadcast_weights",
      +[](Graph& g, Input weights, Input values) {
        const Output of = Take(ToOutput(g, values, kInvalidType, "values"));
        const Output given = Take(ToOutput(g, weights, of.base_dtype(), "weights"));
        return Take(metrics::BroadcastWeights(g, given, of, of.base_dtype()));
      },
      py::arg("weights"), py::arg("values"));
  Def(
      m, "assert_broadcastable",
      +[](Graph& g, Input weights, Input values) {
        const Output of = Take(ToOutput(g, values, kInvalidType, "values"));
        const Output given = Take(ToOutput(g, weights, kInvalidType, "weights"));
        const Output checked = Take(BroadcastableWeights(g, given, of));
        if (checked != given) return Wrap(checked.node);
        return Wrap(Take(NodeBuilder(g, "NoOp", "static_checks_determined_all_ok").Build()));
      },
      py::arg("weights"), py::arg("values"));
}

}  // namespace

void BindMetrics(py::module_& m) {
  BindMetricWeights(m);
  BindRankMetrics(m);
  DefValues(m, "metric_mean", metrics::Mean);
  DefValues(m, "metric_mean_tensor", metrics::MeanTensor);
  DefPair(m, "metric_accuracy", metrics::Accuracy);
  DefPair(m, "metric_mean_squared_error", metrics::MeanSquaredError);
  DefPair(m, "metric_root_mean_squared_error", metrics::RootMeanSquaredError);
  DefPair(m, "metric_mean_absolute_error", metrics::MeanAbsoluteError);
  DefPair(m, "metric_precision", metrics::Precision);
  DefPair(m, "metric_recall", metrics::Recall);
  DefCell<metrics::Cell::kTruePositives>(m, "metric_true_positives");
  DefCell<metrics::Cell::kFalseNegatives>(m, "metric_false_negatives");
  DefCell<metrics::Cell::kTrueNegatives>(m, "metric_true_negatives");
  DefCell<metrics::Cell::kFalsePositives>(m, "metric_false_positives");
  DefAtThresholds(m, "metric_precision_at_thresholds", metrics::PrecisionAtThresholds);
  DefAtThresholds(m, "metric_recall_at_thresholds", metrics::RecallAtThresholds);
  DefClasses(m, "metric_mean_iou", metrics::MeanIou);
  DefClasses(m, "metric_mean_per_class_accuracy", metrics::MeanPerClassAccuracy);
  DefAtPoint(m, "metric_sensitivity_at_specificity", "specificity", metrics::SensitivityAtSpecificity);
  DefAtPoint(m, "metric_specificity_at_sensitivity", "sensitivity", metrics::SpecificityAtSensitivity);
  Def(
      m, "metric_mean_relative_error",
      +[](Graph& g, Input labels, Input predictions, Input normalizer, Input weights, py::object metrics,
          py::object updates, Name n) {
        return PairOf(
            metrics::MeanRelativeError(g, labels, predictions, normalizer, Options(weights, metrics, updates, n)));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("normalizer"), py::arg("weights") = py::none(),
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "metric_mean_cosine_distance",
      +[](Graph& g, Input labels, Input predictions, int64_t dim, Input weights, py::object metrics, py::object updates,
          Name n) {
        return PairOf(metrics::MeanCosineDistance(g, labels, predictions, dim, Options(weights, metrics, updates, n)));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("dim"), py::arg("weights") = py::none(),
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "metric_percentage_below",
      +[](Graph& g, Input values, Input threshold, Input weights, py::object metrics, py::object updates, Name n) {
        return PairOf(metrics::PercentageBelow(g, values, threshold, Options(weights, metrics, updates, n)));
      },
      py::arg("values"), py::arg("threshold"), py::arg("weights") = py::none(),
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "metric_auc",
      +[](Graph& g, Input labels, Input predictions, Input weights, int64_t num_thresholds, py::object metrics,
          py::object updates, std::string curve, Name n, std::string method, py::object thresholds) {
        return PairOf(metrics::Auc(g, labels, predictions, AreaFrom(num_thresholds, curve, method, thresholds),
                                   Options(weights, metrics, updates, n)));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("weights") = py::none(), py::arg("num_thresholds") = 200,
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("curve") = "ROC", py::arg("name") = py::none(), py::arg("summation_method") = "trapezoidal",
      py::arg("thresholds") = py::none());
}

// Metrics of tf.contrib.metrics that tf.metrics does not have, with the labels first.
void BindContribMetrics(py::module_& m) {
  DefValues(m, "metric_count", metrics::Count);
  DefPair(m, "metric_covariance", metrics::Covariance);
  DefPair(m, "metric_pearson_correlation", metrics::PearsonCorrelation);
  DefPair(m, "metric_false_positive_rate", metrics::FalsePositiveRate);
  DefPair(m, "metric_false_negative_rate", metrics::FalseNegativeRate);
  DefAtThresholds(m, "metric_false_positive_rate_at_thresholds", metrics::FalsePositiveRateAtThresholds);
  DefAtThresholds(m, "metric_false_negative_rate_at_thresholds", metrics::FalseNegativeRateAtThresholds);
  DefClasses(m, "metric_cohen_kappa", metrics::CohenKappa);
  DefAtPoint(m, "metric_precision_at_recall", "target_recall", metrics::PrecisionAtRecall);
  Def(
      m, "metric_recall_at_precision",
      +[](Graph& g, Input labels, Input predictions, double precision, Input weights, int64_t num_thresholds,
          py::object metrics, py::object updates, Name n, bool strict_mode) {
        return PairOf(metrics::RecallAtPrecision(g, labels, predictions, precision, num_thresholds, strict_mode,
                                                 Options(weights, metrics, updates, n)));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("precision"), py::arg("weights") = py::none(),
      py::arg("num_thresholds") = 200, py::arg("metrics_collections") = py::none(),
      py::arg("updates_collections") = py::none(), py::arg("name") = py::none(), py::arg("strict_mode") = false);
  Def(
      m, "metric_f1_score",
      +[](Graph& g, Input labels, Input predictions, Input weights, int64_t num_thresholds, py::object metrics,
          py::object updates, Name n) {
        return PairOf(metrics::F1Score(g, labels, predictions, num_thresholds, Options(weights, metrics, updates, n)));
      },
      py::arg("labels"), py::arg("predictions"), py::arg("weights") = py::none(), py::arg("num_thresholds") = 200,
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "metric_concat",
      +[](Graph& g, Input values, int64_t axis, std::optional<int64_t> max_size, py::object metrics, py::object updates,
          Name n) { return PairOf(metrics::ConcatAll(g, values, axis, max_size, Options({}, metrics, updates, n))); },
      py::arg("values"), py::arg("axis") = 0, py::arg("max_size") = py::none(),
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "metric_curve_points",
      +[](Graph& g, Input labels, Input predictions, Input weights, int64_t num_thresholds, py::object metrics,
          py::object updates, std::string curve, Name n) {
        const metrics::Curve kind = AreaFrom(num_thresholds, curve, "trapezoidal", py::none()).curve;
        const metrics::CurvePoints made = Take(metrics::PointsOfCurve(g, labels, predictions, num_thresholds, kind,
                                                                      Options(weights, metrics, updates, n)));
        return std::pair<Output, Node*>(made.points, made.update);
      },
      py::arg("labels"), py::arg("predictions"), py::arg("weights") = py::none(), py::arg("num_thresholds") = 200,
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("curve") = "ROC", py::arg("name") = py::none());
  Def(
      m, "metric_average_precision_at_top_k",
      +[](Graph& g, SetsArgument labels, Input predictions, Input weights, py::object metrics, py::object updates,
          Name n) {
        return PairOf(
            metrics::AveragePrecisionAtTopK(g, labels.sets, predictions, Options(weights, metrics, updates, n)));
      },
      py::arg("labels"), py::arg("predictions_idx"), py::arg("weights") = py::none(),
      py::arg("metrics_collections") = py::none(), py::arg("updates_collections") = py::none(),
      py::arg("name") = py::none());
}

}  // namespace weir::python
