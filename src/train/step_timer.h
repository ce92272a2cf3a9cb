// SecondOrStepTimer: says when something is due that happens every so many seconds or steps.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/status.h"

namespace weir {

struct TimerInterval {
  std::optional<double> every_secs = {};
  std::optional<double> every_steps = {};
};

class SecondOrStepTimer final {
 public:
  // InvalidArgument unless the interval is either in seconds or in steps.
  static Result<SecondOrStepTimer> Make(TimerInterval interval, Clock& clock = RealClock());

  void Reset() { last_ = {}; }
  // True the first time, and once the interval has passed since the last step that was noted. Never twice for a step.
  bool ShouldTrigger(int64_t step) const;
  // How much has passed since the last step that was noted; nothing the first time.
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

// A timer that the hook that goes by it shares with whoever looks at it.
using TimerPtr = std::shared_ptr<SecondOrStepTimer>;
Result<TimerPtr> MakeTimer(TimerInterval interval);

}  // namespace weir
