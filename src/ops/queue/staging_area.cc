#include "ops/queue/staging_area.h"

#include "base/process_memory.h"
#include "fmt/format.h"

namespace weir::ops {
namespace {

int64_t BytesOf(const StagingArea::Tuple& values) {
  int64_t bytes = 0;
  for (const Tensor& value : values) bytes += static_cast<int64_t>(value.num_bytes());
  return bytes;
}

}  // namespace

bool StagingArea::HasRoomLocked(const Tuple& values) const {
  if (capacity_ > 0 && static_cast<int64_t>(elements_.size()) >= capacity_) return false;
  return memory_limit_ <= 0 || bytes_ + BytesOf(values) <= memory_limit_;
}

bool StagingArea::TryLocked(Waiter& waiter, Tuple& result) {
  switch (waiter.action) {
    case Waiter::Action::kPut:
      if (!HasRoomLocked(waiter.values)) return false;
      bytes_ += BytesOf(waiter.values);
      elements_.push_back(std::move(waiter.values));
      return true;
    case Waiter::Action::kTake:
      if (elements_.empty()) return false;
      result = std::move(elements_.front());
      elements_.pop_front();
      bytes_ -= BytesOf(result);
      return true;
    case Waiter::Action::kPeek:
      if (static_cast<int64_t>(elements_.size()) <= waiter.index) return false;
      result = elements_[static_cast<size_t>(waiter.index)];
      return true;
  }
  return false;
}

void StagingArea::ServeLocked(std::vector<Ended>& ended) {
  // A put may serve a take and a take a put, so go on until nothing changes. The first waiting put and the first
  // waiting take hold back those behind them.
  for (bool changed = true; changed;) {
    changed = false;
    bool put_waits = false;
    bool take_waits = false;
    for (auto it = waiters_.begin(); it != waiters_.end();) {
      Waiter& waiter = it->second;
      bool* waits = waiter.action == Waiter::Action::kPut    ? &put_waits
                    : waiter.action == Waiter::Action::kTake ? &take_waits
                                                             : nullptr;
      Tuple result;
      if ((waits != nullptr && *waits) || !TryLocked(waiter, result)) {
        if (waits != nullptr) *waits = true;
        ++it;
        continue;
      }
      changed = true;
      ended.push_back({std::move(waiter), std::move(result)});
      it = waiters_.erase(it);
    }
  }
}

void StagingArea::Wait(Waiter waiter) {
  std::vector<Ended> ended;
  {
    std::lock_guard lock(mu_);
    if (waiter.action == Waiter::Action::kPut && memory_limit_ > 0 && BytesOf(waiter.values) > memory_limit_) {
      const int64_t bytes = BytesOf(waiter.values);
      ended.push_back({std::move(waiter), ResourceExhausted("Attempted to insert tensors with combined size of '{}' "
                                                            "bytes into Staging Area with a memory limit of '{}'.",
                                                            bytes, memory_limit_)});
    } else {
      CancelToken& cancel = *waiter.cancel;
      const uint64_t id = next_waiter_++;
      const bool too_late = cancel.cancelled();
      waiters_.emplace_hint(waiters_.end(), id, std::move(waiter));
      if (!too_late) ServeLocked(ended);
      if (auto it = waiters_.find(id); it != waiters_.end()) {
        if (!too_late) {
          it->second.cancel_id =
              cancel.Register([self = ResourcePtr<StagingArea>::Share(this), id] { self->CancelWaiter(id); });
        }
        if (it->second.cancel_id == 0) {
          ended.push_back({std::move(it->second), Cancelled("the wait for staging area '{}' was cancelled", name_)});
          waiters_.erase(it);
          ServeLocked(ended);
        }
      }
    }
  }
  RunCallbacks(std::move(ended));
}

void StagingArea::CancelWaiter(uint64_t id) {
  std::vector<Ended> ended;
  {
    std::lock_guard lock(mu_);
    auto it = waiters_.find(id);
    if (it == waiters_.end()) return;  // already served
    ended.push_back({std::move(it->second), Cancelled("the wait for staging area '{}' was cancelled", name_)});
    waiters_.erase(it);
    ServeLocked(ended);  // those that it has held back
  }
  RunCallbacks(std::move(ended));
}

void StagingArea::RunCallbacks(std::vector<Ended> ended) {
  for (auto& [waiter, result] : ended) {
    if (waiter.cancel_id != 0) waiter.cancel->Unregister(waiter.cancel_id);
    if (waiter.action == Waiter::Action::kPut) {
      waiter.put_done(result.status());
    } else {
      waiter.take_done(std::move(result));
    }
  }
}

void StagingArea::Put(Tuple values, CancelToken& cancel, PutDone done) {
  const size_t bytes = sizeof(Tuple) + values.size() * sizeof(Tensor);
  if (Status status = ProcessMemory::Get().ReserveKept(bytes); !status.ok()) return done(std::move(status));
  Waiter waiter;
  waiter.values = std::move(values);
  waiter.cancel = &cancel;
  waiter.put_done = std::move(done);
  Wait(std::move(waiter));
}

void StagingArea::Take(CancelToken& cancel, TakeDone done) {
  Waiter waiter;
  waiter.action = Waiter::Action::kTake;
  waiter.cancel = &cancel;
  waiter.take_done = std::move(done);
  Wait(std::move(waiter));
}

void StagingArea::Peek(int64_t index, CancelToken& cancel, TakeDone done) {
  Waiter waiter;
  waiter.action = Waiter::Action::kPeek;
  waiter.index = index;
  waiter.cancel = &cancel;
  waiter.take_done = std::move(done);
  Wait(std::move(waiter));
}

void StagingArea::Clear() {
  std::vector<Ended> ended;
  std::deque<Tuple> dropped;  // freed without the lock
  {
    std::lock_guard lock(mu_);
    dropped.swap(elements_);
    bytes_ = 0;
    ServeLocked(ended);
  }
  RunCallbacks(std::move(ended));
}

int64_t StagingArea::size() const {
  std::lock_guard lock(mu_);
  return static_cast<int64_t>(elements_.size());
}

std::string StagingArea::DebugString() const {
  return fmt::format("staging area '{}' with {} elements", name_, size());
}

}  // namespace weir::ops
