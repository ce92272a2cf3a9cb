// Arrival: that what a thread waits for has come. Who waits for it may bring messages meanwhile, at a WaitingPlace: the
// one that it waits for then needs no other thread, and nobody to be woken. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace weir {

class Arrival final {
 public:
  // How to wake a thread that waits elsewhere than in Wait.
  class Waker {
   public:
    virtual void Wake() = 0;

   protected:
    ~Waker() = default;
  };

  bool there() const { return there_.load(std::memory_order_acquire); }
  // Once. Nothing of it is used any more when a wait for it has returned.
  void Set() {
    std::lock_guard lock(mu_);
    there_.store(true, std::memory_order_release);
    if (waker_ != nullptr) waker_->Wake();
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this] { return there(); });
  }
  // False when it is not there after that time.
  bool WaitFor(std::chrono::milliseconds time) {
    std::unique_lock lock(mu_);
    return changed_.wait_for(lock, time, [this] { return there(); });
  }
  // Null: once this returns, the one before is woken no more.
  void SetWaker(Waker* waker) {
    std::lock_guard lock(mu_);
    waker_ = waker;
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  Waker* waker_ = nullptr;
  std::atomic<bool> there_{false};
};

class WaitingPlace {
 public:
  virtual ~WaitingPlace() = default;
  // Returns when it is there, or earlier where this is no place to wait (any more).
  virtual void WaitFor(Arrival& arrival) = 0;
};

}  // namespace weir
