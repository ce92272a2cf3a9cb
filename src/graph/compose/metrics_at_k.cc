// Metrics of the k most likely classes. The labels and predictions of a row are sets of classes; metrics count the
// sizes of their intersections and differences.
#include "absl/strings/str_cat.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/math.h"
#include "graph/compose/metric_parts.h"
#include "graph/compose/metrics.h"
#include "graph/compose/names.h"

namespace weir::metrics {
namespace {

// "precision_at_5", "precision_at_5_class2", or "precision_at_k" without k.
std::string NameAt(const char* name, std::optional<int64_t> k, std::optional<int64_t> class_id) {
  std::string text = k ? absl::StrCat(name, "_at_", *k) : absl::StrCat(name, "_at_k");
  if (class_id) absl::StrAppend(&text, "_class", *class_id);
  return text;
}

// Class ids as int64: a dense tensor whose last dimension is the set, or a sparse tensor.
using Classes = std::variant<Output, Sparse>;
SetOperand OperandOf(const Classes& classes) {
  if (const Output* dense = std::get_if<Output>(&classes)) return Input(*dense);
  return std::get<Sparse>(classes);
}

Result<Classes> ClassesOf(Graph& graph, const SetOperand& labels) {
  Classes classes;
  const auto check = [](Output values) {
    if (!values.valid() || IsInteger(values.base_dtype())) return OkStatus();
    return MarkTypeError(InvalidArgument("Types don't match, <dtype: 'int64'> vs <dtype: '{}'>: labels are class ids",
                                         values.base_dtype()));
  };
  if (const Input* dense = std::get_if<Input>(&labels)) {
    const Output values = ValueOf(graph, *dense, kInvalidType, "labels");
    WEIR_TRY(check(values));
    classes = CastValue(graph, values, kInt64);
  } else {
    Sparse sparse = std::get<Sparse>(labels);
    WEIR_TRY(check(sparse.values));
    sparse.values = CastValue(graph, sparse.values, kInt64);
    classes = sparse;
  }
  WEIR_TRY(graph.TakeError());
  return classes;
}

Sparse SparseOf(const OutputList& parts) { return {parts[0], parts[1], parts[2]}; }

// Adds the label dimension, which may be missing if there is one label per row.
Result<Classes> WithLabelDim(Graph& graph, const Classes& labels, Output predictions) {
  NameScope scope(graph, "expand_labels");
  const PartialShape wanted = predictions.shape();
  if (const Sparse* sparse = std::get_if<Sparse>(&labels)) {
    const BranchFn as_they_are = [s = *sparse]() -> Result<OutputList> {
      return OutputList{Identity(s.indices), Identity(s.values), Identity(s.dense_shape)};
    };
    const BranchFn expanded = [s = *sparse]() -> Result<OutputList> {
      const Sparse more = SparseExpandDims(s, -1);
      return OutputList{more.indices, Identity(more.values), more.dense_shape};
    };
    const PartialShape given = sparse->dense_shape.shape();
    if (given.known_rank() && given[0] >= 0 && wanted.known_rank()) {
      if (given[0] == wanted.rank()) return labels;
      WEIR_ASSIGN(const OutputList parts, expanded());
      WEIR_TRY(graph.TakeError());
      return Classes(SparseOf(parts));
    }
    const Output lacks = Equal(RankValue(graph, predictions), SizeValue(graph, sparse->dense_shape) + 1);
    WEIR_ASSIGN(const OutputList parts, Cond(graph, lacks, expanded, as_they_are));
    return Classes(SparseOf(parts));
  }
  const Output dense = std::get<Output>(labels);
  if (dense.shape().known_rank() && wanted.known_rank()) {
    if (dense.shape().rank() == wanted.rank()) return labels;
    if (dense.shape().rank() + 1 != wanted.rank())
      return InvalidArgument("Unexpected labels shape {} for predictions shape {}", dense.shape(), wanted);
    const Output column = ExpandDims(dense, -1);
    WEIR_TRY(graph.TakeError());
    return Classes(column);
  }
  const Output lacks = Equal(RankValue(graph, predictions), RankValue(graph, dense) + 1);
  WEIR_ASSIGN(const OutputList parts,
              Cond(
                  graph, lacks, [&]() -> Result<OutputList> { return OutputList{ExpandDims(dense, -1)}; },
                  [&]() -> Result<OutputList> { return OutputList{Identity(dense)}; }));
  return Classes(parts[0]);
}

// Restricts each set to one class.
Classes OnlyClass(Graph& graph, const Classes& classes, int64_t class_id) {
  Output shape;  // shape of the sets, with a last dimension of 1
  if (const Output* dense = std::get_if<Output>(&classes)) {
    shape = CastValue(graph, ShapeValue(graph, *dense), kInt64);
  } else {
    shape = std::get<Sparse>(classes).dense_shape;
  }
  const Output groups = StridedSlice(shape, {0}, {-1}, {1}, {.begin_mask = 1});
  const Output filled =
      Fill(Concat(graph, {groups, Tensor::Vector<int64_t>({1})}, 0), Tensor::Scalar<int64_t>(class_id));
  return SetOperationOf(graph, SetOperationKind::kIntersection, Input(filled), OperandOf(classes));
}

// A weighted count per row: the size of a set operation on predictions and labels.
struct Counted {
  SetOperationKind kind;  // a: predictions, b: labels
  const char* variable;
  const char* scope;
};
constexpr Counted kTruePositive = {SetOperationKind::kIntersection, "true_positive", "true_positives"};
constexpr Counted kFalsePositive = {SetOperationKind::kAMinusB, "false_positive", "false_positives"};
constexpr Counted kFalseNegative = {SetOperationKind::kBMinusA, "false_negative", "false_negatives"};

Result<Output> CountPerRow(Graph& graph, const Counted& counted, const Classes& labels, Output predictions,
                           std::optional<int64_t> class_id, const Input& weights_in) {
  NameScope scope(graph, counted.scope);
  Classes wanted = labels, given = predictions;
  if (class_id) {
    wanted = OnlyClass(graph, labels, *class_id);
    given = OnlyClass(graph, predictions, *class_id);
  }
  Output count = Cast(SetSize(SetOperationOf(graph, counted.kind, OperandOf(given), OperandOf(wanted))), kDouble);
  WEIR_TRY(graph.TakeError());
  PartialShape rows = predictions.shape();
  if (rows.known_rank()) {
    rows.RemoveDim(rows.rank() - 1);
    WEIR_TRY(graph.SetShape(count, rows));
  }
  if (weights_in.absent()) return count;
  const Output weights = ValueOf(graph, weights_in, kInvalidType, "weights");
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const Output broadcast, BroadcastWeights(graph, weights, count, kDouble));
  count = Mul(count, broadcast);
  WEIR_TRY(graph.TakeError());
  return count;
}

struct Streamed {
  Output value;
  Output update;
};
// Accumulates `batch` in a variable named after the current scope.
Result<Streamed> AccumulateInVariable(Graph& graph, const std::string& scope, Output batch) {
  WEIR_ASSIGN(const VariablePtr variable,
              MetricVariable(graph, PartialShape::Scalar(), kDouble, (scope + "/").c_str()));
  const Output update = variable->AssignAdd(batch, false, "update");
  WEIR_TRY(graph.TakeError());
  return Streamed{variable->AsInput(), update};
}

struct AtTopK {
  Classes labels;
  Output predictions;
  std::optional<int64_t> k;
  std::optional<int64_t> class_id;
};
Result<Streamed> StreamedCount(Graph& graph, const Counted& counted, const AtTopK& at, const Input& weights) {
  NameScope scope(graph, NameAt(counted.variable, at.k, at.class_id));
  WEIR_ASSIGN(const Output rows, CountPerRow(graph, counted, at.labels, at.predictions, at.class_id, weights));
  return AccumulateInVariable(graph, scope.name(), ReduceSum(rows));
}

// True positives / (true positives + `other`), built in the open scope `scope`.
Result<Metric> FractionAtTopK(Graph& graph, const std::string& scope, const Counted& other, const SetOperand& labels,
                              const Input& predictions_idx, const RankOptions& rank, const MetricOptions& options) {
  AtTopK at{{}, CastValue(graph, predictions_idx, kInt64), rank.k, rank.class_id};
  WEIR_TRY(graph.TakeError());
  if (at.predictions.shape().known_rank() && at.predictions.shape().rank() == 0)
    return InvalidArgument("predictions must have at least one dimension, but '{}' is a scalar", at.predictions.name());
  WEIR_ASSIGN(const Classes classes, ClassesOf(graph, labels));
  WEIR_ASSIGN(at.labels, WithLabelDim(graph, classes, at.predictions));
  WEIR_ASSIGN(const Streamed part, StreamedCount(graph, kTruePositive, at, options.weights));
  WEIR_ASSIGN(const Streamed rest, StreamedCount(graph, other, at, options.weights));
  const Output value = RealDiv(part.value, part.value + rest.value, {.name = scope + "/"});
  const Output update = RealDiv(part.update, part.update + rest.update, {.name = "update"});
  return Finished(graph, {value, update}, options);
}

std::string ScopeName(const MetricOptions& options, const char* metric, const RankOptions& rank) {
  return NameOrDefault(options.name, NameAt(metric, rank.k, rank.class_id));
}

Result<Metric> ShareAtK(Graph& graph, const char* metric, const Counted& other, const SetOperand& labels,
                        const Input& predictions, const RankOptions& rank, const MetricOptions& options) {
  NameScope scope(graph, ScopeName(options, metric, rank));
  if (!rank.k.has_value()) return InvalidArgument("{} needs a k", scope.name());
  const Output best = TopKV2(graph, predictions, *rank.k).indices;
  WEIR_TRY(graph.TakeError());
  return FractionAtTopK(graph, scope.name(), other, labels, best, rank, options);
}

// Replaces class ids that are too large with -1, which matches no prediction.
Result<Classes> WithoutLargeClasses(Graph& graph, const Classes& labels, Output count) {
  const Sparse* sparse = std::get_if<Sparse>(&labels);
  const Output values = sparse != nullptr ? sparse->values : std::get<Output>(labels);
  const Output beyond = GreaterEqual(ReduceMax(values), count);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const OutputList cleaned, Cond(
                                            graph, beyond,
                                            [&]() -> Result<OutputList> {
                                              const Output none = OnesOf(graph, values) *
                                                                  Output(ValueOf(graph, Tensor::Scalar<int64_t>(-1)));
                                              return OutputList{SelectV2(GreaterEqual(values, count), none, values)};
                                            },
                                            [&]() -> Result<OutputList> { return OutputList{Identity(values)}; }));
  if (values.shape().known_rank()) WEIR_TRY(graph.SetShape(cleaned[0], values.shape()));
  if (sparse == nullptr) return Classes(cleaned[0]);
  return Classes(Sparse{sparse->indices, cleaned[0], sparse->dense_shape});
}

