// CheckFeed: whether a value may be fed, in the words of the local session and of a master alike.
#pragma once

#include "runtime/plan_graph.h"

namespace weir {

// InvalidArgument for what is no tensor, and for another type or shape than the feed's.
Status CheckFeed(const PlanGraph::Feed& feed, const Tensor& value);

}  // namespace weir
