// Metrics of predictions in [0, 1] at several thresholds: confusion matrix counts per threshold, and curves over them.
#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/contrib_metrics.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/flow.h"
#include "graph/compose/math.h"
#include "graph/compose/metric_parts.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir::metrics {
namespace {

// Keeps predictions of exactly 0 and 1 inside of the outer thresholds, and avoids division by zero.
constexpr float kMargin = 1e-7f;

// Counts per threshold. Counts that were not requested are invalid.
struct Counts {
  Output tp, fn, tn, fp;
};
struct CountsBeforeAndAfter {
  Counts value;
  Counts update;
};

struct CellRow {
  Cell cell;
  const char* name;
  bool label;
  bool prediction;
  Output Counts::*member;
};
constexpr CellRow kCells[] = {{Cell::kTruePositives, "true_positives", true, true, &Counts::tp},
                              {Cell::kFalseNegatives, "false_negatives", true, false, &Counts::fn},
                              {Cell::kTrueNegatives, "true_negatives", false, false, &Counts::tn},
                              {Cell::kFalsePositives, "false_positives", false, true, &Counts::fp}};

Result<CountsBeforeAndAfter> CountAll(Graph& graph, const std::vector<Cell>& cells, const Input& labels_in,
                                      const Input& predictions_in, const std::vector<float>& thresholds,
                                      const Input& weights_in) {
  if (thresholds.empty()) return InvalidArgument("there are no thresholds");
  Output predictions = CastValue(graph, predictions_in, kFloat);
  const Output labels = CastValue(graph, labels_in, kBool);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Node * low, AssertRelation(graph, Relation::kGreaterEqual, predictions, 0.0f,
                                         {.message = "predictions must be in [0, 1]"}));
  WEIR_ASSIGN(Node * high, AssertRelation(graph, Relation::kLessEqual, predictions, 1.0f,
                                          {.message = "predictions must be in [0, 1]"}));
  std::vector<Node*> checks;
  for (Node* check : {low, high})
    if (check != nullptr) checks.push_back(check);
  if (!checks.empty()) predictions = WithDependencies(checks, predictions);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Aligned values, Align(graph, labels, predictions, weights_in));
  const auto count = static_cast<int64_t>(thresholds.size());
  Tensor column = Tensor::Zeros(kFloat, {count, 1}).value();
  std::copy(thresholds.begin(), thresholds.end(), column.data<float>());
  // Compare [thresholds, 1] with [1, values].
  const Output positive = Greater(Reshape(values.predictions, {1, -1}), Constant(graph, column));
  const Output negative = LogicalNot(positive);
  const Output is_true = Reshape(values.labels, {1, -1});
  const Output is_false = LogicalNot(is_true);
  Output weights;
  if (values.weights.valid()) {
    WEIR_ASSIGN(weights, BroadcastWeights(graph, values.weights, values.predictions));
    weights = Reshape(weights, {1, -1});
  }
  WEIR_TRY(graph.TakeError());
  CountsBeforeAndAfter counts;
  for (const CellRow& row : kCells) {
    if (std::find(cells.begin(), cells.end(), row.cell) == cells.end()) continue;
    WEIR_ASSIGN(VariablePtr variable, MetricVariable(graph, {count}, kFloat, row.name));
    Output held =
        CastValue(graph, LogicalAnd(row.label ? is_true : is_false, row.prediction ? positive : negative), kFloat);
    if (weights.valid()) held = held * weights;
    counts.value.*row.member = variable->AsInput();
    counts.update.*row.member = variable->AssignAdd(ReduceSum(held, 1), false, "AssignAdd");
    WEIR_TRY(graph.TakeError());
  }
  return counts;
}

std::vector<Cell> AllCells() {
  return {Cell::kTruePositives, Cell::kFalseNegatives, Cell::kTrueNegatives, Cell::kFalsePositives};
}

// Evenly spaced from 0 to 1, with 0 moved down by kMargin and 1 moved up by end_margin.
Result<std::vector<float>> EvenThresholds(int64_t count, float end_margin) {
  if (count < 2 || count > (1 << 24)) return InvalidArgument("num_thresholds must be at least 2: {}", count);
  std::vector<float> thresholds = {0.0f - kMargin};
  for (int64_t i = 1; i < count - 1; ++i)
    thresholds.push_back(static_cast<float>(static_cast<double>(i) / static_cast<double>(count - 1)));
  thresholds.push_back(static_cast<float>(1.0 + end_margin));
  return thresholds;
}

// All but the last threshold, and all but the first.
Output Head(Output x) { return StridedSlice(x, {0}, {-1}, {1}, {.begin_mask = 1}); }
Output Tail(Output x) { return StridedSlice(x, {1}, {0}, {1}, {.end_mask = 1}); }