// Repeats sets [..., n] k times: [..., k, n].
Classes RepeatedPerK(Graph& graph, const Classes& labels, int64_t k) {
  NameScope scope(graph, "labels_per_k");
  if (const Sparse* sparse = std::get_if<Sparse>(&labels))
    return SparseConcat(std::vector<Sparse>(static_cast<size_t>(k), SparseExpandDims(*sparse, -2)), -2);
  const Output expanded = ExpandDims(std::get<Output>(labels), -2);
  const Output ones = OnesOf(graph, ShapeValue(graph, expanded));
  const Output groups = StridedSlice(ones, {0}, {-2}, {1}, {.begin_mask = 1});
  return Tile(expanded, Concat(graph, {groups, Tensor::Vector<int32_t>({static_cast<int32_t>(k), 1})}, 0));
}

// The number of labels of a row that k predictions can match at most.
Output RelevantPerRow(Graph& graph, const Classes& labels, int64_t k) {
  NameScope scope(graph, "num_relevant");
  if (const Sparse* sparse = std::get_if<Sparse>(&labels))
    return Cast(Minimum(SetSize(*sparse), static_cast<int>(k)), kDouble);
  const Output real = Cast(GreaterEqual(std::get<Output>(labels), Tensor::Scalar<int64_t>(0)), kInt64);
  return Cast(Minimum(ReduceSum(real, -1), Tensor::Scalar<int64_t>(k)), kDouble);
}

