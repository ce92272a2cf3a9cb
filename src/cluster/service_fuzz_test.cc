// The seeds of the fuzz targets: calls that were recorded from real sessions. They must still work, so that fuzzing
// starts from valid calls. WEIR_WRITE_SEEDS=1 records them again.
#include "cluster/service_fuzz.h"

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cluster/await.h"
#include "cluster/remote_session.h"
#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/compose/flow.h"
#include "ops/register.h"

namespace weir::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kPatienceMs = 500;

class ServiceSeeds : public testing::Test {
 protected:
  ServiceSeeds() : pool_("seeds", 2), blocking_pool_("seeds_blocking") {
    google::protobuf::SetLogHandler(nullptr);  // would log every malformed message
    ops::RegisterAllOps(registry_);
  }

  struct Service {
    const char* name;
    const char* address;
    const char* folder;
    const std::vector<std::string>& methods;
  };
  static std::vector<Service> Services() {
    return {{"MasterService", kWorker, "tests/fuzz/master_service", MasterMethods()},
            {"WorkerService", kPs, "tests/fuzz/worker_service", WorkerMethods()}};
  }

  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_pool_;
};

using Client = std::function<void(const OpRegistry& registry, MasterService& master)>;

// ---- recording ----

void RunSession(const OpRegistry& registry, MasterService& master,
                const std::function<void(const std::shared_ptr<Graph>& graph, Session& session)>& use) {
  auto graph = std::make_shared<Graph>(registry);
  RemoteSession session(graph, std::shared_ptr<MasterService>(&master, [](MasterService*) {}), {}, "");
  use(graph, session);
  EXPECT_TRUE(session.Close().ok());
}

void ExpectRuns(const Result<std::vector<Tensor>>& values) { EXPECT_TRUE(values.ok()) << values.status(); }

void Values(const OpRegistry& registry, MasterService& master) {
  RunSession(registry, master, [](const std::shared_ptr<Graph>& graph, Session& session) {
    Output x = Placeholder(*graph, kFloat, {.name = "x"});
    Output sum;
    {
      DeviceScope scope(*graph, "/job:ps");
      sum = x + Constant(*graph, Tensor::Vector({1.0f, 2.0f}));
    }
    Output product = sum * x;
    const RunRequest request{.feeds = {{x, Tensor::Scalar(2.0f)}}, .fetches = {product, sum}};
    ExpectRuns(session.Run(request));
    DeviceScope scope(*graph, "/job:ps");
    Output text = Identity(Constant(*graph, Tensor::Vector<std::string>({"a", "bc"})));
    ExpectRuns(session.Run({.feeds = {{x, Tensor::Scalar(3.0f)}}, .fetches = {text, x}}));
    EXPECT_TRUE(session.ListDevices().ok());
  });
}

void Variables(const OpRegistry& registry, MasterService& master) {
  RunSession(registry, master, [](const std::shared_ptr<Graph>& graph, Session& session) {
    DeviceScope scope(*graph, "/job:ps");
    Output v = VariableV2(*graph, PartialShape(Shape{2}), kFloat, {.name = "v"});
    Output init = Assign(v, Constant(*graph, Tensor::Vector({1.0f, 2.0f})));
    ExpectRuns(session.Run({.targets = {init.node}}));
    DeviceScope there(*graph, "/job:worker");
    Output twice = v + v;
    DeviceScope back(*graph, "/job:ps");
    ExpectRuns(session.Run({.fetches = {AssignAdd(v, twice)}}));
  });
}

void Loop(const OpRegistry& registry, MasterService& master) {
  RunSession(registry, master, [](const std::shared_ptr<Graph>& graph, Session& session) {
    Result<OutputList> loop = WhileLoop(
        *graph, [&](const OutputList& v) -> Result<Output> { return Less(v[0], Constant(*graph, Tensor::Scalar(3))); },
        [&](const OutputList& v) -> Result<OutputList> {
          DeviceScope scope(*graph, "/job:ps");
          return OutputList{Add(v[0], Constant(*graph, Tensor::Scalar(1)))};
        },
        {Constant(*graph, Tensor::Scalar(0))});
    ASSERT_TRUE(loop.ok()) << loop.status();
    ExpectRuns(session.Run({.fetches = *loop}));
  });
}

