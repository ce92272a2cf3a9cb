// Detects the loss of a task. Sessions recover from it: they create a new session.
#pragma once

#include "weir/base/status.h"

namespace weir {

// True if the error means that a task that the step needs was lost or has restarted.
inline bool IsPreemption(const Status& status) {
  return status.code() == StatusCode::kAborted || status.code() == StatusCode::kUnavailable;
}

}  // namespace weir
