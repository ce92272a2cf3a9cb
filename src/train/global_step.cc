#include "train/global_step.h"

#include <any>

#include "graph/compose/variable.h"
#include "graph/graph_keys.h"

namespace weir {
namespace {

Result<GlobalStep> Checked(Output step, const std::string& name) {
  if (step.base_dtype() != kInt64 && step.base_dtype() != kInt32)
    return InvalidArgument("the global step '{}' must be int64 or int32, not {}", step.name(), step.base_dtype());
  if (step.shape().known_rank() && step.shape().rank() != 0)
    return InvalidArgument("the global step '{}' must be a scalar, not {}", step.name(), step.shape());
  return GlobalStep{step, name};
}

}  // namespace

Result<GlobalStep> FindGlobalStep(Graph& graph) {
  const std::vector<std::any> items = graph.Collection(graph_keys::kGlobalStep);
  if (items.size() > 1) return InvalidArgument("Multiple tensors in the global step collection.");
  if (!items.empty()) {
    if (const auto* variable = std::any_cast<VariablePtr>(&items[0]))
      return Checked((*variable)->value(), (*variable)->op_name());
    if (const auto* output = std::any_cast<Output>(&items[0])) return Checked(*output, output->node->name());
    return InvalidArgument("what the global step collection holds is no tensor");
  }
  for (const VariablePtr& variable : graph.CollectionOf<VariablePtr>(graph_keys::kGlobalVariables))
    if (variable->op_name() == "global_step") return Checked(variable->value(), variable->op_name());
  return GlobalStep();
}

int64_t GlobalStepOf(const Tensor& value) { return value.num_elements() == 0 ? 0 : value.Int(0); }

Result<int64_t> ReadGlobalStep(Session& session, Output global_step, CancelToken* cancel) {
  WEIR_ASSIGN(const std::vector<Tensor> values, session.Run({.fetches = {global_step}, .cancel = cancel}));
  if (values[0].num_elements() != 1)
    return InvalidArgument("the global step {} is a tensor of {} elements", global_step.name(),
                           values[0].num_elements());
  return GlobalStepOf(values[0]);
}

}  // namespace weir
