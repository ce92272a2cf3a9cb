#include "cluster/sim/sim_network.h"

#include <gtest/gtest.h>

#include <optional>

namespace weir {
namespace {

constexpr int64_t kMilli = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMilli;

class SimNetworkTest : public testing::Test {
 protected:
  // Starts a host that echoes every request, except "wait", which it never answers.
  void Serve(const std::string& host) {
    listeners_.push_back(*network_.StartHost(host).Listen(host + ":1"));
    listeners_.back()->Serve([this](std::shared_ptr<IncomingCall> call) {
      const std::string asked = call->request().Flatten();
      served_.push_back(asked);
      if (asked != "wait") return call->Respond(Rope(asked));
      call->cancel().Register([this] { ++cancelled_; });
      waiting_.push_back(std::move(call));
    });
  }
  struct Answer {
    std::optional<Result<std::string>> text;
    StatusCode code() const { return text.has_value() ? text->status().code() : StatusCode::kUnknown; }
  };
  std::shared_ptr<Answer> Ask(Channel& channel, const std::string& text, const CallOptions& options = {}) {
    auto answer = std::make_shared<Answer>();
    channel.Call("/service/Ask", Rope(text), options, [answer](Result<Rope> response) {
      EXPECT_FALSE(answer->text.has_value());
      if (response.ok()) {
        answer->text = response->Flatten();
      } else {
        answer->text = response.status();
      }
    });
    return answer;
  }
  void Run(int64_t nanos = 3600 * kSecond) { world_.RunUntilIdle(world_.now() + nanos); }

  SimWorld world_{7, false};
  SimNetwork network_{world_};
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::string> served_;
  std::vector<std::shared_ptr<IncomingCall>> waiting_;
  int cancelled_ = 0;
};

TEST_F(SimNetworkTest, CallsAreAnswered) {
  Serve("a");
  auto channel = network_.StartHost("b").Connect("a:1");
  EXPECT_EQ(channel->address(), "a:1");
  auto first = Ask(*channel, "one");
  auto second = Ask(*channel, "two");
  EXPECT_FALSE(first->text.has_value());
  EXPECT_EQ(network_.num_open_calls(), 2);
  Run();
  EXPECT_EQ(**first->text, "one");
  EXPECT_EQ(**second->text, "two");
  EXPECT_EQ(network_.num_open_calls(), 0);
  EXPECT_GT(world_.now(), 0);
}

TEST_F(SimNetworkTest, CallWithoutAListenerIsUnavailable) {
  auto channel = network_.StartHost("b").Connect("a:1");
  auto answer = Ask(*channel, "one");
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kUnavailable);
  // The same channel connects once there is a listener.
  Serve("a");
  answer = Ask(*channel, "one");
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kOk);
}

TEST_F(SimNetworkTest, WaitForReadyWaits) {
  auto channel = network_.StartHost("b").Connect("a:1");
  auto patient = Ask(*channel, "one", {.timeout_ms = 10'000, .wait_for_ready = true});
  auto hasty = Ask(*channel, "two", {.timeout_ms = 100, .wait_for_ready = true});
  world_.After(kSecond, [this] { Serve("a"); });
  Run();
  EXPECT_EQ(patient->code(), StatusCode::kOk);
  EXPECT_EQ(hasty->code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(served_, std::vector<std::string>{"one"});
}

TEST_F(SimNetworkTest, ConnectionsOvertakeEachOther) {
  Serve("a");
  Transport& b = network_.StartHost("b");
  auto first = b.Connect("a:1");
  auto second = b.Connect("a:1");
  bool overtaken = false;
  for (int i = 0; i < 50; ++i) {
    served_.clear();
    Ask(*first, "1");
    Ask(*second, "2");
    Run();
    overtaken = overtaken || served_.front() == "2";
  }
  EXPECT_TRUE(overtaken);
}

TEST_F(SimNetworkTest, ADeadlineEndsTheCallOnBothSides) {
  Serve("a");
  auto channel = network_.StartHost("b").Connect("a:1");
  auto answer = Ask(*channel, "wait", {.timeout_ms = 100});
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(cancelled_, 1);
  waiting_[0]->Respond(Rope(std::string("too late")));
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kDeadlineExceeded);
}

TEST_F(SimNetworkTest, ACancelledCallEndsOnBothSides) {
  Serve("a");
  auto channel = network_.StartHost("b").Connect("a:1");
  CancelToken token;
  auto answer = Ask(*channel, "wait", {.cancel = &token});
  Run();
  EXPECT_FALSE(answer->text.has_value());
  token.Cancel(Aborted("enough"));
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kAborted);
  EXPECT_EQ(cancelled_, 1);
  EXPECT_EQ(Ask(*channel, "never sent", {.cancel = &token})->code(), StatusCode::kAborted);
}

TEST_F(SimNetworkTest, ADroppedConnectionEndsItsCallsAndIsMadeAgain) {
  Serve("a");
  auto channel = network_.StartHost("b").Connect("a:1");
  auto answer = Ask(*channel, "wait");
  Run();
  network_.DropAConnection();
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kUnavailable);
  EXPECT_EQ(cancelled_, 1);
  answer = Ask(*channel, "again");
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kOk);
}

