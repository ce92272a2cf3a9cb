// Step: one run of a plan. Internal to executor.cc, partial_step.cc and step*.cc. Each worker thread runs ready nodes
// from its own list (cheap nodes, and one expensive node to continue with) and shares the others. The thread that waits
// for the step helps. Reference-counted: the step returns to its executor when the last reference is dropped.
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

// A node is "expensive" if its measured cost (Plan::costs) justifies waking another thread for it.
// Kernel::Cheap() is a static hint of the op's author and does not depend on measurements.
//
// A cancelled step does not wait for a kernel that cannot be interrupted: after a short time it ends without it. The
// thread in the kernel holds a reference to the step, and so to the kernel, its inputs and the step's context, and
// drops the result. Kernels that may take long run on the blocking pool, so that the thread that waits for the step,
// and threads that handle messages, can continue.
class Step final {
 public:
  explicit Step(const Plan& plan);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref();

  // Initializes an unused step. The caller owns the one reference.
  void Prepare(std::shared_ptr<Executor> owner, const StepArgs& args, Executor::FetchDone done);
  // Delivers the feeds and runs ready nodes. `keeps_expensive`: this thread may run expensive kernels. `may_block`:
  // this thread may run blocking kernels.
  void Start(FunctionRef<Tensor(int32_t)> feed, bool keeps_expensive, bool may_block);
  // For plans with late feeds, after Start. The first delivers a feed, at most once each, and runs nodes that become
  // ready. The second calls `done` when the fetch is available or the step has failed.
  void DeliverFeed(int32_t feed, Tensor value);
  void Fetch(int32_t fetch, std::function<void(Result<Tensor>)> done);
  // Cancels the step. The first reason is its result. Late feeds that are missing no longer keep it from ending.
  void Cancel(Status reason);
  // Blocks until the step has ended. Without a deadline (0) this thread helps to run it. With a deadline
  // (RealClock().MonotonicNanos()) it only waits, and cancels the step when the deadline has passed.
  void Wait(int64_t deadline_nanos);
  Status status();
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  // REQUIRES: the step has ended. No values if the plan has late feeds.
  Result<std::vector<Tensor>> TakeResult();
  // Unregisters from the tokens in StepArgs::cancelled_by. REQUIRES: the step has ended.
  void Detach();

  // Runs the `done` callbacks of steps. If a callback ends another step, as the end of a function call may end the
  // calling step, that step is added to a thread-local list: callbacks do not nest.
  class Completions {
   public:
    static void Run(Step* ended);
    // While a Pause exists, steps that end on this thread complete at once. Needed when a callback makes this thread
    // work on another step.
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
  struct ThreadState;
  struct AsyncCall;
  class KernelScope;
  enum class FetchState : uint8_t { kAbsent, kAvailable, kDead };
  struct Fetched {
    Tensor value;
    FetchState state = FetchState::kAbsent;
  };
  struct FetchWaiter {
    int32_t fetch;
    std::function<void(Result<Tensor>)> done;
  };

  void Work(ThreadState& worker);
  template <class F>
  void WorkOrEnd(F work);
  // `is_waiter`: this is the thread that waits for the step. It may run blocking kernels, but not long ones.
  void WorkShared(bool is_waiter);
  void Run(ThreadState& worker, const ReadyNode& item);
  void SetLoopPosition(const ReadyNode& item, KernelContext& ctx) const;
  void RunSync(ThreadState& worker, const ReadyNode& item, const PlanNode& node, EdgeValue* inputs);
  void RunAsync(ThreadState& worker, const ReadyNode& item, const PlanNode& node, EdgeValue* inputs);
  void FinishAsync(ThreadState& worker, AsyncCall* call);
  // Completes an asynchronous call and continues its step on this thread or, with `keeps_nothing`, on others.
  void ContinueAfterCall(AsyncCall* call, bool keeps_nothing, bool keeps_expensive);
  // Called when a node has ended: releases its inputs and propagates its outputs.
  void Complete(ThreadState& worker, const ReadyNode& item, EdgeValue* outputs, uint64_t dead_outputs, Status status);
  void PropagateWithoutFlow(const PlanEdges& edges, EdgeValue* outputs, Progress& progress);
  bool CountDown(int32_t counter);
  // Adds the ready nodes to the outstanding ones and subtracts `ended`. Finishes the step if none is left, else
  // distributes the ready nodes over threads.
  void Account(ThreadState& worker, int64_t ended);
  void Distribute(ThreadState& worker);
  void Share(absl::Span<const ReadyNode> items);
  void ShareBlocking(const ReadyNode& item);

