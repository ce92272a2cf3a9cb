// Partitions a placed plan graph into one GraphDef per task. A value that crosses tasks goes through a _Send and a
// _Recv. Feeds and fetches go through _Recv and _Send nodes with client_terminated. docs/cluster.md describes loops
// that span tasks.
#pragma once

#include <string>
#include <vector>

#include "op/rendezvous_key.h"
#include "proto/graph.pb.h"
#include "runtime/plan_graph.h"

namespace weir {

// An attribute of receives whose value is never dead. A partition with only such receives and no control flow need not
// handle dead values. Partitions made by TensorFlow do not have it.
inline constexpr char kNeverDeadAttr[] = "_never_dead";

struct Partition {
  // Feed or fetch `number` of the plan graph, which is passed to or from this partition under `key`.
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
  bool has_flow = false;  // some partition has control flow, so values may be dead
};

// Sets only the nodes of each GraphDef. Fetches of fed values belong to no partition.
Result<Partitions> PartitionGraph(const PlanGraph& graph);

// For a _Send or _Recv of a partition: whether the client is at the other end, and the rendezvous key of the edge.
bool IsClientEnd(const tensorflow::NodeDef& node);
RendezvousKey KeyOf(const tensorflow::NodeDef& node);

// The task ("/job:ps/replica:0/task:0") in the full name of a device.
std::string TaskOfDevice(const std::string& device);

}  // namespace weir
