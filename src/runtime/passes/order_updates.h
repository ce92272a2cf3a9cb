// Orders the uses and updates of each variable in a step, by the rules in docs/architecture.md, "Variables".
#pragma once

#include "op/op_registry.h"
#include "runtime/passes/pass_report.h"
#include "runtime/plan_graph.h"

namespace weir {

// Makes every use of a variable that does not come after an update come before it. Adds control edges or, if the update
// must not wait for the use, a copy. Fetched variables are read after all updates. With `late_feeds` no update waits
// for a feed that it does not depend on. REQUIRES: a whole plan, placed but not partitioned.
Status OrderUpdates(PlanGraph& graph, const OpRegistry& registry, bool late_feeds, PassReport& report);

}  // namespace weir
