// Converts the stats of a traced step to a Chrome trace ("chrome://tracing"): one process per device, ops as slices,
// with as few lanes as possible without overlap.
#pragma once

#include <string>

#include "proto/step_stats.pb.h"

namespace weir {

struct ChromeTraceOptions {
  bool show_dataflow = true;  // arrows from producers to consumers
  bool show_memory = false;   // a counter per allocator
};
// Returns JSON. Names and inputs of ops come from the timeline labels, "name = Op(input, input)".
std::string ChromeTrace(const tensorflow::StepStats& stats, const ChromeTraceOptions& options = {});

}  // namespace weir
