// Waiting on a condition variable with a timeout that is measured by a Clock, real or simulated.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/clock.h"

namespace weir {

// Like `changed.wait_until(lock, ..., condition)` with a deadline in the clock's MonotonicNanos. Returns whether
// `condition()` holds. With a simulated clock it polls and sleeps on that clock instead.
template <class Condition>
bool WaitOn(Clock& clock, std::unique_lock<std::mutex>& lock, std::condition_variable& changed, int64_t until_nanos,
            Condition condition) {
  if (&clock == &RealClock()) {
    const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(until_nanos)};
    return changed.wait_until(lock, until, condition);
  }
  constexpr int64_t kSliceMicros = 10'000;  // polling interval
  while (!condition()) {
    const int64_t left_micros = (until_nanos - clock.MonotonicNanos() + 999) / 1000;
    if (left_micros <= 0) return false;
    lock.unlock();
    clock.SleepMicros(std::min(left_micros, kSliceMicros));
    lock.lock();
  }
  return true;
}

}  // namespace weir
