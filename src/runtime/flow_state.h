// FlowState: the state of a step with control flow: its live frames and iterations, and dead values. See
// docs/control-flow.md. Thread-safe: one lock guards all frames of a step. It is held only while values are propagated,
// never while a kernel runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "runtime/plan.h"

namespace weir {

struct Frame;

inline void Release(EdgeValue& value) {
  if (value.tensor.valid()) value.tensor = Tensor();
  if (value.ref) value.ref = nullptr;
}

// One iteration of a loop (in frame 0, the whole step): the inputs of its nodes and their pending counters.
struct Iteration {
  Frame* frame = nullptr;
  int64_t number = 0;
  int32_t outstanding = 0;  // ready and running nodes
  absl::InlinedVector<Frame*, 1> children;
  std::unique_ptr<EdgeValue[]> entries;
  std::unique_ptr<int32_t[]> pending;  // indexed by counter: edges that have not arrived
  // indexed by counter: dead edges that have arrived; kLive for a Merge with a live value
  std::unique_ptr<int32_t[]> dead;
};

struct ReadyNode {
  Iteration* iteration = nullptr;
  int32_t node = 0;
  bool dead = false;
};
using ReadyList = absl::InlinedVector<ReadyNode, 16>;

// The value of a fetch, or the fact that it is dead.
struct FetchedValue {
  int32_t fetch = 0;
  EdgeValue value;
  bool dead = false;
};

// The effects of propagating the outputs of a node.
struct Progress {
  ReadyList ready;  // not yet included in Step::outstanding_
  absl::InlinedVector<FetchedValue, 1> fetched;
};

class FlowState final {
 public:
  explicit FlowState(const Plan& plan);
  ~FlowState();
  FlowState(const FlowState&) = delete;
  FlowState& operator=(const FlowState&) = delete;

  // Starts over with `root` as the only iteration of frame 0. The step owns `root`.
  void Reset(Iteration* root);
  void Start(Progress& progress);  // makes roots ready and propagates constants
  void SeedFeed(int32_t feed, const Tensor& value, Progress& progress);
  // Propagates the outputs of `done`, moving them. Those in `dead_outputs` are dead; if the node is dead, all are.
  void Propagate(const ReadyNode& done, EdgeValue* outputs, uint64_t dead_outputs, Progress& progress);
  // An error if some node outside of loops was never reached. REQUIRES: no node is ready or running.
  Status CheckAllReached();
  static KernelContext::LoopPosition PositionOf(const Iteration& iteration);
  // Drops all frames except frame 0, with their values.
  void Clear();

 private:
  struct LoopValue {
    int32_t node = 0;
    EdgeValue value;
    bool dead = false;
  };
  friend struct Frame;

  void Activate(Iteration* iteration, const PlanEdges& edges, const PlanEdges& control_edges, EdgeValue* outputs,
                uint64_t dead_outputs, bool dead, bool from_enter, bool move, Progress& progress);
  void ActivateValue(Iteration* iteration, const PlanEdge& edge, EdgeValue* value, bool dead, bool from_enter,
                     bool move, Progress& progress);
  void ActivateControl(Iteration* iteration, int32_t consumer, bool dead, Progress& progress);
  void ActivateOne(Iteration* iteration, int32_t node, EdgeValue value, bool dead, Progress& progress);
  void MakeReady(Iteration* iteration, int32_t node, bool dead, Progress& progress);

  void PropagateEnter(const ReadyNode& done, EdgeValue* outputs, Progress& progress);
  void PropagateExit(const ReadyNode& done, EdgeValue* outputs, Progress& progress);
  void PropagateNextIteration(const ReadyNode& done, EdgeValue* outputs, Progress& progress);
  Frame* FindOrMakeChild(Iteration* iteration, int32_t static_frame);
  Iteration* StartIteration(Frame* frame, Progress& progress);
  void EndIterations(Frame* frame, Progress& progress);
  void EndFrame(Frame* frame, Progress& progress);

  Iteration* TakeIteration(int32_t static_frame);
  void ReturnIteration(int32_t static_frame, Iteration* iteration);

  const Plan& plan_;
  std::mutex mu_;
  std::unique_ptr<Frame> root_;
  int32_t num_reached_ = 0;                                     // nodes of frame 0 that have ended
  std::vector<std::vector<std::unique_ptr<Iteration>>> spare_;  // by static frame
};

}  // namespace weir
