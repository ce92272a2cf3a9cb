#include "ops/queue/work_queue.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/log.h"
#include "base/philox.h"
#include "base/process_memory.h"
#include "base/rng.h"

namespace weir::ops {
namespace {

Status CheckWorkQueueSpec(const WorkQueueSpec& spec) {
  const int64_t works = spec.works.num_elements();
  if (works == 0) return InvalidArgument("WorkQueue requires works, but got none");
  if (spec.num_epochs < 1) return InvalidArgument("num_epochs must be > 0 not {}.", spec.num_epochs);
  if (spec.num_slices != 0 && spec.num_slices < works)
    return InvalidArgument("num_slices is {}, but must be at least the number of works, {}", spec.num_slices, works);
  if (std::max(works, spec.num_slices) > WorkQueue::kMaxSlices)
    return InvalidArgument("a WorkQueue has at most {} slices, not {}", WorkQueue::kMaxSlices,
                           std::max(works, spec.num_slices));
  return OkStatus();
}

}  // namespace

void WorkQueue::Call::Finish(Status status) {
  if (status.ok())
    done(std::move(work));
  else
    done(std::move(status));
}

Status WorkQueue::NotFilled() const {
  return FailedPrecondition("the work queue '{}' is not initialized: run tf.global_variables_initializer() first",
                            name_);
}

Status WorkQueue::StartLocked(WorkQueueSpec spec) {
  WEIR_TRY(CheckWorkQueueSpec(spec));
  if (spec.seed == 0 && spec.seed2 == 0) {
    spec.seed = static_cast<int64_t>(RealRng().Next64());
    spec.seed2 = static_cast<int64_t>(RealRng().Next64());
  }
  slices_ = spec.num_slices == 0 ? spec.works.num_elements() : spec.num_slices;
  spec_ = std::move(spec);
  epoch_ = 0;
  order_.clear();
  next_ = 0;
  restored_.clear();
  returned_.clear();
  has_told_end_ = false;
  for (auto& [name, member] : members_) member.held.reset();
  return OkStatus();
}

Status WorkQueue::BeginEpochLocked() {
  const size_t bytes = static_cast<size_t>(slices_) * sizeof(int64_t);
  if (order_.capacity() < static_cast<size_t>(slices_)) WEIR_TRY(ProcessMemory::Get().ReserveKept(bytes));
  restored_.clear();
  order_.resize(static_cast<size_t>(slices_));
  std::iota(order_.begin(), order_.end(), 0);
  next_ = 0;
  ++epoch_;
  if (!spec_->shuffle) return OkStatus();
  Philox numbers(static_cast<uint64_t>(spec_->seed), static_cast<uint64_t>(spec_->seed2 + epoch_));
  for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[numbers()[0] % i]);
  return OkStatus();
}

std::string WorkQueue::WorkOfLocked(int64_t number) const {
  if (number < 0) return restored_[static_cast<size_t>(-1 - number)];
  const std::string* works = spec_->works.data<std::string>();
  if (spec_->num_slices == 0) return works[number];
  // Work w has the slices from ceil(w * slices / count) on.
  const int64_t count = spec_->works.num_elements();
  const auto first = [&](int64_t w) { return (w * slices_ + count - 1) / count; };
  const int64_t w = number * count / slices_;
  return fmt::format("{}?slice_id={}&slice_count={}", works[w], number - first(w), first(w + 1) - first(w));
}

Result<int64_t> WorkQueue::Fill(WorkQueueSpec spec) {
  Status status;
  int64_t slices = 0;
  Waiters::Update(mu_, [&](Ended& ended) {
    status = StartLocked(std::move(spec));
    if (!status.ok()) return;
    slices = slices_;
    ServeLocked(ended);
  });
  WEIR_TRY(status);
  return slices;
}

Status WorkQueue::Restore(WorkQueueSpec spec, State state) {
  if (state.epoch < 0) return InvalidArgument("the epoch of a work queue is {}, but must not be negative", state.epoch);
  size_t bytes = 0;
  for (const std::string& work : state.works) bytes += sizeof(std::string) + sizeof(int64_t) + work.size();
  WEIR_TRY(ProcessMemory::Get().ReserveKept(bytes));
  spec.seed = state.seed;
  spec.seed2 = state.seed2;
  Status status;
  Waiters::Update(mu_, [&](Ended& ended) {
    status = StartLocked(std::move(spec));
    if (!status.ok()) return;
    epoch_ = state.epoch;
    restored_ = std::move(state.works);
    for (size_t i = 0; i < restored_.size(); ++i) order_.push_back(-1 - static_cast<int64_t>(i));
    ServeLocked(ended);
  });
  return status;
}

