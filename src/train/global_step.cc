#include "train/global_step.h"

#include <any>

#include "graph/build/math_ops.h"
#include "graph/compose/variable.h"
#include "graph/graph_keys.h"
#include "tensor/tensor.h"
#include "train/log.h"

namespace weir {
namespace {

Result<GlobalStep> Checked(Output step, const std::string& name, bool in_collection) {
  if (step.base_dtype() != kInt64 && step.base_dtype() != kInt32)
    return MarkTypeError(
        InvalidArgument("Existing \"global_step\" does not have integer type: '{}' is {}, and must be "
                        "int64 or int32",
                        step.name(), step.base_dtype()));
  if (step.shape().fully_defined() && step.shape().rank() != 0)
    return MarkTypeError(
        InvalidArgument("Existing \"global_step\" is not scalar: '{}' is of shape {}", step.name(), step.shape()));
  return GlobalStep{step, name, in_collection};
}

Result<GlobalStep> FromItem(const std::any& item) {
  if (const auto* variable = std::any_cast<VariablePtr>(&item))
    return Checked((*variable)->value(), (*variable)->op_name(), true);
  if (const auto* output = std::any_cast<Output>(&item)) return Checked(*output, output->node->name(), true);
  return MarkTypeError(InvalidArgument("Existing \"global_step\" must be a Variable or Tensor"));
}

}  // namespace

Result<GlobalStep> FindGlobalStep(Graph& graph, OfSeveral several) {
  const std::vector<std::any> items = graph.collections().Items(graph_keys::kGlobalStep);
  if (items.size() == 1) return FromItem(items[0]);
  if (items.size() > 1) {
    if (several == OfSeveral::kFirst) {
      TrainInfo("Found {} {} operations. Returning the first one.", items.size(), graph_keys::kGlobalStep);
      return FromItem(items[0]);
    }
    TrainError("Multiple tensors in global_step collection.");
    return GlobalStep();
  }
  Node* const node = graph.FindNode("global_step");
  if (node == nullptr || node->num_outputs() == 0) return GlobalStep();
  if (node->op().traits.state != StateRole::kVariableHandle) return Checked(Output(node, 0), node->name(), false);
  for (const VariablePtr& variable : graph.collections().Of<VariablePtr>(graph_keys::kGlobalVariables))
    if (variable->op_name() == node->name()) return Checked(variable->value(), node->name(), false);
  return GlobalStep();
}

Result<GlobalStep> FindGlobalStepRead(Graph& graph) {
  WEIR_ASSIGN(GlobalStep step, FindGlobalStep(graph));
  if (!step.value.valid()) return step;
  const std::vector<Output> made = graph.collections().Of<Output>(graph_keys::kGlobalStepRead);
  if (!made.empty()) {
    step.value = made[0];
    return step;
  }
  NameScope root(graph, "");
  NameScope own(graph, step.name + "/");
  ControlDependencies none = ControlDependencies::Cleared(graph);
  const Output read = Add(graph, step.value, 0, {.name = "add"});
  WEIR_TRY(graph.TakeError());
  graph.collections().Add(graph_keys::kGlobalStepRead, read);
  step.value = read;
  return step;
}

int64_t GlobalStepOf(const Tensor& value) {
  if (value.num_elements() == 0) return 0;
  if (value.dtype() == kFloat) return static_cast<int64_t>(value.data<float>()[0]);
  if (value.dtype() == kDouble) return static_cast<int64_t>(value.data<double>()[0]);
  return value.Int(0);
}

Result<int64_t> ReadGlobalStep(Session& session, Output global_step, CancelToken* cancel) {
  WEIR_ASSIGN(const std::vector<Tensor> values, session.Run({.fetches = {global_step}, .cancel = cancel}));
  const DType type = values[0].dtype();
  const bool is_number = type == kInt64 || type == kInt32 || type == kFloat || type == kDouble;
  if (values[0].num_elements() != 1 || !is_number)
    return InvalidArgument("the global step '{}' must be a single number, but has type {} and shape {}",
                           global_step.name(), DTypeName(type), values[0].shape().ToString());
  return GlobalStepOf(values[0]);
}

}  // namespace weir
