// AddedNodes: adds nodes to a plan graph, with names that no other node has. Not thread-safe.
#pragma once

#include <string>

#include "absl/container/flat_hash_set.h"
#include "runtime/plan_graph.h"

namespace weir {

class AddedNodes final {
 public:
  // Both must outlive this object.
  AddedNodes(PlanGraph& graph, const OpRegistry& registry) : graph_(graph), registry_(registry) {}

  // Adds a node on the device of `near`, named base/_suffix. Returns its number.
  Result<int32_t> Add(const std::string& base, std::string_view suffix, const std::string& op_name, AttrMap attrs,
                      const PlanGraph::Node& near);
  // Adds a node with `value` as its only input. Returns its number.
  Result<int32_t> AddConsumer(PlanValue value, const std::string& op_name, std::string_view suffix);

 private:
  std::string NewName(const std::string& base, std::string_view suffix);

  PlanGraph& graph_;
  const OpRegistry& registry_;
  absl::flat_hash_set<std::string> names_;
};

}  // namespace weir
