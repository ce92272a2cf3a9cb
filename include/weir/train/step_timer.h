// SecondOrStepTimer: decides when an action that happens every N seconds or steps is due.
#pragma once

#include <memory>
#include <optional>

#include "weir/base/clock.h"
#include "weir/base/status.h"

namespace weir {

struct TimerInterval {
  std::optional<double> every_secs = {};
  std::optional<double> every_steps = {};
};

class SecondOrStepTimer final {
 public:
  // InvalidArgument unless exactly one of seconds and steps is set.
  static Result<SecondOrStepTimer> Make(TimerInterval interval, Clock& clock = RealClock());

  void Reset() { last_ = {}; }
  // True the first time, and when the interval has passed since the last Note. Never true twice for one step.
  bool ShouldTrigger(int64_t step) const;
  // Records a trigger. Returns the time and steps since the last one; nullopt the first time.
  struct Elapsed {
    double secs = 0;
    int64_t steps = 0;
  };
  std::optional<Elapsed> Note(int64_t step);
  std::optional<int64_t> last_step() const;

 private:
  struct Moment {
    int64_t step = 0;
    int64_t nanos = 0;
  };
  SecondOrStepTimer(TimerInterval interval, Clock& clock) : interval_(interval), clock_(&clock) {}
  TimerInterval interval_;
  Clock* clock_;
  std::optional<Moment> last_;
};

// Shared between a hook and code that inspects its timer.
using TimerPtr = std::shared_ptr<SecondOrStepTimer>;
Result<TimerPtr> MakeTimer(TimerInterval interval);

}  // namespace weir
