// Work queues on the simulated network: workers that sleep instead of computing share the slices of a parameter server.
// A slow worker takes fewer; the slice of a worker that crashes is given to another one, once. A failure names its
// seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cluster/services.h"
#include "cluster/sim/sim_cluster.h"
#include "graph/compose/variable.h"
#include "graph/compose/work_queue.h"
#include "graph/graph_def.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir {
namespace {

constexpr int64_t kWorkPatience = 3600 * 1000 * kNanosPerMilli;

struct WorkSim;

// The client of one worker: takes one slice after the other, and sleeps for each of them.
class Sleeper {
 public:
  Sleeper(WorkSim& sim, int index, int64_t sleep_ms);
  void Start(bool is_chief, std::function<void()> ready);
  void Work();
  void Crash();
  bool ended() const { return ended_; }

 private:
  void Run(const std::string& target, const std::string& fetch, std::function<void(Result<RunStepReply>)> then);

  WorkSim& sim_;
  const int index_;
  const int64_t sleep_ms_;
  Transport& transport_;
  std::shared_ptr<MasterService> master_;
  std::string handle_;
  bool crashed_ = false;
  bool takes_ = false;  // has asked for a slice and not received it
  bool ended_ = false;
};

struct WorkSim {
  WorkSim(const OpRegistry& registry, uint64_t seed, const std::vector<int64_t>& sleeps_ms, int64_t slices)
      : world(seed, false),
        network(world),
        cluster(world, network, registry, {{"ps", 1}, {"worker", static_cast<int>(sleeps_ms.size())}}) {
    network.set_delays({.slow = 0.2});
    for (const std::string& task : cluster.tasks()) cluster.Start(task);
    Graph built(registry);
    built.set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
    {
      const DeviceScope on_ps(built, "/job:ps/task:0");
      const Result<WorkQueue> queue =
          WorkQueue::Make(built, Tensor::Vector<std::string>({"a", "b"}), {.num_slices = slices, .name = "q"});
      EXPECT_TRUE(queue.ok()) << queue.status();
      take = queue->Take().name();
      init = InitializeVariables(built, GlobalVariables(built))->name();
    }
    graph = ExportGraphDef(built).value();
    for (size_t i = 0; i < sleeps_ms.size(); ++i)
      workers.push_back(std::make_unique<Sleeper>(*this, static_cast<int>(i), sleeps_ms[i]));
  }
  void Start() {
    workers[0]->Start(/*is_chief=*/true, [this] {
      begin = world.now();
      for (const auto& worker : workers) {
        if (worker == workers[0])
          worker->Work();
        else
          worker->Start(/*is_chief=*/false, [&worker] { worker->Work(); });
      }
    });
  }
  bool UntilAllEnd() {
    return world.RunUntil(
        [&] {
          return !wrong.empty() ||
                 std::all_of(workers.begin(), workers.end(), [](const auto& w) { return w->ended(); });
        },
        world.now() + kWorkPatience);
  }

