#include "cluster/peers.h"

namespace weir {

std::string TaskName(const std::string& job, int task) { return fmt::format("/job:{}/replica:0/task:{}", job, task); }

Peers::Peers(ClusterSpec cluster, Transport& transport, std::string own_task, WorkerService* own_worker)
    : cluster_(std::move(cluster)), transport_(transport), own_task_(std::move(own_task)) {
  for (const auto& [job, tasks] : cluster_.jobs()) {
    for (const auto& [task, address] : tasks) addresses_.emplace(TaskName(job, task), address);
  }
  if (own_worker != nullptr) {
    const std::string& address = addresses_.try_emplace(own_task_).first->second;
    workers_.emplace(own_task_, MakeDirectWorker(*own_worker, TaskAt(own_task_, address)));
  }
}

Result<std::shared_ptr<WorkerService>> Peers::Find(const std::string& task) {
  std::lock_guard lock(mu_);
  if (auto it = workers_.find(task); it != workers_.end()) return it->second;
  auto address = addresses_.find(task);
  if (address == addresses_.end()) {
    std::string known;
    for (const auto& [name, unused] : addresses_) known += (known.empty() ? "" : ", ") + name;
    return NotFound("task {} is not in the cluster, which has {}", task, known);
  }
  std::shared_ptr<WorkerService> worker = MakeRemoteWorker(transport_.Connect(address->second, task), task);
  workers_.emplace(task, worker);
  return worker;
}

bool Peers::FirstMention(const std::string& task) {
  std::lock_guard lock(mu_);
  return mentioned_.insert(task).second;
}

std::string Peers::AddressOf(const std::string& task) const {
  auto it = addresses_.find(task);
  return it == addresses_.end() ? "" : it->second;
}

std::string Peers::Describe(const std::string& task) const { return TaskAt(task, AddressOf(task)); }

std::vector<std::string> Peers::Tasks() const {
  std::vector<std::string> tasks;
  for (const auto& [task, address] : addresses_) tasks.push_back(task);
  return tasks;
}

}  // namespace weir
