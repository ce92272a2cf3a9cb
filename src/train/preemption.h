// Loss of a task, from which sessions recover by creating a new session.
#pragma once

#include "base/status.h"

namespace weir {

// A task that a step needs was lost or has restarted.
inline bool IsPreemption(const Status& status) {
  return status.code() == StatusCode::kAborted || status.code() == StatusCode::kUnavailable;
}

}  // namespace weir
