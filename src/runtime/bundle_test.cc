#include "runtime/bundle.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace weir {
namespace {

class NotedSender final : public Bundle::Sender {
 public:
  void SendKept() override {
    ++count;
    if (then) then();
  }
  int count = 0;
  std::function<void()> then;
};

TEST(BundleTest, EachSenderSendsOnceAtTheEnd) {
  const auto a = std::make_shared<NotedSender>();
  const auto b = std::make_shared<NotedSender>();
  {
    Bundle bundle;
    ASSERT_EQ(Bundle::Current(), &bundle);
    for (int i = 0; i < 3; ++i) {
      bundle.Add(a);
      bundle.Add(b);
    }
    EXPECT_EQ(a->count + b->count, 0);
  }
  EXPECT_EQ(a->count, 1);
  EXPECT_EQ(b->count, 1);
  EXPECT_EQ(Bundle::Current(), nullptr);
}

TEST(BundleTest, WhatWasSentBeforeIsNotSentAgain) {
  const auto a = std::make_shared<NotedSender>();
  Bundle bundle;
  bundle.Add(a);
  bundle.Send();
  bundle.Send();
  EXPECT_EQ(a->count, 1);
  bundle.Add(a);
  bundle.Send();
  EXPECT_EQ(a->count, 2);
}

TEST(BundleTest, TheOutermostCounts) {
  const auto a = std::make_shared<NotedSender>();
  {
    Bundle outer;
    {
      const Bundle inner;
      EXPECT_EQ(Bundle::Current(), &outer);
      Bundle::Current()->Add(a);
    }
    EXPECT_EQ(Bundle::Current(), &outer);
    EXPECT_EQ(a->count, 0);
  }
  EXPECT_EQ(a->count, 1);
}

TEST(BundleTest, SendingMayLeadToMore) {
  const auto a = std::make_shared<NotedSender>();
  const auto b = std::make_shared<NotedSender>();
  bool kept = false;
  a->then = [&] {
    kept = Bundle::Current() != nullptr;
    if (kept) Bundle::Current()->Add(b);
  };
  {
    Bundle bundle;
    bundle.Add(a);
    bundle.Send();  // inside the scope
    EXPECT_TRUE(kept);
    EXPECT_EQ(b->count, 1);
    bundle.Add(a);
  }
  EXPECT_FALSE(kept);  // the flush at the end of the scope does not buffer
  EXPECT_EQ(a->count, 2);
}

TEST(BundleTest, IsOfOneThread) {
  const Bundle bundle;
  std::thread([] { EXPECT_EQ(Bundle::Current(), nullptr); }).join();
}

}  // namespace
}  // namespace weir