// Average precision per row: the precision at the rank of each label found, averaged over the labels.
Result<Output> AveragePrecisionPerRow(Graph& graph, const Classes& labels_in, Output predictions_in) {
  NameScope scope(graph, "average_precision");
  const Output predictions = CastValue(graph, predictions_in, kInt64, "predictions_idx");
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = predictions.shape();
  if (!shape.known_rank() || shape.rank() == 0 || shape[shape.rank() - 1] < 0)
    return InvalidArgument("the last dimension of the predictions must be known, but their shape is {}", shape);
  const int64_t k = shape[shape.rank() - 1];
  WEIR_ASSIGN(const Classes labels, WithLabelDim(graph, labels_in, predictions));
  const Output each = ExpandDims(predictions, -1, {.name = "predictions_idx_per_k"});
  const Classes wanted = RepeatedPerK(graph, labels, k);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const Output found, CountPerRow(graph, kTruePositive, wanted, each, {}, {}));
  const Output true_positives = Cumsum(found, -1, {.name = "tp_per_k"});
  const Output retrieved = Cumsum(OnesOf(graph, found), -1, {.name = "retrieved_per_k"});
  const Output precision = RealDiv(true_positives, retrieved, {.name = "precision_per_k"});
  const Output relevant = Mul(precision, found, {.name = "relevant_precision_per_k"});
  const Output average =
      RealDiv(ReduceSum(relevant, -1), RelevantPerRow(graph, labels, k), {.name = ExactScopeName(scope)});
  WEIR_TRY(graph.TakeError());
  return average;
}

