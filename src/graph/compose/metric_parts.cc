#include "graph/compose/metric_parts.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/initializers.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/compose/variable_scope.h"
#include "graph/graph_keys.h"
#include "graph/texts.h"

namespace weir::metrics {
namespace {

Output WithoutLast(Output x) { return Squeeze(x, {.squeeze_dims = {-1}}); }
Output WithoutColumn(Graph& graph, Output x) {
  NameScope scope(graph, "remove_squeezable_dimensions");
  return WithoutLast(x);
}

// True if a has one dimension more than b, and that last dimension is or may be 1.
bool IsColumnOf(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank() + 1) return false;
  return a[a.rank() - 1] < 0 || a[a.rank() - 1] == 1;
}

}  // namespace

Result<VariablePtr> MetricVariable(Graph& graph, const PartialShape& shape, DType dtype, const char* name) {
  if (!shape.fully_defined())
    return InvalidArgument("the shape {} of the metric's variable '{}' must be known", shape, name);
  VariableOptions options;
  options.name = name;
  options.dtype = dtype;
  options.trainable = false;
  options.collections = {graph_keys::kLocalVariables, graph_keys::kMetricVariables};
  options.use_resource = VariableScopeStack(graph).Current().settings.use_resource.value_or(false);
  return Variable::MakeWith(
      graph, [&graph, shape, dtype]() -> Result<Output> { return ZerosInitial(graph, shape, dtype); }, options);
}

namespace {

// Weights whose rank becomes known in the run, with a last dimension of 1 added or removed where they have one
// dimension less or more than the predictions. Scalars stay scalars.
Output AlignInRun(Graph& graph, Output weights, Output predictions) {
  const Output rank = RankValue(graph, weights), wanted = RankValue(graph, predictions);
  const auto one_if = [](Output holds) { return Cast(holds, kInt32); };
  const Output added = one_if(LogicalAnd(Equal(rank + 1, wanted), Greater(rank, 0)));
  const Output removed = one_if(Equal(rank, wanted + 1));
  const Output sizes = ConcatV2(graph, {ShapeValue(graph, weights), Tensor::Vector<int32_t>({1})}, 0);
  return Reshape(weights, Slice(sizes, {0}, Reshape(rank + added - removed, {1})));
}

}  // namespace

Result<Aligned> Align(Graph& graph, const Input& labels, const Input& predictions, const Input& weights) {
  Aligned values{labels.absent() ? Output() : ValueOf(graph, labels, kInvalidType, "labels"),
                 ValueOf(graph, predictions, kInvalidType, "predictions"),
                 weights.absent() ? Output() : ValueOf(graph, weights, kInvalidType, "weights")};
  WEIR_TRY(graph.TakeError());
  if (values.labels.valid()) {
    if (IsColumnOf(values.predictions.shape(), values.labels.shape())) {
      values.predictions = WithoutColumn(graph, values.predictions);
    } else if (IsColumnOf(values.labels.shape(), values.predictions.shape())) {
      values.labels = WithoutColumn(graph, values.labels);
    }
    WEIR_TRY(graph.TakeError());
    if (!values.labels.shape().CompatibleWith(values.predictions.shape()))
      return InvalidArgument("Shapes {} and {} are incompatible", PythonText(values.predictions.shape()),
                             PythonText(values.labels.shape()));
  }
  if (!values.weights.valid()) return values;
  const PartialShape given = values.weights.shape(), wanted = values.predictions.shape();
  if (given.known_rank() && given.rank() > 0 && wanted.known_rank()) {
    if (given.rank() == wanted.rank() + 1) {
      values.weights = WithoutLast(values.weights);
    } else if (given.rank() + 1 == wanted.rank()) {
      values.weights = ExpandDims(values.weights, -1);
    }
  } else if (!given.known_rank() || given.rank() > 0) {
    values.weights = AlignInRun(graph, values.weights, values.predictions);
  }
  WEIR_TRY(graph.TakeError());
  return values;
}

Result<Output> BroadcastWeights(Graph& graph, Output weights_in, Output values, DType dtype) {
  Output weights = CastValue(graph, weights_in, dtype);
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = weights.shape();
  WEIR_TRY(CheckWeightShape(shape, values.shape()));
  if (shape.fully_defined() && shape == values.shape()) return weights;
  NameScope scope(graph, "broadcast_weights");
  WEIR_ASSIGN(weights, BroadcastableWeights(graph, weights, values));
  const Output broadcast = Mul(weights, OnesOf(graph, values, dtype, "ones_like"), {.name = ExactScopeName(scope)});
  WEIR_TRY(graph.TakeError());
  return broadcast;
}

Output Quotient(Output total, Output count, const char* name) {
  return DivNoNan(total, Maximum(count, 0.0f), {.name = name});
}

Result<Metric> Finished(Graph& graph, const Metric& metric, const MetricOptions& options) {
  WEIR_TRY(graph.TakeError());
  for (const std::string& key : options.metrics_collections) graph.collections().Add(key, metric.value);
  for (const std::string& key : options.updates_collections) graph.collections().Add(key, metric.update);
  return metric;
}

}  // namespace weir::metrics
