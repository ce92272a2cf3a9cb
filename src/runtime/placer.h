// Placer: assigns a device to every node of a plan. A node without a request is placed on the default device. Nodes of
// a colocation group, and nodes that share a reference or resource, are placed on the same device.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "runtime/plan_graph.h"

namespace weir {

struct PlacerOptions {
  bool allow_soft_placement = false;  // if a device does not exist, use another device of the same task
  bool log_placement = false;         // print a line "name: (Op): device" per node to standard output
};

// devices[0] is the default. `client` is the graph that `plan` was made from: a colocation group may name a node that
// is not in the plan. Errors name the node, the requested device and the available devices.
Status PlaceNodes(const Graph& client, const std::vector<std::unique_ptr<Device>>& devices,
                  const PlacerOptions& options, PlanGraph& plan);

}  // namespace weir