// Interpolates true positives linearly in the number of positives between thresholds; linear interpolation of precision
// would be wrong.
Output InterpolatedPrArea(Graph& graph, const Counts& c) {
  const Output gained = Head(c.tp) - Tail(c.tp);
  const Output positives = c.tp + c.fp;
  const Output slope = Quotient(gained, Head(positives) - Tail(positives), "prec_slope");
  const Output intercept = Tail(c.tp) - slope * Tail(positives);
  const Output both = LogicalAnd(Greater(Head(positives), 0.0f), Greater(Tail(positives), 0.0f));
  const Output growth =
      Select(both, Quotient(Head(positives), Tail(positives), "recall_relative_ratio"), OnesOf(graph, Tail(positives)));
  const Output increment =
      Quotient(slope * (gained + intercept * Log(growth)), Tail(c.tp) + Tail(c.fn), "pr_auc_increment");
  return Sum(increment, {0}, {.name = "interpolate_pr_auc"});
}

Output Area(Graph& graph, const Counts& c, const AreaOptions& area, const char* name) {
  constexpr float kEpsilon = 1e-6f;
  if (area.curve == Curve::kPrecisionRecall && area.summation == Summation::kCarefulInterpolation)
    return InterpolatedPrArea(graph, c);
  const Output recall = (c.tp + kEpsilon) / (c.tp + c.fn + kEpsilon);
  const bool roc = area.curve == Curve::kRoc;
  const Output x = roc ? c.fp / (c.fp + c.tn + kEpsilon) : recall;
  const Output y = roc ? recall : (c.tp + kEpsilon) / (c.tp + c.fp + kEpsilon);
  const Output width = Head(x) - Tail(x);
  Output height;
  switch (area.summation) {
    case Summation::kMinoring:
      height = Minimum(Head(y), Tail(y));
      break;
    case Summation::kMajoring:
      height = Maximum(Head(y), Tail(y));
      break;
    default:
      height = (Head(y) + Tail(y)) / 2.0f;
  }
  return Sum(width * height, {0}, {.name = name});
}

// a[i] / (a[i] + b[i]).
Output FractionAt(Output a, Output b, Output index, const char* name) {
  const Output part = GatherV2(a, index, 0), rest = GatherV2(b, index, 0);
  return RealDiv(part, part + rest + kMargin, {.name = name});
}

}  // namespace

Result<Metric> CountAtThresholds(Graph& graph, Cell cell, const Input& labels, const Input& predictions,
                                 const std::vector<float>& thresholds, const MetricOptions& options) {
  const CellRow& row =
      *std::find_if(std::begin(kCells), std::end(kCells), [&](const CellRow& r) { return r.cell == cell; });
  DefaultScope scope(graph, options.name, row.name);
  WEIR_ASSIGN(CountsBeforeAndAfter counts, CountAll(graph, {cell}, labels, predictions, thresholds, options.weights));
  const Output value = Identity(counts.value.*row.member, {.name = "Identity"});
  return Finished(graph, {value, counts.update.*row.member}, options);
}

Result<Metric> PrecisionAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                     const std::vector<float>& thresholds, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "precision_at_thresholds");
  WEIR_ASSIGN(CountsBeforeAndAfter counts, CountAll(graph, {Cell::kTruePositives, Cell::kFalsePositives}, labels,
                                                    predictions, thresholds, options.weights));
  const auto precision = [](const Counts& c, const char* name) {
    return RealDiv(c.tp, kMargin + c.tp + c.fp, {.name = name});
  };
  return Finished(graph, {precision(counts.value, "precision_value"), precision(counts.update, "precision_update_op")},
                  options);
}

Result<Metric> RecallAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                  const std::vector<float>& thresholds, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "recall_at_thresholds");
  WEIR_ASSIGN(CountsBeforeAndAfter counts, CountAll(graph, {Cell::kTruePositives, Cell::kFalseNegatives}, labels,
                                                    predictions, thresholds, options.weights));
  const auto recall = [](const Counts& c, const char* name) {
    return RealDiv(c.tp, kMargin + c.tp + c.fn, {.name = name});
  };
  return Finished(graph, {recall(counts.value, "recall_value"), recall(counts.update, "recall_update_op")}, options);
}

Result<Metric> Auc(Graph& graph, const Input& labels, const Input& predictions, const AreaOptions& area,
                   const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "auc");
  std::vector<float> thresholds;
  if (area.thresholds.has_value()) {
    thresholds = *area.thresholds;
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.insert(thresholds.begin(), 0.0f - kMargin);
    thresholds.push_back(static_cast<float>(1.0 + kMargin));
  } else {
    WEIR_ASSIGN(thresholds, EvenThresholds(area.num_thresholds, kMargin));
  }
  WEIR_ASSIGN(CountsBeforeAndAfter counts,
              CountAll(graph, AllCells(), labels, predictions, thresholds, options.weights));
  const Output value = Area(graph, counts.value, area, "value");
  const Output update = Area(graph, counts.update, area, "update_op");
  return Finished(graph, {value, update}, options);
}

