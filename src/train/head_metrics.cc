// The metrics of heads.
#include <algorithm>

#include "base/status.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/math.h"
#include "graph/compose/metrics.h"
#include "train/heads.h"

namespace weir {
namespace {

using metrics::Metric;
using metrics::MetricOptions;

class HeadMetrics final {
 public:
  HeadMetrics(Graph& graph, const HeadOptions& options, const HeadLoss& loss, const NamedOutputs& predictions)
      : graph_(graph), options_(options), loss_(loss), predictions_(predictions) {}

  Result<std::vector<EstimatorMetric>> Build() {
    NameScope scope(graph_, "metrics");
    // The weights of values per example: [batch, 1], which are repeated for several values.
    WEIR_TRY(Add("average_loss", metrics::Mean(graph_, loss_.per_example, Named("average_loss", loss_.per_example))));
    switch (options_.kind) {
      case HeadKind::kBinary:
        WEIR_TRY(AddBinary());
        break;
      case HeadKind::kMultiClass:
        WEIR_TRY(Add("accuracy", metrics::Accuracy(graph_, loss_.labels, Prediction("class_ids"),
                                                   Named("accuracy", loss_.labels))));
        break;
      case HeadKind::kMultiLabel:
        WEIR_TRY(AddMultiLabel());
        break;
      default:
        WEIR_TRY(AddMeans(Prediction("predictions")));
    }
    WEIR_TRY(graph_.TakeError());
    return std::move(made_);
  }

 private:
  Output Prediction(const std::string& name) const {
    for (const auto& [key, value] : predictions_)
      if (key == name) return value;
    return Output();
  }

  // The weights, repeated to the shape of the values if these have several columns.
  MetricOptions Named(const std::string& name, Output values) {
    MetricOptions options;
    options.name = name;
    options.weights = loss_.weights;
    const PartialShape& shape = values.shape();
    const bool wide = shape.known_rank() && shape.rank() == 2 && shape.dim(1) != 1;
    if (wide && loss_.weights.shape().known_rank() && loss_.weights.shape().rank() == 2)
      options.weights = Mul(graph_, loss_.weights, OnesOf(graph_, values, kFloat));
    return options;
  }

  Status Add(const std::string& key, Result<Metric> metric) {
    WEIR_TRY(metric.status());
    return Add(key, metric->value, metric->update);
  }
  Status Add(const std::string& key, Output value, Output update) {
    const std::string name = options_.name.empty() ? key : key + "/" + options_.name;
    made_.push_back({name, value, update.node});
    return graph_.TakeError();
  }

  Status AddMeans(Output predicted) {
    WEIR_TRY(Add("prediction/mean", metrics::Mean(graph_, predicted, Named("prediction/mean", predicted))));
    return Add("label/mean", metrics::Mean(graph_, loss_.labels, Named("label/mean", loss_.labels)));
  }

  Status AddBinary() {
    const Output logistic = Prediction("logistic"), ids = Prediction("class_ids"), labels = loss_.labels;
    WEIR_TRY(Add("accuracy", metrics::Accuracy(graph_, labels, ids, Named("accuracy", labels))));
    WEIR_TRY(Add("precision", metrics::Precision(graph_, labels, ids, Named("precision", labels))));
    WEIR_TRY(Add("recall", metrics::Recall(graph_, labels, ids, Named("recall", labels))));
    WEIR_TRY(Add("prediction/mean", metrics::Mean(graph_, logistic, Named("prediction/mean", logistic))));
    WEIR_ASSIGN(const Metric mean, metrics::Mean(graph_, labels, Named("label/mean", labels)));
    WEIR_TRY(Add("label/mean", mean.value, mean.update));
    WEIR_TRY(
        Add("accuracy_baseline", Maximum(mean.value, 1.0f - mean.value), Maximum(mean.update, 1.0f - mean.update)));
    WEIR_TRY(AddAreas("", labels, logistic));
    return AddThresholds(labels, logistic);
  }

  Status AddAreas(const std::string& suffix, Output labels, Output scores) {
    using metrics::Curve;
    for (const auto& [key, curve] : {std::pair<const char*, Curve>{"auc", Curve::kRoc},
                                     std::pair<const char*, Curve>{"auc_precision_recall", Curve::kPrecisionRecall}}) {
      metrics::AreaOptions area;
      area.curve = curve;
      if (options_.interpolate_areas) area.summation = metrics::Summation::kCarefulInterpolation;
      WEIR_TRY(Add(key + suffix, metrics::Auc(graph_, labels, scores, area, Named(key + suffix, labels))));
    }
    return OkStatus();
  }

  Status AddThresholds(Output labels, Output scores) {
    for (const double threshold : options_.thresholds) {
      // As Python writes the number: "0.5", "1.0".
      std::string text = fmt::format("{}", threshold);
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      const std::string suffix = "/positive_threshold_" + text;
      const auto limit = static_cast<float>(threshold);
      const Output above = CastValue(graph_, Greater(scores, limit), kFloat);
      WEIR_TRY(Add("accuracy" + suffix, metrics::Accuracy(graph_, CastValue(graph_, labels, kFloat), above,
                                                          Named("accuracy" + suffix, labels))));
      WEIR_ASSIGN(Metric precision,
                  metrics::PrecisionAtThresholds(graph_, labels, scores, {limit}, Named("precision" + suffix, labels)));
      WEIR_TRY(Add("precision" + suffix, Squeeze(graph_, precision.value), Squeeze(graph_, precision.update)));
      WEIR_ASSIGN(Metric recall,
                  metrics::RecallAtThresholds(graph_, labels, scores, {limit}, Named("recall" + suffix, labels)));
      WEIR_TRY(Add("recall" + suffix, Squeeze(graph_, recall.value), Squeeze(graph_, recall.update)));
    }
    return OkStatus();
  }

  Status AddMultiLabel() {
    const Output scores = Prediction("probabilities"), labels = loss_.labels;
    WEIR_TRY(AddAreas("", labels, scores));
    WEIR_TRY(AddThresholds(labels, scores));
    for (const int64_t id : options_.classes_for_metrics) {
      if (id < 0 || id >= options_.dimension)
        return InvalidArgument("All classes_for_class_based_metrics must be in range [0, {}]. Given: {}",
                               options_.dimension - 1, id);
      const std::string suffix =
          "/" + (options_.label_vocabulary.empty() ? fmt::format("class{}", id)
                                                   : options_.label_vocabulary[static_cast<size_t>(id)]);
      const auto column = [&](Output all) {
        return Slice(graph_, all, std::vector<int64_t>{0, id}, std::vector<int64_t>{-1, 1});
      };
      const Output probability = column(scores);
      WEIR_TRY(Add("probability_mean" + suffix,
                   metrics::Mean(graph_, probability, Named("probability_mean" + suffix, probability))));
      WEIR_TRY(AddAreas(suffix, column(labels), probability));
    }
    return OkStatus();
  }

  Graph& graph_;
  const HeadOptions& options_;
  const HeadLoss& loss_;
  const NamedOutputs& predictions_;
  std::vector<EstimatorMetric> made_;
};

}  // namespace

Result<std::vector<EstimatorMetric>> BuildHeadMetrics(Graph& graph, const HeadOptions& options, const HeadLoss& loss,
                                                      const NamedOutputs& predictions) {
  return HeadMetrics(graph, options, loss, predictions).Build();
}

}  // namespace weir
