#include "cluster/sim_workload.h"

#include <algorithm>

#include "cluster/sim_client.h"

namespace weir {
namespace {

constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMilli;
constexpr int64_t kWindow = 6 * kSecond;       // in which faults begin
constexpr int64_t kPatience = 3600 * kSecond;  // who is not done then never will be
constexpr int kClients = 3;
constexpr size_t kSmallChunk = 5;  // bytes: even small vectors go in pieces, which cut elements

class Simulation final {
 public:
  Simulation(const OpRegistry& registry, uint64_t seed, const SimFaults& faults, bool tell)
      : registry_(registry),
        faults_(faults),
        world_(seed, tell),
        network_(world_),
        cluster_(world_, network_, registry, {{"ps", 1}, {"worker", 2}}, seed % 2 == 0 ? kChunkBytes : kSmallChunk) {}

  SimOutcome Run() {
    StartTasks();
    ScheduleFaults();
    Drive();
    if (history_.wrong.empty()) CheckRecovery();
    if (const std::string left = cluster_.End(kPatience); !left.empty())
      history_.wrong.push_back("at the end: " + left);
    if (network_.num_open_calls() > 0)
      history_.wrong.push_back(fmt::format("at the end {} calls have no answer", network_.num_open_calls()));
    return {history_.wrong, world_.fingerprint(), world_.num_events(), world_.now(), history_.steps, history_.errors};
  }

 private:
  void StartTasks() {
    for (const std::string& task : cluster_.tasks()) {
      if (faults_.crashes == 0) {
        cluster_.Start(task);
        continue;
      }
      // In any order; sessions wait for those they need.
      history_.lost = history_.stalled = true;
      world_.After(world_.Between(0, 2 * kSecond), [this, task] { cluster_.Start(task); });
    }
  }

  void ScheduleFaults() {
    over_ = kWindow;
    auto at_some_time = [this](std::function<void()> fault) {
      world_.After(world_.Between(2 * kMilli, kWindow), std::move(fault));
    };
    for (int i = 0; i < faults_.drops; ++i) {
      at_some_time([this] {
        history_.lost = true;
        network_.DropAConnection();
      });
    }
    for (int i = 0; i < faults_.crashes; ++i) at_some_time([this] { CrashATask(); });
    for (int i = 0; i < faults_.cuts; ++i) at_some_time([this] { CutAPair(); });
    if (faults_.very_slow) {
      history_.stalled = true;
      network_.set_weather({.slow = 0.1, .very_slow = 0.005});
      world_.After(kWindow, [this] { network_.set_weather({}); });
    }
    world_.After(kWindow, [] {});
  }

  void CrashATask() {
    const std::string task = cluster_.tasks()[world_.rng().Below(cluster_.tasks().size())];
    if (cluster_.Find(task) == nullptr) return;
    history_.lost = history_.crashed = history_.stalled = true;
    cluster_.Crash(task);
    const int64_t pause = world_.Between(0, 3 * kSecond);
    over_ = std::max(over_, world_.now() + pause);
    world_.After(pause, [this, task] { cluster_.Start(task); });
  }

  void CutAPair() {
    std::vector<std::string> hosts;
    for (const std::string& task : cluster_.tasks()) hosts.push_back(SimCluster::HostOf(task));
    for (const auto& client : clients_) hosts.push_back(client->name());
    const size_t a = world_.rng().Below(cluster_.tasks().size());
    const size_t b = world_.rng().Below(hosts.size());
    if (a == b) return;
    history_.lost = history_.stalled = true;
    const int64_t nanos = world_.Chance(0.5) ? world_.Between(0, 2 * kSecond) : world_.Between(0, 40 * kSecond);
    over_ = std::max(over_, world_.now() + nanos);
    network_.Cut(hosts[a], hosts[b], nanos);
    world_.After(nanos, [] {});
  }

  SimClient& AddClient(SimHistory& history, SimClient::Options options) {
    options.number = static_cast<int>(clients_.size());
    clients_.push_back(std::make_unique<SimClient>(world_, network_, cluster_, history, registry_, std::move(options)));
    return *clients_.back();
  }

  // Runs until all clients are done and all faults are over.
  void WaitForClients() {
    const auto done = [this] {
      return world_.now() >= over_ && cluster_.all_up() &&
             std::all_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->done(); });
    };
    if (world_.RunUntil(done, world_.now() + kPatience)) return;
    for (const auto& client : clients_) {
      if (!client->done()) history_.wrong.push_back(client->name() + " waits for ever");
    }
  }

  void Drive() {
    for (int i = 0; i < kClients; ++i) {
      SimClient& client = AddClient(history_, {.steps = 6});
      world_.After(world_.Between(0, kSecond), [&client] { client.Start(); });
    }
    WaitForClients();
  }

  // When all is well again, sessions of every master work at once.
  void CheckRecovery() {
    world_.Note("all faults are over");
    SimHistory calm;
    for (const std::string& task : cluster_.tasks())
      AddClient(calm, {.steps = 4, .master = task, .in_turn = true, .timeout_ms = 60'000}).Start();
    WaitForClients();
    history_.steps += calm.steps;
    history_.wrong.insert(history_.wrong.end(), calm.wrong.begin(), calm.wrong.end());
    CheckRest();
  }

  // Nothing goes on when nobody wants anything, and no task holds on to a step.
  void CheckRest() {
    if (!world_.RunUntilIdle(world_.now() + kPatience)) history_.wrong.push_back("there is no rest");
    for (const std::string& task : cluster_.tasks()) {
      const Worker::Load load = cluster_.Find(task)->worker().load();
      if (load.steps == 0 && !load.runs) continue;
      history_.wrong.push_back(
          fmt::format("at rest {} has {} steps{}", task, load.steps, load.runs ? " and something runs" : ""));
    }
    int sessions = 0;
    for (const std::string& task : cluster_.tasks()) sessions += cluster_.Find(task)->master().num_sessions();
    if (sessions > history_.orphans)
      history_.wrong.push_back(fmt::format("at rest {} sessions are open, {} may be", sessions, history_.orphans));
    if (network_.num_open_calls() > 0)
      history_.wrong.push_back(fmt::format("at rest {} calls have no answer", network_.num_open_calls()));
  }

  const OpRegistry& registry_;
  const SimFaults faults_;
  SimWorld world_;
  SimNetwork network_;
  SimCluster cluster_;
  SimHistory history_;
  int64_t over_ = 0;  // when the last fault ends
  std::vector<std::unique_ptr<SimClient>> clients_;
};

}  // namespace

SimFaults FaultsOf(uint64_t seed) {
  switch (seed % 8) {
    case 0:
      return {};
    case 1:
      return {.drops = 8};
    case 2:
      return {.crashes = 3};
    case 3:
      return {.cuts = 3};
    case 4:
      return {.very_slow = true};
    case 5:
      return {.drops = 4, .crashes = 1};
    default:
      return {.drops = 4, .crashes = 2, .cuts = 2, .very_slow = seed % 3 == 0};
  }
}

SimOutcome RunSimulation(const OpRegistry& registry, uint64_t seed, const SimFaults& faults, bool tell) {
  return Simulation(registry, seed, faults, tell).Run();
}

}  // namespace weir
