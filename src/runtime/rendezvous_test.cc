// Tests that sends and receives may come in any order, and that an abort fails all pending receives.
#include "runtime/rendezvous.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

Rendezvous::Value Number(float value, bool dead = false) { return {Tensor::Scalar(value), dead}; }

TEST(RendezvousTest, ReceiveMayComeBeforeOrAfterSend) {
  auto meeting = MakeIntrusive<LocalRendezvous>();
  ASSERT_TRUE(meeting->Send("a", Number(1)).ok());
  ASSERT_TRUE(meeting->Send("a", Number(2, true)).ok());
  std::vector<float> got;
  auto receive = [&](Result<Rendezvous::Value> value) {
    ASSERT_TRUE(value.ok());
    got.push_back(value->dead ? -value->tensor.scalar<float>() : value->tensor.scalar<float>());
  };
  for (int i = 0; i < 3; ++i) meeting->RecvAsync("a", receive);
  EXPECT_EQ(got, (std::vector<float>{1, -2}));
  EXPECT_FALSE(meeting->idle());
  ASSERT_TRUE(meeting->Send("a", Number(3)).ok());
  EXPECT_EQ(got.back(), 3);
  EXPECT_TRUE(meeting->idle());
}

TEST(RendezvousTest, AReceiverThatWithdrawsLeavesTheValueToTheNext) {
  auto meeting = MakeIntrusive<LocalRendezvous>();
  std::vector<int> got;
  const auto receive = [&](int number) {
    return meeting->Recv("a", number, [&got, number](const Result<Rendezvous::Value>&) { got.push_back(number); });
  };
  EXPECT_FALSE(meeting->Withdraw("a", 1));
  for (const int number : {1, 2, 3}) EXPECT_TRUE(receive(number));
  EXPECT_TRUE(meeting->Withdraw("a", 2));
  EXPECT_FALSE(meeting->Withdraw("a", 2));
  EXPECT_TRUE(meeting->Withdraw("a", 1));
  ASSERT_TRUE(meeting->Send("a", Number(1)).ok());
  EXPECT_EQ(got, std::vector{3});
  EXPECT_FALSE(meeting->Withdraw("a", 3));
  ASSERT_TRUE(meeting->Send("a", Number(2)).ok());
  EXPECT_FALSE(receive(4));
  EXPECT_EQ(got, (std::vector{3, 4}));
  EXPECT_TRUE(receive(5));
  EXPECT_FALSE(meeting->idle());
  EXPECT_TRUE(meeting->Withdraw("a", 5));
  EXPECT_TRUE(meeting->idle());
}

TEST(RendezvousTest, Abort) {
  auto meeting = MakeIntrusive<LocalRendezvous>();
  Status seen;
  meeting->RecvAsync("a", [&](Result<Rendezvous::Value> value) { seen = value.status(); });
  meeting->Abort(Aborted("gone"));
  EXPECT_EQ(seen, Aborted("gone"));
  EXPECT_EQ(meeting->Send("a", Number(1)), Aborted("gone"));
  meeting->Abort(Aborted("again"));
  meeting->RecvAsync("b", [&](Result<Rendezvous::Value> value) { seen = value.status(); });
  EXPECT_EQ(seen, Aborted("gone"));
}

}  // namespace
}  // namespace weir
