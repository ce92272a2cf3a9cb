// InFlight: counts calls in flight, so that their server knows when the last one has ended. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace weir {

class InFlight final {
 public:
  // The call counts until the last copy of the returned pointer is gone. Never null. REQUIRES: this object outlives the
  // copies.
  std::shared_ptr<void> Enter() {
    {
      std::lock_guard lock(mu_);
      ++count_;
    }
    return std::shared_ptr<void>(this, [](void* self) { static_cast<InFlight*>(self)->Leave(); });
  }
  bool none() const {
    std::lock_guard lock(mu_);
    return count_ == 0;
  }
  void WaitForNone() {
    std::unique_lock lock(mu_);
    none_.wait(lock, [&] { return count_ == 0; });
  }
  // Returns false if calls are still in flight after `timeout_ms`.
  bool WaitForNone(int64_t timeout_ms) {
    std::unique_lock lock(mu_);
    return none_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return count_ == 0; });
  }
  // Runs `then` once no calls are in flight: inline if there are none, else on the thread that ends the last one.
  void WhenNone(std::function<void()> then) {
    {
      std::lock_guard lock(mu_);
      if (count_ > 0) {
        then_.push_back(std::move(then));
        return;
      }
    }
    then();
  }

 private:
  void Leave() {
    std::vector<std::function<void()>> then;
    {
      std::lock_guard lock(mu_);
      if (--count_ > 0) return;
      then.swap(then_);
      none_.notify_all();
    }
    for (const std::function<void()>& run : then) run();
  }
  mutable std::mutex mu_;
  std::condition_variable none_;
  std::vector<std::function<void()>> then_;
  int count_ = 0;
};

}  // namespace weir
