// Step: one run of a plan. Threads that work for it take ready nodes from a list of their own (cheap nodes, and one
// dear one to continue with) and share the rest; the thread that waits for the step helps. Counted: it goes back to its
// executor when the last thread has let go of it. Internal to executor.cc, step.cc and step_outcome.cc. A node is dear
// when its kernel was measured to be worth a thread of its own (PlanNode); Kernel::Cheap() is what the op's author says
// before any measurement.
//
// A cancelled step does not wait for a kernel that cannot be interrupted: after a short while it ends without it. The
// thread in the kernel holds a reference to the step, and with it to the kernel, its inputs and the step's context, and
// drops the result. Threads that somebody waits for leave kernels that may take long to the blocking pool.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "op/kernel.h"
#include "op/memory_slot.h"
#include "runtime/executor.h"
#include "runtime/flow_state.h"
#include "runtime/memory_plan.h"
#include "runtime/rendezvous.h"
#include "runtime/step_trace.h"

namespace weir {

class Step final {
 public:
  explicit Step(const Plan& plan);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref();

  // Makes a step that nobody uses ready to start: one reference, which the caller owns.
  void Prepare(std::shared_ptr<Executor> owner, const StepArgs& args, Executor::FetchDone done);
  // Puts the feeds in place and works on what is ready. `keeps_dear` says whether this thread may
  // run a costly kernel itself, `may_block` whether it may wait for one that blocks.
  void Start(FunctionRef<Tensor(int32_t)> feed, bool keeps_dear, bool may_block);
  // A feed of a plan with late feeds; works on what becomes ready.
  void DeliverFeed(int32_t feed, Tensor value);
  // Cancels a step with late feeds and waits for no more of them.
  void Abandon(Status reason);
  // Stops the step; the first reason is its result.
  void Cancel(Status reason);
  // Helps with the step until it has ended. Past the deadline (Clock::MonotonicNanos; 0: none) the step is cancelled;
  // with one, this thread only waits.
  void Wait(int64_t deadline_nanos);
  // Waits until a fetch is there or the step has ended.
  Result<Tensor> WaitForFetch(int32_t fetch);
  Status status();
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  // REQUIRES: the step has ended.
  Result<std::vector<Tensor>> TakeResult();
  // Cuts the ties to the tokens that the step listens to. REQUIRES: the step has ended.
  void Detach();

  // Hands out the results of steps that have ended. A callback that ends the step around its own, as a function call
  // does, only adds that step to a list of the thread: callbacks do not nest.
  class Completions {
   public:
    static void Run(Step* ended);
    // While it lives, steps that this thread ends complete at once: a callback may have it work on another step.
    class Pause {
     public:
      Pause() : outer_(std::exchange(Current(), nullptr)) {}
      ~Pause() { Current() = outer_; }
      Pause(const Pause&) = delete;
      Pause& operator=(const Pause&) = delete;

     private:
      Completions* const outer_;
    };

   private:
    static Completions*& Current() {
      thread_local Completions* current = nullptr;
      return current;
    }
    std::vector<Step*> waiting_;
  };

 private:
  struct Worker;
  struct AsyncCall;
  class KernelScope;
  enum class FetchState : uint8_t { kAbsent, kThere, kDead };
  struct Fetched {
    Tensor value;
    FetchState state = FetchState::kAbsent;
  };

  void Work(Worker& worker);
  // `is_waiter`: on the thread that waits for the step, which may block, but must not be held up for long.
  void WorkShared(bool is_waiter);
  void Run(Worker& worker, const ReadyNode& item);
  void Locate(const ReadyNode& item, KernelContext& ctx) const;
  void RunSync(Worker& worker, const ReadyNode& item, const PlanNode& node, EdgeValue* inputs);
  void RunAsync(Worker& worker, const ReadyNode& item, const PlanNode& node, EdgeValue* inputs);
  void FinishAsync(Worker& worker, AsyncCall* call);
  // A thread that has ended the wait of a call goes on with its step, or lets others do so.
  void GoOn(AsyncCall* call, bool keeps_nothing, bool keeps_dear);
  // A node has ended: frees its inputs, hands on its outputs.
  void Complete(Worker& worker, const ReadyNode& item, EdgeValue* outputs, uint64_t dead_outputs, Status status);
  void PropagateStraight(const PlanEdges& edges, EdgeValue* outputs, Progress& progress);
  bool CountDown(int32_t counter);
  // Counts what came and what ended; the last one to end ends the step, else ready nodes find their threads.
  void Account(Worker& worker, int64_t ended);
  void Distribute(Worker& worker);
  void Share(absl::Span<const ReadyNode> items);
  void ShareBlocking(const ReadyNode& item);

