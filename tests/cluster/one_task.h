// One task of a simulated cluster, and a client on another host.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "cluster/sim/sim_cluster.h"
#include "ops/register.h"

namespace weir {

class OneTaskTest : public testing::Test {
 protected:
  static constexpr int64_t kSecond = 1'000'000'000;

  OneTaskTest() : network_(world_), cluster_(world_, network_, Registry(), {{"worker", 1}}) {
    cluster_.Start(kTask);
    Transport& client = network_.StartHost("client");
    master_ = MakeRemoteMaster(client.Connect(cluster_.AddressOf(kTask)));
    worker_ = MakeRemoteWorker(client.Connect(cluster_.AddressOf(kTask)), kTask);
  }
  ~OneTaskTest() override { EXPECT_EQ(cluster_.End(3600 * kSecond), ""); }

  // The response to a call, which must come within a simulated second.
  template <class Response, class Call>
  Result<Response> Answer(const Call& call) {
    std::optional<Result<Response>> answer;
    call([&](Result<Response> response) { answer = std::move(response); });
    world_.RunUntil([&] { return answer.has_value(); }, world_.now() + kSecond);
    if (!answer.has_value()) return Internal("no answer came");
    return *std::move(answer);
  }

  const std::string kTask = TaskName("worker", 0);
  OpRegistry registry_;
  SimWorld world_{1, /*tell=*/false};
  SimNetwork network_;
  SimCluster cluster_;
  std::shared_ptr<MasterService> master_;
  std::shared_ptr<WorkerService> worker_;

 private:
  const OpRegistry& Registry() {
    ops::RegisterAllOps(registry_);
    return registry_;
  }
};

}  // namespace weir
