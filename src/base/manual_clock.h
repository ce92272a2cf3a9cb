// ManualClock: a manual clock for tests. Time advances only when `nanos` is set or a thread sleeps; SleepMicros
// advances the time and returns at once. Thread-safe.
#ifndef WEIR_BASE_MANUAL_CLOCK_H_
#define WEIR_BASE_MANUAL_CLOCK_H_

#include <atomic>
#include <thread>

#include "base/clock.h"

namespace weir {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(int64_t start = 1) : nanos(start) {}
  std::atomic<int64_t> nanos;
  int64_t NowMicros() const override { return nanos / 1000; }
  int64_t MonotonicNanos() const override { return nanos; }
  void SleepMicros(int64_t micros) override {
    nanos += micros * 1000;
    std::this_thread::yield();
  }
};

}  // namespace weir

#endif  // WEIR_BASE_MANUAL_CLOCK_H_
