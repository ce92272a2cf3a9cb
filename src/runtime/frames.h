// Static frames: the loop that each node of a plan belongs to. A loop is identified by the frame_name of its Enter
// nodes and its enclosing frame. Frame 0 is everything outside of loops.
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
  std::vector<int32_t> frame_of;                   // indexed by node: the frame that it runs in
  absl::flat_hash_map<int32_t, int32_t> child_of;  // Enter node -> the frame that it enters
};

// InvalidArgument if a node has inputs from different frames, an Exit is outside of a loop, or a fetch or feed is
// inside of one. Errors name the nodes.
Result<FrameAssignment> AssignFrames(const PlanGraph& graph, const Consumers& consumers,
                                     const std::vector<NodeKind>& kinds);

}  // namespace weir
