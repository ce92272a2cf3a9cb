// SimCluster: the tasks of a simulated cluster. A crashed task is disconnected, but its object keeps running until the
// end of the simulation. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/sim/sim_network.h"
#include "cluster/task.h"

namespace weir {

class SimCluster final {
 public:
  // `jobs` has the number of tasks of each job. No task is started. Large tensors are sent in chunks of `chunk_bytes`.
  SimCluster(SimWorld& world, SimNetwork& network, const OpRegistry& registry, const std::map<std::string, int>& jobs,
             size_t chunk_bytes = kChunkBytes);
  ~SimCluster();

  // Time after which masters close a session that no client has used.
  static constexpr int64_t kUnclaimedMs = 120'000;

  const std::vector<std::string>& tasks() const { return tasks_; }  // "/job:ps/replica:0/task:0"
  static std::string HostOf(const std::string& task);               // "ps0"
  std::string AddressOf(const std::string& task) const;             // "ps0:1"

  void Start(const std::string& task);
  void Crash(const std::string& task);
  // Null while the task is down.
  Task* Find(const std::string& task);
  bool all_up() const { return up_.size() == tasks_.size(); }
  int num_crashes(const std::string& task) const;

  // Stops all tasks, including crashed ones, and runs the world until it is idle, for at most `nanos` of simulated
  // time. Returns a description of what did not end and was leaked; empty on success.
  std::string End(int64_t nanos);

 private:
  struct Incarnation {
    std::string label;
    std::unique_ptr<Task> task;
    std::unique_ptr<Listener> listener;
    bool ended = false;
  };

  SimWorld& world_;
  SimNetwork& network_;
  const OpRegistry& registry_;
  const size_t chunk_bytes_;
  ThreadPool pool_;
  ElasticPool blocking_pool_;
  ClusterSpec spec_;
  std::vector<std::string> tasks_;
  std::map<std::string, std::unique_ptr<Incarnation>> up_;
  std::vector<std::unique_ptr<Incarnation>> crashed_;
  std::map<std::string, int> num_crashes_;
};

}  // namespace weir
