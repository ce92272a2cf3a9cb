// Plan: a compiled signature (feeds, fetches, targets) of a graph: compact arrays with nodes, kernels, the places of
// inputs, and edges. Immutable after compilation, except for cost estimates. Shared by concurrent steps.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/frames.h"
#include "runtime/kernel_cache.h"
#include "runtime/passes/pass_options.h"
#include "runtime/placer.h"
#include "runtime/plan_graph.h"
#include "runtime/session_placements.h"

namespace weir {

constexpr int32_t kFetchEdge = -1;
constexpr uint32_t kUnknownCost = 1'000'000;  // until it is measured, a kernel counts as expensive

// An edge from an output to an input or fetch.
struct PlanEdge {
  int32_t node = 0;    // the consumer, or kFetchEdge
  int32_t entry = 0;   // index of the input in the entries of the consumer's frame, or the number of the fetch
  int32_t output = 0;  // of the producer
  bool last = false;   // the last edge of this output: the value is moved instead of copied
};
struct PlanEdges {
  int32_t begin = 0;
  int32_t end = 0;
};

struct PlanNode {
  const NodeInfo* info = nullptr;
  const Kernel* kernel = nullptr;    // null if the executor implements the node itself
  const Tensor* constant = nullptr;  // the value of a kConst
  int32_t first_entry = 0;           // the first of its inputs in the entries of its frame
  int32_t num_inputs = 0;
  int32_t num_outputs = 0;
  int32_t frame = 0;
  int32_t child_frame = -1;  // for an Enter: the frame that it enters
  int32_t counter = 0;       // index in the pending counters of its frame
  PlanEdges edges;           // to consumers, sorted by output
  PlanEdges control_edges;
  NodeKind kind = NodeKind::kKernel;
  bool is_source = false;  // a constant that is delivered before the step starts
  bool has_refs = false;   // some input is a reference, or is declared as one
  bool allows_uninitialized = false;
  bool constant_enter = false;  // an Enter with is_constant: its value is the same in all iterations
  bool async = false;
  bool blocking = false;
  bool cheap = false;
};

struct PlanFrame {
  StaticFrame info;
  int32_t num_entries = 0;
  int32_t num_nodes = 0;  // for frame 0: the nodes that a step must reach
  // indexed by counter: the edges to wait for; for a Merge only the control edges
  std::vector<int32_t> initial_pending;
};

struct PlanFeed {
  PlanGraph::Feed what;
  PlanEdges edges;
};
struct PlanFetch {
  std::string name;
  DType dtype = kInvalidType;
  // Whether it may share memory with a variable that a later step updates in place.
  bool may_alias_state = false;
};

struct Plan {
  std::vector<PlanNode> nodes;
  std::vector<PlanEdge> edges;
  std::vector<int32_t> control_edges;  // consumers
  std::vector<PlanFrame> frames;       // frames[0] is everything outside of loops
  std::vector<PlanFeed> feeds;
  std::vector<PlanFetch> fetches;
  std::vector<int32_t> constants;  // nodes with is_source
  std::vector<int32_t> roots;      // nodes without pending inputs; sends and receives first
  int32_t num_root_transfers = 0;  // the number of sends and receives in `roots`
  bool has_flow = false;           // needs frames and dead values
  bool late_feeds = false;         // feeds arrive while the step runs
  bool plans_memory = false;       // plan the memory of values once a step has measured their sizes
  std::string explain_title;       // title in explanations ("plan for y:0"); empty: do not explain the plan

  // The sources of all inputs: those of node n are inputs[input_begin[n]] .. inputs[input_begin[n + 1]], data inputs
  // first, then control inputs.
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

  // The cost of each node in nanoseconds, measured from time to time. Decides which thread runs the node.
  std::unique_ptr<std::atomic<uint32_t>[]> costs;
  mutable std::atomic<uint32_t> num_steps{0};

  // feeds_of_fetch[fetch][feed]: whether the fetch depends on the feed. Empty unless late_feeds is set.
  std::vector<std::vector<bool>> feeds_of_fetch;

  std::vector<std::shared_ptr<const BoundKernel>> kernels;     // own the targets of PlanNode::info and kernel
  std::vector<std::unique_ptr<const Kernel>> guarded_kernels;  // those that check where their variables are
  std::vector<std::unique_ptr<const NodeInfo>> infos;          // of nodes without a kernel
  std::vector<std::shared_ptr<const NodeProps>> props;         // own the targets of PlanNode::constant
  std::vector<std::unique_ptr<const Tensor>> gpu_constants;    // and those in the memory of a GPU

  std::vector<GpuDevice*> gpus;  // the GPUs that run nodes: a step waits for their work before it ends
};

struct PlanSignature {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<Node*> targets;
  bool late_feeds = false;
  bool receives_dead = false;  // values from other tasks may be dead, even if this plan has no control flow
  bool shows_nodes = false;    // traced, or returned to the caller: GPU nodes stay nodes
};

struct PlanEnvironment {
  const std::vector<std::unique_ptr<Device>>& devices;
  KernelCache& kernels;
  PlacerOptions placer;
  PassOptions passes = {};
  SessionPlacements* placements = nullptr;  // null: the plan is placed without regard to others of its session
};

Result<std::shared_ptr<const Plan>> CompilePlan(const Graph& graph, const PlanSignature& signature,
                                                const PlanEnvironment& environment);

}  // namespace weir
