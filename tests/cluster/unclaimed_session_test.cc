// Sessions that no client ever uses, on a simulated clock.
#include <gtest/gtest.h>

#include "cluster/sim/sim_cluster.h"
#include "ops/register.h"

namespace weir {
namespace {

constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kHour = 3600 * 1000 * kMilli;

class UnclaimedSessionTest : public testing::Test {
 protected:
  UnclaimedSessionTest() : network_(world_), cluster_(world_, network_, Registry(), {{"worker", 1}}) {
    cluster_.Start(kTask);
    master_ = MakeRemoteMaster(network_.StartHost("client").Connect(cluster_.AddressOf(kTask)));
  }
  ~UnclaimedSessionTest() override { EXPECT_EQ(cluster_.End(kHour), ""); }

  const OpRegistry& Registry() {
    ops::RegisterAllOps(registry_);
    return registry_;
  }
  int num_sessions() { return cluster_.Find(kTask)->master().num_sessions(); }
  void Wait(int64_t ms) {
    const int64_t end = world_.now() + ms * kMilli;
    world_.After(ms * kMilli, [] {});
    world_.RunUntil([&] { return world_.now() >= end; }, end);
  }
  // What a call answers, within a simulated second.
  template <class Response, class Call>
  Result<Response> Answer(const Call& call) {
    std::optional<Result<Response>> answer;
    call([&](Result<Response> response) { answer = std::move(response); });
    world_.RunUntil([&] { return answer.has_value(); }, world_.now() + 1000 * kMilli);
    if (!answer.has_value()) return Internal("no answer came");
    return *std::move(answer);
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

  const std::string kTask = TaskName("worker", 0);
  OpRegistry registry_;
  SimWorld world_{1, /*tell=*/false};
  SimNetwork network_;
  SimCluster cluster_;
  std::shared_ptr<MasterService> master_;
};

TEST_F(UnclaimedSessionTest, OneThatNobodyUsesIsClosed) {
  const std::string handle = Create();
  EXPECT_EQ(num_sessions(), 1);
  Wait(SimCluster::kUnclaimedMs - 2'000);
  EXPECT_EQ(num_sessions(), 1);
  Wait(3'000);
  EXPECT_EQ(num_sessions(), 0);
  const Status late = Run(handle);
  EXPECT_EQ(late.code(), StatusCode::kAborted) << late;
}

TEST_F(UnclaimedSessionTest, OneThatIsUsedInTimeStays) {
  const std::string handle = Create();
  Wait(SimCluster::kUnclaimedMs - 2'000);
  const Status first = Run(handle);
  EXPECT_TRUE(first.ok()) << first;
  Wait(100 * SimCluster::kUnclaimedMs);
  EXPECT_EQ(num_sessions(), 1);
  const Status late = Run(handle);
  EXPECT_TRUE(late.ok()) << late;
}

TEST_F(UnclaimedSessionTest, ToSendMoreOfTheGraphIsToUseIt) {
  const std::string handle = Create();
  const Status extended = Extend(handle);
  EXPECT_TRUE(extended.ok()) << extended;
  Wait(100 * SimCluster::kUnclaimedMs);
  const Status late = Run(handle);
  EXPECT_TRUE(late.ok()) << late;
}

TEST_F(UnclaimedSessionTest, TheOthersAreLeftAlone) {
  const std::string unused = Create();
  const std::string used = Create();
  EXPECT_TRUE(Run(used).ok());
  Wait(2 * SimCluster::kUnclaimedMs);
  EXPECT_EQ(num_sessions(), 1);
  EXPECT_TRUE(Run(used).ok());
  EXPECT_EQ(Run(unused).code(), StatusCode::kAborted);
}

TEST_F(UnclaimedSessionTest, AServerThatStopsForgetsThem) {
  Create();
  bool ended = false;
  cluster_.Find(kTask)->End([&] { ended = true; });
  Wait(2 * SimCluster::kUnclaimedMs);
  EXPECT_TRUE(ended);
  EXPECT_EQ(num_sessions(), 0);
}

}  // namespace
}  // namespace weir
