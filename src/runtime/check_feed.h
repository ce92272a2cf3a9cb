// CheckFeed: checks a fed value, with the same error messages in local sessions and masters.
#pragma once

#include "runtime/plan_graph.h"

namespace weir {

// InvalidArgument if the value is not a valid tensor, or its type or shape does not match the feed.
Status CheckFeed(const PlanGraph::Feed& feed, const Tensor& value);

}  // namespace weir
