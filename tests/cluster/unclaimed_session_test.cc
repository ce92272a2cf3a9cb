// Sessions that no client ever uses, on a simulated clock.
#include "cluster/one_task.h"

namespace weir {
namespace {

class UnclaimedSessionTest : public OneTaskTest {
 protected:
  int num_sessions() { return cluster_.Find(kTask)->master().num_sessions(); }
  void Wait(int64_t ms) {
    const int64_t end = world_.now() + ms * kNanosPerMilli;
    world_.After(ms * kNanosPerMilli, [] {});
    world_.RunUntil([&] { return world_.now() >= end; }, end);
  }
  std::string Create() {
    Result<tensorflow::CreateSessionResponse> response = Answer<tensorflow::CreateSessionResponse>(
        [&](auto done) { master_->CreateSession({}, CallOptions{}, std::move(done)); });
    EXPECT_TRUE(response.ok()) << response.status();
    return response->session_handle();
  }
  Status Run(const std::string& handle) {
    RunStepCall call;
    call.message.set_session_handle(handle);
    return Answer<RunStepReply>([&](auto done) { master_->RunStep(std::move(call), CallOptions{}, std::move(done)); })
        .status();
  }
  Status Extend(const std::string& handle) {
    tensorflow::ExtendSessionRequest request;
    request.set_session_handle(handle);
    request.set_current_graph_version(1);
    return Answer<tensorflow::ExtendSessionResponse>(
               [&](auto done) { master_->ExtendSession(std::move(request), CallOptions{}, std::move(done)); })
        .status();
  }
};

TEST_F(UnclaimedSessionTest, UnusedSessionIsClosed) {
  const std::string handle = Create();
  EXPECT_EQ(num_sessions(), 1);
  Wait(SimCluster::kUnclaimedMs - 2'000);
  EXPECT_EQ(num_sessions(), 1);
  Wait(3'000);
  EXPECT_EQ(num_sessions(), 0);
  const Status late = Run(handle);
  EXPECT_EQ(late.code(), StatusCode::kAborted) << late;
}

TEST_F(UnclaimedSessionTest, UsedSessionStays) {
  const std::string handle = Create();
  Wait(SimCluster::kUnclaimedMs - 2'000);
  const Status first = Run(handle);
  EXPECT_TRUE(first.ok()) << first;
  Wait(100 * SimCluster::kUnclaimedMs);
  EXPECT_EQ(num_sessions(), 1);
  const Status late = Run(handle);
  EXPECT_TRUE(late.ok()) << late;
}

TEST_F(UnclaimedSessionTest, ExtendCountsAsUse) {
  const std::string handle = Create();
  const Status extended = Extend(handle);
  EXPECT_TRUE(extended.ok()) << extended;
  Wait(100 * SimCluster::kUnclaimedMs);
  const Status late = Run(handle);
  EXPECT_TRUE(late.ok()) << late;
}

TEST_F(UnclaimedSessionTest, OtherSessionsStay) {
  const std::string unused = Create();
  const std::string used = Create();
  EXPECT_TRUE(Run(used).ok());
  Wait(2 * SimCluster::kUnclaimedMs);
  EXPECT_EQ(num_sessions(), 1);
  EXPECT_TRUE(Run(used).ok());
  EXPECT_EQ(Run(unused).code(), StatusCode::kAborted);
}

TEST_F(UnclaimedSessionTest, StoppedServerDropsThem) {
  Create();
  bool ended = false;
  cluster_.Find(kTask)->End([&] { ended = true; });
  Wait(2 * SimCluster::kUnclaimedMs);
  EXPECT_TRUE(ended);
  EXPECT_EQ(num_sessions(), 0);
}

}  // namespace
}  // namespace weir
