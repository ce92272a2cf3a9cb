// A cluster of servers in this process, over real sockets: placement, steps and loops over several tasks, errors,
// cancellation and restarts.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <thread>

#include "base/clock.h"
#include "cluster/chunks.h"
#include "cluster/free_addresses_test.h"
#include "cluster/join_until_signal.h"
#include "cluster/peers.h"
#include "cluster/server.h"
#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/compose/flow.h"
#include "graph/node_builder.h"
#include "op/cancel.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir {
namespace {

class ClusterTest : public testing::Test {
 protected:
  ClusterTest() : pool_("test", 2), blocking_("test_blocking") { ops::RegisterAllOps(registry_); }

  // Starts `ps` and `worker` servers on free ports.
  void StartCluster(int num_ps, int num_workers) {
    std::map<std::string, ClusterSpec::Tasks> jobs;
    const std::vector<std::string> free = FreeAddresses(num_ps + num_workers);
    for (int i = 0; i < num_ps; ++i) jobs["ps"][i] = free[i];
    for (int i = 0; i < num_workers; ++i) jobs["worker"][i] = free[num_ps + i];
    cluster_ = *ClusterSpec::Make(jobs);
    for (const auto& [job, tasks] : cluster_.jobs()) {
      for (const auto& [task, address] : tasks) StartServer(job, task);
    }
  }
  Server* StartServer(const std::string& job, int task) {
    tensorflow::ServerDef def;
    *def.mutable_cluster() = cluster_.ToProto();
    def.set_job_name(job);
    def.set_task_index(task);
    def.set_protocol("grpc");
    Result<std::unique_ptr<Server>> server = Server::Make(def, {}, {registry_, pool_, blocking_, RealEnv()}, network_);
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return nullptr;
    EXPECT_TRUE((*server)->Start().ok());
    Server* started = server->get();
    servers_[job + std::to_string(task)] = *std::move(server);
    return started;
  }
  std::shared_ptr<Graph> NewGraph() {
    auto graph = std::make_shared<Graph>(registry_);
    graph->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
    return graph;
  }
  // Task 0 of a job, as errors name it.
  std::string At(const std::string& job) { return TaskAt(TaskName(job, 0), cluster_.jobs().at(job).at(0)); }
  // A session over the network, even if the master is in this process.
  std::shared_ptr<Session> NewSession(const std::string& server, std::shared_ptr<Graph> graph,
                                      const tensorflow::ConfigProto& config = {}) {
    return *other_network_.NewSession(servers_.at(server)->target(), std::move(graph), config);
  }

  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_;
  Network network_{RealEnv()};
  Network other_network_{RealEnv()};
  ClusterSpec cluster_;
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

TEST_F(ClusterTest, ServerReturnsAConstant) {
  StartCluster(0, 1);
  auto graph = NewGraph();
  Output hello = Constant(*graph, Tensor::Scalar("Hello"));
  for (Network* network : {&network_, &other_network_}) {
    auto session = *network->NewSession(servers_.at("worker0")->target(), graph, {});
    auto values = session->Run({.fetches = {hello}});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].scalar<std::string>(), "Hello");
  }
}

TEST_F(ClusterTest, ValuesCrossTasks) {
  StartCluster(1, 2);
  auto graph = NewGraph();
  Output a;
  Output b;
  Output x = Placeholder(*graph, kFloat);
  {
    DeviceScope scope(*graph, "/job:ps/task:0");
    a = Constant(*graph, Tensor::Vector({1.0f, 2.0f})) + x;
  }
  {
    DeviceScope scope(*graph, "/job:worker/task:1");
    b = a * Constant(*graph, Tensor::Scalar(10.0f));
  }
  Output c = b + a;
  auto session = NewSession("worker0", graph);
  for (float fed : {1.0f, 2.0f, 3.0f}) {
    auto values = session->Run({.feeds = {{x, Tensor::Scalar(fed)}}, .fetches = {c, a, c, x}});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_FLOAT_EQ((*values)[0].flat<float>()[1], 11 * (2 + fed));
    EXPECT_FLOAT_EQ((*values)[1].flat<float>()[0], 1 + fed);
    EXPECT_FLOAT_EQ((*values)[2].flat<float>()[0], 11 * (1 + fed));
    EXPECT_FLOAT_EQ((*values)[3].scalar<float>(), fed);
  }
}

