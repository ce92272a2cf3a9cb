// The loss of a task: what those who make sessions get over by making another one.
#pragma once

#include "base/status.h"

namespace weir {

// A task that a step needs was lost, or has come back as another one.
inline bool IsPreemption(const Status& status) {
  return status.code() == StatusCode::kAborted || status.code() == StatusCode::kUnavailable;
}

}  // namespace weir
