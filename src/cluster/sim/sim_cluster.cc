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
  std::unique_ptr<Incarnation>& incarnation = up_[task];
  WEIR_CHECK(incarnation == nullptr, task);
  Transport& transport = network_.StartHost(HostOf(task));
  incarnation = std::make_unique<Incarnation>();
  incarnation->label = fmt::format("life {} of {}", num_crashes_[task] + 1, task);
  incarnation->task = std::make_unique<Task>(task, spec_, tensorflow::ConfigProto(),
                                             Task::Dependencies{{registry_, pool_, blocking_pool_, RealEnv()},
                                                                transport,
                                                                world_.clock(),
                                                                world_.alarms(),
                                                                world_.rng(),
                                                                chunk_bytes_,
                                                                kUnclaimedMs});
  Result<std::unique_ptr<Listener>> listener = transport.Listen(AddressOf(task));
  WEIR_CHECK(listener.ok(), listener.status().ToString());
  incarnation->listener = *std::move(listener);
  incarnation->listener->Serve(incarnation->task->Handler());
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
  std::vector<Incarnation*> incarnations;
  for (const auto& [task, incarnation] : up_) incarnations.push_back(incarnation.get());
  for (const auto& incarnation : crashed_) incarnations.push_back(incarnation.get());
  for (Incarnation* incarnation : incarnations) {
    // The tasks end concurrently in simulated time: calls to others may fail or succeed.
    incarnation->task->End([incarnation] { incarnation->ended = true; });
  }
  std::string left;
  if (!world_.RunUntilIdle(world_.now() + nanos)) left = "events without end; ";
  for (Incarnation* incarnation : incarnations) {
    const Worker::Usage usage = incarnation->task->worker().usage();
    // Sessions that masters had opened on a crashed task cannot be closed.
    const bool closed = usage.sessions == 0 || incarnation->listener == nullptr;
    if (incarnation->ended && !usage.has_calls_in_flight && usage.steps == 0 && closed) continue;
    left += fmt::format("{}: {}, {} sessions, {} steps{}; ", incarnation->label,
                        incarnation->ended ? "ended" : "does not end", usage.sessions, usage.steps,
                        usage.has_calls_in_flight ? ", something runs" : "");
    if (!incarnation->ended || usage.has_calls_in_flight)
      incarnation->task.release();  // leaked: its destructor would block
  }
  return left;
}

}  // namespace weir
