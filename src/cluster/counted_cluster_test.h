// CountedCluster: two parameter servers and two workers in one process, over gRPC. Counts the calls of each method
// between them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "cluster/free_addresses_test.h"
#include "cluster/grpc/grpc_transport.h"
#include "cluster/server.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"

namespace weir {

// The number of calls of each method. Thread-safe.
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
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& task) override {
    return std::make_shared<CountedChannel>(transport_->Connect(address, task), calls_);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string& address) override { return transport_->Listen(address); }

 private:
  Calls& calls_;
  const std::unique_ptr<Transport> transport_ = MakeGrpcTransport();
};

class CountedCluster : public testing::Test {
 protected:
  CountedCluster()
      : pool_("test", 2),
        blocking_("test_blocking"),
        network_([this](const Credentials&) { return std::make_unique<CountedTransport>(calls_); }) {
    ops::RegisterAllOps(registry_);
    graph_ = std::make_shared<Graph>(registry_);
    graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
  }
  void SetUp() override {
    const std::vector<std::string> free = FreeAddresses(4);
    const ClusterSpec cluster =
        *ClusterSpec::Make({{"ps", {{0, free[0]}, {1, free[1]}}}, {"worker", {{0, free[2]}, {1, free[3]}}}});
    for (int task : {0, 1}) ps_.push_back(Start("ps", cluster, task));
    worker_ = Start("worker", cluster);
    other_worker_ = Start("worker", cluster, 1);
    session_ = *network_.NewSession(worker_->target(), graph_, {});
  }
  std::unique_ptr<Server> Start(const std::string& job, const ClusterSpec& cluster, int task = 0) {
    tensorflow::ServerDef def;
    *def.mutable_cluster() = cluster.ToProto();
    def.set_job_name(job);
    def.set_task_index(task);
    def.set_protocol("grpc");
    std::unique_ptr<Server> server = *Server::Make(def, {}, {registry_, pool_, blocking_, RealEnv()}, network_);
    EXPECT_TRUE(server->Start().ok());
    return server;
  }
  static std::string Ps(int task = 0) { return fmt::format("/job:ps/task:{}", task); }
  static std::string Worker(int task = 0) { return fmt::format("/job:worker/task:{}", task); }
  // A variable on a ps whose elements are all 2.
  Output MakeVariable(int64_t size, bool initialized = true, int task = 0) {
    DeviceScope scope(*graph_, Ps(task));
    Output v = VariableV2(*graph_, PartialShape({size}), kFloat);
    Output init =
        Assign(v, Fill(Constant(*graph_, Tensor::Vector<int64_t>({size})), Constant(*graph_, Tensor::Scalar(2.0f))));
    if (initialized) {
      EXPECT_TRUE(session_->Run({.targets = {init.node}}).ok());
    }
    return v;
  }
  // A value computed from `v` on a worker: task 0 is the master's own.
  Output OnWorker(Output v, int task = 0) {
    DeviceScope scope(*graph_, Worker(task));
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
  std::vector<std::unique_ptr<Server>> ps_;
  std::unique_ptr<Server> worker_;
  std::unique_ptr<Server> other_worker_;
  std::shared_ptr<Session> session_;
};

}  // namespace weir
