// StepTrace: records the nodes that a traced step runs and exports them as StepStats, for TensorFlow's timeline.
// Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "proto/graph.pb.h"
#include "proto/step_stats.pb.h"
#include "runtime/plan.h"

namespace weir {

class StepTrace final {
 public:
  // Nanoseconds since the Unix epoch.
  struct Times {
    int64_t scheduled = 0;
    int64_t start = 0;
    int64_t end = 0;
  };
  static int64_t Now();

  // Call when the kernel of `node` has returned, before its outputs are propagated. Records each member of a fused
  // node.
  void Record(const Plan& plan, int32_t node, const Times& times, absl::Span<const EdgeValue> outputs);
  void WriteTo(tensorflow::StepStats* stats);

 private:
  struct Entry {
    const std::string* device;
    tensorflow::NodeExecStats stats;
  };
  // Records all members of fused node `node` except the last one. Returns the times of the last one.
  Times RecordParts(const Plan& plan, int32_t node, Times times);

  std::mutex mu_;
  std::vector<Entry> entries_;
};

// The plan as a graph, with the device of each node. Feeds are _Arg nodes; fetches are not included.
void ExportPlan(const Plan& plan, tensorflow::GraphDef* graph);

}  // namespace weir
