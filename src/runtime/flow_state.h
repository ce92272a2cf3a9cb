// FlowState: where a step with control flow stands: which frames and iterations are alive, which values are dead.
// docs/control-flow.md tells how loops run. One lock guards all of a step's frames; it is held only while values are
// handed on, never while a kernel runs. Thread-safe.
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

// One turn of a loop (or, in frame 0, the whole step): the inputs of its nodes and what they wait for.
struct Iteration {
  Frame* frame = nullptr;
  int64_t number = 0;
  int32_t outstanding = 0;  // nodes that are ready or run
  absl::InlinedVector<Frame*, 1> children;
  std::unique_ptr<EdgeValue[]> entries;
  std::unique_ptr<int32_t[]> pending;  // by counter: edges that did not come yet
  std::unique_ptr<int32_t[]> dead;     // by counter: dead edges that came; of a Merge kLive once a live value is there
};

struct ReadyNode {
  Iteration* iteration = nullptr;
  int32_t node = 0;
  bool dead = false;
};
using ReadyList = absl::InlinedVector<ReadyNode, 16>;

// What a step gives out: the value of a fetch, or the news that there is none.
struct FetchedValue {
  int32_t fetch = 0;
  EdgeValue value;
  bool dead = false;
};

// What handing on the values of a node brought about.
struct Progress {
  ReadyList ready;  // not yet counted as outstanding by the step
  absl::InlinedVector<FetchedValue, 1> fetched;
};

class FlowState final {
 public:
  explicit FlowState(const Plan& plan);
  ~FlowState();
  FlowState(const FlowState&) = delete;
  FlowState& operator=(const FlowState&) = delete;

  // Starts over in `root`, whose memory the step owns.
  void Reset(Iteration* root);
  void Start(Progress& progress);  // nodes without inputs, and constants
  void SeedFeed(int32_t feed, const Tensor& value, Progress& progress);
  // `done` ended: hands on its outputs (moved from), the ones of `dead_outputs` as dead. A dead node has only dead
  // outputs.
  void Propagate(const ReadyNode& done, EdgeValue* outputs, uint64_t dead_outputs, Progress& progress);
  // Call when nothing runs any more: an error if some node outside of loops was never reached.
  Status CheckAllReached();
  static KernelContext::LoopPosition PositionOf(const Iteration& iteration);
  // Drops every frame and value but those of frame 0.
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
  int32_t num_reached_ = 0;                                     // nodes of frame 0 that ended
  std::vector<std::vector<std::unique_ptr<Iteration>>> spare_;  // by static frame
};

}  // namespace weir