TEST_F(ClusterTest, VariablesLiveOnTheServerAndAreSharedByName) {
  StartCluster(1, 2);
  auto build = [&](Graph& graph, Output* init, Output* add) {
    DeviceScope scope(graph, "/job:ps/task:0");
    Output v = VariableV2(graph, PartialShape::Scalar(), kFloat, {.name = "v"});
    *init = Assign(v, Constant(graph, Tensor::Scalar(1.0f)));
    DeviceScope other(graph, "/job:worker/task:1");
    Output one = Constant(graph, Tensor::Scalar(2.0f), "two");
    DeviceScope back(graph, "/job:ps/task:0");
    *add = AssignAdd(v, one * one);
  };
  auto first = NewGraph();
  Output init;
  Output add;
  build(*first, &init, &add);
  auto session = NewSession("worker0", first);
  ASSERT_TRUE(session->Run({.targets = {init.node}}).ok());
  auto second = NewGraph();
  Output init2;
  Output add2;
  build(*second, &init2, &add2);
  auto other = NewSession("worker1", second);
  ASSERT_TRUE(session->Run({.targets = {add.node}}).ok());
  auto values = other->Run({.fetches = {add2}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<float>(), 9.0f);
}

TEST_F(ClusterTest, LoopsCrossTasks) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  Output limit = Placeholder(*graph, kInt32);
  Result<OutputList> loop = WhileLoop(
      *graph, [&](const OutputList& v) -> Result<Output> { return Less(v[0], limit); },
      [&](const OutputList& v) -> Result<OutputList> {
        DeviceScope scope(*graph, "/job:ps/task:0");
        Output sum = Add(v[1], Mul(v[0], v[0]));
        DeviceScope back(*graph, "/job:worker/task:0");
        return OutputList{Add(v[0], Constant(*graph, Tensor::Scalar(1))), sum};
      },
      {Constant(*graph, Tensor::Scalar(0)), Constant(*graph, Tensor::Scalar(0))});
  ASSERT_TRUE(loop.ok()) << loop.status();
  auto session = NewSession("worker0", graph);
  for (int n : {0, 1, 5, 40}) {
    auto values = session->Run({.feeds = {{limit, Tensor::Scalar(n)}}, .fetches = *loop});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].scalar<int32_t>(), n);
    EXPECT_EQ((*values)[1].scalar<int32_t>(), (n - 1) * n * (2 * n - 1) / 6);
  }
}

// A loop of cheap nodes runs on the event thread that received the call. The loop must leave that thread from time to
// time, because it also receives the cancellation.
TEST_F(ClusterTest, ATimeoutEndsEndlessLoopsOnAnotherTask) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  DeviceScope scope(*graph, "/job:ps/task:0");
  Result<OutputList> loop = WhileLoop(
      *graph, [&](const OutputList& v) -> Result<Output> { return Less(v[0], v[1]); },
      [&](const OutputList& v) -> Result<OutputList> {
        return OutputList{Minimum(v[0], v[1]), v[1]};
      },
      {Constant(*graph, Tensor::Scalar(0)), Constant(*graph, Tensor::Scalar(1))});
  ASSERT_TRUE(loop.ok()) << loop.status();
  auto session = NewSession("worker0", graph);
  tensorflow::RunOptions options;
  options.set_timeout_in_ms(100);
  constexpr int kLoops = 4;
  std::vector<std::thread> clients;
  for (int i = 0; i < kLoops; ++i) {
    clients.emplace_back([&] {
      const RunRequest request{.fetches = *loop, .options = &options};
      const Status ended = session->Run(request).status();
      EXPECT_EQ(ended.code(), StatusCode::kDeadlineExceeded);
      EXPECT_NE(ended.message().find("still runs on " + At("ps")), absl::string_view::npos) << ended;
      EXPECT_EQ(ended.message().find("/job:worker"), absl::string_view::npos) << ended;
    });
  }
  for (std::thread& client : clients) client.join();
  auto values = session->Run({.fetches = {Constant(*graph, Tensor::Scalar(7))}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<int32_t>(), 7);
}

