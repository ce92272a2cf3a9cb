#include "op/cancel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "base/status.h"

namespace weir {
namespace {

TEST(CancelTokenTest, RunsEachCallbackOnceInOrder) {
  CancelToken token;
  std::vector<int> ran;
  EXPECT_NE(token.Register([&] { ran.push_back(1); }), 0u);
  const CancelToken::Id second = token.Register([&] { ran.push_back(2); });
  EXPECT_NE(token.Register([&] { ran.push_back(3); }), 0u);
  EXPECT_FALSE(token.cancelled());
  EXPECT_TRUE(token.reason().ok());
  EXPECT_TRUE(token.Unregister(second));
  EXPECT_FALSE(token.Unregister(second));
  token.Cancel(Aborted("first"));
  token.Cancel(Internal("second"));
  EXPECT_EQ(ran, (std::vector<int>{1, 3}));
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(token.reason(), Aborted("first"));
  EXPECT_EQ(token.Register([&] { ran.push_back(4); }), 0u);
  EXPECT_FALSE(token.Unregister(0));
  EXPECT_EQ(ran.size(), 2u);
}

TEST(CancelTokenTest, AReasonIsNeverOk) {
  CancelToken token;
  token.Cancel(OkStatus());
  EXPECT_EQ(token.reason().code(), StatusCode::kCancelled);
}

TEST(CancelTokenTest, CallbacksMayReenterTheToken) {
  CancelToken token;
  CancelToken::Id id = 0;
  bool removed = true;
  id = token.Register([&] {
    removed = token.Unregister(id);
    token.Cancel(Internal("again"));
    EXPECT_EQ(token.Register([] {}), 0u);
  });
  token.Cancel(Cancelled("stop"));
  EXPECT_FALSE(removed);
}

TEST(CancelTokenTest, UnregisterWaitsForTheCallbackThatRuns) {
  CancelToken token;
  std::atomic<bool> started{false};
  std::atomic<bool> finished{false};
  const CancelToken::Id id = token.Register([&] {
    started = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    finished = true;
  });
  std::thread canceller([&] { token.Cancel(Cancelled("stop")); });
  while (!started) std::this_thread::yield();
  EXPECT_FALSE(token.Unregister(id));
  EXPECT_TRUE(finished);
  canceller.join();
}

TEST(CancelTokenTest, ManyThreadsRegisterWhileOneCancels) {
  for (int round = 0; round < 50; ++round) {
    CancelToken token;
    std::atomic<int> accepted{0};
    std::atomic<int> ran{0};
    std::atomic<int> removed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          auto alive = std::make_unique<std::atomic<int>>(0);
          const CancelToken::Id id = token.Register([&ran, flag = alive.get()] {
            ++*flag;
            ++ran;
          });
          if (id != 0) ++accepted;
          if ((i + t) % 2 == 0 || id == 0) std::this_thread::yield();
          if (token.Unregister(id)) ++removed;
        }
      });
    }
    threads.emplace_back([&] { token.Cancel(Cancelled("stop")); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(ran + removed, accepted);
  }
}

}  // namespace
}  // namespace weir
