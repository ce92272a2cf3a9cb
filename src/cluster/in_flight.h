// InFlight: counts calls, so that whoever serves them knows when the last has ended. Thread-safe.
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
  // Counts for as long as a copy of it lives. Not null.
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
  // False when there still are some after that time.
  bool WaitForNone(int64_t timeout_ms) {
    std::unique_lock lock(mu_);
    return none_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] { return count_ == 0; });
  }
  // Runs `then` when there are none: at once, or on the thread that ends the last one.
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
