#include "train/resampling.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/weights.h"
#include "graph/graph_keys.h"
#include "train/moving_averages.h"

namespace weir {
namespace {

Result<VariablePtr> LocalScalar(Graph& graph, const char* name, DType dtype) {
  VariableRequest request;
  request.name = name;
  request.shape = PartialShape::Scalar();
  request.dtype = dtype;
  request.initializer = std::make_shared<ScopedInitializer>(ZerosInitializer());
  request.trainable = false;
  request.collections = {graph_keys::kLocalVariables};
  return VariableScopeStack(graph).Get(request);
}

}  // namespace

Output AcceptanceProbabilities(Graph& graph, const Input& initial, const Input& target) {
  const auto [from, to] = ValuesOfOneType(graph, initial, target, "init_probs", "target_probs");
  if (!from.valid() || !to.valid()) return Output::Failed(graph);
  const Output ratio = DivNoNan(to, from);
  return ratio / ReduceMax(ratio);
}

Result<Output> EstimatedDistribution(Graph& graph, const Input& labels, int64_t num_classes, float smoothing) {
  VariableOptions options;
  options.name = "class_count";
  options.trainable = false;
  WEIR_ASSIGN(VariablePtr counts,
              Variable::Make(graph, std::vector<float>(static_cast<size_t>(num_classes), smoothing), options));
  const Output batch = CastValue(
      graph,
      ReduceSum(ComposeOneHot(graph, Reshape(ValueOf(graph, labels), {-1}), static_cast<int32_t>(num_classes)), 0),
      kFloat);
  const Output counted = counts->AssignAdd(batch);
  const Output distribution = counted / ReduceSum(counted);
  WEIR_TRY(graph.TakeError());
  return distribution;
}

Result<Output> ResampledRows(Graph& graph, const Input& rates, OpSeed seed) {
  const Output rate = ValueOf(graph, rates, kInvalidType, "rates");
  WEIR_TRY(graph.TakeError());
  const Output counts = Cast(RandomPoissonValues(graph, rate, std::vector<int64_t>{}, rate.base_dtype(), seed), kInt32);
  const Output rows = Range(graph, 0, SizeValue(graph, rate), 1, kInt32);
  const Output repeated = RepeatOf(graph, rows, counts, 0);
  WEIR_TRY(graph.TakeError());
  return repeated;
}

Result<Output> EstimatedMean(Graph& graph, const Input& values, float decay) {
  WEIR_ASSIGN(VariablePtr count, LocalScalar(graph, "resample_count", kInt32));
  WEIR_ASSIGN(VariablePtr mean, LocalScalar(graph, "estimated_mean", kFloat));
  const Output now = Cast(count->AssignAdd(1), kFloat);
  const Output batch = ReduceMean(ValueOf(graph, values, kInvalidType, "weights"));
  const Output adjusted = Minimum((now - 1.0f) / now, decay);
  WEIR_TRY(graph.TakeError());
  return AssignMovingAverage(*mean, batch, adjusted, /*zero_debias=*/false);
}

}  // namespace weir
