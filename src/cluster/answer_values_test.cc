// Steps of a worker that reads from a parameter server, and which calls between the two they take.
#include "cluster/answer_values.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <thread>

#include "cluster/grpc/grpc_transport.h"
#include "cluster/server.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/queue_ops.h"
#include "graph/build/state_ops.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir {
namespace {

// How often each method was called. Thread-safe.
class Calls final {
 public:
  void Count(const std::string& method) {
    std::lock_guard lock(mu_);
    ++counts_[method.substr(method.rfind('/') + 1)];
  }
  int Of(const std::string& method) {
    std::lock_guard lock(mu_);
    return counts_[method];
  }

 private:
  std::mutex mu_;
  std::map<std::string, int> counts_;
};

class CountedChannel final : public Channel {
 public:
  CountedChannel(std::shared_ptr<Channel> channel, Calls& calls) : channel_(std::move(channel)), calls_(calls) {}
  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override {
    calls_.Count(method);
    channel_->Call(method, std::move(request), options, std::move(done));
  }
  const std::string& address() const override { return channel_->address(); }

 private:
  const std::shared_ptr<Channel> channel_;
  Calls& calls_;
};

class CountedTransport final : public Transport {
 public:
  explicit CountedTransport(Calls& calls) : calls_(calls) {}
  std::shared_ptr<Channel> Connect(const std::string& address) override {
    return std::make_shared<CountedChannel>(transport_->Connect(address), calls_);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override { return transport_->Listen(address); }

 private:
  Calls& calls_;
  const std::unique_ptr<Transport> transport_ = MakeGrpcTransport();
};

class AnswerValuesTest : public testing::Test {
 protected:
  AnswerValuesTest()
      : pool_("test", 2),
        blocking_("test_blocking"),
        network_([this] { return std::make_unique<CountedTransport>(calls_); }) {
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator());
  }
  void SetUp() override {
    const ClusterSpec cluster = *ClusterSpec::Make({{"ps", {{0, FreeAddress()}}}, {"worker", {{0, FreeAddress()}}}});
    ps_ = Start("ps", cluster);
    worker_ = Start("worker", cluster);
    session_ = *network_.NewSession(worker_->target(), graph_, {});
  }
  std::string FreeAddress() {
    return Start("probe", *ClusterSpec::Make({{"probe", {{0, "localhost:0"}}}}))->target().substr(7);
  }
  std::unique_ptr<Server> Start(const std::string& job, const ClusterSpec& cluster) {
    tensorflow::ServerDef def;
    *def.mutable_cluster() = cluster.ToProto();
    def.set_job_name(job);
    def.set_protocol("grpc");
    std::unique_ptr<Server> server = *Server::Make(def, {}, {registry_, pool_, blocking_, network_});
    EXPECT_TRUE(server->Start().ok());
    return server;
  }
  // A variable on the ps, with a value.
  Output MakeVariable(int64_t size, bool initialized = true) {
    DeviceScope scope(*graph_, "/job:ps/task:0");
    Output v = VariableV2(*graph_, PartialShape({size}), kFloat);
    Output init =
        Assign(v, Fill(Constant(*graph_, Tensor::Vector<int64_t>({size})), Constant(*graph_, Tensor::Scalar(2.0f))));
    if (initialized) {
      EXPECT_TRUE(session_->Run({.targets = {init.node}}).ok());
    }
    return v;
  }
  // Something computed from it on the worker.
  Output OnWorker(Output v) {
    DeviceScope scope(*graph_, "/job:worker/task:0");
    return v * Constant(*graph_, Tensor::Scalar(10.0f));
  }
  void ExpectStep(Output fetch, int64_t size, float value) {
    Result<std::vector<Tensor>> values = session_->Run({.fetches = {fetch}});
    ASSERT_TRUE(values.ok()) << values.status();
    ASSERT_EQ((*values)[0].num_elements(), size);
    EXPECT_EQ((*values)[0].flat<float>()[size - 1], value);
  }

  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_;
  Calls calls_;
  Network network_;
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<Server> ps_;
  std::unique_ptr<Server> worker_;
  std::shared_ptr<Session> session_;
};

TEST_F(AnswerValuesTest, WhatIsOnlyReadComesWithTheAnswer) {
  const Output result = OnWorker(MakeVariable(3));
  const int before = calls_.Of("RunGraph");
  constexpr int kSteps = 5;
  for (int i = 0; i < kSteps; ++i) ExpectStep(result, 3, 20);
  EXPECT_EQ(calls_.Of("RunGraph"), before + kSteps);
  EXPECT_EQ(calls_.Of("RecvTensor"), 0);
}

TEST_F(AnswerValuesTest, WhatIsFetchedTooComesBothWays) {
  const Output v = MakeVariable(3);
  const Output result = OnWorker(v);
  Result<std::vector<Tensor>> values = session_->Run({.fetches = {v, result}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].flat<float>()[0], 2);
  EXPECT_EQ((*values)[1].flat<float>()[0], 20);
  EXPECT_EQ(calls_.Of("RecvTensor"), 0);
}

TEST_F(AnswerValuesTest, LargeValuesAreAskedFor) {
  constexpr int64_t kLarge = 1'000'000;
  ExpectStep(OnWorker(MakeVariable(kLarge)), kLarge, 20);
  EXPECT_EQ(calls_.Of("RecvTensor"), 1);
}

TEST_F(AnswerValuesTest, APartThatWaitsForTheWorkerAnswersNotBeforeTheWorkerHasItsValue) {
  const Output v = MakeVariable(3);
  const Output sum = OnWorker(v);
  DeviceScope scope(*graph_, "/job:ps/task:0");
  ExpectStep(AssignAdd(v, sum), 3, 22);
}

TEST_F(AnswerValuesTest, APartThatMayWaitDoesNotKeepValuesBack) {
  const Output v = MakeVariable(3);
  Output taken;
  Node* put = nullptr;
  {
    DeviceScope scope(*graph_, "/job:ps/task:0");
    const Output queue = FIFOQueueV2(*graph_, {kFloat});
    taken = QueueDequeueV2(*graph_, queue, {kFloat})[0];
    put = QueueEnqueueV2(*graph_, queue, {Constant(*graph_, Tensor::Scalar(1.0f))});
  }
  Output seen;
  Output init;
  Output see;
  {
    DeviceScope scope(*graph_, "/job:worker/task:0");
    seen = VariableV2(*graph_, PartialShape({3}), kFloat);
    init = Assign(seen, Constant(*graph_, Tensor::Vector({0.0f, 0.0f, 0.0f})));
    see = Assign(seen, OnWorker(v));
  }
  ASSERT_TRUE(session_->Run({.targets = {init.node}}).ok());
  std::thread step([&] {
    const Status status = session_->Run({.targets = {see.node, taken.node}}).status();
    EXPECT_TRUE(status.ok()) << status;
  });
  // While the ps still waits for its queue the worker has what it asked the ps for.
  for (float value = 0; value != 20;) {
    Result<std::vector<Tensor>> values = session_->Run({.fetches = {seen}});
    ASSERT_TRUE(values.ok()) << values.status();
    value = (*values)[0].flat<float>()[0];
  }
  EXPECT_TRUE(session_->Run({.targets = {put}}).ok());
  step.join();
}

TEST_F(AnswerValuesTest, ErrorsOfThePartEndTheStep) {
  const Output result = OnWorker(MakeVariable(3, /*initialized=*/false));
  const Status status = session_->Run({.fetches = {result}}).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition) << status;
}

