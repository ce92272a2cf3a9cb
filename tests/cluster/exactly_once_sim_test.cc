// Clients train on a simulated cluster whose connections break, whose responses are lost and whose hosts are cut off
// from each other. Every update that a client has seen succeed is applied once, every other one at most once.
// WEIR_SIM_SEED=n runs one seed and prints all events; WEIR_SIM_SEEDS=n runs more or fewer.
#include <gtest/gtest.h>

#include <optional>

#include "absl/numeric/int128.h"
#include "base/environment.h"
#include "cluster/sim/sim_cluster.h"
#include "cluster/step_caller.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/queue_ops.h"
#include "graph/build/state_ops.h"
#include "graph/graph_def.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir {
namespace {

constexpr int64_t kMinute = 60'000 * kNanosPerMilli;
constexpr int64_t kFaultWindow = 4'000 * kNanosPerMilli;
constexpr int kOnceServers = 2;
constexpr int kMasters = 2;
constexpr int kBits = 40;  // steps of a client
constexpr uint64_t kOnceSeeds = 300;

struct OnceFaults {
  int drops = 0;
  double lost_answers = 0;   // the probability that a response is lost with all connections of its host
  int64_t pause_nanos = 0;   // hosts are cut off from each other for up to so long; shorter than their pings
  int64_t outage_nanos = 0;  // the same, longer than their pings: steps may fail
};

// Trains with one session. Step k adds 2^k to a variable on each server, and takes an element of a queue.
class OnceClient final {
 public:
  OnceClient(SimWorld& world, SimNetwork& network, SimCluster& cluster, const OpRegistry& registry, int number)
      : world_(world),
        name_(fmt::format("client{}", number)),
        master_(MakeRemoteMaster(
            network.StartHost(name_).Connect(cluster.AddressOf(TaskName("worker", number % kMasters))))),
        steps_(master_, world.alarms()) {
    Graph graph(registry);
    graph.set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
    const Output bit = Placeholder(graph, kInt64, {.name = "bit"});
    bit_ = bit.name();
    Output amount;
    {
      DeviceScope scope(graph, "/job:worker");
      amount = Mul(bit, Constant(graph, Tensor::Scalar(int64_t{1})));
    }
    for (int ps = 0; ps < kOnceServers; ++ps) {
      DeviceScope scope(graph, fmt::format("/job:ps/task:{}", ps));
      const Output sum = VariableV2(graph, PartialShape::Scalar(), kInt64, {.name = fmt::format("{}_{}", name_, ps)});
      inits_.push_back(Assign(sum, Constant(graph, Tensor::Scalar(int64_t{0}))).node->name());
      adds_.push_back(AssignAdd(sum, amount).name());
      reads_.push_back(Identity(sum).name());
      if (ps > 0) continue;
      std::vector<int64_t> elements;
      for (int64_t i = 0; i < 2 * kBits; ++i) elements.push_back(i);
      const Output queue = FIFOQueueV2(graph, {kInt64}, {.shared_name = name_});
      inits_.push_back(QueueEnqueueManyV2(graph, queue, {Constant(graph, Tensor::Vector<int64_t>(elements))})->name());
      take_ = QueueDequeueV2(graph, queue, {kInt64})[0].name();
    }
    graph_ = *ExportGraphDef(graph);
  }

  // Creates the session and runs each kind of step once, while there are no faults.
  void Prepare() {
    CreateSession([this] {
      RunStepCall init;
      for (const std::string& target : inits_) init.message.add_target(target);
      Run(std::move(init), [this](auto reply) {
        ASSERT_TRUE(reply.ok()) << reply.status();
        Add([this] { ReadAll(); });
      });
    });
  }
  // Reads the variables with a new session.
  void PrepareToRead() {
    prepared_ = false;
    CreateSession([this] { ReadAll(); });
  }
  bool prepared() const { return prepared_; }

  // Runs all steps, up to two at a time.
  void Train() {
    running_ = 2;
    for (int lane = 0; lane < 2; ++lane) NextStep();
  }
  bool done() const { return running_ == 0; }
  void ReadAll() {
    prepared_ = false;
    Read([this] { prepared_ = true; });
  }
  void Leave() {
    tensorflow::CloseSessionRequest request;
    request.set_session_handle(handle_);
    master_->CloseSession(std::move(request), CallOptions{}, [](const auto&) {});
  }

