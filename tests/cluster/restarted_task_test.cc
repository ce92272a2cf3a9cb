// What a restarted task makes of calls that were meant for its former self.
#include <gtest/gtest.h>

#include "cluster/sim/sim_cluster.h"
#include "op/rendezvous_key.h"
#include "ops/register.h"

namespace weir {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class RestartedTaskTest : public testing::Test {
 protected:
  RestartedTaskTest() : network_(world_), cluster_(world_, network_, Registry(), {{"ps", 1}}) {
    cluster_.Start(kTask);
    worker_ = MakeRemoteWorker(network_.StartHost("client").Connect(cluster_.AddressOf(kTask)), kTask);
  }
  ~RestartedTaskTest() override { EXPECT_EQ(cluster_.End(3600 * kSecond), ""); }
  const OpRegistry& Registry() {
    ops::RegisterAllOps(registry_);
    return registry_;
  }
  uint64_t Incarnation() {
    uint64_t incarnation = 0;
    bool answered = false;
    worker_->GetStatus({}, CallOptions{}, [&](const Result<tensorflow::GetStatusResponse>& status) {
      answered = true;
      if (status.ok()) incarnation = status->device_attributes(0).incarnation();
    });
    EXPECT_TRUE(world_.RunUntil([&] { return answered; }, world_.now() + kSecond));
    return incarnation;
  }
  // How asking for a value ends that a task of that name, in that life, would have sent.
  Status Ask(const std::string& task, uint64_t incarnation) {
    const std::string device = task + "/device:CPU:0";
    tensorflow::RecvTensorRequest request;
    request.set_step_id(7);
    request.set_rendezvous_key(RendezvousKey{device, incarnation, device, "edge_1_x", 0, 0}.ToString());
    Status ended = Internal("it waits");
    CancelToken cancel;
    bool answered = false;
    worker_->RecvTensor(request, CallOptions{.cancel = &cancel}, [&](const Result<RecvTensorReply>& reply) {
      answered = true;
      ended = reply.status();
    });
    if (!world_.RunUntil([&] { return answered; }, world_.now() + kSecond)) {
      cancel.Cancel(Cancelled("enough"));
      world_.RunUntil([&] { return answered; }, world_.now() + kSecond);
    }
    return ended;
  }

  const std::string kTask = TaskName("ps", 0);
  OpRegistry registry_;
  SimWorld world_{1, /*tell=*/false};
  SimNetwork network_;
  SimCluster cluster_;
  std::shared_ptr<WorkerService> worker_;
};

TEST_F(RestartedTaskTest, ValuesOfItsFormerSelfAreAborted) {
  const uint64_t before = Incarnation();
  EXPECT_EQ(Ask(kTask, before).code(), StatusCode::kCancelled);  // it waits for the value
  cluster_.Crash(kTask);
  cluster_.Start(kTask);
  const Status former = Ask(kTask, before);
  EXPECT_EQ(former.code(), StatusCode::kAborted) << former;
  const uint64_t now = Incarnation();
  EXPECT_NE(now, before);
  EXPECT_EQ(Ask(kTask, now).code(), StatusCode::kCancelled);
  EXPECT_TRUE(world_.RunUntilIdle(world_.now() + kSecond));
  EXPECT_EQ(cluster_.Find(kTask)->worker().load().steps, 0);
}

TEST_F(RestartedTaskTest, ASessionMayCallItByAnotherName) {
  const uint64_t now = Incarnation();
  EXPECT_EQ(Ask(TaskName("worker", 3), now).code(), StatusCode::kCancelled);
  EXPECT_EQ(Ask(TaskName("worker", 3), now + 1).code(), StatusCode::kAborted);
}

}  // namespace
}  // namespace weir