Result<Metric> SensitivityAtSpecificity(Graph& graph, const Input& labels, const Input& predictions, double specificity,
                                        int64_t num_thresholds, const MetricOptions& options) {
  if (!(specificity >= 0 && specificity <= 1)) return InvalidArgument("`specificity` must be in the range [0, 1].");
  DefaultScope scope(graph, options.name, "sensitivity_at_specificity");
  WEIR_ASSIGN(std::vector<float> thresholds, EvenThresholds(num_thresholds, kMargin));
  WEIR_ASSIGN(CountsBeforeAndAfter counts,
              CountAll(graph, AllCells(), labels, predictions, thresholds, options.weights));
  // Use the first threshold with the closest specificity.
  const auto sensitivity = [&](const Counts& c, const char* name) {
    const Output distance = Abs(c.tn / (c.tn + c.fp + kMargin) - static_cast<float>(specificity));
    return FractionAt(c.tp, c.fn, ArgMin(distance, 0), name);
  };
  return Finished(graph, {sensitivity(counts.value, "value"), sensitivity(counts.update, "update_op")}, options);
}

Result<Metric> SpecificityAtSensitivity(Graph& graph, const Input& labels, const Input& predictions, double sensitivity,
                                        int64_t num_thresholds, const MetricOptions& options) {
  if (!(sensitivity >= 0 && sensitivity <= 1)) return InvalidArgument("`sensitivity` must be in the range [0, 1].");
  DefaultScope scope(graph, options.name, "specificity_at_sensitivity");
  WEIR_ASSIGN(std::vector<float> thresholds, EvenThresholds(num_thresholds, -kMargin));
  WEIR_ASSIGN(CountsBeforeAndAfter counts,
              CountAll(graph, AllCells(), labels, predictions, thresholds, options.weights));
  // Use the last threshold with the closest sensitivity: the cumulative count of closest thresholds reaches its maximum
  // there.
  const auto specificity = [&](const Counts& c, const char* name) {
    const Output distance = Abs(c.tp / (c.tp + c.fn + kMargin) - static_cast<float>(sensitivity));
    const Output nearest = CastValue(graph, Equal(distance, ReduceMin(distance)), kInt64);
    return FractionAt(c.tn, c.fp, ArgMax(Cumsum(nearest, 0), 0), name);
  };
  return Finished(graph, {specificity(counts.value, "value"), specificity(counts.update, "update_op")}, options);
}

Result<Metric> FalsePositiveRateAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                             const std::vector<float>& thresholds, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "false_positive_rate_at_thresholds");
  WEIR_ASSIGN(CountsBeforeAndAfter counts, CountAll(graph, {Cell::kTrueNegatives, Cell::kFalsePositives}, labels,
                                                    predictions, thresholds, options.weights));
  const auto rate = [](const Counts& c, const char* name) {
    return RealDiv(c.fp, kMargin + c.fp + c.tn, {.name = name});
  };
  return Finished(graph, {rate(counts.value, "fpr_value"), rate(counts.update, "fpr_update_op")}, options);
}

Result<Metric> FalseNegativeRateAtThresholds(Graph& graph, const Input& labels, const Input& predictions,
                                             const std::vector<float>& thresholds, const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "false_negative_rate_at_thresholds");
  WEIR_ASSIGN(CountsBeforeAndAfter counts, CountAll(graph, {Cell::kTruePositives, Cell::kFalseNegatives}, labels,
                                                    predictions, thresholds, options.weights));
  const auto rate = [](const Counts& c, const char* name) {
    return RealDiv(c.fn, kMargin + c.fn + c.tp, {.name = name});
  };
  return Finished(graph, {rate(counts.value, "fnr_value"), rate(counts.update, "fnr_update_op")}, options);
}

Result<Metric> F1Score(Graph& graph, const Input& labels, const Input& predictions, int64_t num_thresholds,
                       const MetricOptions& options) {
  DefaultScope scope(graph, options.name, "f1");
  WEIR_ASSIGN(std::vector<float> thresholds, EvenThresholds(num_thresholds, kMargin));
  WEIR_ASSIGN(CountsBeforeAndAfter counts,
              CountAll(graph, {Cell::kTruePositives, Cell::kFalsePositives, Cell::kFalseNegatives}, labels, predictions,
                       thresholds, options.weights));
  const auto best = [](const Counts& c, const std::string& name) {
    const Output precision = RealDiv(c.tp, kMargin + c.tp + c.fp, {.name = "precision_" + name});
    const Output recall = RealDiv(c.tp, kMargin + c.tp + c.fn, {.name = "recall_" + name});
    return ReduceMax(2.0f * precision * recall / (precision + recall + kMargin));
  };
  return Finished(graph, {best(counts.value, "value"), best(counts.update, "update")}, options);
}

