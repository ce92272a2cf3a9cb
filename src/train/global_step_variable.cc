#include "train/global_step_variable.h"

#include "graph/compose/weights.h"
#include "graph/graph_keys.h"
#include "tensor/tensor.h"
#include "train/global_step.h"

namespace weir {

Result<VariablePtr> GetOrCreateGlobalStep(Graph& graph) {
  WEIR_ASSIGN(const GlobalStep found, FindGlobalStep(graph));
  if (found.value.valid()) {
    for (const char* collection : {graph_keys::kGlobalStep, graph_keys::kGlobalVariables}) {
      for (const VariablePtr& variable : graph.collections().Of<VariablePtr>(collection))
        if (variable->op_name() == found.name) return variable;
    }
    return InvalidArgument("the global step '{}' is not a variable", found.name);
  }
  VariableRequest request;
  request.name = "global_step";
  request.shape = PartialShape::Scalar();
  request.dtype = kInt64;
  request.initializer = std::make_shared<const ScopedInitializer>(ZerosInitializer());
  request.trainable = false;
  request.collections = {graph_keys::kGlobalVariables, graph_keys::kGlobalStep};
  NameScope root(graph, "");
  return VariableScopeStack(graph).Get(std::move(request));
}

}  // namespace weir
