// Pauses between looks at something that others do: milliseconds at first, then ever longer, so that what comes soon is
// seen at once and what takes long is not asked for all the time.
#pragma once

#include <chrono>

#include "base/status.h"
#include "op/cancel.h"

namespace weir {

class Pauses final {
 public:
  // A pause is a tenth of the time waited so far, but a millisecond at least and `longest_secs` at most. All of them
  // together end after `limit_secs` (infinity: never). `cancel` may be null.
  Pauses(double longest_secs, double limit_secs, CancelToken* cancel);

  // Returns after the next pause. DeadlineExceeded once the limit has passed, the token's reason when that is
  // cancelled.
  Status Next();
  double waited_secs() const;

 private:
  using Instant = std::chrono::steady_clock::time_point;
  const double longest_secs_;
  const double limit_secs_;
  CancelToken* const cancel_;
  const Instant start_ = std::chrono::steady_clock::now();
};

}  // namespace weir
