#include "graph/compose/contrib_metrics.h"

#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/metric_parts.h"
#include "graph/graph_keys.h"

namespace weir::metrics {
namespace {

// Labels, predictions and weights as floats of one shape. Weights are invalid if there are none.
Result<Aligned> AlignedFloats(Graph& graph, const Input& labels, const Input& predictions, const Input& weights) {
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, weights));
  values.labels = CastValue(graph, values.labels, kFloat);
  values.predictions = CastValue(graph, values.predictions, kFloat);
  WEIR_TRY(graph.TakeError());
  if (values.weights.valid()) {
    WEIR_ASSIGN(values.weights, BroadcastWeights(graph, values.weights, values.labels));
  }
  return values;
}

// One update of a running mean: the mean of the batch, the change that the batch causes, and the updated mean.
struct MovedMean {
  Output batch;
  Output delta;
  Output update;
};
Result<MovedMean> MoveMean(Graph& graph, const char* name, Output weighted, Output batch_count, Output update_count) {
  WEIR_ASSIGN(VariablePtr mean, MetricVariable(graph, PartialShape::Scalar(), kFloat, name));
  MovedMean moved;
  moved.batch = DivNoNan(ReduceSum(weighted), batch_count);
  moved.delta = DivNoNan((moved.batch - mean->AsInput()) * batch_count, update_count);
  moved.update = mean->AssignAdd(moved.delta, false, "AssignAdd");
  WEIR_TRY(graph.TakeError());
  return moved;
}

// comoment / (count - 1), or NaN for less than two values.
Output UnbiasedCovariance(Graph& graph, Output comoment, Output count, const char* name) {
  const Output few = LessEqual(count, 1.0f);
  return Select(graph, few, std::numeric_limits<float>::quiet_NaN(), comoment / (count - 1.0f), {.name = name});
}

struct RateRow {
  const char* name;
  Cell part;
  Cell rest;
};

Result<Metric> RateOf(Graph& graph, const RateRow& row, const Input& labels, const Input& predictions,
                      const MetricOptions& options) {
  DefaultScope scope(graph, options.name, row.name);
  const Output wanted = CastValue(graph, labels, kBool), given = CastValue(graph, predictions, kBool);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Aligned values, Align(graph, wanted, given, options.weights));
  const MetricOptions inner{.weights = values.weights.valid() ? Input(values.weights) : Input()};
  WEIR_ASSIGN(Metric part, CountOf(graph, row.part, values.labels, values.predictions, inner));
  WEIR_ASSIGN(Metric rest, CountOf(graph, row.rest, values.labels, values.predictions, inner));
  const auto rate = [&](Output a, Output b, const char* name) {
    return Select(graph, Greater(a + b, 0.0f), a / (a + b), 0.0f, {.name = name});
  };
  return Finished(graph, {rate(part.value, rest.value, "value"), rate(part.update, rest.update, "update_op")}, options);
}

// Cohen's kappa from the agreements per class (`po`) and the row and column sums of the confusion matrix.
Output KappaOf(Output po, Output pe_row, Output pe_col, const char* name) {
  const Output total = Cast(ReduceSum(pe_row), kDouble);
  const Output expected = ReduceSum(DivNoNan(Cast(pe_row * pe_col, kDouble), total));
  const Output agreed = Cast(ReduceSum(po), kDouble);
  return DivNoNan(agreed - expected, total - expected, {.name = name});
}

}  // namespace

Result<Metric> Count(Graph& graph, const Input& values_in, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "count");
  WEIR_ASSIGN(VariablePtr count, MetricVariable(graph, PartialShape::Scalar(), kFloat, "count"));
  Output values = ValueOf(graph, values_in, kInvalidType, "values");
  WEIR_TRY(graph.TakeError());
  Output number;
  if (options.weights.absent()) {
    number = Cast(SizeValue(graph, values), kFloat);
  } else {
    values = CastValue(graph, values, kFloat);
    WEIR_TRY(graph.TakeError());
    WEIR_ASSIGN(Aligned aligned, Align(graph, {}, values, options.weights));
    WEIR_ASSIGN(Output weights, BroadcastWeights(graph, aligned.weights, aligned.predictions));
    number = ReduceSum(weights);
  }
  WEIR_TRY(graph.TakeError());
  Output update;
  {
    ControlDependencies after(graph, {values.node});
    update = count->AssignAdd(number, false, "AssignAdd");
  }
  return Finished(graph, {Identity(count->AsInput()), update}, options);
}

