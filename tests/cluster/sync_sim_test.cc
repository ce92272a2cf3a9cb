// Synchronous replicas on the simulated network: late messages must not change the parameters, and a worker that
// crashes and comes back must not block the others while enough of them are left. A failure names its seed.
#include <gtest/gtest.h>

#include "cluster/services.h"
#include "cluster/sim/sim_cluster.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/graph_def.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "train/optimizers.h"
#include "train/sync_replicas.h"

namespace weir {
namespace {

constexpr int64_t kSyncPatience = 3600 * 1000 * kNanosPerMilli;
constexpr int kSteps = 6;
constexpr float kRate = 0.25f;
constexpr int kServers = 2;

float Wanted(int replica, int64_t step) { return static_cast<float>((replica * 5 + step * 3) % 7) - 2; }

// The client of one worker: builds the graph, creates a session on its task, and runs steps one after the other.
class Replica {
 public:
  struct Environment {
    SimWorld& world;
    SimNetwork& network;
    SimCluster& cluster;
    const OpRegistry& registry;
  };
  Replica(Environment environment, int index, int life, int aggregate, int total, int64_t tokens = 0)
      : environment_(environment),
        index_(index),
        transport_(environment.network.StartHost(fmt::format("client{}_{}", index, life))),
        pause_(environment.world.Between(0, 3)) {
    Build(aggregate, total, tokens);
  }

  // `ready` runs when the model is initialized and, except for the chief, this replica knows the step.
  void Start(std::function<void()> ready) {
    master_ = MakeRemoteMaster(
        transport_.Connect(environment_.cluster.AddressOf(fmt::format("/job:worker/replica:0/task:{}", index_))));
    tensorflow::CreateSessionRequest request;
    *request.mutable_graph_def() = graph_;
    master_->CreateSession(std::move(request), CallOptions{},
                           [this, ready](Result<tensorflow::CreateSessionResponse> response) {
                             if (!response.ok()) return Fail(response.status());
                             handle_ = response->session_handle();
                             if (index_ > 0) return Run({local_init_}, {}, {}, [ready](auto&) { ready(); });
                             Run({init_}, {}, {}, [this, ready](auto&) {
                               Run({chief_init_}, {}, {}, [this, ready](auto&) {
                                 Run({init_tokens_}, {}, {}, [this, ready](auto&) {
                                   EnqueueTokens();
                                   ready();
                                 });
                               });
                             });
                           });
  }
  // Runs that many steps. The batch depends on the current step.
  void Train(int steps, std::function<void()> done) {
    if (steps == 0) return done();
    environment_.world.After(environment_.world.Between(0, 1 + pause_ * 40) * kNanosPerMilli, [this, steps, done] {
      Run({}, {}, {local_step_}, [this, steps, done](const std::vector<NamedTensor>& values) {
        const auto step = values[0].tensor.scalar<int64_t>();
        step_ = step;
        Run({train_}, {{"x:0", Tensor::Scalar(Wanted(index_, step))}}, {},
            [this, steps, done](auto&) { Train(steps - 1, done); });
      });
    });
  }
  void Read(std::function<void(float w, int64_t step)> seen) {
    Run({}, {}, {"w/read:0", "step/read:0"}, [seen](const std::vector<NamedTensor>& values) {
      seen(values[0].tensor.scalar<float>(), values[1].tensor.scalar<int64_t>());
    });
  }
  // Errors from now on are expected.
  void Forget() { forgotten_ = true; }
  void Close() {
    Forget();
    tensorflow::CloseSessionRequest request;
    request.set_session_handle(handle_);
    master_->CloseSession(std::move(request), CallOptions{}, [](const auto&) {});
  }
  int64_t step() const { return step_; }  // the current one
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  void Build(int aggregate, int total, int64_t tokens) {
    Graph graph(environment_.registry);
    graph.set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
    const auto variable = [&](int ps, const char* name, const Tensor& value) {
      DeviceScope device(graph, fmt::format("/job:ps/task:{}", ps));
      return Variable::Make(graph, value, {.name = name, .trainable = false}).value();
    };
    const VariablePtr w = variable(0, "w", Tensor::Scalar(1.0f));
    const VariablePtr v = variable(1, "v", Tensor::Scalar(1.0f));
    const VariablePtr step = variable(1, "step", Tensor::Scalar<int64_t>(0));
    DeviceScope here(graph, fmt::format("/job:worker/task:{}", index_));
    const Output x = Placeholder(graph, kFloat, {.shape = PartialShape::Scalar(), .name = "x"});
    const Output loss = (Square(w->value() - x) + Square(v->value() + x)) * 0.5f;
    SyncReplicasOptimizer sync(std::make_shared<GradientDescentOptimizer>(kRate),
                               {.replicas_to_aggregate = aggregate, .total_num_replicas = total});
    const Result<Node*> train = sync.Minimize(loss, {.global_step = step, .var_list = {w, v}});
    if (!train.ok()) return Fail(train.status());
    train_ = (*train)->name();
    round_ = sync.GetChiefQueueRunner().value()->parts().enqueue[0]->name();
    init_ = InitializeVariables(graph, {w, v, step})->name();
    chief_init_ = sync.chief_init_op()->name();
    const Result<Node*> init_tokens = sync.GetInitTokensOp(std::max<int64_t>(tokens, aggregate - total));
    if (!init_tokens.ok()) return Fail(init_tokens.status());
    init_tokens_ = (*init_tokens)->name();
    local_init_ = sync.local_step_init_op()->name();
    local_step_ = "sync_rep_local_step/read:0";
    Result<tensorflow::GraphDef> def = ExportGraphDef(graph);
    if (!def.ok()) return Fail(def.status());
    graph_ = *std::move(def);
  }

