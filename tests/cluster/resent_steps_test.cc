// Steps whose connections break: each call is sent again, and applied once.
#include <gtest/gtest.h>

#include <optional>

#include "cluster/sim/sim_cluster.h"
#include "cluster/step_caller.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/queue_ops.h"
#include "graph/build/state_ops.h"
#include "graph/graph_def.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir {
namespace {

constexpr int64_t kOneSecond = 1'000 * kNanosPerMilli;
constexpr char kCounterTask[] = "/job:ps/task:0";

// A parameter server and a worker, which is the master. The client is on a third host.
class ResentStepsTest : public testing::Test {
 protected:
  ResentStepsTest() : network_(world_), cluster_(world_, network_, Registry(), {{"ps", 1}, {"worker", 1}}) {
    for (const std::string& task : cluster_.tasks()) cluster_.Start(task);
    graph_ = std::make_unique<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
    master_ = MakeRemoteMaster(network_.StartHost("client").Connect(cluster_.AddressOf(kMaster)));
    steps_ = std::make_unique<StepCaller>(master_, world_.alarms());
  }
  ~ResentStepsTest() override { EXPECT_EQ(cluster_.End(3600 * kOneSecond), ""); }

  // A counter on the parameter server: its initializer, and the op that adds 1.
  void MakeCounter() {
    DeviceScope scope(*graph_, kCounterTask);
    const Output count = VariableV2(*graph_, PartialShape::Scalar(), kInt64);
    init_ = Assign(count, Constant(*graph_, Tensor::Scalar(int64_t{0})));
    add_ = AssignAdd(count, Constant(*graph_, Tensor::Scalar(int64_t{1})));
    read_ = Identity(count);
  }
  void CreateSession() {
    tensorflow::CreateSessionRequest request;
    *request.mutable_graph_def() = *ExportGraphDef(*graph_);
    std::optional<Result<tensorflow::CreateSessionResponse>> answer;
    master_->CreateSession(std::move(request), CallOptions{}, [&](auto response) { answer = std::move(response); });
    Settle(kOneSecond);
    ASSERT_TRUE(answer.has_value() && answer->ok()) << answer->status();
    handle_ = (*answer)->session_handle();
    EXPECT_TRUE((*answer)->weir_resends());
    steps_->set_master_recognizes_copies((*answer)->weir_resends());
  }
  using Reply = std::shared_ptr<std::optional<Result<RunStepReply>>>;
  Reply Start(const std::vector<Output>& fetches, const std::vector<Output>& targets = {},
              CancelToken* cancel = nullptr) {
    if (handle_.empty()) CreateSession();
    RunStepCall call;
    call.message.set_session_handle(handle_);
    for (const Output& fetch : fetches) call.message.add_fetch(fetch.name());
    for (const Output& target : targets) call.message.add_target(target.node->name());
    auto answer = std::make_shared<std::optional<Result<RunStepReply>>>();
    steps_->RunStep(std::move(call), CallOptions{.cancel = cancel},
                    [answer](auto reply) { *answer = std::move(reply); });
    return answer;
  }
  // The result of a step that must end within a simulated minute.
  Result<std::vector<Tensor>> Run(const std::vector<Output>& fetches, const std::vector<Output>& targets = {}) {
    const Reply answer = Start(fetches, targets);
    world_.RunUntil([&] { return answer->has_value(); }, world_.now() + 60 * kOneSecond);
    if (!answer->has_value()) return Internal("no answer came");
    if (!(*answer)->ok()) return (*answer)->status();
    std::vector<Tensor> values;
    for (NamedTensor& named : (**answer)->tensors) values.push_back(std::move(named.tensor));
    return values;
  }
  void Settle(int64_t nanos) {
    const int64_t end = world_.now() + nanos;
    world_.After(nanos, [] {});
    world_.RunUntil([&] { return world_.now() >= end; }, end);
  }
  // Breaks the connections between two hosts whenever `host` sends a response of that kind, `times` times.
  void LoseAnswers(const std::string& host, std::string_view method, const std::string& peer, int times = 1) {
    left_ = times;
    network_.WatchAnswers([=, this](const std::string& from, std::string_view answered) {
      if (from != host || answered != method || left_ == 0) return;
      --left_;
      network_.DropConnections(host, peer);
    });
  }
  int64_t Count() {
    network_.WatchAnswers(nullptr);
    const Result<std::vector<Tensor>> values = Run({read_});
    EXPECT_TRUE(values.ok()) << values.status();
    return values.ok() ? (*values)[0].scalar<int64_t>() : -1;
  }

  Worker::Usage UsageOf(const std::string& task) { return cluster_.Find(task)->worker().usage(); }
  // So many times the counter, after it was incremented: computed on the server, and multiplied by ten on the worker.
  Output Wide(int64_t size) {
    Output wide;
    {
      DeviceScope scope(*graph_, kCounterTask);
      wide = Fill(Constant(*graph_, Tensor::Vector<int64_t>({size})), Cast(add_, kFloat));
    }
    DeviceScope scope(*graph_, "/job:worker/task:0");
    return Mul(wide, Constant(*graph_, Tensor::Scalar(10.0f)));
  }
  // A dequeue from an empty queue on the parameter server.
  Output Never() {
    DeviceScope scope(*graph_, kCounterTask);
    return QueueDequeueV2(*graph_, FIFOQueueV2(*graph_, {kFloat}), {kFloat})[0];
  }

