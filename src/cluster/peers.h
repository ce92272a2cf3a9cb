// Peers: the workers of a cluster by task name ("/job:ps/replica:0/task:0"). The own task is reached directly, the
// others through channels that are opened on first use and shared. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/services.h"
#include "session/cluster_spec.h"

namespace weir {

std::string TaskName(const std::string& job, int task);

class Peers final {
 public:
  // `own_task` is reached through `own_worker`, which must outlive this; both may be empty.
  Peers(ClusterSpec cluster, Transport& transport, std::string own_task, WorkerService* own_worker);

  // NotFound, naming the tasks there are, for one that is not in the cluster.
  Result<std::shared_ptr<WorkerService>> Find(const std::string& task);
  std::string AddressOf(const std::string& task) const;  // "" when not in the cluster
  std::string Describe(const std::string& task) const;   // with its address
  std::vector<std::string> Tasks() const;                // all, in the order of their names
  const ClusterSpec& cluster() const { return cluster_; }
  const std::string& own_task() const { return own_task_; }

 private:
  const ClusterSpec cluster_;
  Transport& transport_;
  const std::string own_task_;
  std::map<std::string, std::string> addresses_;  // by task
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<WorkerService>> workers_;
};

}  // namespace weir
