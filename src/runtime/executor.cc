// Acquires, starts and waits for steps. With a deadline the caller only waits, and a thread of the blocking pool does
// the work that the caller would do otherwise.
#include "runtime/executor.h"

#include "base/process_memory.h"
#include "runtime/passes/pass_report.h"
#include "runtime/step.h"

namespace weir {
namespace {

constexpr size_t kSpareSteps = 16;
constexpr size_t kStepBytes = 4096;  // approximate size of a step without its values
// The maximum number of times that memory is planned again because steps outgrew their slots.
constexpr size_t kMostMemoryPlans = 8;

}  // namespace

Executor::Executor(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)), wants_recording_(plan_->plans_memory) {}
Executor::~Executor() = default;

Step* Executor::Take() {
  {
    std::lock_guard lock(mu_);
    if (!spare_.empty()) {
      Step* step = spare_.back().release();
      spare_.pop_back();
      return step;
    }
  }
  return new Step(*plan_);
}

void Executor::Return(Step* step) {
  std::unique_ptr<Step> owned(step);
  std::lock_guard lock(mu_);
  if (spare_.size() < kSpareSteps) spare_.push_back(std::move(owned));
}

bool Executor::BeginMemoryRecording() { return wants_recording_.exchange(false, std::memory_order_relaxed); }

void Executor::PlanMemory(const RecordedMemory& use) {
  std::unique_ptr<const MemoryPlan> planned = weir::PlanMemory(*plan_, use);
  if (!plan_->explain_title.empty())
    Explain(fmt::format("{}: memory of {}\n", plan_->explain_title, planned->ToString()));
  std::lock_guard lock(mu_);
  memory_.store(planned->num_outputs > 0 ? planned.get() : nullptr, std::memory_order_release);
  memory_plans_.push_back(std::move(planned));
}

void Executor::RequestMemoryRecording() {
  std::lock_guard lock(mu_);
  if (memory_plans_.size() < kMostMemoryPlans) wants_recording_.store(true, std::memory_order_relaxed);
}

Result<std::vector<Tensor>> Executor::Run(const StepArgs& args, absl::Span<const Tensor> feeds) {
  WEIR_TRY(ProcessMemory::Get().Reserve(kStepBytes));
  Step* step = Take();
  step->Prepare(shared_from_this(), args, nullptr);
  if (args.deadline_nanos == 0) {
    step->Start([&](int32_t k) { return feeds[k]; }, /*keeps_expensive=*/true, /*may_block=*/true);
  } else {
    step->Ref();
    // The caller may return before that thread starts: copy the feeds.
    args.context.blocking_pool->Schedule([step, kept = std::vector<Tensor>(feeds.begin(), feeds.end())] {
      step->Start([&](int32_t k) { return kept[k]; }, /*keeps_expensive=*/true, /*may_block=*/true);
      step->Wait(0);
      step->Unref();
    });
  }
  step->Wait(args.deadline_nanos);
  step->Detach();
  Result<std::vector<Tensor>> result = step->TakeResult();
  step->Unref();
  return result;
}

void Executor::Start(const StepArgs& args, std::vector<Tensor> feeds, FetchDone done) {
  if (Status status = ProcessMemory::Get().Reserve(kStepBytes); !status.ok()) return done(std::move(status));
  Step* step = Take();
  step->Prepare(shared_from_this(), args, std::move(done));
  step->Ref();  // the step may end and drop its own reference before Start returns
  step->Start([&](int32_t k) { return std::move(feeds[k]); }, /*keeps_expensive=*/false, /*may_block=*/false);
  step->Unref();
}

Step* Executor::StartPartial(const StepArgs& args, FetchDone done) {
  if (Status status = ProcessMemory::Get().Reserve(kStepBytes); !status.ok()) {
    done(std::move(status));
    return nullptr;
  }
  Step* step = Take();
  step->Prepare(shared_from_this(), args, std::move(done));
  step->Ref();
  step->Start([](int32_t) { return Tensor(); }, /*keeps_expensive=*/false, /*may_block=*/false);
  return step;
}

}  // namespace weir