void Pieces(const OpRegistry& registry, MasterService& master) {
  RunSession(registry, master, [](const std::shared_ptr<Graph>& graph, Session& session) {
    DeviceScope scope(*graph, "/job:ps");
    Output a = Placeholder(*graph, kFloat, {.name = "a"});
    Output b = Placeholder(*graph, kFloat, {.name = "b"});
    Output sum = a + a;
    Output product = sum * b;
    Result<std::string> handle = session.PartialRunSetup({a, b}, {sum, product}, {});
    ASSERT_TRUE(handle.ok()) << handle.status();
    ExpectRuns(session.PartialRun(*handle, {{a, Tensor::Scalar(2.0f)}}, {sum}));
    ExpectRuns(session.PartialRun(*handle, {{b, Tensor::Scalar(3.0f)}}, {product}));
  });
}

void Callables(const OpRegistry& registry, MasterService& master) {
  tensorflow::CreateSessionRequest create;
  auto* node = create.mutable_graph_def()->add_node();
  node->set_name("x");
  node->set_op("Placeholder");
  node->set_device("/job:ps");
  (*node->mutable_attr())["dtype"].set_type(tensorflow::DT_FLOAT);
  node = create.mutable_graph_def()->add_node();
  node->set_name("y");
  node->set_op("Neg");
  node->add_input("x");
  (*node->mutable_attr())["T"].set_type(tensorflow::DT_FLOAT);
  const auto created = Await<tensorflow::CreateSessionResponse>(
      [&](Reply<tensorflow::CreateSessionResponse> done) { master.CreateSession(create, {}, std::move(done)); });
  ASSERT_TRUE(created.ok()) << created.status();
  tensorflow::MakeCallableRequest make;
  make.set_session_handle(created->session_handle());
  make.mutable_options()->add_feed("x:0");
  make.mutable_options()->add_fetch("y:0");
  const auto made = Await<tensorflow::MakeCallableResponse>(
      [&](Reply<tensorflow::MakeCallableResponse> done) { master.MakeCallable(make, {}, std::move(done)); });
  ASSERT_TRUE(made.ok()) << made.status();
  const auto ran = Await<RunCallableReply>([&](Reply<RunCallableReply> done) {
    RunCallableCall call;
    call.message.set_session_handle(created->session_handle());
    call.message.set_handle(made->handle());
    call.tensors.push_back({"", Tensor::Scalar(4.0f)});
    master.RunCallable(std::move(call), {}, std::move(done));
  });
  EXPECT_TRUE(ran.ok()) << ran.status();
  tensorflow::ReleaseCallableRequest release;
  release.set_session_handle(created->session_handle());
  release.set_handle(made->handle());
  EXPECT_TRUE(Await<tensorflow::ReleaseCallableResponse>([&](Reply<tensorflow::ReleaseCallableResponse> done) {
                master.ReleaseCallable(release, {}, std::move(done));
              }).ok());
  tensorflow::ResetRequest reset;
  reset.add_container("");
  EXPECT_TRUE(Await<tensorflow::ResetResponse>([&](Reply<tensorflow::ResetResponse> done) {
                master.Reset(reset, {}, std::move(done));
              }).ok());
}

TEST_F(ServiceSeeds, AreRecorded) {
  if (std::getenv("WEIR_WRITE_SEEDS") == nullptr) GTEST_SKIP() << "WEIR_WRITE_SEEDS=1 records the seeds again";
  const std::pair<const char*, Client> clients[] = {
      {"values", Values}, {"variables", Variables}, {"loop", Loop}, {"pieces", Pieces}, {"callables", Callables}};
  for (const auto& [name, client] : clients) {
    std::mutex mu;
    std::map<std::string, Script> scripts;  // by folder
    MemoryCluster cluster(registry_, pool_, blocking_pool_, [&](const std::string& address, const IncomingCall& call) {
      for (const Service& service : Services()) {
        const std::string prefix = fmt::format("/tensorflow.{}/", service.name);
        if (service.address != address || !call.method().starts_with(prefix)) continue;
        const auto it = std::find(service.methods.begin(), service.methods.end(), call.method().substr(prefix.size()));
        std::lock_guard lock(mu);
        scripts[service.folder].push_back(
            {static_cast<uint8_t>(it - service.methods.begin()), call.request().Flatten()});
      }
    });
    client(registry_, *MakeRemoteMaster(cluster.transport().Connect(kWorker)));
    std::lock_guard lock(mu);
    for (const auto& [folder, script] : scripts) {
      fs::create_directories(folder);
      std::ofstream(fs::path(folder) / name, std::ios::binary) << ToText(script);
    }
  }
}

