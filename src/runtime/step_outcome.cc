// The outcome of a step: fetches, the first error, its end, and waiting for it.
#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "device/gpu_device.h"
#include "op/hidden_attrs.h"
#include "op/node_error.h"
#include "runtime/step.h"

namespace weir {
namespace {

constexpr int kMaxNestedCancels = 16;
constexpr int kDescribedCalls = 8;

}  // namespace

void Step::StoreFetch(int32_t fetch, EdgeValue value, bool dead) {
  if (value.ref) {
    if (!value.ref->initialized()) {
      std::string_view name = plan_.fetches[fetch].name;
      if (name.ends_with(":0")) name.remove_suffix(2);
      return Fail(FailedPrecondition("Attempting to use uninitialized value {}", name), nullptr);
    }
    Result<Tensor> snapshot = value.ref->Snapshot();
    if (!snapshot.ok()) return Fail(snapshot.status(), nullptr);
    value.tensor = *std::move(snapshot);
  }
  const FetchState state = dead ? FetchState::kDead : FetchState::kAvailable;
  if (plan_.late_feeds) return StoreLateFetch(fetch, std::move(value.tensor), state);
  fetches_[fetch] = {std::move(value.tensor), state};
}

// Copies a value that may share memory with a variable: other steps may update the variable before it is fetched.
void Step::StoreLateFetch(int32_t fetch, Tensor value, FetchState state) {
  if (state == FetchState::kAvailable && plan_.fetches[fetch].may_alias_state && !value.OwnsMemoryAlone()) {
    Result<Tensor> copy = value.Clone();
    if (!copy.ok()) return Fail(copy.status(), nullptr);
    value = *std::move(copy);
  }
  std::vector<FetchWaiter> waiters;
  {
    std::lock_guard lock(mu_);
    fetches_[fetch] = {std::move(value), state};
    const auto ready = std::stable_partition(fetch_waiters_.begin(), fetch_waiters_.end(),
                                             [&](const FetchWaiter& waiter) { return waiter.fetch != fetch; });
    waiters.assign(std::move_iterator(ready), std::move_iterator(fetch_waiters_.end()));
    fetch_waiters_.erase(ready, fetch_waiters_.end());
  }
  for (const FetchWaiter& waiter : waiters) waiter.done(ReadFetch(fetch));
}

void Step::Fetch(int32_t fetch, std::function<void(Result<Tensor>)> done) {
  {
    std::lock_guard lock(mu_);
    const bool waits = status_.ok() && fetches_[fetch].state == FetchState::kAbsent && !ended_.load();
    if (waits) {
      fetch_waiters_.push_back({fetch, std::move(done)});
      return;
    }
  }
  done(ReadFetch(fetch));
}

Result<Tensor> Step::ReadFetch(int32_t fetch) {
  std::lock_guard lock(mu_);
  if (!status_.ok()) return status_;
  if (fetches_[fetch].state != FetchState::kAvailable) return NotAvailable(fetch);
  return fetches_[fetch].value;
}

Status Step::NotAvailable(int32_t fetch) const {
  if (fetches_[fetch].state == FetchState::kAbsent)
    return Internal("internal error: fetch '{}' was not computed", plan_.fetches[fetch].name);
  return InvalidArgument("Retval[{}] does not have value: '{}' is on a branch that was not taken", fetch,
                         plan_.fetches[fetch].name);
}

void Step::FailFetches() {
  std::vector<FetchWaiter> waiters;
  {
    std::lock_guard lock(mu_);
    waiters.swap(fetch_waiters_);
  }
  for (const FetchWaiter& waiter : waiters) waiter.done(ReadFetch(waiter.fetch));
}

void Step::StoreFetches(Progress& progress) {
  for (FetchedValue& fetched : progress.fetched) StoreFetch(fetched.fetch, std::move(fetched.value), fetched.dead);
  progress.fetched.clear();
}

namespace {

bool IsFusedOrFolded(const NodeInfo& info) {
  return info.op->is_fused || info.attrs->find(kFoldedNodesAttr) != info.attrs->end();
}

}  // namespace

// Returns the bare status if there is no memory for the name of the node.
Status Step::Describe(const Status& status, const PlanNode* node) const {
  try {
    return WithNodeName(status, node);
  } catch (const std::bad_alloc&) {
    return status;
  }
}

Status Step::WithNodeName(const Status& status, const PlanNode* node) const {
  if (node == nullptr) return status;
  // An error that passes through many nested calls names only the innermost node and the outermost ones.
  if (context_.call_depth > kDescribedCalls && NodeOf(status).has_value()) return status;
  if (IsFusedOrFolded(*node->info) && NodeOf(status).has_value()) return status;  // names the original node already
  return WithNode(status, node->info->name, node->info->op->name);
}

namespace {

// Does part of the work of a failure. Without enough memory for it, the step ends all the same, but later.
template <class F>
void TryToTell(F tell) {
  try {
    tell();
  } catch (...) {
    LogCurrentException("a failed step");
  }
}

}  // namespace

void Step::Fail(const Status& status, const PlanNode* node) {
  Status derived;
  {
    std::lock_guard lock(mu_);
    if (!status_.ok()) {
      // After a timeout, name the first node that ends because of the cancellation: the step was waiting for it.
      const bool waited = IsDerived(status) || status.code() == StatusCode::kCancelled;
      if (status_.code() == StatusCode::kDeadlineExceeded && waited && !NodeOf(status_).has_value())
        status_ = Describe(status_, node);
      return;
    }
    derived = status_ = Describe(status, node);
    TryToTell([&] { derived = MarkDerived(status_); });
    aborted_.store(true, std::memory_order_relaxed);
    changed_.notify_all();
    // If the failed node is the last one running, the step ends at once and needs no timer.
    const bool others_run = node == nullptr || outstanding_.load(std::memory_order_relaxed) > 1;
    if (others_run && !ended_.load(std::memory_order_acquire)) TryToTell([this] { ScheduleEnd(); });
  }
  TryToTell([&] { context_.rendezvous->Abort(derived); });  // also fails receives on other tasks
  TryToTell([&] { cancel_->Cancel(derived); });
  if (plan_.late_feeds) {
    FailFetches();
    DropMissingFeeds();
  }
}

// Ends the step without kernels that do not obey the cancellation. REQUIRES: mu_ is held.
void Step::ScheduleEnd() {
  // Long enough for kernels that poll the token, short enough for a caller that waits.
  constexpr std::chrono::milliseconds kCancelGracePeriod(200);
  ElasticPool* const pool = context_.blocking_pool;
  if (pool == nullptr || !pool->has_threads()) return;
  end_timer_ = pool->ScheduleAfter(kCancelGracePeriod, [this] {
    EndWithoutKernels();
    Unref();
  });
  Ref();
}

void Step::EndAfterException() {
  Fail(StatusFromCurrentException("a step"), nullptr);
  EndWithoutKernels();
}

void Step::Cancel(Status reason) { Fail(reason, nullptr); }

// Cancelling a step cancels the steps that it has started, recursively. Beyond a few levels, steps are queued in a list
// to bound the stack depth. A queued step may end before its turn; the reference keeps it alive.
void Step::CancelWithParent(Status reason) {
  struct Cancels {
    int nested = 0;
    std::vector<std::pair<Step*, Status>> waiting;
  };
  thread_local Cancels cancels;
  Ref();
  if (cancels.nested >= kMaxNestedCancels) {
    cancels.waiting.emplace_back(this, std::move(reason));
    return;
  }
  ++cancels.nested;
  Fail(reason, nullptr);
  Unref();
  while (cancels.nested == 1 && !cancels.waiting.empty()) {
    const auto [step, why] = std::move(cancels.waiting.back());
    cancels.waiting.pop_back();
    step->Fail(why, nullptr);
    step->Unref();
  }
  --cancels.nested;
}

void Step::Finish() {
  if (ended_.exchange(true, std::memory_order_acq_rel)) return;
  if (flow_ != nullptr && !aborted_.load(std::memory_order_relaxed)) {
    if (Status status = flow_->CheckAllReached(); !status.ok()) Fail(status, nullptr);
  }
  if (plan_.gpus.empty()) return End();
  // A thread that handles messages may not wait.
  ElasticPool* const pool = context_.blocking_pool;
  if (!has_done_ || pool == nullptr || !pool->has_threads()) {
    WaitForGpus();
    return End();
  }
  Ref();
  pool->Schedule([this] {
    WaitForGpus();
    End();
    Unref();
  });
}

void Step::WaitForGpus() {
  for (GpuDevice* gpu : plan_.gpus) {
    if (Status status = gpu->WaitForStep(&*cancel_); !status.ok()) Fail(status, nullptr);
  }
}

void Step::EndWithoutKernels() {
  {
    std::lock_guard lock(mu_);
    end_timer_.reset();
    if (ended_.exchange(true, std::memory_order_acq_rel)) return;
    trace_ = nullptr;
  }
  End();
}

void Step::Record(int32_t node, const StepTrace::Times& times, absl::Span<const EdgeValue> outputs) {
  std::lock_guard lock(mu_);
  if (trace_ != nullptr) trace_->Record(plan_, node, times, outputs);
}

void Step::End() {
  if (aborted_.load(std::memory_order_relaxed)) {
    std::optional<ElasticPool::TimerId> timer;
    {
      std::lock_guard lock(mu_);
      timer.swap(end_timer_);
    }
    if (timer.has_value() && context_.blocking_pool->Unschedule(*timer)) Unref();  // never the last reference
  }
  if (plan_.late_feeds) FailFetches();
  if (!has_done_) {
    std::lock_guard lock(mu_);
    finished_.store(true, std::memory_order_release);
    changed_.notify_all();
    return;
  }
  Detach();
  Completions::Run(this);
}

void Step::DeliverResult() {
  Executor::FetchDone done = std::move(done_);
  done_ = nullptr;
  TryToTell([&] { done(CatchOutOfMemory("the results of a step", [this] { return TakeResult(); })); });
  Unref();
}

void Step::Completions::Run(Step* ended) {
  Completions*& current = Current();
  if (current != nullptr) {
    current->waiting_.push_back(ended);
    return;
  }
  Completions own;
  current = &own;
  ended->DeliverResult();
  while (!own.waiting_.empty()) {
    Step* const next = own.waiting_.back();
    own.waiting_.pop_back();
    next->DeliverResult();
  }
  current = nullptr;
}

void Step::Wait(int64_t deadline_nanos) {
  if (finished()) return;
  const bool helps = deadline_nanos == 0;
  std::unique_lock lock(mu_);
  while (!finished_.load(std::memory_order_relaxed)) {
    if (helps && !shared_.empty()) {
      lock.unlock();
      WorkShared(/*is_waiter=*/true);
      lock.lock();
    } else if (helps) {
      helper_waits_ = true;
      changed_.wait(lock);
      helper_waits_ = false;
    } else if (const int64_t left = deadline_nanos - RealClock().MonotonicNanos(); left > 0) {
      changed_.wait_for(lock, std::chrono::nanoseconds(left));
    } else {
      lock.unlock();
      Cancel(DeadlineExceeded("Timed out waiting for notification"));
      lock.lock();
      changed_.wait(lock, [&] { return finished_.load(std::memory_order_relaxed); });
    }
  }
}

Status Step::status() {
  std::lock_guard lock(mu_);
  return status_;
}

Result<std::vector<Tensor>> Step::TakeResult() {
  WEIR_TRY(status());
  std::vector<Tensor> results;
  if (plan_.late_feeds) return results;  // the values are fetched one by one
  results.reserve(fetches_.size());
  for (size_t k = 0; k < fetches_.size(); ++k) {
    Fetched& fetched = fetches_[k];
    if (fetched.state != FetchState::kAvailable) return NotAvailable(static_cast<int32_t>(k));
    if (private_fetches_ && plan_.fetches[k].may_alias_state && !fetched.value.OwnsMemoryAlone()) {
      WEIR_ASSIGN(Tensor copy, fetched.value.Clone());
      results.push_back(std::move(copy));
    } else {
      results.push_back(std::move(fetched.value));
    }
  }
  return results;
}

void Step::Detach() {
  for (const TokenRegistration& registration : registrations_) registration.token->Unregister(registration.id);
  registrations_.clear();
}

void Step::Unref() {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Recycle();
}

void Step::Recycle() {
  if (aborted_.load(std::memory_order_relaxed) || flow_ != nullptr) {  // some values may not have been consumed
    for (int32_t i = 0; i < plan_.frames[0].num_entries; ++i) Release(root_.entries[i]);
  }
  if (flow_ != nullptr) flow_->Clear();
  for (Fetched& fetched : fetches_) fetched = Fetched();
  if (keeps_memory_) EndMemory();
  shared_.clear();
  status_ = OkStatus();
  done_ = nullptr;
  if (rendezvous_ && !rendezvous_->idle()) rendezvous_ = nullptr;
  cancel_.reset();
  StepContext context = std::exchange(context_, {});  // destroyed last: may own parts of a session
  context.step_resources = nullptr;
  if (step_resources_) step_resources_->ClearAll();
  if (step_resources_.use_count() > 1) step_resources_ = nullptr;  // still used by a call that was given up
  const std::shared_ptr<Executor> owner = std::move(owner_);
  owner->Return(this);
}

}  // namespace weir
