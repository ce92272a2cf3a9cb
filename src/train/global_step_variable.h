// The variable that counts the steps of training: what optimizers are given. What reads it is in global_step.h.
#pragma once

#include "graph/compose/variable.h"

namespace weir {

// The global step of the graph; a new variable, "global_step" below the current variable scope, where there is none.
// InvalidArgument for one that is no variable.
Result<VariablePtr> GetOrCreateGlobalStep(Graph& graph);

}  // namespace weir
