// Pauses between looks at something that others do: milliseconds at first, then ever longer, so that what comes soon is
// seen at once and what takes long is not asked for all the time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "op/cancel.h"

namespace weir {

class Pauses final {
 public:
  // A pause is a tenth of the time waited so far, but a millisecond at least and `longest_secs` at most. All of them
  // together end after `limit_secs` (infinity: never). `cancel` may be null.
  Pauses(double longest_secs, double limit_secs, CancelToken* cancel, Clock& clock = RealClock());

  // Returns after the next pause. DeadlineExceeded once the limit has passed, the token's reason when that is
  // cancelled.
  Status Next();
  double waited_secs() const;

 private:
  const double longest_secs_;
  const double limit_secs_;
  CancelToken* const cancel_;
  Clock& clock_;
  const int64_t start_nanos_;
};

// A time limit on what takes a token: that of its own is cancelled when the limit has passed, or with `outer` (may be
// null).
class TimeLimit final {
 public:
  TimeLimit(double secs, CancelToken* outer, Clock& clock = RealClock());
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  CancelToken* token() { return &token_; }
  bool passed() const { return passed_; }

 private:
  CancelToken* const outer_;
  CancelToken token_;
  CancelToken::Id outer_id_ = 0;
  std::atomic<bool> passed_{false};
  std::mutex mu_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;  // none without a limit
};

}  // namespace weir
