// Callbacks run one at a time, without the lock. Unregister waits for the one that is running.
#include "op/cancel.h"

#include "base/status.h"

namespace weir {

void CancelToken::Cancel(Status reason) {
  std::unique_lock lock(mu_);
  if (cancelled_.load(std::memory_order_relaxed)) return;
  reason_ = reason.ok() ? Cancelled("cancelled") : std::move(reason);
  cancelled_.store(true, std::memory_order_release);
  running_thread_ = std::this_thread::get_id();
  while (!callbacks_.empty()) {
    auto first = callbacks_.extract(callbacks_.begin());
    running_ = first.key();
    lock.unlock();
    first.mapped()();
    first.mapped() = nullptr;  // destroy the captured state before Unregister returns
    lock.lock();
    running_ = 0;
    finished_.notify_all();
  }
}

bool CancelToken::cancelled() const { return cancelled_.load(std::memory_order_acquire); }

Status CancelToken::reason() const {
  if (!cancelled()) return OkStatus();
  std::lock_guard lock(mu_);
  return reason_;
}

CancelToken::Id CancelToken::Register(std::function<void()> callback) {
  std::lock_guard lock(mu_);
  if (cancelled_.load(std::memory_order_relaxed)) return 0;
  const Id id = next_++;
  callbacks_.emplace(id, std::move(callback));
  return id;
}

bool CancelToken::Unregister(Id id) {
  if (id == 0) return false;
  std::function<void()> removed;  // destroyed after the lock is released
  std::unique_lock lock(mu_);
  if (auto it = callbacks_.find(id); it != callbacks_.end()) {
    removed = std::move(it->second);
    callbacks_.erase(it);
    lock.unlock();
    return true;
  }
  if (running_ == id && running_thread_ != std::this_thread::get_id()) {
    finished_.wait(lock, [&] { return running_ != id; });
  }
  return false;
}

}  // namespace weir
