// Where the nodes of a replica go: variables to the parameter servers, all else to the worker.
// Invariant: the same nodes built in the same order get the same tasks, so that every worker's graph agrees.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "session/cluster_spec.h"

namespace weir {

// The task of the parameter servers that a node goes to; nothing leaves the task open. Called for one node at a time
// by each thread that builds.
using PsStrategy = std::function<Result<std::optional<int64_t>>(Node&)>;
// How much a node weighs.
using LoadFn = std::function<Result<double>(Node&)>;

// Task 0, 1, …, num_tasks - 1, and again.
PsStrategy RoundRobinStrategy(int64_t num_tasks);
// The task that has the least to carry so far, the lowest of several. InvalidArgument without tasks.
Result<PsStrategy> GreedyLoadBalancingStrategy(int64_t num_tasks, LoadFn load);
// A task that depends on the node's name and the seed only. InvalidArgument without tasks.
Result<PsStrategy> RandomStrategy(int64_t num_tasks, int64_t seed = 0);
// The bytes of a node's only output, for a handle of a variable those of the variable. An error where the shape is not
// known.
Result<double> ByteSizeLoad(Node& node);

// The ops that hold what is trained.
const std::vector<std::string>& StandardPsOps();

struct ReplicaDeviceOptions {
  int64_t ps_tasks = 0;  // of the cluster when there is one
  std::string ps_device = "/job:ps";
  std::string worker_device = "/job:worker";
  bool merge_devices = true;  // false: a node that has some device already keeps to it
  std::optional<ClusterSpec> cluster = {};
  std::vector<std::string> ps_ops = StandardPsOps();
  PsStrategy ps_strategy = {};  // round robin when empty
};

// For DeviceScope. Parts of a device that scopes inside have given win over those that this gives. Without tasks to put
// parameters on, it is what tf.device(None) is. Wrong device names are InvalidArgument.
Result<DeviceRequest> ReplicaDeviceSetter(ReplicaDeviceOptions options);

}  // namespace weir
