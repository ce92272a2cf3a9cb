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

bool StagingArea::TryLocked(Call& call) {
  switch (call.action) {
    case Call::Action::kPut:
      if (!HasRoomLocked(call.values)) return false;
      bytes_ += BytesOf(call.values);
      elements_.push_back(std::move(call.values));
      return true;
    case Call::Action::kTake:
      if (elements_.empty()) return false;
      call.values = std::move(elements_.front());
      elements_.pop_front();
      bytes_ -= BytesOf(call.values);
      return true;
    case Call::Action::kPeek:
      if (static_cast<int64_t>(elements_.size()) <= call.index) return false;
      call.values = elements_[static_cast<size_t>(call.index)];
      return true;
  }
  return false;
}

void StagingArea::ServeLocked(Ended& ended) {
  // A put may serve a take and a take a put, so repeat until nothing changes. A put that waits holds back later puts,
  // and a take that waits holds back later takes.
  for (bool changed = true; changed;) {
    changed = false;
    bool put_waits = false;
    bool take_waits = false;
    for (auto it = waiters_.begin(); it != waiters_.end();) {
      Call& call = it->second.call;
      bool* waits = call.action == Call::Action::kPut    ? &put_waits
                    : call.action == Call::Action::kTake ? &take_waits
                                                         : nullptr;
      if ((waits != nullptr && *waits) || !TryLocked(call)) {
        if (waits != nullptr) *waits = true;
        ++it;
        continue;
      }
      changed = true;
      it = waiters_.End(it, OkStatus(), ended);
    }
  }
}

void StagingArea::Wait(Call call, CancelToken& cancel) {
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = waiters_.Add(
        std::move(call), cancel, [&](uint64_t) { ServeLocked(ended); },
        [self = ResourcePtr<StagingArea>::Share(this)](uint64_t id) { self->CancelWaiter(id); });
    if (it != waiters_.end()) EndCancelledLocked(it, ended);
  });
}

void StagingArea::CancelWaiter(uint64_t id) {
  Waiters::Update(mu_, [&](Ended& ended) {
    const auto it = waiters_.Find(id);
    if (it != waiters_.end()) EndCancelledLocked(it, ended);  // else it was served already
  });
}

void StagingArea::EndCancelledLocked(Waiters::Iterator it, Ended& ended) {
  waiters_.End(it, Cancelled("the wait for staging area '{}' was cancelled", name_), ended);
  ServeLocked(ended);
}

void StagingArea::Call::Finish(Status status) {
  if (action == Action::kPut) {
    put_done(std::move(status));
  } else if (status.ok()) {
    take_done(std::move(values));
  } else {
    take_done(std::move(status));
  }
}

void StagingArea::Put(Tuple values, CancelToken& cancel, PutDone done) {
  const size_t bytes = sizeof(Tuple) + values.size() * sizeof(Tensor);
  if (Status status = ProcessMemory::Get().ReserveKept(bytes); !status.ok()) return done(std::move(status));
  if (const int64_t total = BytesOf(values); memory_limit_ > 0 && total > memory_limit_) {
    return done(
        ResourceExhausted("Attempted to insert tensors with combined size of '{}' bytes into Staging Area with "
                          "a memory limit of '{}'.",
                          total, memory_limit_));
  }
  Call call;
  call.values = std::move(values);
  call.put_done = std::move(done);
  Wait(std::move(call), cancel);
}

void StagingArea::Take(CancelToken& cancel, TakeDone done) {
  Call call;
  call.action = Call::Action::kTake;
  call.take_done = std::move(done);
  Wait(std::move(call), cancel);
}

void StagingArea::Peek(int64_t index, CancelToken& cancel, TakeDone done) {
  Call call;
  call.action = Call::Action::kPeek;
  call.index = index;
  call.take_done = std::move(done);
  Wait(std::move(call), cancel);
}

void StagingArea::Clear() {
  std::deque<Tuple> dropped;  // freed without the lock
  Waiters::Update(mu_, [&](Ended& ended) {
    dropped.swap(elements_);
    bytes_ = 0;
    ServeLocked(ended);
  });
}

int64_t StagingArea::size() const {
  std::lock_guard lock(mu_);
  return static_cast<int64_t>(elements_.size());
}

std::string StagingArea::DebugString() const {
  return fmt::format("staging area '{}' with {} elements", name_, size());
}

}  // namespace weir::ops
