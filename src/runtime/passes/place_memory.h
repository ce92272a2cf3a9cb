// Copies between host memory and the memory of GPUs.
#pragma once

#include <vector>

#include "op/op_registry.h"
#include "runtime/plan_graph.h"

namespace weir {

// For each input, then each output of a node: whether its value is in host memory.
std::vector<bool> InHostMemory(const PlanGraph::Node& node);

// Adds copies to the edges whose ends are in different memory: fetches, and feeds too, are in host memory. Constants
// are not copied but repeated in the other memory. REQUIRES: every node is placed. Does nothing if no node is on a GPU
// of this process.
Status PlaceMemory(PlanGraph& graph, const OpRegistry& registry);

}  // namespace weir