  // Memory as it is planned, or what is learned to plan it (step_memory.cc).
  struct Lesson {
    std::vector<int32_t> first_value;
    std::unique_ptr<MemorySlot[]> asked;  // by value: what its kernel got
    MemoryUse use;
  };
  void PrepareMemory();
  bool OfferSlots(int32_t node, EdgeValue* outputs);
  bool OfferLesson(int32_t node, EdgeValue* outputs);
  // Frees the inputs of a node that has ended, but for what is kept of them.
  void KeepInputs(int32_t node, EdgeValue* inputs, const EdgeValue* outputs);
  void Learn(int32_t node, EdgeValue* inputs, const EdgeValue* outputs);
  void EndMemory();

  Status ResolveRefs(const PlanNode& node, int32_t index, EdgeValue* inputs);
  Status CheckOutputs(const PlanNode& node, const EdgeValue* outputs, uint64_t dead_outputs) const;
  void StoreFetch(int32_t fetch, EdgeValue value, bool dead);
  void StoreFetches(Progress& progress);
  Status Describe(const Status& status, const PlanNode* node) const;
  void Fail(const Status& status, const PlanNode* node);
  // The step around this one was cancelled.
  void CancelWithParent(Status reason);
  void Finish();
  void HandOutResult();
  void Recycle();
  bool IsDear(int32_t node) const;
  // Whether the node may run for so long that a thread that somebody waits for must not run it.
  bool MayTakeLong(const ReadyNode& item) const;
  // Ends the step without the kernels that still run. Called a while after it was cancelled.
  void GiveUp();
  void End();
  void Record(int32_t node, const StepTrace::Times& times, absl::Span<const EdgeValue> outputs);

  const Plan& plan_;
  std::atomic<int32_t> refs_{0};
  std::shared_ptr<Executor> owner_;  // while it is in use
  StepContext context_;
  ThreadPool* pool_ = nullptr;
  bool traced_ = false;
  StepTrace* trace_ = nullptr;  // guarded by mu_; null once the step was given up
  Clock* clock_ = nullptr;
  bool measure_ = false;
  bool private_fetches_ = false;
  bool has_done_ = false;     // false: somebody waits
  Executor::FetchDone done_;  // taken by whoever ends the step

  Iteration root_;
  std::unique_ptr<FlowState> flow_;
  std::vector<Fetched> fetches_;
  bool keeps_memory_ = false;           // it has a memory plan or a lesson
  const MemoryPlan* memory_ = nullptr;  // the owner's; null: none
  std::unique_ptr<MemorySlot[]> slots_;
  std::unique_ptr<Lesson> lesson_;
  std::atomic<bool> outgrown_{false};
  std::atomic<int64_t> outstanding_{0};  // nodes that are ready or run, feeds that did not come, the start itself
  std::atomic<int64_t> missing_feeds_{0};
  std::atomic<bool> aborted_{false};
  std::atomic<bool> ended_{false};     // somebody has begun to end it
  std::atomic<bool> finished_{false};  // its result is there

  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<ReadyNode> shared_;
  bool helper_waits_ = false;
  std::optional<ElasticPool::TimerId> give_up_timer_;  // holds a reference
  Status status_;

  std::optional<CancelToken> cancel_;
  struct Tie {
    CancelToken* token;
    CancelToken::Id id;
  };
  absl::InlinedVector<Tie, 2> ties_;
  std::shared_ptr<ResourceManager> step_resources_;
  IntrusivePtr<LocalRendezvous> rendezvous_;
};

}  // namespace weir