  const std::string& name() const { return name_; }
  int errors() const { return errors_; }
  const Status& last_error() const { return last_error_; }
  int64_t highest() const { return highest_; }  // of the elements that it has taken
  const std::vector<std::string>& wrong() const { return wrong_; }
  void Check() {
    for (size_t ps = 0; ps < sums_.size(); ++ps) {
      if ((sums_[ps] & acknowledged_) != acknowledged_ || (sums_[ps] & ~attempted_) != 0)
        wrong_.push_back(fmt::format("{}: ps{} has {:#x} of {:#x}, of which {:#x} succeeded", name_, ps, sums_[ps],
                                     attempted_, acknowledged_));
    }
  }

 private:
  void CreateSession(std::function<void()> then) {
    tensorflow::CreateSessionRequest request;
    *request.mutable_graph_def() = graph_;
    master_->CreateSession(std::move(request), CallOptions{}, [this, then = std::move(then)](auto response) {
      ASSERT_TRUE(response.ok()) << response.status();
      handle_ = response->session_handle();
      steps_.set_master_recognizes_copies(response->weir_resends());
      then();
    });
  }
  void Run(RunStepCall call, Reply<RunStepReply> done) {
    call.message.set_session_handle(handle_);
    steps_.RunStep(std::move(call), CallOptions{}, std::move(done));
  }
  void Add(std::function<void()> then) {
    const int64_t bit = int64_t{1} << next_bit_++;
    attempted_ |= bit;
    RunStepCall call;
    call.tensors.push_back({bit_, Tensor::Scalar(bit)});
    for (const std::string& add : adds_) call.message.add_fetch(add);
    call.message.add_fetch(take_);
    Run(std::move(call), [this, bit, then = std::move(then)](Result<RunStepReply> reply) {
      if (reply.ok()) {
        acknowledged_ |= bit;
        const auto element = reply->tensors.back().tensor.template scalar<int64_t>();
        if ((taken_ >> element & 1) != 0) wrong_.push_back(fmt::format("{}: took element {} twice", name_, element));
        taken_ |= absl::uint128(1) << static_cast<int>(element);
        highest_ = std::max(highest_, element);
      } else {
        ++errors_;
        last_error_ = reply.status();
      }
      then();
    });
  }
  void NextStep() {
    if (next_bit_ == kBits) {
      --running_;
      return;
    }
    Add([this] { world_.After(world_.Between(0, 200 * kNanosPerMilli), [this] { NextStep(); }); });
  }
  void Read(std::function<void()> then) {
    RunStepCall call;
    for (const std::string& read : reads_) call.message.add_fetch(read);
    Run(std::move(call), [this, then = std::move(then)](Result<RunStepReply> reply) {
      sums_.clear();
      if (reply.ok()) {
        for (const NamedTensor& value : reply->tensors) sums_.push_back(value.tensor.template scalar<int64_t>());
      } else {
        wrong_.push_back(fmt::format("{}: cannot read: {}", name_, reply.status().ToString()));
      }
      then();
    });
  }

