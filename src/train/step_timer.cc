#include "train/step_timer.h"

#include "base/status.h"

namespace weir {

Result<SecondOrStepTimer> SecondOrStepTimer::Make(TimerInterval interval, Clock& clock) {
  if (!interval.every_secs && !interval.every_steps)
    return InvalidArgument("Either every_secs or every_steps should be provided.");
  if (interval.every_secs && interval.every_steps)
    return InvalidArgument("Can not provide both every_secs and every_steps.");
  return SecondOrStepTimer(interval, clock);
}

Result<TimerPtr> MakeTimer(TimerInterval interval) {
  WEIR_ASSIGN(SecondOrStepTimer timer, SecondOrStepTimer::Make(interval));
  return std::make_shared<SecondOrStepTimer>(std::move(timer));
}

bool SecondOrStepTimer::ShouldTrigger(int64_t step) const {
  if (!last_) return true;
  if (last_->step == step) return false;
  if (interval_.every_secs)
    return static_cast<double>(clock_->MonotonicNanos() - last_->nanos) >= *interval_.every_secs * 1e9;
  return static_cast<double>(step) >= static_cast<double>(last_->step) + *interval_.every_steps;
}

std::optional<SecondOrStepTimer::Elapsed> SecondOrStepTimer::Note(int64_t step) {
  const Moment now{step, clock_->MonotonicNanos()};
  std::optional<Elapsed> elapsed;
  if (last_) elapsed = Elapsed{static_cast<double>(now.nanos - last_->nanos) / 1e9, step - last_->step};
  last_ = now;
  return elapsed;
}

std::optional<int64_t> SecondOrStepTimer::last_step() const {
  return last_ ? std::optional<int64_t>(last_->step) : std::nullopt;
}

}  // namespace weir
