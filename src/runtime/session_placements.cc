#include "runtime/session_placements.h"

namespace weir {

void SessionPlacements::Request(const Graph& graph, PlanGraph& pruned, bool gpus) {
  std::lock_guard lock(mu_);
  if (gpus) groups_.TrackGpuKernels();
  groups_.Update();
  for (PlanGraph::Node& node : pruned.nodes) {
    const Node* client = graph.FindNode(node.name());
    if (client == nullptr) continue;
    // A conflict outside of this plan does not prevent it from running. The placer reports conflicts inside of it.
    if (Result<std::string> request = groups_.RequestOf(*client); request.ok()) node.device = *std::move(request);
  }
}

void SessionPlacements::Fix(const Graph& graph, const PlanGraph& placed) {
  std::lock_guard lock(mu_);
  for (const PlanGraph::Node& node : placed.nodes) {
    const Node* client = node.op().stateful ? graph.FindNode(node.name()) : nullptr;
    if (client != nullptr) groups_.Pin(*client, node.placed->name());
  }
}

}  // namespace weir
