#include "graph/compose/weights.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/reduce.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

using Draw = Output (*)(Graph&, const Input&, const Input&, const Input&, DType, OpSeed, std::string);

ScopedInitializer Drawn(Draw draw, double first, double second, OpSeed seed, const char* name) {
  return [=](Graph& graph, const PartialShape& shape, DType dtype, const PartitionInfo*) -> Result<Output> {
    if (!shape.fully_defined())
      return MarkTypeError(InvalidArgument("an initializer needs a fully known shape, not {}", shape));
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    const Output value = draw(graph, dims, first, second, dtype, seed, name);
    WEIR_TRY(graph.TakeError());
    return value;
  };
}

Regularizer RegularizerOf(PenaltyKind kind, double scale, std::string name) {
  return [=](Output value) -> Result<Output> {
    if (!(scale >= 0)) return InvalidArgument("the scale of {} must not be negative, but is {}", name, scale);
    if (scale == 0) return Output();
    return WeightPenalty(
        value.graph(), kind, scale, value.base_dtype(), [&]() -> Result<Output> { return value; }, name);
  };
}

}  // namespace

ScopedInitializer ZerosInitializer() {
  return [](Graph& graph, const PartialShape& shape, DType dtype, const PartitionInfo*) {
    return ZerosInitial(graph, shape, dtype);
  };
}

ScopedInitializer OnesInitializer() {
  return [](Graph& graph, const PartialShape& shape, DType dtype, const PartitionInfo*) {
    return OnesInitial(graph, shape, dtype);
  };
}

ScopedInitializer ConstantInitializer(double value) {
  return [value](Graph& graph, const PartialShape& shape, DType dtype, const PartitionInfo*) -> Result<Output> {
    const std::optional<Tensor> typed = Input(value).literal()->Value(dtype);
    if (!typed.has_value()) return MarkTypeError(InvalidArgument("{} cannot be a value of type {}", value, dtype));
    return ConstantInitial(graph, shape, dtype, *typed);
  };
}

ScopedInitializer RandomNormalInitializer(double mean, double stddev, OpSeed seed) {
  return Drawn(&RandomNormal, mean, stddev, seed, "random_normal");
}

ScopedInitializer TruncatedNormalInitializer(double mean, double stddev, OpSeed seed) {
  return Drawn(&TruncatedNormal, mean, stddev, seed, "truncated_normal");
}

ScopedInitializer RandomUniformInitializer(double minval, double maxval, OpSeed seed) {
  return Drawn(&RandomUniform, minval, maxval, seed, "random_uniform");
}

ScopedInitializer VarianceScalingInitializer(const VarianceScaling& how) {
  return [how](Graph& graph, const PartialShape& shape, DType dtype, const PartitionInfo* partition) {
    return VarianceScalingInitial(graph, shape, dtype, how, partition);
  };
}

Result<Output> WeightPenalty(Graph& graph, PenaltyKind kind, const Input& scale, DType dtype,
                             const std::function<Result<Output>()>& value, const std::string& name) {
  const NameScope scope(graph, name);
  WEIR_ASSIGN(const Output factor, ToOutput(graph, scale, dtype, "scale"));
  WEIR_ASSIGN(const Output given, value());
  const Output sum = kind == PenaltyKind::kL1 ? Reduction(graph, "Sum", Abs(given), {}) : L2Loss(given);
  const Output penalty = Mul(graph, factor, sum, {.name = ExactScopeName(scope)});
  WEIR_TRY(graph.TakeError());
  return penalty;
}

Regularizer L1Regularizer(double scale, std::string name) {
  return RegularizerOf(PenaltyKind::kL1, scale, std::move(name));
}

Regularizer L2Regularizer(double scale, std::string name) {
  return RegularizerOf(PenaltyKind::kL2, scale, std::move(name));
}

OutputList RegularizationLosses(const Graph& graph) {
  return graph.collections().Of<Output>(graph_keys::kRegularizationLosses);
}

Output RegularizationLoss(Graph& graph, std::string name) {
  const OutputList losses = RegularizationLosses(graph);
  if (losses.empty()) return Constant(graph, Tensor::Scalar(0.0f));
  return AddN(graph, InputList(losses.begin(), losses.end()), {.name = std::move(name)});
}

}  // namespace weir
