// InFlight: counts calls, so that whoever serves them can wait until the last has ended. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace weir {

class InFlight final {
 public:
  // Counts for as long as a copy of it lives.
  std::shared_ptr<void> Enter() {
    {
      std::lock_guard lock(mu_);
      ++count_;
    }
    return std::shared_ptr<void>(nullptr, [this](void*) {
      std::lock_guard lock(mu_);
      if (--count_ == 0) none_.notify_all();
    });
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

 private:
  std::mutex mu_;
  std::condition_variable none_;
  int count_ = 0;
};

}  // namespace weir