  const std::string kServer = TaskName("ps", 0);
  const std::string kMaster = TaskName("worker", 0);
  OpRegistry registry_;
  SimWorld world_{1, /*tell=*/false};
  SimNetwork network_;
  SimCluster cluster_;
  std::unique_ptr<Graph> graph_;
  std::shared_ptr<MasterService> master_;
  std::unique_ptr<StepCaller> steps_;
  std::string handle_;
  Output init_, add_, read_;
  int left_ = 0;  // responses that are still to be lost

 private:
  const OpRegistry& Registry() {
    ops::RegisterAllOps(registry_);
    return registry_;
  }
};

TEST_F(ResentStepsTest, AnUpdateWhoseResponseWasLostIsAppliedOnce) {
  MakeCounter();
  ASSERT_TRUE(Run({}, {init_}).ok());
  ASSERT_TRUE(Run({}, {add_}).ok());
  LoseAnswers("ps0", "RunGraph", "worker0");
  const Result<std::vector<Tensor>> step = Run({}, {add_});
  EXPECT_TRUE(step.ok()) << step.status();
  EXPECT_EQ(left_, 0);
  EXPECT_EQ(Count(), 2);
}

TEST_F(ResentStepsTest, AStepWhoseResponseToTheClientWasLostRunsOnce) {
  MakeCounter();
  ASSERT_TRUE(Run({}, {init_}).ok());
  LoseAnswers("worker0", "RunStep", "client", /*times=*/3);
  const Result<std::vector<Tensor>> step = Run({add_});
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_EQ((*step)[0].scalar<int64_t>(), 1);  // the value that the first copy has returned
  EXPECT_EQ(left_, 0);
  EXPECT_EQ(Count(), 1);
}

TEST_F(ResentStepsTest, ARequestThatWasLostIsSentAgain) {
  MakeCounter();
  ASSERT_TRUE(Run({}, {init_}).ok());
  ASSERT_TRUE(Run({}, {add_}).ok());
  int64_t count = 1;
  for (int64_t micros = 0; micros < 2000; micros += 40) {  // a step takes about one millisecond
    for (const auto& link : {std::pair{"client", "worker0"}, std::pair{"worker0", "ps0"}}) {
      world_.After(micros * 1000, [=, this] { network_.DropConnections(link.first, link.second); });
      const Result<std::vector<Tensor>> step = Run({}, {add_});
      ASSERT_TRUE(step.ok()) << step.status() << " after " << micros << " us";
      ASSERT_EQ(Count(), ++count) << "after " << micros << " us";
    }
  }
}

TEST_F(ResentStepsTest, AnElementOfAQueueIsTakenOnce) {
  Output put, take;
  {
    DeviceScope scope(*graph_, kCounterTask);
    const Output queue = FIFOQueueV2(*graph_, {kInt64});
    Node* node = QueueEnqueueManyV2(*graph_, queue, {Constant(*graph_, Tensor::Vector<int64_t>({5, 6, 7}))});
    put = Output{node, 0};
    take = QueueDequeueV2(*graph_, queue, {kInt64})[0];
  }
  ASSERT_TRUE(Run({}, {put}).ok());
  ASSERT_TRUE(Run({take}).ok());
  for (const auto& [host, method, peer] :
       {std::tuple{"ps0", "RunGraph", "worker0"}, std::tuple{"worker0", "RunStep", "client"}}) {
    LoseAnswers(host, method, peer);
    const Result<std::vector<Tensor>> taken = Run({take});
    ASSERT_TRUE(taken.ok()) << taken.status();
    EXPECT_EQ(left_, 0);
    EXPECT_EQ((*taken)[0].scalar<int64_t>(), host == std::string("ps0") ? 6 : 7);
  }
}

TEST_F(ResentStepsTest, AStepThatOnlyReadsRunsAgain) {
  MakeCounter();
  ASSERT_TRUE(Run({}, {init_}).ok());
  for (const auto& [host, method, peer] :
       {std::tuple{"ps0", "RunGraph", "worker0"}, std::tuple{"worker0", "RunStep", "client"}}) {
    LoseAnswers(host, method, peer, /*times=*/2);
    const Result<std::vector<Tensor>> values = Run({read_});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(left_, 0);
  }
  EXPECT_EQ(UsageOf(kServer).steps, 0);
}

TEST_F(ResentStepsTest, AValueBetweenTasksIsSentAgain) {
  MakeCounter();
  constexpr int64_t kSize = 50'000;  // too large to come with a response, small enough to be kept
  const Output wide = Wide(kSize);
  ASSERT_TRUE(Run({}, {init_}).ok());
  ASSERT_TRUE(Run({wide}).ok());
  for (int64_t step = 2; step < 6; ++step) {
    LoseAnswers("ps0", "RecvTensor", "worker0", /*times=*/static_cast<int>(step) - 1);
    const Result<std::vector<Tensor>> values = Run({wide});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(left_, 0);
    EXPECT_EQ((*values)[0].num_elements(), kSize);
    EXPECT_EQ((*values)[0].flat<float>()[kSize - 1], 10.0f * static_cast<float>(step));
    EXPECT_EQ(UsageOf(kServer).steps, 0);
    EXPECT_EQ(UsageOf(kMaster).steps, 0);
  }
  EXPECT_EQ(Count(), 5);
}

TEST_F(ResentStepsTest, AValueInChunksIsSentAgain) {
  MakeCounter();
  constexpr int64_t kSize = int64_t{6} << 18;  // 6 MB
  const Output wide = Wide(kSize);
  ASSERT_TRUE(Run({}, {init_}).ok());
  ASSERT_TRUE(Run({wide}).ok());
  LoseAnswers("ps0", "RecvTensor", "worker0");  // the first chunk
  const Result<std::vector<Tensor>> values = Run({wide});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(left_, 0);
  for (int64_t i = 0; i < kSize; i += 1000) ASSERT_EQ((*values)[0].flat<float>()[i], 20.0f);
  EXPECT_EQ(UsageOf(kServer).steps, 0);
  EXPECT_EQ(Count(), 2);
}

TEST_F(ResentStepsTest, AResponseThatIsTooLargeToBeKeptIsAborted) {
  MakeCounter();
  Output large;
  {
    DeviceScope scope(*graph_, kCounterTask);
    const Output shape = Constant(*graph_, Tensor::Vector<int64_t>({static_cast<int64_t>(kKeptResponseBytes) / 4 + 1}));
    large = Fill(shape, Cast(add_, kFloat));
  }
  ASSERT_TRUE(Run({}, {init_}).ok());
  ASSERT_TRUE(Run({large}).ok());
  LoseAnswers("ps0", "RunGraph", "worker0");
  const Status status = Run({large}).status();
  EXPECT_EQ(status.code(), StatusCode::kAborted) << status;
  EXPECT_NE(status.message().find("WEIR_KEPT_RESPONSES_MB"), std::string_view::npos) << status;
  EXPECT_EQ(Count(), 2);  // applied, and not twice
}

TEST_F(ResentStepsTest, ACancelledStepEndsThoughItsConnectionBroke) {
  const Output never = Never();
  CancelToken cancel;
  const Reply answer = Start({never}, {}, &cancel);
  Settle(kOneSecond / 10);
  ASSERT_EQ(UsageOf(kServer).steps, 1);
  network_.DropConnections("client", "worker0");
  network_.DropConnections("worker0", "ps0");
  Settle(kOneSecond);
  EXPECT_EQ(UsageOf(kServer).steps, 1);  // a broken connection cancels nothing
  EXPECT_FALSE(answer->has_value());
  cancel.Cancel(Cancelled("enough"));
  Settle(kOneSecond / 10);
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->status().code(), StatusCode::kCancelled) << (*answer)->status();
  EXPECT_EQ(UsageOf(kServer).steps, 0);
  EXPECT_EQ(UsageOf(kMaster).steps, 0);
}