TEST_F(SimNetworkTest, CrashedHostIsUnreachableUntilRestart) {
  Serve("a");
  Transport& b = network_.StartHost("b");
  auto channel = b.Connect("a:1");
  auto to_a = Ask(*channel, "wait");
  Run();
  network_.Crash("a");
  Run();
  EXPECT_EQ(to_a->code(), StatusCode::kUnavailable);
  to_a = Ask(*channel, "down");
  Run();
  EXPECT_EQ(to_a->code(), StatusCode::kUnavailable);
  Serve("a");
  to_a = Ask(*channel, "up");
  Run();
  EXPECT_EQ(to_a->code(), StatusCode::kOk);
  // Code that still runs on a crashed host cannot reach any host.
  network_.Crash("b");
  auto answer = Ask(*channel, "from the dead");
  auto other = Ask(*b.Connect("a:1"), "from the dead");
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kUnavailable);
  EXPECT_EQ(other->code(), StatusCode::kUnavailable);
  EXPECT_EQ(served_, (std::vector<std::string>{"wait", "up"}));
}

TEST_F(SimNetworkTest, ShortPartitionDelaysLongPartitionBreaks) {
  Serve("a");
  auto channel = network_.StartHost("b").Connect("a:1");
  Ask(*channel, "connect");
  Run();
  network_.PartitionHosts("a", "b", 5 * kSecond);
  int64_t before = world_.now();
  auto answer = Ask(*channel, "one");
  Run();
  EXPECT_EQ(answer->code(), StatusCode::kOk);
  EXPECT_GE(world_.now() - before, 5 * kSecond);
  network_.PartitionHosts("b", "a", 60 * kSecond);
  before = world_.now();
  answer = Ask(*channel, "two");
  world_.RunUntil([&] { return answer->text.has_value(); }, before + 3600 * kSecond);
  EXPECT_EQ(answer->code(), StatusCode::kUnavailable);
  EXPECT_LE(world_.now() - before, 21 * kSecond);
  answer = Ask(*channel, "three");
  Run(5 * kSecond);
  EXPECT_EQ(answer->code(), StatusCode::kUnavailable);
}

TEST(SimWorldTest, RunsWorkInOrderOfTime) {
  SimWorld world(1, false);
  std::string order;
  world.After(20, [&] { order += "c"; });
  world.After(10, [&] {
    order += "a";
    world.After(5, [&] { order += "b"; });
  });
  const SimWorld::EventId dropped = world.After(12, [&] { order += "x"; });
  world.After(20, [&] { order += "d"; });
  world.Cancel(dropped);
  EXPECT_FALSE(world.RunUntilIdle(15));
  EXPECT_EQ(order, "ab");
  EXPECT_TRUE(world.RunUntil([&] { return order.size() == 3; }, 1000));
  EXPECT_EQ(order, "abc");
  EXPECT_TRUE(world.RunUntilIdle(1000));
  EXPECT_EQ(order, "abcd");
  EXPECT_EQ(world.now(), 20);
  EXPECT_EQ(world.clock().MonotonicNanos(), 20);
  EXPECT_FALSE(world.RunUntil([] { return false; }, 1000));
}

TEST(SimWorldTest, TheFingerprintIsThatOfTheNotes) {
  const auto print = [](uint64_t seed) {
    SimWorld world(seed, false);
    for (int i = 0; i < 10; ++i) world.runner()([&world, i] { world.Log(std::to_string(i)); });
    world.RunUntilIdle(kSecond);
    return world.fingerprint();
  };
  EXPECT_EQ(print(1), print(1));
  EXPECT_NE(print(1), print(2));
}

}  // namespace
}  // namespace weir
