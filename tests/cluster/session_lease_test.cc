// Leases of sessions on a simulated clock: a session that its master does not renew ends, with all that it holds.
#include "cluster/one_task.h"

namespace weir {
namespace {

constexpr int64_t kLeaseMs = 10'000;

class SessionLeaseTest : public OneTaskTest {
 protected:
  Worker::Usage usage() { return cluster_.Find(kTask)->worker().usage(); }
  void Wait(int64_t ms) {
    const int64_t end = world_.now() + ms * kNanosPerMilli;
    world_.After(ms * kNanosPerMilli, [] {});
    world_.RunUntil([&] { return world_.now() >= end; }, end);
  }
  Status Create(const std::string& handle, int64_t lease_ms, bool renew = false) {
    tensorflow::CreateWorkerSessionRequest request;
    request.set_session_handle(handle);
    request.set_master_task("/job:worker/replica:0/task:7 at somewhere:1");
    request.set_weir_lease_ms(lease_ms);
    request.set_weir_renew(renew);
    return Answer<tensorflow::CreateWorkerSessionResponse>(
               [&](auto done) { worker_->CreateWorkerSession(std::move(request), CallOptions{}, std::move(done)); })
        .status();
  }
  void Delete(const std::string& handle) {
    tensorflow::DeleteWorkerSessionRequest request;
    request.set_session_handle(handle);
    worker_->DeleteWorkerSession(std::move(request), CallOptions{}, [](const auto&) {});
    Wait(100);
  }
  Status Renew(const std::string& handle) { return Create(handle, kLeaseMs, /*renew=*/true); }
  // Registers a graph that waits for an element of an empty queue, and runs it. Returns where the status will be.
  std::shared_ptr<std::optional<Status>> RunForever(const std::string& handle, int64_t step) {
    tensorflow::RegisterGraphRequest request;
    request.set_session_handle(handle);
    request.set_create_worker_session_called(true);
    const std::string device = kTask + "/device:CPU:0";
    auto add = [&](const char* name, const char* op) {
      tensorflow::NodeDef* node = request.mutable_graph_def()->add_node();
      node->set_name(name);
      node->set_op(op);
      node->set_device(device);
      (*node->mutable_attr())["component_types"].mutable_list()->add_type(tensorflow::DT_INT64);
      return node;
    };
    add("queue", "FIFOQueueV2");
    tensorflow::NodeDef* take = add("take", "QueueDequeueV2");
    take->add_input("queue");
    const auto registered = Answer<tensorflow::RegisterGraphResponse>(
        [&](auto done) { worker_->RegisterGraph(std::move(request), CallOptions{}, std::move(done)); });
    EXPECT_TRUE(registered.ok()) << registered.status();
    RunGraphCall call;
    call.message.set_session_handle(handle);
    call.message.set_create_worker_session_called(true);
    call.message.set_graph_handle(registered->graph_handle());
    call.message.set_step_id(step);
    auto ended = std::make_shared<std::optional<Status>>();
    worker_->RunGraph(std::move(call), CallOptions{},
                      [ended](const Result<RunGraphReply>& reply) { *ended = reply.status(); });
    Wait(100);
    return ended;
  }
};

TEST_F(SessionLeaseTest, SessionEndsWhenItsMasterIsNotHeardOf) {
  ASSERT_TRUE(Create("a", kLeaseMs).ok());
  Wait(kLeaseMs - 100);
  EXPECT_EQ(usage().sessions, 1);
  Wait(200);
  EXPECT_EQ(usage().sessions, 0);
  const Status late = Renew("a");
  EXPECT_EQ(late.code(), StatusCode::kAborted) << late;
  EXPECT_EQ(usage().sessions, 0);  // a renewal does not create it
}

TEST_F(SessionLeaseTest, RenewalsKeepTheSession) {
  ASSERT_TRUE(Create("a", kLeaseMs).ok());
  for (int i = 0; i < 20; ++i) {
    Wait(kLeaseMs * 3 / 4);
    ASSERT_TRUE(Renew("a").ok()) << i;
  }
  EXPECT_EQ(usage().sessions, 1);
  Wait(kLeaseMs + 100);
  EXPECT_EQ(usage().sessions, 0);
}

TEST_F(SessionLeaseTest, SessionsWithoutALeaseStay) {  // those of TensorFlow's masters
  ASSERT_TRUE(Create("a", 0).ok());
  ASSERT_TRUE(Create("b", kLeaseMs).ok());
  Wait(1000 * kLeaseMs);
  EXPECT_EQ(usage().sessions, 1);
  Delete("a");
  EXPECT_EQ(usage().sessions, 0);
}

TEST_F(SessionLeaseTest, StepsAndGraphsOfTheSessionEnd) {
  ASSERT_TRUE(Create("a", kLeaseMs).ok());
  ASSERT_TRUE(Create("b", 0).ok());
  const auto of_a = RunForever("a", 1);
  const auto of_b = RunForever("b", 2);
  EXPECT_EQ(usage().steps, 2);
  Wait(kLeaseMs);
  ASSERT_TRUE(of_a->has_value());
  EXPECT_EQ((*of_a)->code(), StatusCode::kAborted) << **of_a;
  EXPECT_FALSE(of_b->has_value());
  EXPECT_EQ(usage().steps, 1);
  EXPECT_EQ(usage().graphs, 1);
  Delete("b");
}

TEST_F(SessionLeaseTest, NothingIsLeftOfAThousandSessions) {
  for (int i = 0; i < 1000; ++i) {
    const std::string handle = std::to_string(i);
    ASSERT_TRUE(Create(handle, 1000 + i).ok());
    if (i % 100 == 0) RunForever(handle, i + 1);
  }
  Wait(3000);
  EXPECT_EQ(usage().sessions, 0);
  EXPECT_EQ(usage().graphs, 0);
  EXPECT_EQ(usage().steps, 0);
  EXPECT_FALSE(usage().has_calls_in_flight);
  EXPECT_TRUE(world_.RunUntilIdle(world_.now() + kSecond));
}

TEST_F(SessionLeaseTest, AStoppedTaskEndsItsLeases) {
  ASSERT_TRUE(Create("a", kLeaseMs).ok());
  bool ended = false;
  cluster_.Find(kTask)->End([&] { ended = true; });
  Wait(2 * kLeaseMs);
  EXPECT_TRUE(ended);
  EXPECT_EQ(usage().sessions, 1);
  Delete("a");
}

}  // namespace
}  // namespace weir
