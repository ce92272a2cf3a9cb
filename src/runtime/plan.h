// Plan: one signature (feeds, fetches, targets) of a graph, compiled: nodes in compact arrays with their kernels, where
// inputs lie, who waits for whom. Made once, then only read, by many steps at a time (cost estimates aside).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/frames.h"
#include "runtime/kernel_cache.h"
#include "runtime/passes/pass_options.h"
#include "runtime/placer.h"
#include "runtime/plan_graph.h"

namespace weir {

constexpr int32_t kFetchEdge = -1;
constexpr uint32_t kUnknownCost = 1'000'000;  // until it is measured, a kernel is worth a thread

// A value on its way from an output to an input.
struct PlanEdge {
  int32_t node = 0;    // the consumer, or kFetchEdge
  int32_t entry = 0;   // where the input lies among the entries of the consumer's frame, or the number of the fetch
  int32_t output = 0;  // of the producer
  bool last = false;   // no later edge takes the same output: the value moves
};
struct PlanEdges {
  int32_t begin = 0;
  int32_t end = 0;
};

struct PlanNode {
  const NodeInfo* info = nullptr;
  const Kernel* kernel = nullptr;    // null: the executor knows what to do
  const Tensor* constant = nullptr;  // the value of a kConst
  int32_t first_entry = 0;           // its inputs lie there, in its frame
  int32_t num_inputs = 0;
  int32_t num_outputs = 0;
  int32_t frame = 0;
  int32_t child_frame = -1;  // that an Enter leads to
  int32_t counter = 0;       // its place among the counters of its frame
  PlanEdges edges;           // values to consumers, by output
  PlanEdges control_edges;
  NodeKind kind = NodeKind::kKernel;
  bool is_source = false;  // a constant that is in place before the step starts
  bool has_refs = false;   // some input comes as a reference or is wanted as one
  bool allows_uninitialized = false;
  bool constant_enter = false;  // an Enter whose value holds for all iterations
  bool async = false;
  bool blocking = false;
  bool cheap = false;
};

struct PlanFrame {
  StaticFrame info;
  int32_t num_entries = 0;
  int32_t num_nodes = 0;                 // that a step must reach (for frame 0)
  std::vector<int32_t> initial_pending;  // by counter: edges to wait for; of a Merge only the control edges
};

struct PlanFeed {
  PlanGraph::Feed what;
  PlanEdges edges;
};
struct PlanFetch {
  std::string name;
  DType dtype = kInvalidType;
  // May share memory with a variable that a later step changes in place.
  bool may_alias_state = false;
};

struct Plan {
  std::vector<PlanNode> nodes;
  std::vector<PlanEdge> edges;
  std::vector<int32_t> control_edges;  // consumers
  std::vector<PlanFrame> frames;       // [0] is what is outside of loops
  std::vector<PlanFeed> feeds;
  std::vector<PlanFetch> fetches;
  std::vector<int32_t> constants;  // nodes that are sources
  std::vector<int32_t> roots;      // nodes that wait for nothing; those first that ask other tasks
  int32_t num_asking = 0;          // of them
  bool has_flow = false;           // needs frames and dead values
  bool late_feeds = false;         // feeds come while the step runs
  bool plans_memory = false;       // where values lie is planned once a step has shown how large they are
  std::string explained_as;        // "plan for y:0" where somebody wants to know what is done to it

  // Where inputs come from, flat: node n has its values at input_begin[n], then its control inputs up to the next
  // begin.
  std::vector<PlanValue> inputs;
  std::vector<int32_t> input_begin;
  absl::Span<const PlanValue> inputs_of(int32_t node) const {
    return absl::MakeConstSpan(inputs).subspan(input_begin[node], nodes[node].num_inputs);
  }
  absl::Span<const PlanValue> control_inputs_of(int32_t node) const {
    const int32_t begin = input_begin[node] + nodes[node].num_inputs;
    return absl::MakeConstSpan(inputs).subspan(begin, input_begin[node + 1] - begin);
  }
  std::string NameOf(PlanValue value) const;

  // What a node costs, in nanoseconds, as measured now and then: it decides who runs it.
  std::unique_ptr<std::atomic<uint32_t>[]> costs;
  mutable std::atomic<uint32_t> num_steps{0};

  // For each fetch which feeds it depends on; only with late_feeds.
  std::vector<std::vector<bool>> feeds_of_fetch;

  std::vector<std::shared_ptr<const BoundKernel>> kernels;  // what `info` and `kernel` point into
  std::vector<std::unique_ptr<const NodeInfo>> infos;       // of nodes without a kernel
  std::vector<std::shared_ptr<const NodeProps>> props;      // what `constant` points into
};

struct PlanSignature {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<Node*> targets;
  bool late_feeds = false;
  bool receives_dead = false;  // values may come dead from other tasks though nothing here makes them so
};

struct PlanEnvironment {
  const std::vector<std::unique_ptr<Device>>& devices;
  KernelCache& kernels;
  PlacerOptions placer;
  PassOptions passes = {};
};

Result<std::shared_ptr<const Plan>> CompilePlan(const Graph& graph, const PlanSignature& signature,
                                                const PlanEnvironment& environment);

}  // namespace weir
