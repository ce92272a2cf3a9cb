// Peers: the workers of a cluster by task name ("/job:ps/replica:0/task:0"). This server's own task is called directly,
// the others through channels that are opened on first use and shared. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cluster/services.h"
#include "session/cluster_spec.h"

namespace weir {

std::string TaskName(const std::string& job, int task);

class Peers final {
 public:
  // `own_worker` serves `own_task` and must outlive this object. Both are empty if this process serves no task.
  Peers(ClusterSpec cluster, Transport& transport, std::string own_task, WorkerService* own_worker);

  // NotFound if the task is not in the cluster; the message lists the tasks.
  Result<std::shared_ptr<WorkerService>> Find(const std::string& task);
  std::string AddressOf(const std::string& task) const;  // "" when not in the cluster
  std::string Describe(const std::string& task) const;   // name and address, for messages
  std::vector<std::string> Tasks() const;                // all, sorted by name
  const ClusterSpec& cluster() const { return cluster_; }
  const std::string& own_task() const { return own_task_; }
  // Returns true once for each task: what a log says about a task, it says once, not for each session.
  bool FirstMention(const std::string& task);

 private:
  const ClusterSpec cluster_;
  Transport& transport_;
  const std::string own_task_;
  std::map<std::string, std::string> addresses_;  // by task
  std::mutex mu_;
  std::map<std::string, std::shared_ptr<WorkerService>> workers_;
  std::set<std::string> mentioned_;
};

}  // namespace weir