TEST_F(ClusterTest, ErrorsNameTheNodeTheTaskAndItsAddress) {
  StartCluster(1, 1);
  for (const std::string job : {"ps", "worker"}) {  // another task, and the master's own
    auto graph = NewGraph();
    Output x = Placeholder(*graph, kFloat);
    Output bad;
    {
      DeviceScope scope(*graph, fmt::format("/job:{}/task:0", job));
      bad = CheckNumerics(x, "of x", {.name = "checked"});
    }
    Output result = bad + Constant(*graph, Tensor::Scalar(1.0f));
    for (Network* network : {&network_, &other_network_}) {
      auto session = *network->NewSession(servers_.at("worker0")->target(), graph, {});
      auto values = session->Run({.feeds = {{x, Tensor::Scalar(std::nanf(""))}}, .fetches = {result}});
      EXPECT_EQ(values.status().code(), StatusCode::kInvalidArgument);
      EXPECT_EQ(NodeOf(values.status()).value_or(""), "checked");
      const std::string message(values.status().message());
      EXPECT_NE(message.find("From " + At(job)), std::string::npos) << message;
      values = session->Run({.feeds = {{x, Tensor::Scalar(1.0f)}}, .fetches = {result}});
      ASSERT_TRUE(values.ok()) << values.status();
      EXPECT_EQ((*values)[0].scalar<float>(), 2.0f);
    }
  }
}

TEST_F(ClusterTest, TheErrorForAnUnknownDeviceListsTheAvailableOnes) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  DeviceScope scope(*graph, "/job:worker/task:7");
  Output c = Constant(*graph, Tensor::Scalar(1.0f), "lost");
  auto session = NewSession("worker0", graph);
  auto values = session->Run({.fetches = {c}});
  EXPECT_EQ(values.status().code(), StatusCode::kInvalidArgument);
  const std::string message(values.status().message());
  EXPECT_NE(message.find("'lost'"), std::string::npos) << message;
  EXPECT_NE(message.find("/job:worker/task:7"), std::string::npos) << message;
  EXPECT_NE(message.find("/job:ps/replica:0/task:0/device:CPU:0"), std::string::npos) << message;
}

TEST_F(ClusterTest, ARestartedTaskAbortsAndANewSessionWorks) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  Output on_ps;
  {
    DeviceScope scope(*graph, "/job:ps/task:0");
    on_ps = Constant(*graph, Tensor::Scalar(3.0f)) + Placeholder(*graph, kFloat, {.name = "x"});
  }
  const Output x = graph->FindNode("x")->output(0);
  const RunRequest request{.feeds = {{x, Tensor::Scalar(1.0f)}}, .fetches = {on_ps}};
  auto session = NewSession("worker0", graph);
  ASSERT_TRUE(session->Run(request).ok());
  servers_.erase("ps0");
  EXPECT_EQ(session->Run(request).status().code(), StatusCode::kUnavailable);
  StartServer("ps", 0);
  // Unavailable until the channel has noticed the restart.
  StatusCode code = StatusCode::kUnavailable;
  for (int i = 0; i < 100 && code == StatusCode::kUnavailable; ++i) {
    code = session->Run(request).status().code();
    RealClock().SleepMicros(20'000);
  }
  EXPECT_EQ(code, StatusCode::kAborted);
  auto fresh = NewSession("worker0", graph);
  auto values = fresh->Run(request);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<float>(), 4.0f);
}