  using Then = std::function<void(const std::vector<NamedTensor>&)>;
  void Run(const std::vector<std::string>& targets, std::vector<NamedTensor> feeds,
           const std::vector<std::string>& fetches, Then then) {
    RunStepCall call;
    call.message.set_session_handle(handle_);
    for (const std::string& target : targets) call.message.add_target(target);
    for (const std::string& fetch : fetches) call.message.add_fetch(fetch);
    call.tensors = std::move(feeds);
    master_->RunStep(std::move(call), CallOptions{}, [this, then](Result<RunStepReply> reply) {
      if (!reply.ok()) return Fail(reply.status());
      then(reply->tensors);
    });
  }
  void EnqueueTokens() {
    Run({round_}, {}, {}, [this](auto&) { EnqueueTokens(); });
  }
  void Fail(const Status& status) {
    if (!forgotten_) wrong_.push_back(fmt::format("replica {}: {}", index_, status.ToString()));
  }

  const Environment environment_;
  const int index_;
  Transport& transport_;
  const int64_t pause_;
  std::shared_ptr<MasterService> master_;
  std::string handle_, train_, round_, init_, chief_init_, init_tokens_, local_init_, local_step_;
  tensorflow::GraphDef graph_;
  int64_t step_ = 0;
  bool forgotten_ = false;
  std::vector<std::string> wrong_;
};

class SyncSimTest : public ::testing::Test {
 protected:
  SyncSimTest() { ops::RegisterAllOps(registry_); }
  OpRegistry registry_;
};

struct Sim {
  Sim(const OpRegistry& registry, uint64_t seed, int workers, int aggregate, int64_t tokens = 0)
      : world(seed, false),
        network(world),
        cluster(world, network, registry, {{"ps", kServers}, {"worker", workers}}),
        environment{world, network, cluster, registry} {
    network.set_delays({.slow = 0.2});
    for (const std::string& task : cluster.tasks()) cluster.Start(task);
    for (int i = 0; i < workers; ++i)
      replicas.push_back(std::make_unique<Replica>(environment, i, /*life=*/0, aggregate, workers, tokens));
  }
  // Starts the chief, and the others once the model is initialized.
  void Start(std::function<void(Replica&, int)> ready) {
    replicas[0]->Start([this, ready] {
      ready(*replicas[0], 0);
      for (size_t i = 1; i < replicas.size(); ++i)
        replicas[i]->Start([this, ready, i] { ready(*replicas[i], static_cast<int>(i)); });
    });
  }
  std::string Wrong() const {
    std::string text;
    for (const auto& replica : replicas)
      for (const std::string& line : replica->wrong()) text += line + "\n";
    return text;
  }
  bool Until(FunctionRef<bool()> enough) { return world.RunUntil(enough, world.now() + kSyncPatience); }
  void End() {
    for (const auto& replica : replicas) replica->Close();
    EXPECT_EQ(cluster.End(kSyncPatience), "");
  }

  SimWorld world;
  SimNetwork network;
  SimCluster cluster;
  Replica::Environment environment;
  std::vector<std::unique_ptr<Replica>> replicas;
};

TEST_F(SyncSimTest, LateMessagesDoNotChangeTheParameters) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const int workers = 1 + static_cast<int>(seed % 4);
    Sim sim(registry_, seed, workers, workers);
    int done = 0;
    sim.Start([&](Replica& replica, int) { replica.Train(kSteps, [&] { ++done; }); });
    ASSERT_TRUE(sim.Until([&] { return done == workers || !sim.Wrong().empty(); })) << "seed " << seed << " hangs";
    ASSERT_EQ(sim.Wrong(), "") << "seed " << seed;
    float expected = 1;
    for (int64_t step = 0; step < kSteps; ++step) {
      float mean = 0;
      for (int r = 0; r < workers; ++r) mean += (expected - Wanted(r, step)) / static_cast<float>(workers);
      expected -= kRate * mean;
    }
    bool seen = false;
    sim.replicas[0]->Read([&](float w, int64_t step) {
      seen = true;
      EXPECT_NEAR(w, expected, 1e-4) << "seed " << seed;
      EXPECT_EQ(step, kSteps) << "seed " << seed;
    });
    ASSERT_TRUE(sim.Until([&] { return seen || !sim.Wrong().empty(); }));
    ASSERT_EQ(sim.Wrong(), "") << "seed " << seed;
    sim.End();
  }
}

