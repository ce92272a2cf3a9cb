#include "cluster/sim_workload.h"

#include <algorithm>

#include "cluster/sim_client.h"

namespace weir {
namespace {

constexpr int64_t kSecond = 1'000 * kNanosPerMilli;
constexpr int64_t kWindow = 6 * kSecond;       // faults start within this time
constexpr int64_t kPatience = 3600 * kSecond;  // a client that takes longer hangs
constexpr int64_t kRest = 60 * kSecond;        // after the last step; nothing of it may be left then
constexpr int64_t kRetryMs = 2'000;            // until a waiting session notices that a task is back
constexpr int64_t kPingMs = 20'000;            // until a silent connection is broken
constexpr int64_t kForEverMs = int64_t{1} << 40;
constexpr int kClients = 3;
constexpr size_t kSmallChunk = 5;  // bytes: even small vectors are sent in chunks, which split elements

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
      // In random order; sessions wait for the tasks that they need.
      history_.lost = true;
      history_.stalled_ms = 2'000 + kRetryMs;
      world_.After(world_.Between(0, 2 * kSecond), [this, task] { cluster_.Start(task); });
    }
  }

  void ScheduleFaults() {
    over_ = kWindow;
    auto at_some_time = [this](std::function<void()> fault) {
      world_.After(world_.Between(2 * kNanosPerMilli, kWindow), std::move(fault));
    };
    for (int i = 0; i < faults_.drops; ++i) {
      at_some_time([this] {
        history_.lost = true;
        network_.DropAConnection();
      });
    }
    for (int i = 0; i < faults_.crashes; ++i) {
      at_some_time([this] {
        Crash(cluster_.tasks()[world_.rng().Below(cluster_.tasks().size())], world_.Between(0, 3 * kSecond));
      });
    }
    for (int i = 0; i < faults_.crashes_after_reply; ++i) at_some_time([this] { ++armed_crashes_; });
    if (faults_.crashes_after_reply > 0) {
      network_.WatchAnswers([this](const std::string& host, std::string_view method) {
        if (armed_crashes_ > 0 && method == "RunGraph") CrashAfterReply(host);
      });
    }
    for (int i = 0; i < faults_.partitions; ++i) at_some_time([this] { CutAPair(); });
    if (faults_.very_slow) {
      history_.stalled_ms = kForEverMs;
      network_.set_delays({.slow = 0.1, .very_slow = 0.005});
      world_.After(kWindow, [this] { network_.set_delays({}); });
    }
    world_.After(kWindow, [this] { armed_crashes_ = 0; });
  }

  void Crash(const std::string& task, int64_t pause) {
    if (cluster_.Find(task) == nullptr) return;
    history_.lost = history_.crashed = true;
    history_.stalled_ms += pause / kNanosPerMilli + kRetryMs;
    cluster_.Crash(task);
    over_ = std::max(over_, world_.now() + pause);
    world_.After(pause, [this, task] { cluster_.Start(task); });
  }

  // Crashes a task right after its response. The response mostly arrives, but a task that requests a value of that step
  // finds the next incarnation.
  void CrashAfterReply(const std::string& host) {
    for (const std::string& task : cluster_.tasks()) {
      if (SimCluster::HostOf(task) != host) continue;
      --armed_crashes_;
      const int64_t delay = world_.Between(0, 2 * kNanosPerMilli);
      over_ = std::max(over_, world_.now() + delay + 1);
      world_.After(delay, [this, task] { Crash(task, world_.Between(0, 5 * kNanosPerMilli)); });
      return;
    }
  }

  void CutAPair() {
    std::vector<std::string> hosts;
    for (const std::string& task : cluster_.tasks()) hosts.push_back(SimCluster::HostOf(task));
    for (const auto& client : clients_) hosts.push_back(client->name());
    const size_t a = world_.rng().Below(cluster_.tasks().size());
    const size_t b = world_.rng().Below(hosts.size());
    if (a == b) return;
    history_.lost = true;
    const int64_t nanos = world_.Chance(0.5) ? world_.Between(0, 2 * kSecond) : world_.Between(0, 40 * kSecond);
    history_.stalled_ms += nanos / kNanosPerMilli + kPingMs + kRetryMs;
    over_ = std::max(over_, world_.now() + nanos);
    network_.PartitionHosts(hosts[a], hosts[b], nanos);
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
      SimClient& client = AddClient(history_, {.steps = 6, .keeps_session = true});
      world_.After(world_.Between(0, kSecond), [&client] { client.Start(); });
    }
    WaitForClients();
    if (history_.wrong.empty()) CheckNoSteps();
    for (const auto& client : clients_) client->Leave();
    WaitForClients();
  }

  // No step is running, but sessions are open: workers must have discarded the steps without a CleanupGraph call.
  // (After the crash of a master, its steps stay until its next incarnation opens a session.)
  void CheckNoSteps() {
    // The world does not become idle while sessions are open, because masters renew them.
    world_.RunUntil([] { return false; }, world_.now() + kRest);
    for (const std::string& task : cluster_.tasks()) {
      const Worker::Usage usage = cluster_.Find(task)->worker().usage();
      if (history_.crashed || (usage.steps == 0 && !usage.has_calls_in_flight)) continue;
      history_.wrong.push_back(fmt::format("between steps {} has {} steps{}", task, usage.steps,
                                           usage.has_calls_in_flight ? ", and something runs" : ""));
    }
  }

  // After all faults, sessions of every master must work at once.
  void CheckRecovery() {
    world_.Log("all faults are over");
    SimHistory calm;
    for (const std::string& task : cluster_.tasks())
      AddClient(calm, {.steps = 4, .master = task, .in_turn = true, .timeout_ms = 60'000}).Start();
    WaitForClients();
    history_.steps += calm.steps;
    history_.wrong.insert(history_.wrong.end(), calm.wrong.begin(), calm.wrong.end());
    CheckIdle();
  }

  // Without clients the world must become idle, and no task may hold on to anything.
  void CheckIdle() {
    if (!world_.RunUntilIdle(world_.now() + kPatience)) history_.wrong.push_back("there is no rest");
    for (const std::string& task : cluster_.tasks()) {
      const Worker::Usage usage = cluster_.Find(task)->worker().usage();
      const int open = cluster_.Find(task)->master().num_sessions();
      if (open == 0 && usage.sessions == 0 && usage.graphs == 0 && usage.steps == 0 && !usage.has_calls_in_flight)
        continue;
      history_.wrong.push_back(fmt::format("at rest {} has {} open sessions, {} of masters with {} graphs, {} steps{}",
                                           task, open, usage.sessions, usage.graphs, usage.steps,
                                           usage.has_calls_in_flight ? ", and something runs" : ""));
    }
    if (network_.num_open_calls() > 0)
      history_.wrong.push_back(fmt::format("at rest {} calls have no answer", network_.num_open_calls()));
  }

  const OpRegistry& registry_;
  const SimFaults faults_;
  SimWorld world_;
  SimNetwork network_;
  SimCluster cluster_;
  SimHistory history_;
  int64_t over_ = 0;       // end time of the last fault
  int armed_crashes_ = 0;  // crashes after a response that have not happened yet
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
      return {.crashes = 2, .crashes_after_reply = 3};
    case 3:
      return {.partitions = 3};
    case 4:
      return {.very_slow = true};
    case 5:
      return {.drops = 4, .crashes = 1, .crashes_after_reply = 3};
    default:
      return {.drops = 4, .crashes = 2, .crashes_after_reply = 2, .partitions = 2, .very_slow = seed % 3 == 0};
  }
}

SimOutcome RunSimulation(const OpRegistry& registry, uint64_t seed, const SimFaults& faults, bool tell) {
  return Simulation(registry, seed, faults, tell).Run();
}

}  // namespace weir
