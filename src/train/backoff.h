// Backoff for polling: pauses start at a millisecond and grow, so quick changes are seen at once and slow ones are not
// polled too often.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "op/cancel.h"

namespace weir {

class Backoff final {
 public:
  // A pause is a tenth of the time waited so far, at least one millisecond and at most `longest_secs`. The total is
  // limited to `limit_secs` (infinity: no limit). `cancel` may be null.
  Backoff(double longest_secs, double limit_secs, CancelToken* cancel, Clock& clock = RealClock());

  // Sleeps for the next pause. DeadlineExceeded after the limit; the token's reason if it is cancelled.
  Status Wait();
  double waited_secs() const;

 private:
  const double longest_secs_;
  const double limit_secs_;
  CancelToken* const cancel_;
  Clock& clock_;
  const int64_t start_nanos_;
};

// A timeout as a cancel token: token() is cancelled after `secs`, or when `outer` (may be null) is.
class CancelAfter final {
 public:
  CancelAfter(double secs, CancelToken* outer, Clock& clock = RealClock());
  ~CancelAfter();
  CancelAfter(const CancelAfter&) = delete;
  CancelAfter& operator=(const CancelAfter&) = delete;
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
  std::thread thread_;  // not started without a limit
};

}  // namespace weir
