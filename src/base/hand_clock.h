// A clock for tests, which stands still until it is moved.
#ifndef WEIR_BASE_HAND_CLOCK_H_
#define WEIR_BASE_HAND_CLOCK_H_

#include "base/clock.h"

namespace weir {

class HandClock final : public Clock {
 public:
  int64_t nanos = 1;
  int64_t NowMicros() const override { return nanos / 1000; }
  int64_t MonotonicNanos() const override { return nanos; }
  void SleepMicros(int64_t micros) override { nanos += micros * 1000; }
};

}  // namespace weir

#endif  // WEIR_BASE_HAND_CLOCK_H_
