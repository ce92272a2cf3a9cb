// SimCluster: the tasks of a cluster in a simulation. A task that crashes is cut off but lives on in the dark, with
// whatever it was doing, until the end. Not thread-safe.
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
  // `jobs` has the number of tasks of each job. None is started. Large tensors go in chunks of `chunk_bytes`.
  SimCluster(SimWorld& world, SimNetwork& network, const OpRegistry& registry, const std::map<std::string, int>& jobs,
             size_t chunk_bytes = kChunkBytes);
  ~SimCluster();

  // How long masters keep a session that no client has used.
  static constexpr int64_t kUnclaimedMs = 120'000;

  const std::vector<std::string>& tasks() const { return tasks_; }  // "/job:ps/replica:0/task:0"
  static std::string HostOf(const std::string& task);               // "ps0"
  std::string AddressOf(const std::string& task) const;             // "ps0:1"

  void Start(const std::string& task);
  void Crash(const std::string& task);
  // Null while it is down.
  Task* Find(const std::string& task);
  bool all_up() const { return up_.size() == tasks_.size(); }
  int num_crashes(const std::string& task) const;

  // Stops all tasks, the crashed ones too, and runs the world until nothing happens any more. What did not end within
  // that (simulated) time, and is then left behind; empty when all is well.
  std::string End(int64_t nanos);

 private:
  struct Life {
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
  std::map<std::string, std::unique_ptr<Life>> up_;
  std::vector<std::unique_ptr<Life>> crashed_;
  std::map<std::string, int> num_crashes_;
};

}  // namespace weir
