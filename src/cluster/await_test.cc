#include "cluster/await.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace weir {
namespace {

// A poller whose WaitFor returns at once, although the event is not set.
class ClosedPoller final : public EventPoller {
 public:
  void WaitFor(OneShotEvent&) override {
    ++visits;
    visited.Set();
  }
  int visits = 0;
  OneShotEvent visited;
};

TEST(AwaitTest, BlocksAfterThePollerReturnsEarly) {
  ClosedPoller poller;
  std::thread answers;
  const Result<int> answer = Await<int>(
      [&](Reply<int> done) {
        answers = std::thread([&, done = std::move(done)] {
          poller.visited.Wait();
          std::this_thread::sleep_for(std::chrono::milliseconds(20));  // by then the waiter has left the poller
          done(7);
        });
      },
      {}, &poller);
  EXPECT_EQ(answer.value_or(0), 7);
  EXPECT_EQ(poller.visits, 1);
  answers.join();
}

TEST(AwaitTest, CallbackRunsPeriodically) {
  ClosedPoller poller;
  Reply<int> reply;
  int looks = 0;
  const AwaitNotice notice{std::chrono::milliseconds(1), [&] {
                             if (++looks == 3) reply(7);
                             return std::chrono::milliseconds(looks);
                           }};
  const Result<int> answer = Await<int>([&](Reply<int> done) { reply = std::move(done); }, notice, &poller);
  EXPECT_EQ(answer.value_or(0), 7);
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(poller.visits, 0);
}

TEST(AwaitTest, InlineReplyDoesNotBlock) {
  EXPECT_EQ(Await<int>([](const Reply<int>& done) { done(7); }).value_or(0), 7);
  EXPECT_EQ(Await<int>([](const Reply<int>& done) { done(Aborted("no")); }).status(), Aborted("no"));
}

}  // namespace
}  // namespace weir
