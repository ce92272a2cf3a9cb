// AwaitedNodes: the nodes that a node waits for in every step. A node need not
// wait for every node that it can be reached from: a Merge waits for one of its
// inputs, and a loop may end before its first iteration. Immutable after Make.
#pragma once

#include <vector>

#include "runtime/plan_graph.h"

namespace weir {

class AwaitedNodes final {
 public:
  // The graph must outlive the result. InvalidArgument if it has a cycle that is not a loop.
  static Result<AwaitedNodes> Make(const PlanGraph& graph, const Consumers& consumers);

  // `bits` is indexed by node. Returns for each node its bits and those of all nodes that it waits for in every step.
  std::vector<uint64_t> Spread(std::vector<uint64_t> bits) const;

 private:
  explicit AwaitedNodes(const PlanGraph& graph, std::vector<int32_t> order)
      : graph_(&graph), order_(std::move(order)) {}

  const PlanGraph* graph_;
  std::vector<int32_t> order_;  // producers before consumers
};

}  // namespace weir
