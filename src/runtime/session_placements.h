// SessionPlacements: where the state of a session is. Every signature is placed on its own; the requests of whole
// colocation groups, and the devices that were chosen for stateful nodes, are shared by all of them.
#pragma once

#include <mutex>

#include "runtime/placement_groups.h"
#include "runtime/plan_graph.h"

namespace weir {

// The device requests of the nodes of a session's graph, shared by all its plans. Thread-safe.
class SessionPlacements final {
 public:
  SessionPlacements(const Graph& graph, bool soft) : groups_(graph, soft) {}
  // Sets the device request of each node to that of its colocation group in the whole graph. Nodes of a group whose
  // requests conflict keep their own. `gpus`: some device is a GPU of Weir.
  void Request(const Graph& graph, PlanGraph& pruned, bool gpus);
  // Pins stateful nodes to where they were placed.
  void Fix(const Graph& graph, const PlanGraph& placed);

 private:
  std::mutex mu_;
  PlacementGroups groups_;
};

}  // namespace weir
