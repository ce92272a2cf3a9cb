// Partitioning: cuts a placed plan graph into one GraphDef per task. A value that crosses tasks goes through a _Send
// and a _Recv; what the client feeds and fetches through _Recv and _Send nodes marked client_terminated.
// docs/cluster.md tells how loops that cross tasks run.
#pragma once

#include <string>
#include <vector>

#include "op/rendezvous_key.h"
#include "proto/graph.pb.h"
#include "runtime/plan_graph.h"

namespace weir {

// On receives whose value is never dead, so that a part without conditions of its own need not look for that.
// TensorFlow does not say it of its parts.
inline constexpr char kNeverDeadAttr[] = "_never_dead";

struct Partition {
  // Feed or fetch `number` of the plan graph, which meets this partition under `key`.
  struct ClientEdge {
    int32_t number = 0;
    std::string key;
  };
  std::string task;  // "/job:ps/replica:0/task:0"
  tensorflow::GraphDef graph;
  std::vector<ClientEdge> feeds;
  std::vector<ClientEdge> fetches;
};

struct Partitions {
  std::vector<Partition> parts;
  bool has_flow = false;  // some node somewhere may make values dead
};

// Of each GraphDef only the nodes are set. Fetches of fed values belong to no partition.
Result<Partitions> PartitionGraph(const PlanGraph& graph);

// Of a _Send or a _Recv of a partition: whether the client is at the other end, and under which key the two ends meet.
bool IsClientEnd(const tensorflow::NodeDef& node);
RendezvousKey KeyOf(const tensorflow::NodeDef& node);

// "/job:ps/replica:0/task:0" out of the full name of a device.
std::string TaskOfDevice(const std::string& device);

}  // namespace weir