  SimWorld& world_;
  const std::string name_;
  const std::shared_ptr<MasterService> master_;
  StepCaller steps_;
  tensorflow::GraphDef graph_;
  std::string bit_, take_;
  std::vector<std::string> inits_, adds_, reads_;
  std::string handle_;
  bool prepared_ = false;
  int running_ = 0;
  int next_bit_ = 0;
  int errors_ = 0;
  Status last_error_;
  int64_t attempted_ = 0;
  int64_t acknowledged_ = 0;
  absl::uint128 taken_ = 0;
  int64_t highest_ = -1;
  std::vector<int64_t> sums_;
  std::vector<std::string> wrong_;
};

class ExactlyOnceSimTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("WEIR_LOG", "warning", /*replace=*/0);
    registry_ = new OpRegistry;
    ops::RegisterAllOps(*registry_);
  }
  static void TearDownTestSuite() {
    delete registry_;
    registry_ = nullptr;
  }

  // Returns the number of steps that failed.
  static int Simulate(uint64_t seed, const OnceFaults& faults, bool verbose) {
    SCOPED_TRACE(fmt::format("WEIR_SIM_SEED={} replays it", seed));
    SimWorld world(seed, verbose);
    SimNetwork network(world);
    SimCluster cluster(world, network, *registry_, {{"ps", kOnceServers}, {"worker", kMasters}});
    for (const std::string& task : cluster.tasks()) cluster.Start(task);
    std::vector<std::unique_ptr<OnceClient>> clients;
    for (int i = 0; i < 3; ++i) clients.push_back(std::make_unique<OnceClient>(world, network, cluster, *registry_, i));
    const auto all = [&](bool (OnceClient::*is)() const) {
      return world.RunUntil(
          [&] { return std::all_of(clients.begin(), clients.end(), [&](const auto& c) { return (c.get()->*is)(); }); },
          world.now() + 10 * kMinute);
    };
    for (const auto& client : clients) client->Prepare();
    EXPECT_TRUE(all(&OnceClient::prepared)) << "the sessions are not ready";

    std::vector<std::string> hosts;
    for (const std::string& task : cluster.tasks()) hosts.push_back(SimCluster::HostOf(task));
    const size_t num_tasks = hosts.size();
    for (const auto& client : clients) hosts.push_back(client->name());
    const auto some_host = [&](size_t count) { return hosts[world.rng().Below(count)]; };
    const int64_t end = world.now() + kFaultWindow;
    for (int i = 0; i < faults.drops; ++i)
      world.After(world.Between(0, kFaultWindow), [&] { network.DropAConnection(); });
    network.WatchAnswers([&](const std::string& host, std::string_view method) {
      const bool of_step = method == "RunStep" || method == "RunGraph" || method == "RecvTensor";
      if (!of_step || world.now() > end || !world.Chance(faults.lost_answers)) return;
      for (const std::string& peer : hosts) network.DropConnections(host, peer);
    });
    for (const int64_t longest : {faults.pause_nanos, faults.outage_nanos}) {
      for (int i = 0; i < 3 && longest > 0; ++i) {
        world.After(world.Between(0, kFaultWindow), [&, longest] {
          const std::string a = some_host(num_tasks), b = some_host(hosts.size());
          if (a != b) network.PartitionHosts(a, b, world.Between(0, longest));
        });
      }
    }
    for (const auto& client : clients) client->Train();
    EXPECT_TRUE(all(&OnceClient::done)) << "a step hangs";
    network.WatchAnswers(nullptr);
    world.RunUntil([] { return false; }, world.now() + 2 * kMinute);  // updates of failed steps may still be applied

    int errors = 0;
    for (const auto& client : clients) {
      errors += client->errors();
      if (faults.outage_nanos == 0) {
        EXPECT_EQ(client->errors(), 0) << client->last_error();
        EXPECT_EQ(client->highest(), kBits - 1) << "elements of the queue were lost";
        client->ReadAll();
      }
    }
    if (faults.outage_nanos == 0) {
      EXPECT_TRUE(all(&OnceClient::prepared)) << "the last step hangs";
      for (const std::string& task : cluster.tasks()) EXPECT_EQ(cluster.Find(task)->worker().usage().steps, 0) << task;
    } else {
      // Sessions may have ended with their leases. New ones see the same variables.
      for (const auto& client : clients) client->Leave();
      for (const auto& client : clients) client->PrepareToRead();
      EXPECT_TRUE(all(&OnceClient::prepared)) << "no new sessions";
    }
    for (const auto& client : clients) {
      client->Check();
      for (const std::string& wrong : client->wrong()) ADD_FAILURE() << wrong;
      client->Leave();
    }
    world.RunUntil([] { return false; }, world.now() + kMinute);
    EXPECT_EQ(cluster.End(60 * kMinute), "");
    EXPECT_EQ(network.num_open_calls(), 0);
    return errors;
  }

  static OnceFaults FaultsFor(uint64_t seed) {
    constexpr int64_t kPauses = 5'000 * kNanosPerMilli;
    constexpr int64_t kOutages = 40'000 * kNanosPerMilli;
    switch (seed % 4) {
      case 0:
        return {.drops = 40};
      case 1:
        return {.lost_answers = 0.1};
      case 2:
        return {.drops = 20, .lost_answers = 0.05, .pause_nanos = kPauses};
      default:
        return {.drops = 10, .lost_answers = 0.03, .outage_nanos = kOutages};
    }
  }

  static OpRegistry* registry_;
};

OpRegistry* ExactlyOnceSimTest::registry_ = nullptr;

TEST_F(ExactlyOnceSimTest, EveryUpdateThatSucceedsIsAppliedOnce) {
  const Result<std::optional<int64_t>> one = ReadEnvironment(EnvironmentNumber<int64_t>{"WEIR_SIM_SEED", "a seed", 0});
  ASSERT_TRUE(one.ok()) << one.status();
  if (one->has_value()) {
    const auto seed = static_cast<uint64_t>(**one);
    Simulate(seed, FaultsFor(seed), /*verbose=*/true);
    return;
  }
  const Result<std::optional<int64_t>> wanted =
      ReadEnvironment(EnvironmentNumber<int64_t>{"WEIR_SIM_SEEDS", "seeds", 1});
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  const auto seeds = static_cast<uint64_t>(wanted->value_or(kOnceSeeds));
  int errors = 0;
  for (uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed)
    errors += Simulate(seed, FaultsFor(seed), /*verbose=*/false);
  if (seeds >= kOnceSeeds) {
    EXPECT_GT(errors, 0) << "no outage was long enough to fail a step";
  }
}

}  // namespace
}  // namespace weir