// For the fuzz target of messages: kind, position of the split, bytes.
TEST_F(ServiceSeeds, OfMessagesAreRecorded) {
  if (std::getenv("WEIR_WRITE_SEEDS") == nullptr) GTEST_SKIP() << "WEIR_WRITE_SEEDS=1 records the seeds again";
  const std::vector<NamedTensor> named = {{"x:0", Tensor::Vector({1.0f, 2.0f})},
                                          {"y:0", Tensor::Vector<std::string>({"p", "", "qr"})},
                                          {"z:0", Tensor::Scalar(true)},
                                          {"r:0", Tensor::Vector<ResourceHandle>({{"d", "c", "n", 5, "T"}})},
                                          {"e:0", Tensor::Zeros(kInt64, Shape{0, 3}).value()},
                                          {"none", Tensor()}};
  const fs::path folder = "tests/fuzz/wire";
  fs::create_directories(folder);
  const auto write = [&](const char* name, char kind, const Rope& message) {
    std::ofstream(folder / name, std::ios::binary) << kind << '\x05' << message.Flatten();
  };
  RunGraphCall graph;
  graph.message.set_graph_handle("0000000000000001");
  graph.message.add_recv_key("a;1;b;e;0:0");
  graph.tensors = named;
  write("run_graph", 0, Encode(graph));
  RunStepCall step;
  step.message.add_fetch("y:0");
  step.message.mutable_options()->set_timeout_in_ms(5);
  step.tensors = named;
  write("run_step", 2, Encode(step));
  RunCallableCall callable;
  callable.message.set_handle(1);
  callable.tensors.assign(named.begin(), named.begin() + 3);
  write("run_callable", 4, Encode(callable));
  RecvTensorReply received;
  received.message.set_send_start_micros(7);
  received.tensors = {named[0]};
  write("recv_tensor", 6, Encode(received));
}

// ---- running the seeds ----

TEST_F(ServiceSeeds, StillWork) {
  std::map<std::string, int> answered;  // number of successes by method
  for (const Service& service : Services()) {
    ASSERT_TRUE(fs::is_directory(service.folder)) << service.folder;
    for (const auto& entry : fs::directory_iterator(service.folder)) {
      SCOPED_TRACE(entry.path());
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      const Script script = ParseScript(text);
      ASSERT_EQ(ToText(script), text);
      MemoryCluster cluster(registry_, pool_, blocking_pool_);
      const std::vector<Status> statuses =
          RunScript(cluster, service.address, service.name, service.methods, script, kPatienceMs);
      for (size_t i = 0; i < script.size(); ++i) {
        const std::string& method = service.methods[script[i].method];
        answered[method] += statuses[i].ok();
        // A call that needs a value from the other task, which was not asked to compute it, waits until the end.
        const bool waits = method == "RunGraph" || method == "RecvTensor";
        EXPECT_TRUE(statuses[i].ok() || waits) << method << ": " << statuses[i];
      }
    }
  }
  for (const char* method : {"RunStep", "PartialRunSetup", "RunCallable", "RegisterGraph", "RunGraph", "RecvTensor"})
    EXPECT_GT(answered[method], 0) << method;
}

// Scripts on which the worker service once hung, found by fuzzing: they must end.
TEST_F(ServiceSeeds, FormerHangsEnd) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("tests/fuzz/found")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    MemoryCluster cluster(registry_, pool_, blocking_pool_);
    EXPECT_FALSE(
        RunScript(cluster, kPs, "WorkerService", WorkerMethods(), ParseScript(text), /*patience_ms=*/5).empty());
    ++found;
  }
  EXPECT_GT(found, 0);
}

// Every call of a mutated script is answered.
TEST_F(ServiceSeeds, MutatedScriptsAreAnswered) {
  for (const Service& service : Services()) {
    for (const auto& entry : fs::directory_iterator(service.folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(file), {}};
      for (unsigned seed = 1; seed <= 20; ++seed) {
        std::minstd_rand random(seed);
        text = MutateScript(text, service.methods, seed, [&](std::string* bytes) {
          if (!bytes->empty()) (*bytes)[random() % bytes->size()] = static_cast<char>(random());
        });
        MemoryCluster cluster(registry_, pool_, blocking_pool_);
        const Script script = ParseScript(text);
        const auto statuses = RunScript(cluster, service.address, service.name, service.methods, script, 10);
        EXPECT_EQ(statuses.size(), script.size());
      }
    }
  }
}

}  // namespace
}  // namespace weir::fuzz