Result<Metric> Covariance(Graph& graph, const Input& labels, const Input& predictions, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "covariance");
  WEIR_ASSIGN(Aligned values, AlignedFloats(graph, labels, predictions, options.weights));
  WEIR_ASSIGN(VariablePtr count, MetricVariable(graph, PartialShape::Scalar(), kFloat, "count"));
  const Output w = values.weights;
  const auto weighted = [&](Output x) { return w.valid() ? x * w : x; };
  const Output batch_count = w.valid() ? ReduceSum(w) : Cast(SizeValue(graph, values.labels), kFloat);
  const Output update_count = count->AssignAdd(batch_count, false, "AssignAdd");
  const Output previous_count = update_count - batch_count;
  WEIR_ASSIGN(MovedMean p, MoveMean(graph, "mean_prediction", weighted(values.predictions), batch_count, update_count));
  WEIR_ASSIGN(MovedMean l, MoveMean(graph, "mean_label", weighted(values.labels), batch_count, update_count));
  WEIR_ASSIGN(VariablePtr comoment, MetricVariable(graph, PartialShape::Scalar(), kFloat, "comoment"));
  // Merges the comoment of the batch with that of the values before.
  const Output batch_comoment = ReduceSum(weighted((values.predictions - p.batch) * (values.labels - l.batch)));
  const Output apart = (p.update - p.delta - p.batch) * (l.update - l.delta - l.batch);
  const Output delta = batch_comoment + apart * (previous_count * batch_count / update_count);
  const Output update_comoment = comoment->AssignAdd(delta, false, "AssignAdd");
  WEIR_TRY(graph.TakeError());
  const Output value = UnbiasedCovariance(graph, comoment->AsInput(), count->AsInput(), "covariance");
  const Output update = UnbiasedCovariance(graph, update_comoment, update_count, "update_op");
  return Finished(graph, {value, update}, options);
}

Result<Metric> PearsonCorrelation(Graph& graph, const Input& labels, const Input& predictions,
                                  const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "pearson_r");
  WEIR_ASSIGN(Aligned values, AlignedFloats(graph, labels, predictions, options.weights));
  const Output p = values.predictions, l = values.labels;
  const auto part = [&](Output x, Output y, const char* name) {
    return Covariance(graph, x, y, {.weights = values.weights.valid() ? Input(values.weights) : Input(), .name = name});
  };
  WEIR_ASSIGN(Metric both, part(l, p, "covariance"));
  WEIR_ASSIGN(Metric of_predictions, part(p, p, "variance_predictions"));
  WEIR_ASSIGN(Metric of_labels, part(l, l, "variance_labels"));
  const auto correlation = [](Output cov, Output x, Output y, const char* name) {
    return RealDiv(cov, Sqrt(x) * Sqrt(y), {.name = name});
  };
  return Finished(graph,
                  {correlation(both.value, of_predictions.value, of_labels.value, "pearson_r"),
                   correlation(both.update, of_predictions.update, of_labels.update, "update_op")},
                  options);
}