TEST_F(AnswerValuesTest, AStepInPiecesAsksForItsValues) {
  const Output result = OnWorker(MakeVariable(3));
  const Output fed = Placeholder(*graph_, kFloat);
  const Output sum = OnWorker(fed) + result;
  Result<std::string> handle = session_->PartialRunSetup({fed}, {result, sum}, {}, nullptr);
  ASSERT_TRUE(handle.ok()) << handle.status();
  Result<std::vector<Tensor>> first = session_->PartialRun(*handle, {}, {result}, nullptr);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].flat<float>()[0], 20);
  Result<std::vector<Tensor>> second = session_->PartialRun(*handle, {{fed, Tensor::Scalar(1.0f)}}, {sum}, nullptr);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)[0].flat<float>()[0], 30);
}

TEST(AnswerValues, WhoWaitsIsToldOfTheEnd) {
  const AnswerValues::Keys keys = {"a", "b"};
  AnswerValues values(std::make_shared<const AnswerValues::Keys>(keys));
  EXPECT_TRUE(values.Has("a"));
  EXPECT_FALSE(values.Has("c"));
  std::vector<Status> ends;
  const auto note = [&](const Result<Rendezvous::Value>& value) { ends.push_back(value.status()); };
  values.Bring("a", Tensor::Scalar(1.0f));
  values.RecvAsync("a", note);
  values.RecvAsync("b", note);
  values.Abort(Aborted("enough"));
  values.Bring("b", Tensor::Scalar(1.0f));
  EXPECT_EQ(ends, (std::vector<Status>{OkStatus(), Aborted("enough")}));
}

}  // namespace
}  // namespace weir
