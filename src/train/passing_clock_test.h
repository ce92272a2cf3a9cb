// A clock for tests whose time passes by sleeping, in no time. Thread-safe.
#pragma once

#include <atomic>
#include <thread>

#include "base/clock.h"

namespace weir {

class PassingClock final : public Clock {
 public:
  int64_t NowMicros() const override { return nanos_ / 1000; }
  int64_t MonotonicNanos() const override { return nanos_; }
  void SleepMicros(int64_t micros) override {
    nanos_ += micros * 1000;
    std::this_thread::yield();
  }

 private:
  std::atomic<int64_t> nanos_{1};
};

}  // namespace weir