// Replicas loop until the model has reached a step, like a program that ends at a global step.
TEST_F(SyncSimTest, EveryConfigurationMakesProgress) {
  uint64_t seed = 0;
  for (int aggregate = 1; aggregate <= 4; ++aggregate)
    for (int workers = 1; workers <= 4; ++workers)
      for (int64_t tokens = 0; tokens <= 8; ++tokens) {
        if (tokens < aggregate - workers) continue;
        const std::string label = fmt::format("{} of {} workers, {} tokens", aggregate, workers, tokens);
        Sim sim(registry_, ++seed, workers, aggregate, tokens);
        sim.Start([&](Replica& replica, int) { replica.Train(1000, [] {}); });
        const auto enough = [&] {
          return !sim.Wrong().empty() || std::all_of(sim.replicas.begin(), sim.replicas.end(),
                                                     [](const auto& replica) { return replica->step() >= kSteps; });
        };
        ASSERT_TRUE(sim.Until(enough)) << label << ": hangs";
        ASSERT_EQ(sim.Wrong(), "") << label;
        sim.End();
      }
}

TEST_F(SyncSimTest, RestartedWorkerBlocksNoOthers) {
  for (uint64_t seed = 100; seed < 140; ++seed) {
    constexpr int kWorkers = 3;
    Sim sim(registry_, seed, kWorkers, /*aggregate=*/2);
    bool back = false;
    sim.Start([&](Replica& replica, int index) {
      replica.Train(1000, [] {});
      if (index < 2) return;
      sim.world.After(sim.world.Between(0, 400) * kNanosPerMilli, [&] {
        sim.replicas[2]->Forget();
        sim.cluster.Crash("/job:worker/replica:0/task:2");
        sim.world.After(sim.world.Between(1, 3000) * kNanosPerMilli, [&] {
          sim.cluster.Start("/job:worker/replica:0/task:2");
          sim.replicas.push_back(std::make_unique<Replica>(sim.environment, 2, /*life=*/1, 2, kWorkers));
          Replica& again = *sim.replicas.back();
          again.Start([&] { again.Train(kSteps, [&] { back = true; }); });
        });
      });
    });
    const auto enough = [&] {
      return !sim.Wrong().empty() ||
             (back && sim.replicas[0]->step() > 3 * kSteps && sim.replicas[1]->step() > 3 * kSteps);
    };
    ASSERT_TRUE(sim.Until(enough)) << "seed " << seed << " hangs at steps " << sim.replicas[0]->step() << " and "
                                   << sim.replicas[1]->step();
    ASSERT_EQ(sim.Wrong(), "") << "seed " << seed;
    sim.End();
  }
}

// All replicas are needed. One is killed and does not come back: the others go on with its share when its lease ends.
TEST_F(SyncSimTest, TheOthersGoOnWithinASecondOfTheLeasesEnd) {
  for (uint64_t seed = 200; seed < 220; ++seed) {
    constexpr int kWorkers = 3;
    Sim sim(registry_, seed, kWorkers, /*aggregate=*/kWorkers);
    int64_t killed = 0;
    sim.Start([&](Replica& replica, int index) {
      replica.Train(1000, [] {});
      if (index < 2) return;
      sim.world.After(sim.world.Between(200, 600) * kNanosPerMilli, [&] {
        sim.replicas[2]->Forget();
        sim.cluster.Crash("/job:worker/replica:0/task:2");
        killed = sim.world.now();
      });
    });
    ASSERT_TRUE(sim.Until([&] { return killed != 0 || !sim.Wrong().empty(); })) << "seed " << seed;
    // The step at which they wait for the lost replica.
    const int64_t lease_ends = killed + kSessionLeaseMs * kNanosPerMilli;
    sim.world.RunUntil([] { return false; }, lease_ends - kSessionLeaseMs * kNanosPerMilli / 3);
    const int64_t stuck = std::max(sim.replicas[0]->step(), sim.replicas[1]->step());
    const auto both_go_on = [&] {
      return !sim.Wrong().empty() || (sim.replicas[0]->step() > stuck + 1 && sim.replicas[1]->step() > stuck + 1);
    };
    const bool in_time = sim.world.RunUntil(both_go_on, lease_ends + 1000 * kNanosPerMilli);
    ASSERT_EQ(sim.Wrong(), "") << "seed " << seed;
    EXPECT_TRUE(in_time) << "seed " << seed << ": steps " << sim.replicas[0]->step() << " and "
                         << sim.replicas[1]->step() << " after " << stuck;
    // Each server ends the session of the lost replica on its own.
    sim.world.RunUntil([] { return false; }, lease_ends + 1000 * kNanosPerMilli);
    sim.End();
  }
}

}  // namespace
}  // namespace weir
