// A cluster of servers in this process, over real sockets: placement, steps over several tasks, loops that cross them,
// errors, cancellation, restarts.
#include <gtest/gtest.h>

#include <thread>

#include "base/clock.h"
#include "cluster/server.h"
#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/state_ops.h"
#include "graph/compose/flow.h"
#include "graph/node_builder.h"
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
    for (int i = 0; i < num_ps; ++i) jobs["ps"][i] = FreeAddress();
    for (int i = 0; i < num_workers; ++i) jobs["worker"][i] = FreeAddress();
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
    Result<std::unique_ptr<Server>> server = Server::Make(def, {}, {registry_, pool_, blocking_, network_});
    EXPECT_TRUE(server.ok()) << server.status();
    if (!server.ok()) return nullptr;
    EXPECT_TRUE((*server)->Start().ok());
    Server* started = server->get();
    servers_[job + std::to_string(task)] = *std::move(server);
    return started;
  }
  std::string FreeAddress() {
    tensorflow::ServerDef def;
    auto* job = def.mutable_cluster()->add_job();
    job->set_name("probe");
    (*job->mutable_tasks())[0] = "localhost:0";
    def.set_job_name("probe");
    auto server = Server::Make(def, {}, {registry_, pool_, blocking_, network_});
    return (*server)->target().substr(7);
  }
  std::shared_ptr<Graph> NewGraph() {
    auto graph = std::make_shared<Graph>(registry_);
    graph->set_constant_evaluator(MakeLocalConstantEvaluator());
    return graph;
  }
  // A session over the network, even where the master is in this process.
  std::shared_ptr<Session> NewSession(const std::string& server, std::shared_ptr<Graph> graph,
                                      const tensorflow::ConfigProto& config = {}) {
    return *other_network_.NewSession(servers_.at(server)->target(), std::move(graph), config);
  }

  OpRegistry registry_;
  ThreadPool pool_;
  ElasticPool blocking_;
  Network network_;
  Network other_network_;
  ClusterSpec cluster_;
  std::map<std::string, std::unique_ptr<Server>> servers_;
};

Output On(const std::string& device, FunctionRef<Output()> build, Graph& graph) {
  auto scope = graph.DeviceScope(device);
  return build();
}

TEST_F(ClusterTest, AConstantComesBackFromAServer) {
  StartCluster(0, 1);
  auto graph = NewGraph();
  Output hello = Const(*graph, Tensor::Scalar("Hello"));
  for (Network* network : {&network_, &other_network_}) {
    auto session = *network->NewSession(servers_.at("worker0")->target(), graph, {});
    auto values = session->Run({.fetches = {hello}});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].scalar<std::string>(), "Hello");
  }
}

}  // namespace
}  // namespace weir
