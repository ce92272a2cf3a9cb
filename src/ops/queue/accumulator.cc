#include "ops/queue/accumulator.h"

#include <utility>

namespace weir::ops {

Status Accumulator::Apply(int64_t local_step, GradientInput gradient) {
  Ended ended;
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
  Waiters::RunCallbacks(std::move(ended));
  return OkStatus();
}

void Accumulator::Take(int64_t num_required, CancelToken& cancel, TakeDone done) {
  Call call;
  call.num_required = num_required;
  call.done = std::move(done);
  call.mean = spec_.mean;
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = waiters_.Add(
        std::move(call), cancel, [&](uint64_t) { ServeLocked(ended); },
        [self = ResourcePtr<Accumulator>::Share(this)](uint64_t id) { self->CancelWaiter(id); });
    if (it != waiters_.end()) EndCancelledLocked(it, ended);
  });
}

void Accumulator::CancelWaiter(uint64_t id) {
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = waiters_.Find(id);
    if (it != waiters_.end()) EndCancelledLocked(it, ended);  // else it was served already
  });
}

void Accumulator::EndCancelledLocked(Waiters::Iterator it, Ended& ended) {
  waiters_.End(it, Cancelled("TakeGrad operation was cancelled"), ended);
  ServeLocked(ended);
}

void Accumulator::ServeLocked(Ended& ended) {
  if (waiters_.empty()) return;
  Call& call = waiters_.begin()->second.call;
  if (count_ == 0 || count_ < call.num_required) return;
  call.sum = std::move(sum_);
  call.count = std::exchange(count_, 0);
  sum_ = nullptr;
  ++global_step_;
  waiters_.End(waiters_.begin(), OkStatus(), ended);
}

void Accumulator::Call::Finish(Status status) {
  if (status.ok()) {
    done(sum->Finish(count, mean));
  } else {
    done(std::move(status));
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
