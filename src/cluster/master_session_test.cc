// Tests which calls a master makes to its workers, and which state remains on the workers. Runs a master session and
// its tasks on a simulated network and clock, where a test may answer, hold or change each call of the master's task.
#include "cluster/master_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cluster/chunks.h"
#include "cluster/sim/sim_network.h"
#include "cluster/task.h"
#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/queue_ops.h"
#include "graph/build/state_ops.h"
#include "graph/graph_def.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir {
namespace {

// A call on its way to another task.
struct Outgoing {
  Channel& channel;
  std::string method;  // without the service
  Rope request;
  CallOptions options;
  Channel::Done done;

  const std::string& to() const { return channel.address(); }
  bool Is(const std::string& address, std::string_view name) const { return to() == address && method == name; }
  // Forwards the call to the worker. Call it once.
  void Pass() { channel.Call("/tensorflow.WorkerService/" + method, std::move(request), options, done); }
  template <class Message>
  Message As() const {
    Message message;
    EXPECT_TRUE(Decode(request, &message).ok());
    return message;
  }
};
using Intercept = std::function<void(Outgoing)>;

class MeddledChannel final : public Channel {
 public:
  MeddledChannel(std::shared_ptr<Channel> channel, const Intercept& meddle)
      : channel_(std::move(channel)), intercept_(meddle) {}
  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override {
    intercept_(Outgoing{*channel_, method.substr(method.rfind('/') + 1), std::move(request), options, std::move(done)});
  }
  const std::string& address() const override { return channel_->address(); }

 private:
  const std::shared_ptr<Channel> channel_;
  const Intercept& intercept_;
};

class InterceptingTransport final : public Transport {
 public:
  InterceptingTransport(Transport& transport, Intercept meddle)
      : transport_(transport), intercept_(std::move(meddle)) {}
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& task) override {
    return std::make_shared<MeddledChannel>(transport_.Connect(address, task), intercept_);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override { return transport_.Listen(address); }

 private:
  Transport& transport_;
  const Intercept intercept_;
};

class MasterSessionTest : public testing::Test {
 protected:
  MasterSessionTest()
      : network_(world_),
        pool_(world_.runner()),
        blocking_(world_.runner()),
        spec_(*ClusterSpec::Make({{"ps", {{0, kPs0}, {1, kPs1}}}, {"worker", {{0, "worker0:1"}}}})),
        transport_(network_.StartHost("worker0"), [this](Outgoing call) {
          calls_.push_back(call.to() + " " + call.method);
          if (intercept_) return intercept_(std::move(call));
          call.Pass();
        }) {
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
    own_ = MakeTask("worker", 0, transport_);
    for (int i : {0, 1}) ps_.push_back(MakeTask("ps", i, network_.StartHost(fmt::format("ps{}", i))));
    peers_ = std::make_shared<Peers>(spec_, transport_, TaskName("worker", 0), &own_->worker());
    best_effort_ = std::make_shared<BestEffortCalls>(world_.alarms());
    session_ = std::make_shared<MasterSession>(
        "session", tensorflow::ConfigProto(),
        MasterSession::Dependencies{registry_, MakeLocalConstantEvaluator(RealEnv()), peers_, blocking_,
                                    world_.alarms(), best_effort_, world_.rng(), /*session_lease_ms=*/0});
  }
  ~MasterSessionTest() override {
    intercept_ = nullptr;
    Close();
    best_effort_->Stop();
    for (Task* task : {own_.get(), ps_[0].get(), ps_[1].get()}) task->End([] {});
    EXPECT_TRUE(world_.RunUntilIdle(world_.now() + kHour));
    listeners_.clear();
  }

  std::unique_ptr<Task> MakeTask(const std::string& job, int number, Transport& transport) {
    auto task = std::make_unique<Task>(TaskName(job, number), spec_, tensorflow::ConfigProto(),
                                       Task::Dependencies{{registry_, pool_, blocking_, RealEnv()},
                                                          transport,
                                                          world_.clock(),
                                                          world_.alarms(),
                                                          world_.rng(),
                                                          kSmallChunk});
    listeners_.push_back(*transport.Listen(*spec_.TaskAddress(job, number)));
    listeners_.back()->Serve(task->Handler());
    return task;
  }
  static std::string On(const std::string& job, int task = 0) { return fmt::format("/job:{}/task:{}", job, task); }
  int CallsOf(const std::string& address, const std::string& method) {
    return static_cast<int>(std::count(calls_.begin(), calls_.end(), address + " " + method));
  }
  Worker::Usage UsageOf(int ps) { return ps_[ps]->worker().usage(); }

