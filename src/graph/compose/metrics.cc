#include "graph/compose/metrics.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/state_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/metric_parts.h"
#include "graph/texts.h"

namespace weir::metrics {
namespace {

// Options for the mean of a value derived from labels and predictions, with a default name and aligned weights.
MetricOptions Named(MetricOptions options, const char* fallback, Output weights) {
  if (options.name.empty()) options.name = fallback;
  options.weights = weights.valid() ? Input(weights) : Input();
  return options;
}

MetricOptions WithoutCollections(MetricOptions options) {
  options.metrics_collections.clear();
  options.updates_collections.clear();
  return options;
}

Result<Aligned> AlignBools(Graph& graph, const Input& labels, const Input& predictions, const Input& weights) {
  const Output l = CastValue(graph, labels, kBool), p = CastValue(graph, predictions, kBool);
  WEIR_TRY(graph.TakeError());
  return Align(graph, l, p, weights);
}

const char* NameOf(Cell cell) {
  switch (cell) {
    case Cell::kTruePositives:
      return "true_positives";
    case Cell::kFalseNegatives:
      return "false_negatives";
    case Cell::kTrueNegatives:
      return "true_negatives";
    case Cell::kFalsePositives:
      return "false_positives";
  }
  return "";
}

bool LabelOf(Cell cell) { return cell == Cell::kTruePositives || cell == Cell::kFalseNegatives; }
bool PredictionOf(Cell cell) { return cell == Cell::kTruePositives || cell == Cell::kFalsePositives; }

// part / (part + rest), or zero if both are zero.
Output Fraction(Graph& graph, Output part, Output rest, const char* name) {
  const Output any = Greater(part + rest, 0.0f);
  return Select(graph, any, part / (part + rest), 0.0f, {.name = name});
}

Result<Metric> FractionMetric(Graph& graph, const char* fallback, Cell other, const Input& labels,
                              const Input& predictions, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, fallback);
  WEIR_ASSIGN(Aligned values, AlignBools(graph, labels, predictions, options.weights));
  const MetricOptions inner{.weights = values.weights.valid() ? Input(values.weights) : Input()};
  WEIR_ASSIGN(Metric part, CountOf(graph, Cell::kTruePositives, values.labels, values.predictions, inner));
  WEIR_ASSIGN(Metric rest, CountOf(graph, other, values.labels, values.predictions, inner));
  return Finished(
      graph, {Fraction(graph, part.value, rest.value, "value"), Fraction(graph, part.update, rest.update, "update_op")},
      options);
}

struct MeanParts {
  Output sum;
  Output number;
  Node* values;  // the summed values; the count is updated after them
};

// total / count, and the update that adds `added` to both.
Result<Metric> RunningMean(Graph& graph, const Variable& total, const Variable& count, const MeanParts& added,
                           const MetricOptions& options) {
  const Output new_total = total.AssignAdd(added.sum, false, "AssignAdd");
  WEIR_TRY(graph.TakeError());
  Output new_count;
  {
    ControlDependencies after(graph, {added.values});
    new_count = count.AssignAdd(added.number, false, "AssignAdd");
  }
  WEIR_TRY(graph.TakeError());
  return Finished(graph,
                  {Quotient(total.AsInput(), count.AsInput(), "value"), Quotient(new_total, new_count, "update_op")},
                  options);
}

}  // namespace

Result<Metric> Mean(Graph& graph, const Input& values_in, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "mean");
  Output values = CastValue(graph, values_in, kFloat);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(VariablePtr total, MetricVariable(graph, PartialShape::Scalar(), kFloat, "total"));
  WEIR_ASSIGN(VariablePtr count, MetricVariable(graph, PartialShape::Scalar(), kFloat, "count"));
  Output number;
  if (options.weights.absent()) {
    number = CastValue(graph, SizeValue(graph, values), kFloat);
  } else {
    WEIR_ASSIGN(Aligned aligned, Align(graph, {}, values, options.weights));
    WEIR_ASSIGN(Output weights, BroadcastWeights(graph, aligned.weights, values));
    values = Mul(values, weights, {.name = "Mul"});
    number = ReduceSum(weights);
  }
  return RunningMean(graph, *total, *count, {ReduceSum(values), number, values.node}, options);
}

Result<Metric> MeanTensor(Graph& graph, const Input& values_in, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "mean");
  Output values = CastValue(graph, values_in, kFloat);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(VariablePtr total, MetricVariable(graph, values.shape(), kFloat, "total_tensor"));
  WEIR_ASSIGN(VariablePtr count, MetricVariable(graph, values.shape(), kFloat, "count_tensor"));
  Output number = OnesOf(graph, values);
  if (!options.weights.absent()) {
    WEIR_ASSIGN(Aligned aligned, Align(graph, {}, values, options.weights));
    WEIR_ASSIGN(Output weights, BroadcastWeights(graph, aligned.weights, values));
    values = Mul(values, weights, {.name = "Mul"});
    number = Mul(number, weights, {.name = "Mul"});
  }
  return RunningMean(graph, *total, *count, {values, number, values.node}, options);
}