// The mean over rows and batches of the average precision. `scope` names the update.
Result<Metric> MeanOfAveragePrecision(Graph& graph, const NameScope& scope, const Classes& labels, Output best,
                                      const MetricOptions& options) {
  WEIR_ASSIGN(Output average, AveragePrecisionPerRow(graph, labels, best));
  Output weights;
  if (!options.weights.absent()) {
    const Output value = ValueOf(graph, options.weights, kInvalidType, "weights");
    WEIR_TRY(graph.TakeError());
    WEIR_ASSIGN(weights, BroadcastWeights(graph, value, average, kDouble));
    average = Mul(average, weights);
  }
  Streamed most, total;
  {  // The best possible total: 1 per row.
    NameScope inner(graph, "max");
    const Output rows =
        weights.valid() ? ReduceSum(weights) : Cast(SizeValue(graph, average, kInt32, "batch_max"), kDouble);
    WEIR_ASSIGN(most, AccumulateInVariable(graph, inner.name(), rows));
  }
  {
    NameScope inner(graph, "total");
    WEIR_ASSIGN(total, AccumulateInVariable(graph, inner.name(), ReduceSum(average)));
  }
  const Output value = DivNoNan(total.value, most.value, {.name = "mean"});
  const Output update = DivNoNan(total.update, most.update, {.name = ExactScopeName(scope)});
  return Finished(graph, {value, update}, options);
}

}  // namespace

Result<Metric> PrecisionAtK(Graph& graph, const SetOperand& labels, const Input& predictions, const RankOptions& rank,
                            const MetricOptions& options) {
  return ShareAtK(graph, "precision", kFalsePositive, labels, predictions, rank, options);
}
Result<Metric> RecallAtK(Graph& graph, const SetOperand& labels, const Input& predictions, const RankOptions& rank,
                         const MetricOptions& options) {
  return ShareAtK(graph, "recall", kFalseNegative, labels, predictions, rank, options);
}

Result<Metric> PrecisionAtTopK(Graph& graph, const SetOperand& labels, const Input& predictions_idx,
                               const RankOptions& rank, const MetricOptions& options) {
  NameScope scope(graph, ScopeName(options, "precision", rank));
  return FractionAtTopK(graph, scope.name(), kFalsePositive, labels, predictions_idx, rank, options);
}
Result<Metric> RecallAtTopK(Graph& graph, const SetOperand& labels, const Input& predictions_idx,
                            const RankOptions& rank, const MetricOptions& options) {
  NameScope scope(graph, ScopeName(options, "recall", rank));
  return FractionAtTopK(graph, scope.name(), kFalseNegative, labels, predictions_idx, rank, options);
}

Result<Metric> AveragePrecisionAtK(Graph& graph, const SetOperand& labels_in, const Input& predictions_in, int64_t k,
                                   const MetricOptions& options) {
  NameScope scope(graph, ScopeName(options, "average_precision", {.k = k}));
  const Output predictions = ValueOf(graph, predictions_in, kInvalidType, "predictions");
  WEIR_TRY(graph.TakeError());
  if (k < 1) return InvalidArgument("Invalid k={}", k);
  const Output best = TopKV2(graph, predictions, k).indices;
  const Output classes =
      StridedSlice(ShapeValue(graph, predictions), {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1});
  WEIR_ASSIGN(const Classes given, ClassesOf(graph, labels_in));
  WEIR_ASSIGN(const Classes labels, WithoutLargeClasses(graph, given, CastValue(graph, classes, kInt64)));
  return MeanOfAveragePrecision(graph, scope, labels, best, options);
}

Result<Metric> AveragePrecisionAtTopK(Graph& graph, const SetOperand& labels_in, const Input& predictions_idx,
                                      const MetricOptions& options) {
  const Output predictions = ValueOf(graph, predictions_idx, kInvalidType, "predictions_idx");
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = predictions.shape();
  if (!shape.known_rank() || shape.rank() == 0 || shape[shape.rank() - 1] < 0)
    return InvalidArgument("the last dimension of the predictions must be known, but their shape is {}", shape);
  NameScope scope(graph, ScopeName(options, "average_precision", {.k = shape[shape.rank() - 1]}));
  WEIR_ASSIGN(const Classes labels, ClassesOf(graph, labels_in));
  return MeanOfAveragePrecision(graph, scope, labels, predictions, options);
}

}  // namespace weir::metrics