  // Runs everything that is due soon, but no long timers.
  void Settle() { world_.RunUntilIdle(world_.now() + kSecond); }
  // Adds the nodes of graph_ to the session.
  void Extend() {
    if (std::exchange(extended_, true)) return;
    Result<tensorflow::GraphDef> def = ExportGraphDef(*graph_);
    ASSERT_TRUE(def.ok()) << def.status();
    const Status status = session_->Extend(*def, 0).status();
    ASSERT_TRUE(status.ok()) << status;
  }
  using Answer = std::shared_ptr<std::optional<Result<RunStepReply>>>;
  Answer StartStep(RunStepCall call) {
    Extend();
    auto answer = std::make_shared<std::optional<Result<RunStepReply>>>();
    session_->RunStep(
        std::move(call), CallOptions{}, [answer](Result<RunStepReply> reply) { answer->emplace(std::move(reply)); },
        []() -> Result<std::shared_ptr<void>> { return nullptr; });
    return answer;
  }
  static RunStepCall Fetch(const std::vector<Output>& fetches, const std::vector<Node*>& targets = {}) {
    RunStepCall call;
    for (const Output& fetch : fetches) call.message.add_fetch(fetch.name());
    for (const Node* target : targets) call.message.add_target(target->name());
    return call;
  }
  static Status StatusOf(const Answer& answer) {
    return answer->has_value() ? (*answer)->status() : Internal("no answer came");
  }
  void ExpectValue(const Answer& answer, float value) {
    ASSERT_TRUE(StatusOf(answer).ok()) << StatusOf(answer);
    ASSERT_EQ((**answer)->tensors.size(), 1u);
    EXPECT_EQ((**answer)->tensors[0].tensor.flat<float>()[0], value);
  }
  void ExpectStep(Output fetch, float value) {
    const Answer answer = StartStep(Fetch({fetch}));
    Settle();
    ExpectValue(answer, value);
  }
  // True if it has closed.
  bool Close() {
    auto closed = std::make_shared<bool>(false);
    session_->Close([closed] { *closed = true; });
    Settle();
    return *closed;
  }
  // A dequeue that blocks forever.
  Output Never(const std::string& device) {
    DeviceScope scope(*graph_, device);
    return QueueDequeueV2(*graph_, FIFOQueueV2(*graph_, {kFloat}), {kFloat})[0];
  }
  // Starts a partial run on both tasks and runs its first piece.
  void RunFirstPiece() {
    const Output x = Placeholder(*graph_, kFloat);
    const Output y = Placeholder(*graph_, kFloat);
    Output first;
    {
      DeviceScope scope(*graph_, On("ps"));
      first = x + Constant(*graph_, Tensor::Scalar(1.0f));
    }
    Output second;
    {
      DeviceScope scope(*graph_, On("worker"));
      second = first * y;
    }
    Extend();
    tensorflow::PartialRunSetupRequest setup;
    for (const Output& feed : {x, y}) setup.add_feed(feed.name());
    for (const Output& fetch : {first, second}) setup.add_fetch(fetch.name());
    std::string handle;
    session_->PartialRunSetup(setup, CallOptions{}, [&](Result<tensorflow::PartialRunSetupResponse> response) {
      ASSERT_TRUE(response.ok()) << response.status();
      handle = response->partial_run_handle();
    });
    Settle();
    RunStepCall piece = Fetch({first});
    piece.message.set_partial_run_handle(handle);
    piece.tensors.push_back({x.name(), Tensor::Scalar(2.0f)});
    const Answer answer = StartStep(std::move(piece));
    Settle();
    ExpectValue(answer, 3);
  }
  // An assignment of 2 to a variable on the ps, and ten times its value on the worker.
  std::pair<Output, Output> VariableTimesTen() {
    Output v;
    Output init;
    {
      DeviceScope scope(*graph_, On("ps"));
      v = VariableV2(*graph_, PartialShape({1}), kFloat);
      init = Assign(v, Constant(*graph_, Tensor::Vector({2.0f})));
    }
    DeviceScope scope(*graph_, On("worker"));
    return {init, v * Constant(*graph_, Tensor::Scalar(10.0f))};
  }
  // Sevens, computed on the worker from zeros of so many chunks on the ps. The ps needs `factor`, if given, for them.
  Output SevenByChunks(int64_t chunks, std::optional<Output> factor = std::nullopt) {
    Output zeros;
    {
      DeviceScope scope(*graph_, On("ps"));
      const Output shape =
          Constant(*graph_, Tensor::Vector<int64_t>({chunks * static_cast<int64_t>(kSmallChunk / sizeof(float))}));
      zeros = RandomUniform(shape, kFloat) * Constant(*graph_, Tensor::Scalar(0.0f));
      if (factor.has_value()) zeros = zeros * *factor;
    }
    DeviceScope scope(*graph_, On("worker"));
    return zeros + Constant(*graph_, Tensor::Scalar(7.0f));
  }
  // Holds back calls of a method to a task; all others pass.
  void Hold(const std::string& address, const std::string& method, std::optional<Outgoing>* held) {
    intercept_ = [=](Outgoing call) {
      if (call.Is(address, method)) {
        held->emplace(std::move(call));
      } else {
        call.Pass();
      }
    };
  }