Result<Metric> Accuracy(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options) {
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, options.weights));
  const Output same = Equal(CastValue(graph, values.predictions, values.labels.base_dtype()), values.labels);
  const Output correct = CastValue(graph, same, kFloat);
  WEIR_TRY(graph.TakeError());
  return Mean(graph, correct, Named(options, "accuracy", values.weights));
}

Result<Metric> MeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                const MetricOptions& options) {
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, options.weights));
  const Output error = SquaredDifference(values.labels, values.predictions);
  WEIR_TRY(graph.TakeError());
  return Mean(graph, error, Named(options, "mean_squared_error", values.weights));
}

Result<Metric> RootMeanSquaredError(Graph& graph, const Input& labels, const Input& predictions,
                                    const MetricOptions& options) {
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, options.weights));
  WEIR_ASSIGN(Metric squared,
              MeanSquaredError(graph, values.labels, values.predictions,
                               WithoutCollections(Named(options, "root_mean_squared_error", values.weights))));
  const Output value = Sqrt(squared.value), update = Sqrt(squared.update);
  return Finished(graph, {value, update}, options);
}

Result<Metric> MeanAbsoluteError(Graph& graph, const Input& labels, const Input& predictions,
                                 const MetricOptions& options) {
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, options.weights));
  const Output error = Abs(values.predictions - values.labels);
  WEIR_TRY(graph.TakeError());
  return Mean(graph, error, Named(options, "mean_absolute_error", values.weights));
}

Result<Metric> MeanRelativeError(Graph& graph, const Input& labels, const Input& predictions, const Input& normalizer,
                                 const MetricOptions& options) {
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, options.weights));
  WEIR_ASSIGN(Aligned scaled, Align(graph, normalizer, values.predictions, {}));
  const Output scale = scaled.labels;
  const Output missing = Equal(scale, 0.0f);
  const Output relative = Abs(values.labels - scaled.predictions) / scale;
  const Output error = Select(missing, ZerosOf(graph, values.labels), relative);
  WEIR_TRY(graph.TakeError());
  return Mean(graph, error, Named(options, "mean_relative_error", values.weights));
}

Result<Metric> MeanCosineDistance(Graph& graph, const Input& labels, const Input& predictions, int64_t axis,
                                  const MetricOptions& options) {
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, options.weights));
  const Output product = Mul(values.predictions, values.labels, {.name = "Mul"});
  const Output along = ReduceSum(product, Axes(axis), kKeepDims);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Metric mean,
              Mean(graph, along, WithoutCollections(Named(options, "mean_cosine_distance", values.weights))));
  const Output value = Sub(graph, 1.0f, mean.value, {.name = "Sub"});
  const Output update = Sub(graph, 1.0f, mean.update, {.name = "Sub"});
  return Finished(graph, {value, update}, options);
}

Result<Metric> PercentageBelow(Graph& graph, const Input& values, const Input& threshold,
                               const MetricOptions& options) {
  const Output below = CastValue(graph, Less(graph, values, threshold), kFloat);
  WEIR_TRY(graph.TakeError());
  MetricOptions named = options;
  if (named.name.empty()) named.name = "percentage_below_threshold";
  return Mean(graph, below, named);
}

Result<Metric> CountOf(Graph& graph, Cell cell, const Input& labels, const Input& predictions,
                       const MetricOptions& options) {
  DefaultScope scope(graph, options.name, NameOf(cell));
  WEIR_ASSIGN(Aligned values, AlignBools(graph, labels, predictions, options.weights));
  const Output held = LogicalAnd(Equal(values.labels, LabelOf(cell)), Equal(values.predictions, PredictionOf(cell)));
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(VariablePtr count, MetricVariable(graph, PartialShape::Scalar(), kFloat, "count"));
  Output counted = CastValue(graph, held, kFloat);
  WEIR_TRY(graph.TakeError());
  if (values.weights.valid()) {
    WEIR_ASSIGN(Node * fits, AssertRank(graph, Relation::kEqual, values.weights, {0, RankValue(graph, counted)},
                                        {.message = "weights must be a scalar or have the rank of the values"}));
    ControlDependencies after(graph, {fits});
    counted = counted * CastValue(graph, values.weights, kFloat);
  }
  const Output value = Identity(count->AsInput(), {.name = "Identity"});
  const Output update = count->AssignAdd(ReduceSum(counted), false, "AssignAdd");
  return Finished(graph, {value, update}, options);
}

Result<Metric> Precision(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options) {
  return FractionMetric(graph, "precision", Cell::kFalsePositives, labels, predictions, options);
}

Result<Metric> Recall(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options) {
  return FractionMetric(graph, "recall", Cell::kFalseNegatives, labels, predictions, options);
}

