// Joins nodes that only add work to a GPU into regions, which are recorded and replayed (gpu_region.h).
#pragma once

#include "op/op_registry.h"
#include "runtime/kernel_cache.h"
#include "runtime/plan_graph.h"

namespace weir {

// REQUIRES: PlaceMemory has run. Does nothing for graphs with control flow. `kernels` makes the kernels of the members.
Status FormGpuRegions(PlanGraph& graph, const OpRegistry& registry, KernelCache& kernels);

}  // namespace weir