Result<CurvePoints> PointsOfCurve(Graph& graph, const Input& labels, const Input& predictions, int64_t num_thresholds,
                                  Curve curve, const MetricOptions& options) {
  constexpr float kEpsilon = 1e-6f;
  DefaultScope scope(graph, options.name, "curve_points");
  WEIR_ASSIGN(std::vector<float> thresholds, EvenThresholds(num_thresholds, kMargin));
  WEIR_ASSIGN(CountsBeforeAndAfter counts,
              CountAll(graph, AllCells(), labels, predictions, thresholds, options.weights));
  const Counts& c = counts.value;
  const Output recall = (c.tp + kEpsilon) / (c.tp + c.fn + kEpsilon);
  const Output points = curve == Curve::kRoc
                            ? Pack(graph, {c.fp / (c.fp + c.tn + kEpsilon), recall}, {.axis = 1})
                            : Pack(graph, {recall, (c.tp + kEpsilon) / (c.tp + c.fp + kEpsilon)}, {.axis = 1});
  WEIR_TRY(graph.TakeError());
  const Counts& u = counts.update;
  CurvePoints made{points, Group(graph, {u.tp.node, u.fn.node, u.tn.node, u.fp.node})};
  WEIR_TRY(graph.TakeError());
  for (const std::string& key : options.metrics_collections) graph.collections().Add(key, made.points);
  for (const std::string& key : options.updates_collections) graph.collections().Add(key, made.update);
  return made;
}

Result<Metric> RecallAtPrecision(Graph& graph, const Input& labels, const Input& predictions, double precision,
                                 int64_t num_thresholds, bool strict_mode, const MetricOptions& options) {
  if (!(precision >= 0 && precision <= 1)) return InvalidArgument("`precision` must be in the range [0, 1].");
  DefaultScope scope(graph, options.name, "recall_at_precision");
  WEIR_ASSIGN(std::vector<float> thresholds, EvenThresholds(num_thresholds, kMargin));
  WEIR_ASSIGN(CountsBeforeAndAfter counts,
              CountAll(graph, AllCells(), labels, predictions, thresholds, options.weights));
  const auto wanted = static_cast<float>(precision);
  const auto recall = [&](const Counts& c, const char* name) {
    const Output precisions = c.tp / (c.tp + c.fp + kMargin);
    if (!strict_mode) return FractionAt(c.tp, c.fn, ArgMin(Abs(precisions - wanted), 0), name);
    // The smallest non-negative difference has the largest reciprocal.
    const Output index = ArgMax(1.0f / (precisions - wanted + kMargin), 0);
    const Output reached = GreaterEqual(GatherV2(precisions, index, 0), wanted);
    return Select(graph, reached, FractionAt(c.tp, c.fn, index, name), 0.0f);
  };
  return Finished(graph, {recall(counts.value, "value"), recall(counts.update, "update_op")}, options);
}

Result<Metric> PrecisionAtRecall(Graph& graph, const Input& labels, const Input& predictions, double target_recall,
                                 int64_t num_thresholds, const MetricOptions& options) {
  if (!(target_recall >= 0 && target_recall <= 1))
    return InvalidArgument("`target_recall` must be in the range [0, 1].");
  DefaultScope scope(graph, options.name, "precision_at_recall");
  WEIR_ASSIGN(std::vector<float> thresholds, EvenThresholds(num_thresholds, kMargin));
  WEIR_ASSIGN(CountsBeforeAndAfter counts,
              CountAll(graph, AllCells(), labels, predictions, thresholds, options.weights));
  // Recall decreases with the threshold, so the number of thresholds that reach the target gives the last of them.
  const auto precision = [&](const Counts& c, const char* name) {
    const Output recalls = c.tp / (c.tp + c.fn + kMargin);
    const Output reached = CastValue(graph, GreaterEqual(recalls, static_cast<float>(target_recall)), kInt64);
    // While there are no samples, no threshold reaches the target: the index -1 then stands for the last threshold.
    const Output index = FloorMod(ReduceSum(reached) - 1, num_thresholds);
    const Output tp = GatherV2(c.tp, index, 0), fp = GatherV2(c.fp, index, 0);
    return RealDiv(tp + kMargin, tp + fp + kMargin, {.name = name});
  };
  return Finished(graph, {precision(counts.value, "value"), precision(counts.update, "update_op")}, options);
}

}  // namespace weir::metrics
