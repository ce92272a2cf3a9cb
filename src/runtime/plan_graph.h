// PlanGraph: a copy of the part of a client's graph that one signature needs. It can be placed and rewritten without
// changing the client's nodes. Nodes are numbered in the order of their creation. A value type.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "device/device.h"
#include "graph/graph.h"

namespace weir {

constexpr int32_t kFedValue = -1;

// Output `output` of node `node`, or, if `node` is kFedValue, feed number `output`.
struct PlanValue {
  int32_t node = 0;
  int32_t output = 0;
  bool fed() const { return node == kFedValue; }
  bool operator==(const PlanValue&) const = default;
};

struct PlanGraph {
  struct Node {
    std::shared_ptr<const NodeProps> props;
    absl::InlinedVector<PlanValue, 2> inputs;
    absl::InlinedVector<int32_t, 1> control_inputs;
    std::string device;              // as requested
    const Device* placed = nullptr;  // set by PlaceNodes
    PartialShape shape;              // of the first output, as far as known

    const std::string& name() const { return props->name; }
    const OpDef& op() const { return *props->op; }
  };
  struct Feed {
    std::string name;  // "x:0"
    DType dtype = kInvalidType;
    PartialShape shape;
  };
  struct Fetch {
    std::string name;
    DType dtype = kInvalidType;
    PlanValue value;
  };

  std::vector<Node> nodes;
  std::vector<Feed> feeds;
  std::vector<Fetch> fetches;
  std::vector<int32_t> targets;

  DType type_of(PlanValue v) const {
    return v.fed() ? feeds[v.output].dtype : nodes[v.node].props->output_types[v.output];
  }
  // "x" for output 0 of a node, "x:1" for output 1; for a feed, its name.
  std::string NameOf(PlanValue v) const;
};

// Walks back from fetches and targets, stopping at feeds. InvalidArgument if a value or node does not belong to `graph`
// or a feed is given twice.
Result<PlanGraph> PruneGraph(const Graph& graph, const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                             const std::vector<Node*>& targets);

// The consumers of each node, one per edge, including control edges. Those of node n are consumer[begin[n]] ..
// consumer[begin[n + 1]].
struct Consumers {
  std::vector<int32_t> begin;
  std::vector<int32_t> consumer;
  absl::Span<const int32_t> of(int32_t node) const {
    return absl::MakeConstSpan(consumer).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};
Consumers FindConsumers(const PlanGraph& graph);

// Orders producers before consumers. Ignores edges out of NextIteration; any other cycle is an error.
Result<std::vector<int32_t>> TopologicalOrder(const PlanGraph& graph, const Consumers& consumers);

// Returns result[fetch][feed]: whether the fetch depends on the feed.
std::vector<std::vector<bool>> FeedsOfFetches(const PlanGraph& graph);

// Removes nodes that fetches and targets do not need, e.g. after a rewrite.
void RemoveUnneeded(PlanGraph& graph);

}  // namespace weir
