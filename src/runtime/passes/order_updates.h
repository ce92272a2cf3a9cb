// The order of updates and reads of one variable in one step: docs/architecture.md, "Variables", has the rule.
#pragma once

#include "op/op_registry.h"
#include "runtime/passes/pass_report.h"
#include "runtime/plan_graph.h"

namespace weir {

// Adds what makes every use of a variable that does not come after an update come before it: control edges, and
// copies where the use itself must not be waited for. Reads of fetched variables come after all updates. With
// `late_feeds` no update waits for a feed that it does not depend on. REQUIRES: a whole plan, placed, not yet cut.
Status OrderUpdates(PlanGraph& graph, const OpRegistry& registry, bool late_feeds, PassReport& report);

}  // namespace weir
