#include "runtime/first_answer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"

namespace weir {
namespace {

using Numbers = FirstAnswer<Result<int>>;

struct Got {
  std::vector<Result<int>> answers;
  Numbers::Done done() {
    return [this](Result<int> answer) { answers.push_back(std::move(answer)); };
  }
};

TEST(FirstAnswerTest, TheFirstAnswerWinsOverLaterOnesAndOverCancellation) {
  CancelToken cancel;
  Got got;
  int cancelled = 0;
  const Numbers::Ptr first = Numbers::Make(&cancel, got.done(), [&] { ++cancelled; });
  EXPECT_FALSE(first->answered());
  EXPECT_TRUE(first->Give(1));
  EXPECT_TRUE(first->answered());
  EXPECT_FALSE(first->Give(2));
  cancel.Cancel(Cancelled("enough"));
  ASSERT_EQ(got.answers.size(), 1U);
  EXPECT_EQ(*got.answers[0], 1);
  EXPECT_EQ(cancelled, 0);
}

TEST(FirstAnswerTest, ACancellationWinsOverALaterAnswer) {
  CancelToken cancel;
  std::vector<std::string> order;
  const Numbers::Ptr first = Numbers::Make(
      &cancel, [&](const Result<int>& answer) { order.push_back(std::string(answer.status().message())); },
      [&] { order.push_back("on_cancel"); });
  cancel.Cancel(Cancelled("enough"));
  EXPECT_FALSE(first->Give(1));
  EXPECT_FALSE(first->Claim());
  EXPECT_EQ(order, (std::vector<std::string>{"on_cancel", "enough"}));
}

TEST(FirstAnswerTest, ATokenThatIsCancelledAlreadyAnswersAtOnce) {
  CancelToken cancel;
  cancel.Cancel(Cancelled("before"));
  Got got;
  int cancelled = 0;
  const Numbers::Ptr first = Numbers::Make(&cancel, got.done(), [&] { ++cancelled; });
  EXPECT_TRUE(first->answered());
  EXPECT_FALSE(first->Give(1));
  ASSERT_EQ(got.answers.size(), 1U);
  EXPECT_EQ(got.answers[0].status(), Cancelled("before"));
  EXPECT_EQ(cancelled, 1);
}

TEST(FirstAnswerTest, WithoutATokenTheFirstAnswerWins) {
  Got got;
  const Numbers::Ptr first = Numbers::Make(nullptr, got.done());
  EXPECT_TRUE(first->Give(NotFound("no")));
  EXPECT_FALSE(first->Give(1));
  ASSERT_EQ(got.answers.size(), 1U);
  EXPECT_EQ(got.answers[0].status(), NotFound("no"));
}

TEST(FirstAnswerTest, TheAnswerReleasesTheStateOfTheCallbacks) {
  for (const bool by_cancel : {false, true}) {
    CancelToken cancel;
    const auto held = std::make_shared<int>(0);
    const Numbers::Ptr first = Numbers::Make(
        &cancel, [held](const Result<int>&) {}, [held] {});
    EXPECT_GT(held.use_count(), 1);
    if (by_cancel) {
      cancel.Cancel(Cancelled("enough"));
    } else {
      EXPECT_TRUE(first->Give(1));
    }
    EXPECT_EQ(held.use_count(), 1);
  }
}

TEST(FirstAnswerTest, BetweenClaimAndFinishACancellationIsTooLate) {
  CancelToken cancel;
  Got got;
  const Numbers::Ptr first = Numbers::Make(&cancel, got.done());
  ASSERT_TRUE(first->Claim());
  cancel.Cancel(Cancelled("late"));
  EXPECT_TRUE(got.answers.empty());
  first->Finish(1);
  ASSERT_EQ(got.answers.size(), 1U);
  EXPECT_EQ(*got.answers[0], 1);
}

TEST(FirstAnswerTest, AnswersAndACancellationRace) {
  int cancelled = 0;
  for (int round = 0; round < 2000; ++round) {
    CancelToken cancel;
    std::atomic<int> runs{0};
    int on_cancel = 0;
    int given = -1;
    const Numbers::Ptr first = Numbers::Make(
        &cancel,
        [&](const Result<int>& answer) {
          given = answer.ok() ? *answer : 0;
          ++runs;
        },
        [&] { ++on_cancel; });
    std::atomic<int> winners{0};
    std::atomic<bool> go{false};
    const auto wait = [&go] {
      while (!go) std::this_thread::yield();
    };
    std::vector<std::thread> threads;
    for (int i = 1; i <= 2; ++i) {
      threads.emplace_back([&, i] {
        wait();
        if (first->Give(i)) ++winners;
      });
    }
    threads.emplace_back([&] {
      wait();
      cancel.Cancel(Cancelled("enough"));
    });
    go = true;
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(runs, 1);
    ASSERT_EQ(winners + on_cancel, 1);
    ASSERT_EQ(given == 0, on_cancel == 1);
    cancelled += on_cancel;
  }
  EXPECT_LT(cancelled, 2000);
}

}  // namespace
}  // namespace weir
