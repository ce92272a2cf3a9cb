// Traces of several tasks on one clock, the master's. A task whose clock goes differently shows it: what it did for a
// step lies outside of the time between the call and its answer. Such a trace is moved to the middle of that time.
#pragma once

#include "proto/step_stats.pb.h"

namespace weir {

void AlignTrace(int64_t called_micros, int64_t answered_micros, tensorflow::StepStats* stats);

}  // namespace weir
