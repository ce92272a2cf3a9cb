// Clock: the interface for time, so that tests can use a simulated one. Thread-safe.
#ifndef WEIR_BASE_CLOCK_H_
#define WEIR_BASE_CLOCK_H_

#include <cstdint>

namespace weir {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual int64_t NowMicros() const = 0;  // since the Unix epoch
  virtual int64_t MonotonicNanos() const = 0;
  virtual void SleepMicros(int64_t micros) = 0;
};

// The system clock. Lives as long as the process.
Clock& RealClock();

}  // namespace weir

#endif  // WEIR_BASE_CLOCK_H_