  // Planned memory, or a recording of memory use from which to plan it (step_memory.cc).
  struct MemoryRecording {
    std::vector<int32_t> first_value;
    std::unique_ptr<MemorySlot[]> recorded;  // indexed by value: records the buffer that its kernel got
    RecordedMemory use;
  };
  void PrepareMemory();
  bool OfferSlots(int32_t node, EdgeValue* outputs);
  bool OfferRecordingSlots(int32_t node, EdgeValue* outputs);
  // Releases the inputs of a node that has ended. Returns their memory to slots as planned.
  void ReleaseInputs(int32_t node, EdgeValue* inputs, const EdgeValue* outputs);
  void RecordMemoryUse(int32_t node, EdgeValue* inputs, const EdgeValue* outputs);
  void EndMemory();

  Status ResolveRefs(const PlanNode& node, int32_t index, EdgeValue* inputs);
  Status CheckOutputs(const PlanNode& node, const EdgeValue* outputs, uint64_t dead_outputs) const;
  void StoreFetch(int32_t fetch, EdgeValue value, bool dead);
  void StoreLateFetch(int32_t fetch, Tensor value, FetchState state);
  Result<Tensor> ReadFetch(int32_t fetch);
  Status NotAvailable(int32_t fetch) const;
  // Calls the waiters of fetches that will not become available.
  void FailFetches();
  // Lets a failed step end without its late feeds.
  void DropMissingFeeds();
  void StoreFetches(Progress& progress);
  Status Describe(const Status& status, const PlanNode* node) const;
  Status WithNodeName(const Status& status, const PlanNode* node) const;
  // Does not throw, even if it lacks memory for the message.
  void Fail(const Status& status, const PlanNode* node);
  void ScheduleEnd();
  // Called when a token in StepArgs::cancelled_by is cancelled.
  void CancelWithParent(Status reason);
  void Finish();
  // Waits for the work that the step has enqueued on GPUs; fails the step if it went wrong.
  void WaitForGpus();
  void DeliverResult();
  void Recycle();
  bool IsExpensive(int32_t node) const;
  // Whether the node may take so long that only a pool thread may run it.
  bool MayTakeLong(const ReadyNode& item) const;
  // Ends the step without waiting for kernels that are still running. Called some time after the cancellation.
  void EndWithoutKernels();
  // Call it while an exception is caught that left the step in an unknown state.
  void EndAfterException();
  void End();
  void Record(int32_t node, const StepTrace::Times& times, absl::Span<const EdgeValue> outputs);

  const Plan& plan_;
  std::atomic<int32_t> refs_{0};
  std::shared_ptr<Executor> owner_;  // null while the step is unused
  StepContext context_;
  ThreadPool* pool_ = nullptr;
  bool traced_ = false;
  StepTrace* trace_ = nullptr;  // guarded by mu_; null after GiveUp
  Clock* clock_ = nullptr;
  bool measure_ = false;
  bool private_fetches_ = false;
  bool has_done_ = false;     // if false, a thread waits for the step
  Executor::FetchDone done_;  // called by the thread that ends the step

  Iteration root_;
  std::unique_ptr<FlowState> flow_;
  std::vector<Fetched> fetches_;
  bool keeps_memory_ = false;           // memory_ or recording_ is set
  const MemoryPlan* memory_ = nullptr;  // owned by owner_; may be null
  std::unique_ptr<MemorySlot[]> slots_;
  std::unique_ptr<MemoryRecording> recording_;
  std::atomic<bool> outgrown_{false};
  std::atomic<int64_t> outstanding_{0};  // ready and running nodes, missing late feeds, and 1 until Start is done
  std::atomic<int64_t> missing_feeds_{0};
  std::atomic<bool> aborted_{false};
  std::atomic<bool> ended_{false};     // a thread has begun to end the step
  std::atomic<bool> finished_{false};  // the result is available

  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<ReadyNode> shared_;
  bool helper_waits_ = false;
  std::optional<ElasticPool::TimerId> end_timer_;  // holds a reference to the step
  Status status_;
  std::vector<FetchWaiter> fetch_waiters_;  // of a plan with late feeds

  std::optional<CancelToken> cancel_;
  struct TokenRegistration {
    CancelToken* token;
    CancelToken::Id id;
  };
  absl::InlinedVector<TokenRegistration, 2> registrations_;
  std::shared_ptr<ResourceManager> step_resources_;
  IntrusivePtr<LocalRendezvous> rendezvous_;
};

}  // namespace weir