Result<Metric> ConcatAll(Graph& graph, const Input& values_in, int64_t axis, std::optional<int64_t> max_size,
                         const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "streaming_concat");
  const Output values = ValueOf(graph, values_in, kInvalidType, "values");
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = values.shape();
  if (!shape.known_rank()) return InvalidArgument("`values` must have known statically known rank");
  const int rank = shape.rank();
  if (axis < -rank || axis >= rank) return InvalidArgument("axis = {} not in [0, {})", axis, rank);
  if (axis < 0) axis += rank;
  // The variable has the concatenated axis first.
  PartialShape held{0}, row = PartialShape{kUnknownDim};
  std::vector<int64_t> to_first = {axis}, back;
  for (int i = 0; i < rank; ++i) {
    if (i == axis) continue;
    if (shape[i] < 0)
      return InvalidArgument(
          "all dimensions of `values` other than the dimension to concatenate along must have "
          "statically known size");
    held.AddDim(shape[i]);
    row.AddDim(shape[i]);
    to_first.push_back(i);
  }
  for (int i = 0; i < rank; ++i) back.push_back(i == axis ? 0 : i < axis ? i + 1 : i);
  VariableOptions settings;
  settings.name = "array";
  settings.dtype = values.base_dtype();
  settings.trainable = false;
  settings.validate_shape = false;
  settings.collections = {graph_keys::kLocalVariables, graph_keys::kMetricVariables};
  WEIR_ASSIGN(Tensor empty, Tensor::Zeros(values.base_dtype(), held.ToShape()));
  WEIR_ASSIGN(VariablePtr array, Variable::Make(graph, empty, settings));
  WEIR_ASSIGN(VariablePtr size, MetricVariable(graph, PartialShape::Scalar(), kInt32, "size"));
  const Output before = array->AsInput();
  WEIR_TRY(graph.SetShape(before, row));
  const Output value = Transpose(before, back, {.name = "concat"});
  Output batch = Transpose(values, to_first);
  if (max_size) {
    const Output room = Sub(graph, static_cast<int32_t>(*max_size), size->AsInput());
    const Output rows = StridedSlice(ShapeOf(batch), {0}, {1}, {1}, {.shrink_axis_mask = 1});
    batch = StridedSlice(graph, batch, {0}, Pack(graph, {Minimum(rows, room)}), {1}, {.begin_mask = 1});
  }
  const Output joined = ConcatV2(graph, {before, batch}, 0);
  WEIR_TRY(graph.TakeError());
  const Output assigned = array->Assign(joined, false, /*validate_shape=*/false);
  WEIR_TRY(graph.TakeError());
  Output update;
  {
    ControlDependencies after(graph, {assigned.node});
    update = size->Assign(StridedSlice(ShapeOf(joined), {0}, {1}, {1}, {.shrink_axis_mask = 1}));
  }
  return Finished(graph, {value, update}, options);
}

Result<Metric> CohenKappa(Graph& graph, const Input& labels_in, const Input& predictions_idx, int64_t num_classes,
                          const MetricOptions& options) {
  if (num_classes < 2) return InvalidArgument("`num_classes` must be >= 2.Found: {}", num_classes);
  DefaultScope scope(graph, options.name, "cohen_kappa");
  Output labels = ValueOf(graph, labels_in, kInvalidType, "labels");
  WEIR_TRY(graph.TakeError());
  if (labels.shape().rank() > 2)
    return InvalidArgument("the labels have {} dimensions, not 1 or 2", labels.shape().rank());
  if (labels.shape().rank() == 2) labels = Squeeze(labels, {.squeeze_dims = {-1}});
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions_idx, options.weights));
  const bool whole = !values.weights.valid() || IsInteger(values.weights.base_dtype());
  const DType dtype = whole ? kInt64 : kFloat;
  const auto variable = [&](const char* name) { return MetricVariable(graph, PartialShape{num_classes}, dtype, name); };
  WEIR_ASSIGN(VariablePtr po, variable("po"));
  WEIR_ASSIGN(VariablePtr pe_row, variable("pe_row"));
  WEIR_ASSIGN(VariablePtr pe_col, variable("pe_col"));
  const Output table = ConfusionMatrix(graph, values.labels, values.predictions, num_classes, dtype,
                                       values.weights.valid() ? Input(values.weights) : Input(), "counts_in_table");
  const Output update_po = po->AssignAdd(DiagPart(table), false, "AssignAdd");
  const Output update_row = pe_row->AssignAdd(ReduceSum(table, 0), false, "AssignAdd");
  const Output update_col = pe_col->AssignAdd(ReduceSum(table, 1), false, "AssignAdd");
  WEIR_TRY(graph.TakeError());
  return Finished(graph,
                  {KappaOf(po->AsInput(), pe_row->AsInput(), pe_col->AsInput(), "value"),
                   KappaOf(update_po, update_row, update_col, "update_op")},
                  options);
}

Result<Metric> FalsePositiveRate(Graph& graph, const Input& labels, const Input& predictions,
                                 const MetricOptions& options) {
  return RateOf(graph, {"false_positive_rate", Cell::kFalsePositives, Cell::kTrueNegatives}, labels, predictions,
                options);
}
Result<Metric> FalseNegativeRate(Graph& graph, const Input& labels, const Input& predictions,
                                 const MetricOptions& options) {
  return RateOf(graph, {"false_negative_rate", Cell::kFalseNegatives, Cell::kTruePositives}, labels, predictions,
                options);
}

}  // namespace weir::metrics
