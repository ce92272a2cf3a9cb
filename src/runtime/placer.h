// Placer: assigns a device to every node of a plan. Nodes of a colocation group, and nodes that share a reference or
// resource, are placed on the same device. A group without a request is placed on the task of the default device: on
// its first GPU if all its nodes have GPU kernels (and some compute with them), else on the default device. Nodes that
// only forward values or read shapes follow their first input; constants follow their first consumer. Nodes with a GPU
// kernel that runs on the host go to the GPU of the task on which other nodes of the plan compute, if there is one.
#pragma once

#include <memory>
#include <vector>

#include "device/device.h"
#include "runtime/plan_graph.h"

namespace weir {

struct PlacerOptions {
  bool allow_soft_placement = false;  // if a device does not exist, use another device of the same task
  bool prefer_gpus = true;            // a node that has a GPU kernel and no request goes to a GPU
  bool log_placement = false;         // print a line "name: (Op): device" per node to standard output
};

// Whether one of the devices is a GPU whose kernels this process knows, here or on another Weir server.
bool HasGpu(const std::vector<std::unique_ptr<Device>>& devices);
// Whether a node may run on a GPU of Weir.
bool HasGpuKernel(const NodeProps& node);

// devices[0] is the default. `client` is the graph that `plan` was made from: a colocation group may name a node that
// is not in the plan. Errors name the node, the requested device and the available devices.
Status PlaceNodes(const Graph& client, const std::vector<std::unique_ptr<Device>>& devices,
                  const PlacerOptions& options, PlanGraph& plan);

}  // namespace weir