TEST_F(ResentStepsTest, TheStepOfAClientThatIsGoneEndsAfterTheLease) {
  const Output never = Never();
  Start({never});
  Settle(kOneSecond / 10);
  ASSERT_EQ(UsageOf(kServer).steps, 1);
  network_.Crash("client");
  Settle((kSessionLeaseMs - 1000) * kNanosPerMilli);
  EXPECT_EQ(UsageOf(kServer).steps, 1);
  Settle(2 * kOneSecond);
  EXPECT_EQ(UsageOf(kServer).steps, 0);
  EXPECT_FALSE(UsageOf(kServer).has_calls_in_flight);
}

TEST_F(ResentStepsTest, ARestartedTaskIsNotSentTheStepAgain) {
  const Output never = Never();
  const Reply answer = Start({never});
  Settle(kOneSecond / 10);
  cluster_.Crash(kServer);
  cluster_.Start(kServer);
  Settle(kOneSecond);
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->status().code(), StatusCode::kAborted) << (*answer)->status();
}

TEST_F(ResentStepsTest, ATaskThatDoesNotComeBackFailsTheStepWithTheReason) {
  const Output never = Never();
  const Reply answer = Start({never});
  Settle(kOneSecond / 10);
  cluster_.Crash(kServer);
  Settle(kOneSecond / 10);
  ASSERT_TRUE(answer->has_value());
  EXPECT_EQ((*answer)->status().code(), StatusCode::kUnavailable) << (*answer)->status();
  EXPECT_NE((*answer)->status().message().find("has crashed"), std::string_view::npos) << (*answer)->status();
}

}  // namespace
}  // namespace weir
