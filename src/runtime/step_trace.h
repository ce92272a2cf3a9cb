// StepTrace: collects what a traced step did, node by node, and writes it down as StepStats, which TensorFlow's
// timeline understands. Thread-safe.
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

  // Called when the kernel of `node` has returned, before its outputs are handed on. Of nodes that ran as one, each is
  // recorded.
  void Record(const Plan& plan, int32_t node, const Times& times, absl::Span<const EdgeValue> outputs);
  void WriteTo(tensorflow::StepStats* stats);

 private:
  struct Entry {
    const std::string* device;
    tensorflow::NodeExecStats stats;
  };
  // All but the last of the nodes that ran as `node`; gives the times of the last.
  Times RecordParts(const Plan& plan, int32_t node, Times times);

  std::mutex mu_;
  std::vector<Entry> entries_;
};

// The plan as a graph: what ran, where. Feeds and fetches appear as _Arg and _Retval.
void ExportPlan(const Plan& plan, tensorflow::GraphDef* graph);

}  // namespace weir
