// Checks at run time on which device a resource variable is. Needed where the plan cannot know it, because the handle
// comes from outside: in the body of a function, or from a feed.
#pragma once

#include "op/kernel.h"
#include "runtime/plan_graph.h"

namespace weir {

// Whether node n uses a resource whose handle is not made in the graph.
bool NeedsVariableGuard(const PlanGraph& graph, int32_t n);
// Wraps the kernel of such a node. If the variable's value is in the memory of another device, a read copies it, and
// any other use is an error.
Kernel GuardVariables(const Kernel& kernel, const PlanGraph::Node& node);

}  // namespace weir
