// Aligns the traces of several tasks to the master's clock. If the clock of a task differs, its trace lies outside of
// the interval between the call and the response. Such a trace is moved to the middle of that interval.
#pragma once

#include "proto/step_stats.pb.h"

namespace weir {

void AlignTrace(int64_t called_micros, int64_t answered_micros, tensorflow::StepStats* stats);

}  // namespace weir
