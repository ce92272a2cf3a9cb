// What loops over elements that nobody sees ask in every round, so that they end with the step.
#pragma once

#include "op/kernel.h"

namespace weir::ops {

// The reason of the step's cancellation, if it was cancelled.
inline Status StillWanted(const StepContext& step) {
  return step.cancel != nullptr && step.cancel->cancelled() ? step.cancel->reason() : OkStatus();
}

}  // namespace weir::ops
