// Tests how a restarted task handles calls that were meant for its previous incarnation.
#include "cluster/one_task.h"
#include "op/rendezvous_key.h"

namespace weir {
namespace {

class RestartedTaskTest : public OneTaskTest {
 protected:
  uint64_t Incarnation() {
    Result<tensorflow::GetStatusResponse> status = Answer<tensorflow::GetStatusResponse>(
        [&](auto done) { worker_->GetStatus({}, CallOptions{}, std::move(done)); });
    EXPECT_TRUE(status.ok()) << status.status();
    return status.ok() ? status->device_attributes(0).incarnation() : 0;
  }
  // Requests a value that a task with that name and incarnation would have sent. Returns the status of the call.
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
};

TEST_F(RestartedTaskTest, ValuesOfPreviousIncarnationAreAborted) {
  const uint64_t before = Incarnation();
  EXPECT_EQ(Ask(kTask, before).code(), StatusCode::kCancelled);  // waits for the value until it is cancelled
  cluster_.Crash(kTask);
  cluster_.Start(kTask);
  const Status former = Ask(kTask, before);
  EXPECT_EQ(former.code(), StatusCode::kAborted) << former;
  const uint64_t now = Incarnation();
  EXPECT_NE(now, before);
  EXPECT_EQ(Ask(kTask, now).code(), StatusCode::kCancelled);
  EXPECT_TRUE(world_.RunUntilIdle(world_.now() + kSecond));
  EXPECT_EQ(cluster_.Find(kTask)->worker().usage().steps, 0);
}

TEST_F(RestartedTaskTest, ASessionMayCallItByAnotherName) {
  const uint64_t now = Incarnation();
  EXPECT_EQ(Ask(TaskName("ps", 3), now).code(), StatusCode::kCancelled);
  EXPECT_EQ(Ask(TaskName("ps", 3), now + 1).code(), StatusCode::kAborted);
}

}  // namespace
}  // namespace weir
