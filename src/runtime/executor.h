// Executor: runs a plan, many steps at a time. A plan without control flow runs on counters in one array; one with it
// through frames and dead values (FlowState). Steps are kept and used again, with the memory of their values as far as
// it is planned (MemoryPlan). Thread-safe.
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
  // Copied; `cancel` is replaced by a token of the step's own, and what is null among step_resources and rendezvous
  // too.
  StepContext context;
  // Where ready nodes go that this thread does not keep; null: nowhere, the waiting thread runs them all.
  ThreadPool* pool = nullptr;
  // The step is cancelled when one of these is.
  absl::InlinedVector<CancelToken*, 2> cancelled_by;
  StepTrace* trace = nullptr;
  Clock* clock = nullptr;        // by which kernels are measured; null: the machine's
  int64_t deadline_nanos = 0;    // of Clock::MonotonicNanos; 0: none
  bool private_fetches = false;  // what is fetched must not change with later steps: copy what a variable may share
};

// A step whose feeds come and whose fetches go one by one. Thread-safe. Dropping it cancels what has not ended.
class PartialStep final {
 public:
  explicit PartialStep(Step* step) : step_(step) {}  // takes over the reference
  ~PartialStep();
  PartialStep(const PartialStep&) = delete;
  PartialStep& operator=(const PartialStep&) = delete;

  // REQUIRES: each feed is given once.
  void Feed(int feed, Tensor value);
  // Blocks until the value is there or the step has failed.
  Result<Tensor> Fetch(int fetch);
  // REQUIRES: all feeds were given.
  Status WaitForEnd();
  // Fails the step, and with it whoever waits for a fetch. From any thread.
  void Cancel(Status reason);

 private:
  Step* step_;
};

class Executor final : public std::enable_shared_from_this<Executor> {
 public:
  using FetchDone = std::function<void(Result<std::vector<Tensor>>)>;

  explicit Executor(std::shared_ptr<const Plan> plan);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  const Plan& plan() const { return *plan_; }
  // Null: nothing is planned yet, or there is nothing to plan.
  const MemoryPlan* memory_plan() const { return memory_.load(std::memory_order_acquire); }

  // Runs a step on this thread and the pool, and blocks until it has ended. One tensor per feed of the plan, of its
  // type; they are left untouched: the caller's references keep them from being overwritten.
  Result<std::vector<Tensor>> Run(const StepArgs& args, absl::Span<const Tensor> feeds);
  // The same without blocking. `done` may run on any thread, also on this one before Start returns. The memory of feeds
  // may be used for results. REQUIRES: a pool.
  void Start(const StepArgs& args, std::vector<Tensor> feeds, FetchDone done);
  // REQUIRES: a pool, a plan with late feeds.
  std::unique_ptr<PartialStep> StartPartial(const StepArgs& args);

 private:
  friend class Step;
  Step* Take();
  void Return(Step* step);
  // Whether a step that has `planned` has news to ask for.
  bool MemoryChanged(const MemoryPlan* planned) const {
    return memory_plan() != planned || wants_lesson_.load(std::memory_order_relaxed);
  }
  // Whether a step shall learn how memory is used. Who does calls one of the others in the end.
  bool BeginLesson();
  void PlanMemory(const MemoryUse& use);
  void LearnAgain();

  const std::shared_ptr<const Plan> plan_;
  std::mutex mu_;
  std::vector<std::unique_ptr<Step>> spare_;
  std::vector<std::unique_ptr<const MemoryPlan>> memory_plans_;  // steps may have older ones
  std::atomic<const MemoryPlan*> memory_{nullptr};
  std::atomic<bool> wants_lesson_;
};

}  // namespace weir
