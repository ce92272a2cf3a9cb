// Static frames: which loop each node of a plan belongs to. A loop is known by the frame_name of its Enter nodes and
// the frame around it; frame 0 is everything outside of loops.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "runtime/plan_graph.h"

namespace weir {

struct StaticFrame {
  std::string name;
  uint64_t name_hash = 0;
  int32_t parent = -1;
  int32_t parallel_iterations = 1;
  int32_t num_enters = 0;
};

struct FrameAssignment {
  std::vector<StaticFrame> frames;
  std::vector<int32_t> frame_of;                   // by node: where it runs
  absl::flat_hash_map<int32_t, int32_t> child_of;  // Enter nodes -> the frame they lead to
};

// Errors name the nodes: inputs out of different frames, an Exit outside of a loop, a fetch inside of one.
Result<FrameAssignment> AssignFrames(const PlanGraph& graph, const Consumers& consumers,
                                     const std::vector<NodeKind>& kinds);

}  // namespace weir
