// A traced step as a Chrome trace ("chrome://tracing"): one process per device, ops as slices in as few lanes as do not
// overlap.
#pragma once

#include <string>

#include "proto/step_stats.pb.h"

namespace weir {

struct ChromeTraceOptions {
  bool show_dataflow = true;  // arrows from producers to consumers
  bool show_memory = false;   // a counter per allocator
};
// JSON. Of each node it needs the timeline label, "name = Op(input, input)".
std::string ChromeTrace(const tensorflow::StepStats& stats, const ChromeTraceOptions& options = {});

}  // namespace weir