Result<WorkQueue::State> WorkQueue::Save() const {
  std::lock_guard lock(mu_);
  if (!spec_) return NotFilled();
  State state{.epoch = epoch_, .seed = spec_->seed, .seed2 = spec_->seed2};
  for (const Slice& slice : returned_) state.works.push_back(slice.work);
  for (const auto& [name, member] : members_)
    if (member.held) state.works.push_back(member.held->work);
  for (size_t i = next_; i < order_.size(); ++i) state.works.push_back(WorkOfLocked(order_[i]));
  return state;
}

void WorkQueue::Join(const std::string& member) {
  std::lock_guard lock(mu_);
  ++members_[member].joined;
}

void WorkQueue::Leave(const std::string& member) {
  std::optional<Slice> left;
  bool is_last = false;
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = members_.find(member);
    if (it == members_.end() || --it->second.joined > 0) return;
    left = std::move(it->second.held);
    members_.erase(it);
    is_last = members_.empty();
    if (left && !left->is_repeated) returned_.push_back({left->work, /*is_repeated=*/true});
    ServeLocked(ended);
  });
  if (!left) return;
  if (left->is_repeated) {
    LogWarning("Work queue '{}' drops the slice '{}': two sessions that held it have ended, the last one is {}", name_,
               left->work, member);
  } else if (!is_last) {  // else nobody is there to take it, as at the end of a program
    LogInfo("Work queue '{}' hands out the slice '{}' again: session {} has ended while it held the slice", name_,
            left->work, member);
  }
}

void WorkQueue::Take(const std::string& member, CancelToken& cancel, TakeDone done) {
  Waiters::Update(mu_, [&](Ended& ended) {
    if (const auto it = members_.find(member); it != members_.end()) it->second.held.reset();
    const auto it = waiters_.Add(
        Call{.member = member, .work = "", .done = std::move(done)}, cancel, [&](uint64_t) { ServeLocked(ended); },
        [self = ResourcePtr<WorkQueue>::Share(this)](uint64_t id) { self->CancelWaiter(id); });
    if (it != waiters_.end()) waiters_.End(it, cancel.reason(), ended);
  });
}

void WorkQueue::CancelWaiter(uint64_t id) {
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = waiters_.Find(id);
    if (it != waiters_.end())
      waiters_.End(it, Cancelled("the wait for the work queue '{}' was cancelled", name_), ended);
  });
}

Result<std::optional<WorkQueue::Slice>> WorkQueue::NextLocked() {
  if (!spec_) return NotFilled();
  if (!returned_.empty()) {
    Slice slice = std::move(returned_.front());
    returned_.erase(returned_.begin());
    return slice;
  }
  if (next_ == order_.size() && epoch_ < spec_->num_epochs) WEIR_TRY(BeginEpochLocked());
  if (next_ < order_.size()) return Slice{.work = WorkOfLocked(order_[next_++])};
  const auto holders =
      std::count_if(members_.begin(), members_.end(), [](const auto& item) { return item.second.held.has_value(); });
  if (holders > 0) {
    if (!std::exchange(has_told_end_, true))
      LogInfo("Work queue '{}' has handed out all slices: the end waits for {} sessions that hold some", name_,
              holders);
    return std::nullopt;
  }
  return OutOfRange("the work queue '{}' has no more work after {} epochs", name_, spec_->num_epochs);
}

void WorkQueue::ServeLocked(Ended& ended) {
  while (!waiters_.empty()) {
    Result<std::optional<Slice>> slice = NextLocked();
    if (slice.ok() && !*slice) return;
    const auto first = waiters_.begin();
    if (!slice.ok()) {
      waiters_.End(first, slice.status(), ended);
      continue;
    }
    Call& call = first->second.call;
    call.work = (*slice)->work;
    if (const auto it = members_.find(call.member); it != members_.end()) it->second.held = **std::move(slice);
    waiters_.End(first, OkStatus(), ended);
  }
}

Result<int64_t> WorkQueue::size() const {
  std::lock_guard lock(mu_);
  if (!spec_) return NotFilled();
  const auto left = static_cast<int64_t>(returned_.size() + order_.size() - next_);
  const int64_t epochs = std::max<int64_t>(0, spec_->num_epochs - epoch_);
  int64_t later = 0;
  int64_t sum = 0;
  if (__builtin_mul_overflow(epochs, slices_, &later) || __builtin_add_overflow(left, later, &sum))
    return std::numeric_limits<int64_t>::max();
  return sum;
}

std::string WorkQueue::DebugString() const { return fmt::format("work queue '{}'", name_); }

}  // namespace weir::ops
