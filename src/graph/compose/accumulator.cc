#include "graph/compose/accumulator.h"

#include "graph/build/queue_ops.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/texts.h"

namespace weir {

std::string AccumulatorRef::OpName(const char* op) const {
  return BaseType(ref_.dtype()) == kResource ? fmt::format("Resource{}", op) : std::string(op);
}

Output AccumulatorRef::NumAccumulated(const std::string& name) const {
  if (!valid()) return {};
  const std::string& full = this->name();
  const size_t slash = full.rfind('/');
  const std::string last = slash == std::string::npos ? full : full.substr(slash + 1);
  NodeBuilder builder(graph(), OpName("AccumulatorNumAccumulated"), NameOrDefault(name, last + "_NumAccumulated"));
  return builder.In(ref_).BuildOutput();
}

Node* AccumulatorRef::SetGlobalStep(const Input& new_global_step, const std::string& name) const {
  if (!valid()) return nullptr;
  const Output step = CastValue(graph(), new_global_step, kInt64);
  return NodeBuilder(graph(), OpName("AccumulatorSetGlobalStep"), name).In(ref_).In(step).BuildNode();
}

DenseAccumulator DenseAccumulator::Make(Graph& graph, DType dtype, const AccumulatorOptions& options) {
  const Output ref = ResourceConditionalAccumulator(graph, dtype, options.shape,
                                                    {.shared_name = options.shared_name,
                                                     .reduction_type = options.reduction_type,
                                                     .name = NameOrDefault(options.name, "conditional_accumulator")});
  return DenseAccumulator(ref, dtype, options.shape);
}

Node* DenseAccumulator::ApplyGrad(const Input& grad, const Input& local_step, const std::string& name) const {
  if (!valid()) return nullptr;
  if (grad.is_output() && grad.output().base_dtype() != dtype()) {
    graph().RecordError(InvalidArgument("Tensor conversion requested dtype {} for Tensor with dtype {}: '{}'", dtype(),
                                        grad.output().base_dtype(), grad.output().name()));
    return nullptr;
  }
  Result<Output> value = ToOutput(graph(), grad, dtype());
  Status status = value.status();
  if (status.ok() && !value->shape().CompatibleWith(shape()))
    status = InvalidArgument("Shapes {} and {} are incompatible", PythonText(value->shape()), PythonText(shape()));
  if (!status.ok()) {
    graph().RecordError(status);
    return nullptr;
  }
  const Output step = CastValue(graph(), local_step, kInt64);
  return ResourceAccumulatorApplyGradient(graph(), accumulator_ref(), step, *value, {.name = name});
}

Output DenseAccumulator::TakeGrad(const Input& num_required, const std::string& name) const {
  if (!valid()) return {};
  const Output taken =
      ResourceAccumulatorTakeGradient(graph(), accumulator_ref(), num_required, dtype(), {.name = name});
  if (taken.valid()) {
    if (Status status = graph().SetShape(taken, shape()); !status.ok()) graph().RecordError(status);
  }
  return taken;
}

SparseAccumulator SparseAccumulator::Make(Graph& graph, DType dtype, const AccumulatorOptions& options) {
  const Output ref =
      SparseConditionalAccumulator(graph, dtype, options.shape,
                                   {.shared_name = options.shared_name,
                                    .reduction_type = options.reduction_type,
                                    .name = NameOrDefault(options.name, "sparse_conditional_accumulator")});
  return SparseAccumulator(ref, dtype, options.shape);
}

Node* SparseAccumulator::ApplyGrad(const Input& grad_indices, const Input& grad_values, const Input& grad_shape,
                                   const Input& local_step, const std::string& name) const {
  if (!valid()) return nullptr;
  const Output step = CastValue(graph(), local_step, kInt64);
  const Output indices = CastValue(graph(), grad_indices, kInt64);
  const Output dense_shape =
      CastValue(graph(), grad_shape.absent() ? Input(Tensor::Vector<float>({})) : grad_shape, kInt64);
  return SparseAccumulatorApplyGradient(graph(), accumulator_ref(), step, indices, grad_values, dense_shape,
                                        !grad_shape.absent(), {.name = name});
}

IndexedSlices SparseAccumulator::TakeGrad(const Input& num_required, const std::string& name) const {
  if (!valid()) return {};
  const auto taken = SparseAccumulatorTakeGradient(graph(), accumulator_ref(), num_required, dtype(), {.name = name});
  return {.values = taken.values, .indices = taken.indices, .dense_shape = taken.shape};
}

}  // namespace weir
