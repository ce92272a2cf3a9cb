// Checks at run time on which device a resource variable is. Needed where the plan cannot know it, because the handle
// comes from outside: in the body of a function, or from a feed.
#pragma once

#include "op/kernel.h"
#include "runtime/plan_graph.h"

namespace weir {

// Whether node n uses a resource whose handle is not made in the graph.
bool NeedsVariableGuard(const PlanGraph& graph, int32_t n);
// The kernel of such a node, with the check: a read copies a value that is in the memory of another device; any other
// use of such a value fails.
Kernel GuardVariables(const Kernel& kernel, const PlanGraph::Node& node);

}  // namespace weir