Result<Metric> MeanIou(Graph& graph, const Input& labels_in, const Input& predictions_in, int64_t num_classes,
                       const MetricOptions& options) {
  if (num_classes < 1 || num_classes > INT32_MAX)
    return InvalidArgument("num_classes must be positive: {}", num_classes);
  DefaultScope scope(graph, options.name, "mean_iou");
  const Output labels = ValueOf(graph, labels_in, kInvalidType, "labels");
  const Output predictions = ValueOf(graph, predictions_in, kInvalidType, "predictions");
  WEIR_TRY(graph.TakeError());
  if (!labels.shape().CompatibleWith(predictions.shape()))
    return InvalidArgument("Shapes {} and {} are incompatible", PythonText(predictions.shape()),
                           PythonText(labels.shape()));
  WEIR_ASSIGN(VariablePtr matrix, MetricVariable(graph, {num_classes, num_classes}, kDouble, "total_confusion_matrix"));
  const auto flat = [&](const Input& x, DType dtype) {
    const Output value = CastValue(graph, x, dtype);
    return value.valid() && value.shape().known_rank() && value.shape().rank() <= 1 ? value : Reshape(value, {-1});
  };
  const Output flat_predictions = flat(predictions, kInt64), flat_labels = flat(labels, kInt64);
  const Input weights = options.weights.absent() ? Input() : Input(flat(options.weights, kDouble));
  const Output current = ConfusionMatrix(graph, flat_labels, flat_predictions, num_classes, kDouble, weights);
  const Output update = matrix->AssignAdd(current, false, "AssignAdd");
  const Output total = matrix->AsInput();
  const Output rows = CastValue(graph, ReduceSum(total, 0), kFloat);
  const Output columns = CastValue(graph, ReduceSum(total, 1), kFloat);
  const Output both = CastValue(graph, DiagPart(total), kFloat);
  const Output either = rows + columns - both;
  const Output classes = ReduceSum(CastValue(graph, NotEqual(either, 0.0f), kFloat));
  const Output divisor = Select(Greater(either, 0.0f), either, OnesOf(graph, either));
  const Output any = Greater(classes, 0.0f);
  const Output sum = Sum(both / divisor, {0}, {.name = "mean_iou"});
  const Output value = Select(graph, any, sum / classes, 0.0f, {.name = "Select"});
  return Finished(graph, {value, update}, options);
}

Result<Metric> MeanPerClassAccuracy(Graph& graph, const Input& labels_in, const Input& predictions_in,
                                    int64_t num_classes, const MetricOptions& options) {
  if (num_classes < 1 || num_classes > INT32_MAX)
    return InvalidArgument("num_classes must be positive: {}", num_classes);
  DefaultScope scope(graph, options.name, "mean_accuracy");
  Output labels = CastValue(graph, labels_in, kInt64);
  Output predictions = ValueOf(graph, predictions_in, kInvalidType, "predictions");
  WEIR_TRY(graph.TakeError());
  if (!labels.shape().CompatibleWith(predictions.shape()))
    return InvalidArgument("Shapes {} and {} are incompatible", PythonText(predictions.shape()),
                           PythonText(labels.shape()));
  const auto flat = [](Output x) { return x.shape().known_rank() && x.shape().rank() <= 1 ? x : Reshape(x, {-1}); };
  labels = flat(labels);
  predictions = flat(CastValue(graph, predictions, kInt64));
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(VariablePtr total, MetricVariable(graph, {num_classes}, kFloat, "total"));
  WEIR_ASSIGN(VariablePtr count, MetricVariable(graph, {num_classes}, kFloat, "count"));
  Output ones = OnesOf(graph, labels, kFloat, "ones");
  Output correct = CastValue(graph, Equal(predictions, labels), kFloat);
  WEIR_TRY(graph.TakeError());
  if (!options.weights.absent()) {
    Output weights = CastValue(graph, options.weights, kFloat);
    WEIR_TRY(graph.TakeError());
    weights = flat(weights);
    correct = correct * weights;
    ones = ones * weights;
  }
  const auto add = [&](const VariablePtr& variable, Output values) {
    if (!variable->is_resource()) return ScatterAdd(variable->handle(), labels, values, {.name = "ScatterAdd"});
    Node* added = ResourceScatterAdd(variable->handle(), labels, values, {.name = "ScatterAdd"});
    if (added == nullptr) return Output();
    ControlDependencies after(graph, {added});
    return variable->ReadValue();
  };
  const Output new_total = add(total, ones), new_count = add(count, correct);
  const Output value =
      weir::Mean(Quotient(count->AsInput(), total->AsInput(), "div_no_nan"), {0}, {.name = "mean_accuracy"});
  const Output update = Quotient(new_count, new_total, "update_op");
  return Finished(graph, {value, update}, options);
}

}  // namespace weir::metrics
