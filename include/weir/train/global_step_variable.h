// The global step variable that optimizers increment. global_step.h reads it.
#pragma once

#include "weir/graph/compose/variable.h"

namespace weir {

// Returns the graph's global step, or creates the variable "global_step" in the current variable scope. InvalidArgument
// if the existing one is not a variable.
Result<VariablePtr> GetOrCreateGlobalStep(Graph& graph);

}  // namespace weir