TEST_F(ClusterTest, CloseEndsTheWaitForAMissingTask) {
  StartCluster(1, 1);
  servers_.erase("ps0");
  auto graph = NewGraph();
  DeviceScope scope(*graph, "/job:ps/task:0");
  Output c = Constant(*graph, Tensor::Scalar(3.0f)) + Placeholder(*graph, kFloat, {.name = "x"});
  const RunRequest request{.feeds = {{graph->FindNode("x")->output(0), Tensor::Scalar(1.0f)}}, .fetches = {c}};
  auto session = NewSession("worker0", graph);
  std::thread closer([&] {
    RealClock().SleepMicros(100'000);
    EXPECT_TRUE(session->Close().ok());
  });
  EXPECT_EQ(session->Run(request).status().code(), StatusCode::kCancelled);
  closer.join();
}

TEST_F(ClusterTest, ListDevicesCanBeEnded) {
  StartCluster(1, 1);
  servers_.erase("ps0");
  tensorflow::ConfigProto config;
  config.set_operation_timeout_in_ms(100);
  for (Network* network : {&network_, &other_network_}) {  // in process, and over the network
    auto session = *network->NewSession(servers_.at("worker0")->target(), NewGraph(), config);
    EXPECT_EQ(session->ListDevices().status().code(), StatusCode::kDeadlineExceeded);
  }
  for (const bool by_closing : {true, false}) {
    auto session = NewSession("worker0", NewGraph());
    std::thread lister([&] { EXPECT_FALSE(session->ListDevices().ok()); });
    RealClock().SleepMicros(50'000);
    if (by_closing) {
      EXPECT_TRUE(session->Close().ok());
    } else {
      servers_.erase("worker0");  // without any action of its client
    }
    lister.join();
  }
}

TEST_F(ClusterTest, AServerHasItsPortBeforeItStarts) {
  tensorflow::ServerDef def;
  auto* job = def.mutable_cluster()->add_job();
  job->set_name("worker");
  (*job->mutable_tasks())[0] = "localhost:0";
  def.set_job_name("worker");
  const auto make = [&] { return Server::Make(def, {}, {registry_, pool_, blocking_, RealEnv()}, network_); };
  auto server = make();
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string address = (*server)->target().substr(7);
  (*job->mutable_tasks())[0] = address;
  const Status second = make().status();
  EXPECT_EQ(second.code(), StatusCode::kUnknown);
  EXPECT_NE(second.message().find(address), absl::string_view::npos) << second;
  // Calls that arrive before Start wait for it.
  auto graph = NewGraph();
  Output seven = Constant(*graph, Tensor::Scalar(7));
  std::atomic<bool> started{false};
  std::thread early([&] {
    auto session = *other_network_.NewSession((*server)->target(), graph, {});
    auto values = session->Run({.fetches = {seven}});
    EXPECT_TRUE(started);
    EXPECT_TRUE(values.ok()) << values.status();
  });
  started = true;
  EXPECT_TRUE((*server)->Start().ok());
  early.join();
  server->reset();
  EXPECT_TRUE(make().ok());  // the port is free again
}

TEST_F(ClusterTest, ConcurrentServersGetDistinctPorts) {
  constexpr int kServers = 16;
  std::vector<std::unique_ptr<Server>> servers(kServers);
  std::vector<std::thread> makers;
  for (int i = 0; i < kServers; ++i) {
    makers.emplace_back([&, i] {
      tensorflow::ServerDef def;
      auto* job = def.mutable_cluster()->add_job();
      job->set_name("worker");
      (*job->mutable_tasks())[0] = "localhost:0";
      def.set_job_name("worker");
      auto server = Server::Make(def, {}, {registry_, pool_, blocking_, RealEnv()}, network_);
      EXPECT_TRUE(server.ok()) << server.status();
      if (server.ok()) servers[i] = *std::move(server);
    });
  }
  for (std::thread& maker : makers) maker.join();
  std::set<std::string> targets;
  for (const auto& server : servers) targets.insert(server->target());
  EXPECT_EQ(targets.size(), kServers);
}

TEST_F(ClusterTest, LongStringsCrossTasks) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  Output x = Placeholder(*graph, kString);
  Output there;
  {
    DeviceScope scope(*graph, "/job:ps/task:0");
    there = Identity(x);
  }
  Output back = Identity(there);
  Tensor texts = Tensor::Zeros(kString, Shape{3}).value();
  texts.data<std::string>()[0] = std::string(2 * kMaxWholeChunks * kChunkBytes, 'x');
  texts.data<std::string>()[2] = "short";
  auto values = NewSession("worker0", graph)->Run({.feeds = {{x, texts}}, .fetches = {back}});
  ASSERT_TRUE(values.ok()) << values.status();
  for (int i = 0; i < 3; ++i) EXPECT_EQ((*values)[0].data<std::string>()[i], texts.data<std::string>()[i]) << i;
}

TEST_F(ClusterTest, TwoServersNeverShareASocket) {
  const std::string path = "unix:" + testing::TempDir() + "weir_cluster_test.sock";
  cluster_ = *ClusterSpec::Make({{"worker", {{0, path}}}});
  ASSERT_NE(StartServer("worker", 0), nullptr);
  auto graph = NewGraph();
  auto values = NewSession("worker0", graph)->Run({.fetches = {Constant(*graph, Tensor::Scalar(7))}});
  EXPECT_TRUE(values.ok()) << values.status();
  tensorflow::ServerDef def = servers_.at("worker0")->server_def();
  auto second = Server::Make(def, {}, {registry_, pool_, blocking_, RealEnv()}, network_);
  EXPECT_EQ(second.status().code(), StatusCode::kUnknown);
  EXPECT_NE(second.status().message().find(path), std::string::npos) << second.status();
  servers_.clear();
  EXPECT_NE(StartServer("worker", 0), nullptr);  // the file that the first server left is not in the way
}

TEST_F(ClusterTest, ATimeoutEndsAStepThatWaitsForATask) {
  StartCluster(1, 1);
  servers_.erase("ps0");
  auto graph = NewGraph();
  Output here = Constant(*graph, Tensor::Scalar(1.0f));
  DeviceScope scope(*graph, "/job:ps/task:0");
  Output c = Constant(*graph, Tensor::Scalar(3.0f)) + Placeholder(*graph, kFloat, {.name = "x"});
  tensorflow::RunOptions options;
  options.set_timeout_in_ms(100);
  const RunRequest request{
      .feeds = {{graph->FindNode("x")->output(0), Tensor::Scalar(1.0f)}}, .fetches = {c}, .options = &options};
  auto session = NewSession("worker0", graph);
  ASSERT_TRUE(session->Run({.fetches = {here}}).ok());  // creating the session does not count for the step's timeout
  const Status ended = session->Run(request).status();
  EXPECT_EQ(ended.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(ended.message().find("these tasks have not responded yet: " + At("ps")), absl::string_view::npos) << ended;
  // Once the task has started, the same session works.
  StartServer("ps", 0);
  options.set_timeout_in_ms(10'000);
  EXPECT_TRUE(session->Run(request).ok());
}

TEST_F(ClusterTest, PartialRunWorks) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  Output a = Placeholder(*graph, kFloat);
  Output b = Placeholder(*graph, kFloat);
  Output sum;
  {
    DeviceScope scope(*graph, "/job:ps/task:0");
    sum = a + Constant(*graph, Tensor::Scalar(1.0f));
  }
  Output product = sum * b;
  auto session = NewSession("worker0", graph);
  auto handle = session->PartialRunSetup({a, b}, {sum, product}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto first = session->PartialRun(*handle, {{a, Tensor::Scalar(2.0f)}}, {sum});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0].scalar<float>(), 3.0f);
  EXPECT_EQ(session->PartialRun(*handle, {}, {product}).status().code(), StatusCode::kInvalidArgument);
  auto second = session->PartialRun(*handle, {{b, Tensor::Scalar(5.0f)}}, {product});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)[0].scalar<float>(), 15.0f);
  EXPECT_FALSE(session->PartialRun(*handle, {}, {}).ok());
}