  static constexpr int64_t kSecond = 1'000'000'000;
  static constexpr int64_t kHour = 3'600 * kSecond;
  static constexpr size_t kSmallChunk = 64;  // values larger than a few of these are sent in chunks
  static constexpr char kPs0[] = "ps0:1";
  static constexpr char kPs1[] = "ps1:1";
  OpRegistry registry_;
  SimWorld world_{1, /*tell=*/false};
  SimNetwork network_;
  ThreadPool pool_;
  ElasticPool blocking_;
  const ClusterSpec spec_;
  Intercept intercept_;  // null: all calls pass
  std::vector<std::string> calls_;
  InterceptingTransport transport_;
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<Task> own_;
  std::vector<std::unique_ptr<Task>> ps_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::shared_ptr<Peers> peers_;
  std::shared_ptr<BestEffortCalls> best_effort_;
  std::shared_ptr<MasterSession> session_;
  bool extended_ = false;
};

// ---- the end of a session ----

// TensorFlow's workers keep the steps of a session that is closed.
TEST_F(MasterSessionTest, PartialRunsAreCleanedUpOnTensorFlowWorkers) {
  RunFirstPiece();
  EXPECT_EQ(UsageOf(0).steps, 1);
  intercept_ = [](Outgoing call) {
    if (call.method == "DeleteWorkerSession") return call.done(Rope());
    call.Pass();
  };
  EXPECT_TRUE(Close());
  EXPECT_EQ(CallsOf(kPs0, "CleanupGraph"), 1);
  EXPECT_EQ(UsageOf(0).steps, 0);
  EXPECT_FALSE(UsageOf(0).has_calls_in_flight);
  EXPECT_EQ(own_->worker().usage().steps, 0);
}

TEST_F(MasterSessionTest, AWorkerEndsTheStepsOfASessionThatIsClosed) {
  RunFirstPiece();
  EXPECT_EQ(UsageOf(0).steps, 1);
  intercept_ = [](Outgoing call) {
    if (call.method == "CleanupGraph") return call.done(Rope());
    call.Pass();
  };
  EXPECT_TRUE(Close());
  EXPECT_EQ(UsageOf(0).steps, 0);
  EXPECT_FALSE(UsageOf(0).has_calls_in_flight);
}

TEST_F(MasterSessionTest, AWorkerThatStopsEndsTheStepsOfAMasterThatIsGone) {
  RunFirstPiece();
  ps_[0]->worker().Drain(/*timeout_ms=*/0);
  Settle();
  EXPECT_EQ(UsageOf(0).steps, 1);  // the master answers: it may go on
  network_.Crash("worker0");
  ps_[0]->worker().Drain(/*timeout_ms=*/0);
  Settle();
  EXPECT_EQ(UsageOf(0).steps, 0);
  EXPECT_FALSE(UsageOf(0).has_calls_in_flight);
}

TEST_F(MasterSessionTest, ClosingTheSessionCancelsRunningAndLaterSteps) {
  const Output never = Never(On("ps"));
  const Output waits_here = Never(On("worker"));
  const std::vector<Answer> running = {StartStep(Fetch({never})), StartStep(Fetch({waits_here}))};
  Settle();
  for (const Answer& answer : running) EXPECT_FALSE(answer->has_value());
  EXPECT_EQ(UsageOf(0).steps, 1);
  EXPECT_TRUE(Close());
  const Answer late = StartStep(Fetch({never}));
  Settle();
  for (const Answer& answer : {running[0], running[1], late}) {
    EXPECT_EQ(StatusOf(answer).code(), StatusCode::kCancelled) << StatusOf(answer);
    EXPECT_EQ(StatusOf(answer).message(), "Session has been closed.");
  }
  EXPECT_EQ(UsageOf(0).steps, 0);
}

TEST_F(MasterSessionTest, ClosedSessionLeavesNothingOnWorkers) {
  Output sum;
  {
    DeviceScope scope(*graph_, On("ps"));
    sum = Identity(RandomUniform(Constant(*graph_, Tensor::Vector<int64_t>({1})), kFloat)) *
          Constant(*graph_, Tensor::Scalar(0.0f));
  }
  ExpectStep(sum, 0);
  EXPECT_EQ(UsageOf(0).sessions, 1);
  EXPECT_EQ(UsageOf(0).graphs, 1);
  EXPECT_TRUE(Close());
  EXPECT_EQ(UsageOf(0).sessions, 0);
  EXPECT_EQ(UsageOf(0).graphs, 0);
}

TEST_F(MasterSessionTest, LateCreateWorkerSessionIsDeleted) {
  const Output never = Never(On("ps"));
  std::optional<Outgoing> held;
  Hold(kPs0, "CreateWorkerSession", &held);
  const Answer answer = StartStep(Fetch({never}));
  Settle();
  ASSERT_TRUE(held.has_value());
  EXPECT_TRUE(Close());
  EXPECT_EQ(StatusOf(answer).code(), StatusCode::kCancelled) << StatusOf(answer);
  EXPECT_EQ(CallsOf(kPs0, "DeleteWorkerSession"), 0);
  held->Pass();
  held.reset();
  Settle();
  EXPECT_EQ(CallsOf(kPs0, "DeleteWorkerSession"), 1);
  EXPECT_EQ(UsageOf(0).sessions, 0);
}

// ---- plans ----

class PlanThatFails : public MasterSessionTest {
 protected:
  // A step with a part on each of three tasks.
  Output OnAllTasks() {
    Output sum = RandomOn(On("worker"));
    for (int i : {0, 1}) sum = sum + RandomOn(On("ps", i));
    return sum;
  }
  Output RandomOn(const std::string& device) {
    DeviceScope scope(*graph_, device);
    return RandomUniform(Constant(*graph_, Tensor::Vector<int64_t>({1})), kFloat);
  }
};

TEST_F(PlanThatFails, PartsAreDeregistered) {
  const Output sum = OnAllTasks();
  std::optional<Outgoing> held;
  Hold(kPs1, "RegisterGraph", &held);
  const Answer answer = StartStep(Fetch({sum}));
  Settle();
  EXPECT_EQ(UsageOf(0).graphs, 1);
  EXPECT_EQ(own_->worker().usage().graphs, 1);
  ASSERT_TRUE(held.has_value());
  held->done(InvalidArgument("too strange"));
  Settle();
  EXPECT_EQ(StatusOf(answer).code(), StatusCode::kInvalidArgument) << StatusOf(answer);
  EXPECT_EQ(UsageOf(0).graphs, 0);
  EXPECT_EQ(own_->worker().usage().graphs, 0);
}

TEST_F(PlanThatFails, LateRegistrationIsDeregistered) {
  const Output sum = OnAllTasks();
  std::vector<Outgoing> held;
  intercept_ = [&](Outgoing call) {
    if (call.method == "RegisterGraph") {
      held.push_back(std::move(call));
    } else {
      call.Pass();
    }
  };
  const Answer answer = StartStep(Fetch({sum}));
  Settle();
  ASSERT_EQ(held.size(), 2u);
  const int ps = held[0].to() == kPs0 ? 0 : 1;
  // The response of the one is in flight when the other fails.
  const Channel::Done done = held[0].done;
  std::optional<Result<Rope>> late;
  held[0].done = [&](Result<Rope> response) { late.emplace(std::move(response)); };
  held[0].Pass();
  Settle();
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(UsageOf(ps).graphs, 1);
  held[1].done(InvalidArgument("too strange"));
  Settle();
  EXPECT_EQ(StatusOf(answer).code(), StatusCode::kInvalidArgument) << StatusOf(answer);
  done(*std::move(late));
  Settle();
  EXPECT_EQ(UsageOf(ps).graphs, 0);
}

TEST_F(PlanThatFails, ASessionClosesWhileATaskStillRegistersAPart) {
  const Output sum = OnAllTasks();
  std::optional<Outgoing> held;
  Hold(kPs1, "RegisterGraph", &held);
  const Answer answer = StartStep(Fetch({sum}));
  Settle();
  ASSERT_TRUE(held.has_value());
  EXPECT_TRUE(Close());
  EXPECT_EQ(StatusOf(answer).code(), StatusCode::kCancelled) << StatusOf(answer);
  held->Pass();
  held.reset();
  Settle();
  for (int i : {0, 1}) EXPECT_EQ(UsageOf(i).sessions, 0);
}

TEST_F(MasterSessionTest, SilentTaskIsRetried) {
  Output one;
  {
    DeviceScope scope(*graph_, On("ps"));
    one = Identity(Constant(*graph_, Tensor::Scalar(1.0f)));
  }
  int left = 3;
  intercept_ = [&](Outgoing call) {
    if (!call.Is(kPs0, "GetStatus") || left-- <= 0) return call.Pass();
    EXPECT_GT(call.options.timeout_ms, 0);
    world_.After(call.options.timeout_ms * kNanosPerMilli,
                 [done = call.done] { done(DeadlineExceeded("no response within the timeout of the call")); });
  };
  const Answer answer = StartStep(Fetch({one}));
  world_.RunUntilIdle(world_.now() + kHour);
  ExpectValue(answer, 1);
  EXPECT_EQ(CallsOf(kPs0, "GetStatus"), 4);
}

// ---- steps ----

TEST_F(MasterSessionTest, OriginalErrorReplacesDerivedError) {
  const auto [init, result] = VariableTimesTen();
  const Answer initialized = StartStep(Fetch({}, {init.node}));
  Settle();
  ASSERT_TRUE(StatusOf(initialized).ok()) << StatusOf(initialized);
  for (const bool cause_first : {true, false}) {
    std::optional<Outgoing> held;
    Hold(kPs0, "RunGraph", &held);
    const Answer answer = StartStep(Fetch({result}));
    Settle();
    ASSERT_TRUE(held.has_value());
    EXPECT_FALSE(answer->has_value());
    const auto fail = [&] { held->done(InvalidArgument("the cause")); };
    if (cause_first) fail();
    // The part on the master's task ends because the step has ended.
    tensorflow::CleanupGraphRequest cleanup;
    cleanup.set_step_id(held->As<RunGraphCall>().message.step_id());
    own_->worker().CleanupGraph(cleanup, CallOptions{}, [](const Result<tensorflow::CleanupGraphResponse>&) {});
    Settle();
    if (!cause_first) fail();
    Settle();
    EXPECT_EQ(StatusOf(answer).code(), StatusCode::kInvalidArgument) << StatusOf(answer);
    EXPECT_FALSE(IsDerived(StatusOf(answer))) << StatusOf(answer);
  }
}

TEST_F(MasterSessionTest, EndedStepLeavesNoTimer) {
  Output one;
  {
    DeviceScope scope(*graph_, On("ps"));
    one = Identity(Constant(*graph_, Tensor::Scalar(1.0f)));
  }
  RunStepCall call = Fetch({one});
  call.message.mutable_options()->set_timeout_in_ms(kHour / kNanosPerMilli);
  const Answer answer = StartStep(std::move(call));
  EXPECT_TRUE(world_.RunUntilIdle(world_.now() + 2 * kHour));
  ExpectValue(answer, 1);
  EXPECT_LT(world_.now(), kHour);  // the clock jumps from event to event
}

// ---- values between tasks ----

TEST_F(MasterSessionTest, TensorFlowWorkerGetsRecvTensorAndCleanupGraph) {
  const auto [init, result] = VariableTimesTen();
  int run_keys = 0;
  intercept_ = [&](Outgoing call) {
    if (call.method == "RunGraph") run_keys += call.As<RunGraphCall>().message.recv_key_size();
    if (call.method == "GetStatus") {
      call.done = [done = call.done](const Result<Rope>& response) {
        ASSERT_TRUE(response.ok()) << response.status();
        tensorflow::GetStatusResponse status;
        ASSERT_TRUE(Decode(*response, &status).ok());
        for (tensorflow::DeviceAttributes& device : *status.mutable_device_attributes())
          device.set_physical_device_desc("");
        done(Encode(status));
      };
    }
    call.Pass();
  };
  const Answer initialized = StartStep(Fetch({}, {init.node}));
  Settle();
  ASSERT_TRUE(StatusOf(initialized).ok()) << StatusOf(initialized);
  const int ended = CallsOf(kPs0, "CleanupGraph");
  ExpectStep(result, 20);
  EXPECT_EQ(run_keys, 0);
  EXPECT_EQ(CallsOf(kPs0, "RecvTensor"), 1);
  EXPECT_EQ(CallsOf(kPs0, "CleanupGraph"), ended + 1);
}

TEST_F(MasterSessionTest, NoChunkBeginsAtTheEndOfAValue) {
  constexpr int64_t kChunks = 6;
  constexpr size_t kBytes = kChunks * kSmallChunk;
  const Output result = SevenByChunks(kChunks);
  std::vector<StatusCode> beyond;
  bool asked = false;
  intercept_ = [&](Outgoing call) {
    if (call.method != "RecvTensor" || std::exchange(asked, true)) return call.Pass();
    // By then the worker has the value and waits for requests for the other chunks.
    call.done = [&beyond, &channel = call.channel, options = call.options, done = call.done,
                 asked_for = call.As<tensorflow::RecvTensorRequest>()](Result<Rope> response) {
      auto first = std::make_shared<Result<Rope>>(std::move(response));
      auto left = std::make_shared<int>(2);
      for (const size_t offset : {kBytes, kBytes + 1}) {
        tensorflow::RecvTensorRequest request = asked_for;
        AskForChunk(offset, &request);
        channel.Call("/tensorflow.WorkerService/RecvTensor", Encode(request), options,
                     [&beyond, done, first, left](const Result<Rope>& answer) {
                       beyond.push_back(answer.status().code());
                       if (--*left == 0) done(std::move(*first));
                     });
      }
    };
    call.Pass();
  };
  ExpectStep(result, 7);
  EXPECT_EQ(beyond, std::vector(2, StatusCode::kInvalidArgument));
  EXPECT_EQ(CallsOf(kPs0, "RecvTensor"), kChunks);
  EXPECT_EQ(UsageOf(0).steps, 0);
}

TEST_F(MasterSessionTest, ARepeatedChunkRequestCountsOnce) {
  constexpr int64_t kChunks = 6;
  const Output result = SevenByChunks(kChunks);
  int again = 0;
  bool asked = false;
  intercept_ = [&](Outgoing call) {
    if (call.method != "RecvTensor" || std::exchange(asked, true)) return call.Pass();
    call.done = [&again, &channel = call.channel, options = call.options, done = call.done,
                 asked_for = call.As<tensorflow::RecvTensorRequest>()](Result<Rope> response) {
      auto first = std::make_shared<Result<Rope>>(std::move(response));
      for (int i = 0; i < kChunks; ++i) {
        tensorflow::RecvTensorRequest request = asked_for;
        AskForChunk(kSmallChunk, &request);
        channel.Call("/tensorflow.WorkerService/RecvTensor", Encode(request), options,
                     [&again, done, first](const Result<Rope>& answer) {
                       EXPECT_TRUE(answer.ok()) << answer.status();
                       if (++again == kChunks) done(std::move(*first));
                     });
      }
    };
    call.Pass();
  };
  ExpectStep(result, 7);
  EXPECT_EQ(again, kChunks);
  EXPECT_EQ(UsageOf(0).steps, 0);
}

TEST_F(MasterSessionTest, RequestsInsideOfAChunkAreErrors) {
  const Output result = SevenByChunks(6);
  StatusCode inside = StatusCode::kOk;
  bool asked = false;
  intercept_ = [&](Outgoing call) {
    if (call.method != "RecvTensor" || std::exchange(asked, true)) return call.Pass();
    call.done = [&inside, &channel = call.channel, options = call.options, done = call.done,
                 request = call.As<tensorflow::RecvTensorRequest>()](Result<Rope> response) mutable {
      AskForChunk(kSmallChunk + 1, &request);
      channel.Call(
          "/tensorflow.WorkerService/RecvTensor", Encode(request), options,
          [&inside, done, first = std::make_shared<Result<Rope>>(std::move(response))](const Result<Rope>& answer) {
            inside = answer.status().code();
            done(std::move(*first));
          });
    };
    call.Pass();
  };
  ExpectStep(result, 7);
  EXPECT_EQ(inside, StatusCode::kInvalidArgument);
  EXPECT_EQ(UsageOf(0).steps, 0);
}

TEST_F(MasterSessionTest, AReceiveThatIsCancelledLeavesItsValueToTheNext) {
  Output queue;
  {
    DeviceScope scope(*graph_, On("worker"));
    queue = FIFOQueueV2(*graph_, {kFloat});
  }
  const Output value = QueueDequeueV2(*graph_, queue, {kFloat})[0];
  Node* const fill = QueueEnqueueV2(*graph_, queue, {Constant(*graph_, Tensor::Scalar(5.0f))});
  const Output result = SevenByChunks(3, value);
  CancelToken token;
  std::optional<Outgoing> held;
  Status cancelled;
  intercept_ = [&](Outgoing call) {
    if (call.method != "RecvTensor" || held.has_value()) return call.Pass();
    call.channel.Call("/tensorflow.WorkerService/RecvTensor", Rope(call.request.Flatten()),
                      CallOptions{.cancel = &token}, [&](const Result<Rope>& answer) { cancelled = answer.status(); });
    held.emplace(std::move(call));
  };
  const Answer answer = StartStep(Fetch({result}));
  Settle();
  ASSERT_TRUE(held.has_value());
  EXPECT_FALSE(answer->has_value());
  token.Cancel(Cancelled("enough"));
  Settle();
  EXPECT_EQ(cancelled.code(), StatusCode::kCancelled) << cancelled;
  EXPECT_EQ(UsageOf(0).steps, 1);
  held->Pass();
  const Answer filled = StartStep(Fetch({}, {fill}));
  Settle();
  EXPECT_TRUE(StatusOf(filled).ok()) << StatusOf(filled);
  ExpectValue(answer, 7);
  EXPECT_EQ(UsageOf(0).steps, 0);
}

// TensorFlow's masters do not tell a part about conditionals in other parts.
TEST_F(MasterSessionTest, PartWithoutConditionalsAcceptsDeadValues) {
  const Output x = Placeholder(*graph_, kFloat);
  const Output taken = Placeholder(*graph_, kBool);
  std::vector<Output> results;
  {
    DeviceScope here(*graph_, On("worker"));
    const SwitchResult branches = Switch(x, taken);
    for (const Output& branch : {branches.output_false, branches.output_true}) {
      DeviceScope there(*graph_, On("ps"));
      results.push_back(branch * Constant(*graph_, Tensor::Scalar(results.empty() ? 10.0f : 100.0f)));
    }
    results.push_back(Merge({results[0], results[1]}).output);
  }
  int registered = 0;
  intercept_ = [&](Outgoing call) {
    if (call.method == "RegisterGraph") {
      ++registered;
      auto request = call.As<tensorflow::RegisterGraphRequest>();
      request.set_has_control_flow(false);
      for (const tensorflow::NodeDef& node : request.graph_def().node()) EXPECT_NE(node.op(), "Switch");
      call.request = Encode(request);
    }
    call.Pass();
  };
  for (const bool which : {false, true}) {
    RunStepCall call = Fetch({results[2]});
    call.tensors.push_back({x.name(), Tensor::Scalar(2.0f)});
    call.tensors.push_back({taken.name(), Tensor::Scalar(which)});
    const Answer answer = StartStep(std::move(call));
    Settle();
    ExpectValue(answer, which ? 200 : 20);
  }
  EXPECT_EQ(registered, 1);
}

}  // namespace
}  // namespace weir
