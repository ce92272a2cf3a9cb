#include "base/clock.h"

#include <chrono>
#include <thread>

namespace weir {
namespace {

class SystemClock final : public Clock {
 public:
  int64_t NowMicros() const override {
    return Count<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
  }
  int64_t MonotonicNanos() const override {
    return Count<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch());
  }
  void SleepMicros(int64_t micros) override {
    if (micros > 0) std::this_thread::sleep_for(std::chrono::microseconds(micros));
  }

 private:
  template <class Unit, class Duration>
  static int64_t Count(Duration d) {
    return std::chrono::duration_cast<Unit>(d).count();
  }
};

}  // namespace

Clock& RealClock() {
  static SystemClock clock;
  return clock;
}

}  // namespace weir