TEST_F(ClusterTest, PiecesMayOverlap) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  for (int i = 0; i < 4; ++i) {
    feeds.push_back(Placeholder(*graph, kFloat));
    DeviceScope scope(*graph, i % 2 == 0 ? "/job:ps/task:0" : "/job:worker/task:0");
    fetches.push_back(feeds[i] + Constant(*graph, Tensor::Scalar(1.0f)));
  }
  auto session = NewSession("worker0", graph);
  for (int round = 0; round < 20; ++round) {
    auto handle = session->PartialRunSetup(feeds, fetches, {});
    ASSERT_TRUE(handle.ok()) << handle.status();
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&, i] {
        auto values = session->PartialRun(*handle, {{feeds[i], Tensor::Scalar(static_cast<float>(i))}}, {fetches[i]});
        ASSERT_TRUE(values.ok()) << values.status();
        EXPECT_EQ((*values)[0].scalar<float>(), static_cast<float>(i + 1));
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_FALSE(session->PartialRun(*handle, {}, {}).ok());
  }
}

TEST_F(ClusterTest, AnErrorInAPieceNamesItsNode) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  Output a = Placeholder(*graph, kFloat);
  Output b = Placeholder(*graph, kFloat);
  Output bad;
  {
    DeviceScope scope(*graph, "/job:ps/task:0");
    NodeBuilder check(*graph, "CheckNumerics");
    bad = Output(*check.In(a).Attr("message", "not a number").Build(), 0);
  }
  Output sum = b + Constant(*graph, Tensor::Scalar(1.0f));
  auto session = NewSession("worker0", graph);
  auto handle = session->PartialRunSetup({a, b}, {bad, sum}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Status failed = session->PartialRun(*handle, {{a, Tensor::Scalar(std::nanf(""))}}, {bad}).status();
  EXPECT_EQ(failed.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(failed.message().find("not a number"), absl::string_view::npos) << failed;
  EXPECT_FALSE(IsDerived(failed));
  EXPECT_FALSE(session->PartialRun(*handle, {{b, Tensor::Scalar(1.0f)}}, {sum}).ok());
}

TEST_F(ClusterTest, FeedsAreValidated) {
  StartCluster(0, 1);
  auto graph = NewGraph();
  Output a = Placeholder(*graph, kFloat, {.shape = PartialShape({3}), .name = "a"});
  Output sum = a + Constant(*graph, Tensor::Scalar(1.0f));
  auto session = NewSession("worker0", graph);
  auto handle = session->PartialRunSetup({a}, {sum}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const std::pair<Tensor, std::string> bad[] = {
      {Tensor::Vector({1.0f, 2.0f}), "Cannot feed value of shape (2,) for Tensor 'a:0', which has shape '(3,)'"},
      {Tensor::Vector({1, 2, 3}), "Cannot feed value of type int32 for Tensor 'a:0', which has type float"}};
  for (const auto& [value, text] : bad) {
    const Status whole = session->Run({.feeds = {{a, value}}, .fetches = {sum}}).status();
    const Status piece = session->PartialRun(*handle, {{a, value}}, {sum}).status();
    for (const Status& status : {whole, piece}) {
      EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
      EXPECT_NE(status.message().find(text), absl::string_view::npos) << status;
    }
  }
  auto good = session->PartialRun(*handle, {{a, Tensor::Vector({1.0f, 2.0f, 3.0f})}}, {sum});
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*good)[0].flat<float>()[2], 4.0f);
}

