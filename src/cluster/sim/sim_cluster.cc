#include "cluster/sim/sim_cluster.h"

#include "base/check.h"
#include "graph/device_name.h"

namespace weir {

SimCluster::SimCluster(SimWorld& world, SimNetwork& network, const OpRegistry& registry,
                       const std::map<std::string, int>& jobs, size_t chunk_bytes)
    : world_(world),
      network_(network),
      registry_(registry),
      chunk_bytes_(chunk_bytes),
      pool_(world.runner()),
      blocking_pool_(world.runner()) {
  std::map<std::string, ClusterSpec::Tasks> addresses;
  for (const auto& [job, count] : jobs) {
    for (int i = 0; i < count; ++i) {
      addresses[job][i] = fmt::format("{}{}:1", job, i);
      tasks_.push_back(TaskName(job, i));
    }
  }
  Result<ClusterSpec> spec = ClusterSpec::Make(std::move(addresses));
  WEIR_CHECK(spec.ok(), spec.status().ToString());
  spec_ = *std::move(spec);
}

SimCluster::~SimCluster() = default;

std::string SimCluster::HostOf(const std::string& task) {
  Result<DeviceName> name = DeviceName::Parse(task);
  WEIR_CHECK(name.ok(), name.status().ToString());
  return fmt::format("{}{}", name->job.value_or(""), name->task.value_or(0));
}

std::string SimCluster::AddressOf(const std::string& task) const { return HostOf(task) + ":1"; }

void SimCluster::Start(const std::string& task) {
  std::unique_ptr<Life>& life = up_[task];
  WEIR_CHECK(life == nullptr, task);
  Transport& transport = network_.StartHost(HostOf(task));
  life = std::make_unique<Life>();
  life->label = fmt::format("life {} of {}", num_crashes_[task] + 1, task);
  life->task =
      std::make_unique<Task>(task, spec_, tensorflow::ConfigProto(),
                             Task::Dependencies{registry_, pool_, blocking_pool_, RealEnv(), transport, world_.clock(),
                                                world_.alarms(), world_.rng(), nullptr, chunk_bytes_, kUnclaimedMs});
  Result<std::unique_ptr<Listener>> listener = transport.Listen(AddressOf(task));
  WEIR_CHECK(listener.ok(), listener.status().ToString());
  life->listener = *std::move(listener);
  life->listener->Serve(life->task->Handler());
}

void SimCluster::Crash(const std::string& task) {
  auto it = up_.find(task);
  if (it == up_.end()) return;
  network_.Crash(HostOf(task));
  it->second->listener = nullptr;
  ++num_crashes_[task];
  crashed_.push_back(std::move(it->second));
  up_.erase(it);
}

Task* SimCluster::Find(const std::string& task) {
  auto it = up_.find(task);
  return it == up_.end() ? nullptr : it->second->task.get();
}

int SimCluster::num_crashes(const std::string& task) const {
  auto it = num_crashes_.find(task);
  return it == num_crashes_.end() ? 0 : it->second;
}

std::string SimCluster::End(int64_t nanos) {
  std::vector<Life*> lives;
  for (const auto& [task, life] : up_) lives.push_back(life.get());
  for (const auto& life : crashed_) lives.push_back(life.get());
  for (Life* life : lives) {
    // The tasks end concurrently in simulated time: calls to others may fail or succeed.
    life->task->End([life] { life->ended = true; });
  }
  std::string left;
  if (!world_.RunUntilIdle(world_.now() + nanos)) left = "events without end; ";
  for (Life* life : lives) {
    const Worker::Load load = life->task->worker().load();
    // Sessions that masters had opened on a crashed task cannot be closed.
    const bool closed = load.sessions == 0 || life->listener == nullptr;
    if (life->ended && !load.runs && load.steps == 0 && closed) continue;
    left += fmt::format("{}: {}, {} sessions, {} steps{}; ", life->label, life->ended ? "ended" : "does not end",
                        load.sessions, load.steps, load.runs ? ", something runs" : "");
    if (!life->ended || load.runs) life->task.release();  // leaked: its destructor would block
  }
  return left;
}

}  // namespace weir
