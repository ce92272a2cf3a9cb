// As in queue.cc, CancelToken::Unregister is never called with the lock held: it may block on a cancel callback that
// waits for the lock.
#include "ops/queue/accumulator.h"

#include <utility>

namespace weir::ops {

Status Accumulator::Apply(int64_t local_step, GradientInput gradient) {
  std::vector<CompletedWaiter> ended;
  {
    std::lock_guard lock(mu_);
    if (local_step < global_step_) return OkStatus();
    if (sum_ == nullptr) {
      WEIR_ASSIGN(sum_,
                  spec_.sparse ? MakeSparseSum(spec_.dtype, spec_.shape) : MakeDenseSum(spec_.dtype, spec_.shape));
    }
    WEIR_TRY(sum_->Add(std::move(gradient)));
    ++count_;
    ServeLocked(ended);
  }
  RunCallbacks(std::move(ended));
  return OkStatus();
}

void Accumulator::Take(int64_t num_required, CancelToken& cancel, TakeDone done) {
  std::vector<CompletedWaiter> ended;
  {
    std::lock_guard lock(mu_);
    const uint64_t id = next_waiter_++;
    const bool too_late = cancel.cancelled();
    waiters_.emplace_hint(waiters_.end(), id, Waiter{num_required, &cancel, 0, std::move(done)});
    if (!too_late) ServeLocked(ended);
    if (auto it = waiters_.find(id); it != waiters_.end()) {
      if (!too_late) {
        it->second.cancel_id =
            cancel.Register([self = ResourcePtr<Accumulator>::Share(this), id] { self->CancelWaiter(id); });
      }
      if (it->second.cancel_id == 0) {
        ended.push_back({std::move(it->second), Cancelled("TakeGrad operation was cancelled"), nullptr, 0});
        waiters_.erase(it);
      }
    }
  }
  RunCallbacks(std::move(ended));
}

void Accumulator::CancelWaiter(uint64_t id) {
  std::vector<CompletedWaiter> ended;
  {
    std::lock_guard lock(mu_);
    auto it = waiters_.find(id);
    if (it == waiters_.end()) return;  // already served
    ended.push_back({std::move(it->second), Cancelled("TakeGrad operation was cancelled"), nullptr, 0});
    waiters_.erase(it);
    ServeLocked(ended);  // the next waiter may require fewer gradients
  }
  RunCallbacks(std::move(ended));
}

void Accumulator::ServeLocked(std::vector<CompletedWaiter>& ended) {
  if (waiters_.empty() || count_ == 0 || count_ < waiters_.begin()->second.num_required) return;
  const auto first = waiters_.begin();
  ended.push_back({std::move(first->second), OkStatus(), std::move(sum_), std::exchange(count_, 0)});
  sum_ = nullptr;
  ++global_step_;
  waiters_.erase(first);
}

void Accumulator::RunCallbacks(std::vector<CompletedWaiter> ended) const {
  for (CompletedWaiter& end : ended) {
    if (end.waiter.cancel_id != 0) end.waiter.cancel->Unregister(end.waiter.cancel_id);
    if (end.status.ok()) {
      end.waiter.done(end.sum->Finish(end.count, spec_.mean));
    } else {
      end.waiter.done(std::move(end.status));
    }
  }
}

void Accumulator::SetGlobalStep(int64_t step) {
  std::lock_guard lock(mu_);
  global_step_ = step;
}

int64_t Accumulator::num_accumulated() const {
  std::lock_guard lock(mu_);
  return count_;
}

std::string Accumulator::DebugString() const {
  std::lock_guard lock(mu_);
  return fmt::format("{} accumulator '{}' of {} {} with {} gradients", spec_.sparse ? "sparse" : "dense", spec_.name,
                     spec_.dtype, spec_.shape, count_);
}

}  // namespace weir::ops