TEST_F(ClusterTest, PartialRunReportsUntakenBranch) {
  StartCluster(0, 1);
  auto graph = NewGraph();
  Output a = Placeholder(*graph, kFloat);
  const SwitchResult branches = Switch(a, Constant(*graph, Tensor::Scalar(true)));
  auto session = NewSession("worker0", graph);
  auto handle = session->PartialRunSetup({a}, {branches.output_false, branches.output_true}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Status ended =
      session->PartialRun(*handle, {{a, Tensor::Scalar(2.0f)}}, {branches.output_false, branches.output_true}).status();
  EXPECT_EQ(ended.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(ended.message().find("is on a branch that was not taken"), absl::string_view::npos) << ended;
}

TEST_F(ClusterTest, CancelledPartialRunEnds) {
  StartCluster(1, 1);
  auto graph = NewGraph();
  Output a = Placeholder(*graph, kFloat);
  Output on_ps;
  {
    DeviceScope scope(*graph, "/job:ps/task:0");
    on_ps = a + Constant(*graph, Tensor::Scalar(1.0f));
  }
  Output sum = on_ps + Constant(*graph, Tensor::Scalar(1.0f));
  auto session =
      *network_.NewSession(servers_.at("worker0")->target(), graph, {});  // the master's own worker has a part
  auto handle = session->PartialRunSetup({a}, {sum}, {});
  ASSERT_TRUE(handle.ok()) << handle.status();
  CancelToken token;
  token.Cancel(Cancelled("too late"));
  auto values = session->PartialRun(*handle, {{a, Tensor::Scalar(2.0f)}}, {sum}, &token);
  EXPECT_EQ(values.status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(session->Close().ok());
}

TEST_F(ClusterTest, ListsTheDevicesOfAllTasks) {
  StartCluster(1, 2);
  auto session = NewSession("worker1", NewGraph());
  auto devices = session->ListDevices();
  ASSERT_TRUE(devices.ok()) << devices.status();
  std::vector<std::string> names;
  for (const DeviceInfo& device : *devices) names.push_back(device.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"/job:ps/replica:0/task:0/device:CPU:0",
                                             "/job:worker/replica:0/task:0/device:CPU:0",
                                             "/job:worker/replica:0/task:1/device:CPU:0"}));
}

TEST_F(ClusterTest, JoinUntilSignalStopsTheServer) {
  StartCluster(0, 2);
  auto signals = std::make_unique<ShutdownSignals>();
  raise(SIGTERM);
  Server& server = *servers_.at("worker0");
  EXPECT_TRUE(JoinUntilSignal(server, kSignalGraceMs, std::move(signals)));
  EXPECT_TRUE(server.stopped());
  // Signals from before, and for other servers, have no effect.
  Server& other = *servers_.at("worker1");
  std::thread end([&] { other.Stop(); });
  EXPECT_FALSE(JoinUntilSignal(other));
  end.join();
}

TEST_F(ClusterTest, APortInUseIsNamed) {
  StartCluster(0, 1);
  tensorflow::ServerDef def = servers_.at("worker0")->server_def();
  auto second = Server::Make(def, {}, {registry_, pool_, blocking_, RealEnv()}, network_);
  ASSERT_FALSE(second.ok());
  const std::string address = cluster_.jobs().at("worker").at(0);
  EXPECT_NE(second.status().message().find(address.substr(address.find(':') + 1)), absl::string_view::npos)
      << second.status();
}

}  // namespace
}  // namespace weir
