// Placer: gives every node of a plan the device it runs on. What a node asks for is merged with the default device;
// nodes of a colocation group, and those that share a reference or a resource, come to one device.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "runtime/plan_graph.h"

namespace weir {

struct PlacerOptions {
  bool allow_soft_placement = false;  // where a device does not exist, another one of its task is taken
  bool log_placement = false;         // a line "name: (Op): device" per node on standard output
};

// devices[0] is the default. `client` is the graph that `plan` was made from: a colocation group may name a node that
// the plan does not hold. Errors name the node, the device asked for and the devices there are.
Status PlaceNodes(const Graph& client, const std::vector<std::unique_ptr<Device>>& devices,
                  const PlacerOptions& options, PlanGraph& plan);

}  // namespace weir
