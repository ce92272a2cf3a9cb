// OneShotEvent: a one-shot event that a thread waits for. Instead of blocking, the thread may poll the transport with
// an EventPoller: the response that it waits for is then handled by this thread, and no other thread has to be woken.
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace weir {

class OneShotEvent final {
 public:
  // Wakes a thread that waits elsewhere than in Wait or WaitFor.
  class Waker {
   public:
    virtual void Wake() = 0;

   protected:
    ~Waker() = default;
  };

  bool is_set() const { return set_.load(std::memory_order_acquire); }
  // Call it once. A waiter may destroy this object as soon as Wait or WaitFor has returned.
  void Set() {
    std::lock_guard lock(mu_);
    set_.store(true, std::memory_order_release);
    if (waker_ != nullptr) waker_->Wake();
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this] { return is_set(); });
  }
  // Returns false if the event is not set after `time`.
  bool WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mu_);
    return changed_.wait_for(lock, time, [this] { return is_set(); });
  }
  // Registers a waker that Set calls; null removes it. When SetWaker returns, Set does not call the previous waker any
  // more.
  void SetWaker(Waker* waker) {
    std::lock_guard lock(mu_);
    waker_ = waker;
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  Waker* waker_ = nullptr;
  std::atomic<bool> set_{false};
};

class EventPoller {
 public:
  virtual ~EventPoller() = default;
  // Blocks until `event` is set. May return earlier if this poller is closed: check is_set(), or call
  // OneShotEvent::Wait.
  virtual void WaitFor(OneShotEvent& event) = 0;
};

}  // namespace weir
