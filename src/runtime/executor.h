// Executor: runs the steps of a plan, many at a time. A plan without control flow uses counters in one array; a plan
// with control flow uses frames and dead values (FlowState). Step objects are reused, with the memory of their values
// as far as it is planned (MemoryPlan). Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/types/span.h"
#include "base/clock.h"
#include "op/kernel.h"
#include "runtime/memory_plan.h"
#include "runtime/plan.h"

namespace weir {

class Step;
class StepTrace;

struct StepArgs {
  // Copied. The step replaces `cancel` with its own token and supplies step_resources and rendezvous if they are null.
  StepContext context;
  // Runs ready nodes that the current thread does not keep. If null, the waiting thread runs all nodes.
  ThreadPool* pool = nullptr;
  // The step is cancelled if one of these tokens is.
  absl::InlinedVector<CancelToken*, 2> cancelled_by;
  StepTrace* trace = nullptr;
  Clock* clock = nullptr;        // for measuring kernels; null: RealClock()
  int64_t deadline_nanos = 0;    // in RealClock().MonotonicNanos(); 0: none
  bool private_fetches = false;  // copy fetched values that may share memory with a variable
};

class Executor final : public std::enable_shared_from_this<Executor> {
 public:
  using FetchDone = std::function<void(Result<std::vector<Tensor>>)>;

  explicit Executor(std::shared_ptr<const Plan> plan);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  const Plan& plan() const { return *plan_; }
  // Null if memory is not planned yet, or no output has a slot.
  const MemoryPlan* memory_plan() const { return memory_.load(std::memory_order_acquire); }

  // Runs a step on this thread and the pool, and blocks until it has ended. `feeds` has one tensor per feed of the
  // plan, of its type. The step does not overwrite them, because the caller holds references.
  Result<std::vector<Tensor>> Run(const StepArgs& args, absl::Span<const Tensor> feeds);
  // Runs a step without blocking. `done` may run on any thread, including this one before Start returns. The step may
  // reuse the memory of feeds. REQUIRES: args.pool is not null.
  void Start(const StepArgs& args, std::vector<Tensor> feeds, FetchDone done);

 private:
  friend class PartialStep;
  friend class Step;
  // Starts a step whose feeds come later. Returns it with a reference for the caller. When the step has ended, `done`
  // gets its status and no values. If there is no memory for a step, calls `done` and returns null. REQUIRES: args.pool
  // is not null; the plan has late feeds.
  Step* StartPartial(const StepArgs& args, FetchDone done);
  Step* Take();
  void Return(Step* step);
  // Whether a step that uses `planned` must call PrepareMemory again.
  bool MemoryChanged(const MemoryPlan* planned) const {
    return memory_plan() != planned || wants_recording_.load(std::memory_order_relaxed);
  }
  // Whether the calling step is to record how memory is used. If true, it must call PlanMemory or
  // RequestMemoryRecording when it ends.
  bool BeginMemoryRecording();
  void PlanMemory(const RecordedMemory& use);
  void RequestMemoryRecording();

  const std::shared_ptr<const Plan> plan_;
  std::mutex mu_;
  std::vector<std::unique_ptr<Step>> spare_;
  std::vector<std::unique_ptr<const MemoryPlan>> memory_plans_;  // steps may still use older ones
  std::atomic<const MemoryPlan*> memory_{nullptr};
  std::atomic<bool> wants_recording_;
};

}  // namespace weir
