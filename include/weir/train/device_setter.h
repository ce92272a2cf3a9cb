// Device placement of a replica: variables on the parameter servers, other nodes on the worker. Invariant: the same
// nodes built in the same order get the same tasks, so the graphs of all workers agree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/session/cluster_spec.h"

namespace weir {

// Chooses the parameter server task for a node; nullopt leaves it unspecified. Each building thread calls it for one
// node at a time.
using PsStrategy = std::function<Result<std::optional<int64_t>>(Node&)>;
// The load that a node adds to its task.
using LoadFn = std::function<Result<double>(Node&)>;

// Tasks 0, 1, …, num_tasks - 1 in rotation.
PsStrategy RoundRobinStrategy(int64_t num_tasks);
// The task with the least load so far; the lowest one on a tie. InvalidArgument if there are no tasks.
Result<PsStrategy> GreedyLoadBalancingStrategy(int64_t num_tasks, LoadFn load);
// A task that depends only on the node's name and the seed. InvalidArgument if there are no tasks.
Result<PsStrategy> RandomStrategy(int64_t num_tasks, int64_t seed = 0);
// The size in bytes of a node's only output; for a resource handle, of its variable. An error if the shape is unknown.
Result<double> ByteSizeLoad(Node& node);

// The ops that hold parameters.
const std::vector<std::string>& StandardPsOps();

struct ReplicaDeviceOptions {
  int64_t ps_tasks = 0;  // ignored if `cluster` is set
  std::string ps_device = "/job:ps";
  std::string worker_device = "/job:worker";
  bool merge_devices = true;  // false: a node that already has a device keeps it
  std::optional<ClusterSpec> cluster = {};
  std::vector<std::string> ps_ops = StandardPsOps();
  PsStrategy ps_strategy = {};  // default: round robin
};

// A request for DeviceScope. Device parts from inner scopes override those chosen here. Without parameter server tasks
// it is equivalent to tf.device(None). Invalid device names are InvalidArgument.
Result<DeviceRequest> ReplicaDeviceSetter(ReplicaDeviceOptions options);

}  // namespace weir
