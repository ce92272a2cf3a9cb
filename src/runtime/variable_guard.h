// Where a plan cannot know on which device a resource variable is, because the handle comes from outside of it (the
// body of a function, a feed), the kernels that use the variable check it when they run.
#pragma once

#include "op/kernel.h"
#include "runtime/plan_graph.h"

namespace weir {

// Whether node n uses a resource whose handle is not made in the graph.
bool NeedsVariableGuard(const PlanGraph& graph, int32_t n);
// The kernel of such a node: reads copy a value that is in other memory, everything else that uses the value fails.
Kernel GuardVariables(const Kernel& kernel, const PlanGraph::Node& node);

}  // namespace weir