  SimWorld world;
  SimNetwork network;
  SimCluster cluster;
  tensorflow::GraphDef graph;
  std::string init, take;
  std::vector<std::unique_ptr<Sleeper>> workers;
  int64_t begin = 0;
  std::map<std::string, int> taken, done;  // by slice
  std::map<int, int> done_by;              // by worker
  int crashed_takes = 0;                   // crashes of workers that had asked for a slice
  int64_t last_done = 0;
  std::string wrong;
};

Sleeper::Sleeper(WorkSim& sim, int index, int64_t sleep_ms)
    : sim_(sim),
      index_(index),
      sleep_ms_(sleep_ms),
      transport_(sim.network.StartHost(fmt::format("client{}", index))) {}

void Sleeper::Start(bool is_chief, std::function<void()> ready) {
  master_ = MakeRemoteMaster(
      transport_.Connect(sim_.cluster.AddressOf(fmt::format("/job:worker/replica:0/task:{}", index_))));
  tensorflow::CreateSessionRequest request;
  *request.mutable_graph_def() = sim_.graph;
  master_->CreateSession(std::move(request), CallOptions{},
                         [this, is_chief, ready](Result<tensorflow::CreateSessionResponse> response) {
                           if (!response.ok()) {
                             sim_.wrong += response.status().ToString();
                             return;
                           }
                           handle_ = response->session_handle();
                           if (!is_chief) return ready();
                           Run(sim_.init, "", [this, ready](const Result<RunStepReply>& reply) {
                             if (!reply.ok()) sim_.wrong += reply.status().ToString();
                             ready();
                           });
                         });
}

void Sleeper::Work() {
  takes_ = true;
  Run("", sim_.take, [this](const Result<RunStepReply>& reply) {
    if (crashed_) return;
    takes_ = false;
    if (!reply.ok()) {
      if (reply.status().code() != StatusCode::kOutOfRange) sim_.wrong += reply.status().ToString();
      ended_ = true;
      return;
    }
    const std::string slice = reply->tensors[0].tensor.scalar<std::string>();
    ++sim_.taken[slice];
    sim_.world.After(sleep_ms_ * kNanosPerMilli, [this, slice] {
      if (crashed_) return;
      ++sim_.done[slice];
      ++sim_.done_by[index_];
      sim_.last_done = sim_.world.now();
      Work();
    });
  });
}

void Sleeper::Crash() {
  if (ended_) return;
  crashed_ = true;
  ended_ = true;
  if (takes_) ++sim_.crashed_takes;
  sim_.cluster.Crash(fmt::format("/job:worker/replica:0/task:{}", index_));
}

void Sleeper::Run(const std::string& target, const std::string& fetch, std::function<void(Result<RunStepReply>)> then) {
  RunStepCall call;
  call.message.set_session_handle(handle_);
  if (!target.empty()) call.message.add_target(target);
  if (!fetch.empty()) call.message.add_fetch(fetch);
  master_->RunStep(std::move(call), CallOptions{}, std::move(then));
}

class WorkQueueSimTest : public ::testing::Test {
 protected:
  WorkQueueSimTest() { ops::RegisterAllOps(registry_); }
  OpRegistry registry_;
};

TEST_F(WorkQueueSimTest, ASlowWorkerTakesLess) {
  constexpr int kWorkers = 8;
  constexpr int64_t kSlices = 400;
  constexpr int64_t kSleepMs = 500;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<int64_t> sleeps(kWorkers, kSleepMs);
    sleeps.back() *= 5;
    WorkSim sim(registry_, seed, sleeps, kSlices);
    sim.Start();
    ASSERT_TRUE(sim.UntilAllEnd()) << "seed " << seed << " hangs";
    ASSERT_EQ(sim.wrong, "") << "seed " << seed;
    EXPECT_EQ(sim.done.size(), static_cast<size_t>(kSlices)) << "seed " << seed;
    for (const auto& [slice, times] : sim.taken) EXPECT_EQ(times, 1) << slice << ", seed " << seed;
    const double ideal = static_cast<double>(kSlices) * kSleepMs / (kWorkers - 1 + 0.2);
    const double took = static_cast<double>(sim.last_done - sim.begin) / kNanosPerMilli;
    EXPECT_LE(took, 1.15 * ideal) << "seed " << seed;
    EXPECT_NEAR(sim.done_by[kWorkers - 1] * 5, sim.done_by[0], 10) << "seed " << seed;
    EXPECT_EQ(sim.cluster.End(kWorkPatience), "");
  }
}

TEST_F(WorkQueueSimTest, SlicesOfCrashedWorkersAreTakenAgainOnce) {
  constexpr int kWorkers = 5;
  constexpr int64_t kSlices = 60;
  for (uint64_t seed = 100; seed < 130; ++seed) {
    WorkSim sim(registry_, seed, std::vector<int64_t>(kWorkers, 700), kSlices);
    sim.Start();
    const int crashes = static_cast<int>(sim.world.Between(1, kWorkers - 1));
    for (int i = 0; i < crashes; ++i)
      sim.world.After(sim.world.Between(300, 12'000) * kNanosPerMilli, [&sim, i] { sim.workers[i + 1]->Crash(); });
    ASSERT_TRUE(sim.UntilAllEnd()) << "seed " << seed << " hangs";
    ASSERT_EQ(sim.wrong, "") << "seed " << seed;
    int again = 0;
    for (const auto& [slice, times] : sim.taken) {
      EXPECT_LE(times, 2) << slice << ", seed " << seed;
      again += times - 1;
    }
    EXPECT_LE(again, crashes) << "seed " << seed;
    // A slice is only lost if both workers that took it have crashed. One of them may not have received it.
    int lost = 0;
    for (const auto& [slice, times] : sim.taken) lost += times < 2 && sim.done[slice] == 0 ? 1 : 0;
    EXPECT_LE(lost, sim.crashed_takes) << "seed " << seed;
    EXPECT_GE(sim.taken.size() + static_cast<size_t>(crashes), static_cast<size_t>(kSlices)) << "seed " << seed;
    sim.world.RunUntil([] { return false; }, sim.world.now() + 2 * kSessionLeaseMs * kNanosPerMilli);  // leases end
    EXPECT_EQ(sim.cluster.End(kWorkPatience), "");
  }
}

}  // namespace
}  // namespace weir
