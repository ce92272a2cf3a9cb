// Cancellation check for loops over elements that return nothing to their caller.
#pragma once

#include "op/kernel.h"

namespace weir::ops {

// Returns the reason if the step was cancelled, else OK.
inline Status CheckNotCancelled(const StepContext& step) {
  return step.cancel != nullptr && step.cancel->cancelled() ? step.cancel->reason() : OkStatus();
}

}  // namespace weir::ops
