// CancelWatch: wakes the threads that wait on a condition variable when a token is cancelled. Declare it before the
// lock, because its cancel callback takes the lock:
//   CancelWatch watch(mu_, changed_, step.cancel);
//   std::unique_lock lock(mu_);
//   WEIR_TRY(watch.Wait(lock, [this] { return !queue_.empty(); }));
#pragma once

#include <condition_variable>
#include <mutex>

#include "op/cancel.h"

namespace weir {

class CancelWatch final {
 public:
  // `cancel` may be null.
  CancelWatch(std::mutex& mu, std::condition_variable& changed, CancelToken* cancel)
      : changed_(changed), cancel_(cancel) {
    if (cancel == nullptr) return;
    id_ = cancel->Register([&mu, &changed] {
      std::lock_guard notifying(mu);
      changed.notify_all();
    });
  }
  ~CancelWatch() {
    if (id_ != 0) cancel_->Unregister(id_);
  }
  CancelWatch(const CancelWatch&) = delete;
  CancelWatch& operator=(const CancelWatch&) = delete;

  // For a wait with a timeout: end it when this is true.
  bool cancelled() const { return cancel_ != nullptr && cancel_->cancelled(); }
  // Blocks until ready(), or returns the reason of the cancellation. The lock is held on return.
  template <class Ready>
  Status Wait(std::unique_lock<std::mutex>& lock, Ready ready) {
    changed_.wait(lock, [&] { return ready() || cancelled(); });
    return ready() ? OkStatus() : cancel_->reason();
  }

 private:
  std::condition_variable& changed_;
  CancelToken* const cancel_;
  CancelToken::Id id_ = 0;
};

}  // namespace weir
