#include "runtime/partial_step.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>

#include "base/rng.h"
#include "runtime/local_devices.h"
#include "runtime/small_ops_test.h"

namespace weir {
namespace {

using ::testing::HasSubstr;

// An event that happens once. With std::mutex, because the thread sanitizer cannot see into Abseil's library.
class Event final {
 public:
  void Notify() {
    std::lock_guard lock(mu_);
    happened_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this] { return happened_; });
  }
  bool happened() const {
    std::lock_guard lock(mu_);
    return happened_;
  }

 private:
  mutable std::mutex mu_;
  std::condition_variable changed_;
  bool happened_ = false;
};

class PartialStepTest : public SmallGraph {
 protected:
  void Compile() {
    Result<std::shared_ptr<const Plan>> plan =
        CompilePlan(*graph_, PlanSignature{{x, z}, {q, w}, {}, /*late_feeds=*/true},
                    PlanEnvironment{devices_, kernels_, PlacerOptions{}});
    ASSERT_TRUE(plan.ok()) << plan.status();
    step_ = std::make_shared<PartialStep>(std::make_shared<Executor>(*plan));
  }
  void Start() {
    StepArgs args;
    args.context.pool = args.pool = &pool_;
    args.context.blocking_pool = &blocking_pool_;
    step_->Start(args, [this] { ended_.Notify(); });
  }
  struct Answer {
    Event ready;
    Result<std::vector<Tensor>> values = Internal("none");
  };
  std::shared_ptr<Answer> Piece(std::vector<PartialStep::PieceFeed> feeds, std::vector<int> fetches, bool last = false,
                                CancelToken* cancel = nullptr) {
    auto answer = std::make_shared<Answer>();
    step_->RunPiece(std::move(feeds), std::move(fetches), last, cancel, [answer](Result<std::vector<Tensor>> values) {
      answer->values = std::move(values);
      answer->ready.Notify();
    });
    return answer;
  }

  Output x = Placeholder("x");
  Output z = Placeholder("z");
  Output q = Op("Mul", {x, Const(2)}, "q");
  Output w = Op("Add", {Op("Later", {q}), z}, "w");
  std::vector<std::unique_ptr<Device>> devices_ = MakeLocalDevices({}, "/job:a/replica:0/task:0", RealRng());
  KernelCache kernels_{RealEnv(), nullptr, nullptr};
  Event ended_;
  std::shared_ptr<PartialStep> step_;
};

TEST_F(PartialStepTest, PiecesThatComeEarlyWait) {
  Compile();
  const auto first = Piece({{0, Float(3)}}, {0});
  const auto second = Piece({{1, Float(1)}}, {1, 1}, /*last=*/true);
  EXPECT_FALSE(first->ready.happened());
  Start();
  first->ready.Wait();
  second->ready.Wait();
  ASSERT_TRUE(first->values.ok()) << first->values.status();
  EXPECT_EQ((*first->values)[0].scalar<float>(), 6);
  ASSERT_TRUE(second->values.ok()) << second->values.status();
  EXPECT_EQ((*second->values)[0].scalar<float>(), 7);
  EXPECT_EQ((*second->values)[1].scalar<float>(), 7);
  ended_.Wait();
}

TEST_F(PartialStepTest, AFetchWaitsForFeedsOfLaterPieces) {
  Compile();
  Start();
  const auto fetch = Piece({}, {1});
  const auto feeds = Piece({{0, Float(3)}, {1, Float(1)}}, {});
  fetch->ready.Wait();
  ASSERT_TRUE(fetch->values.ok()) << fetch->values.status();
  EXPECT_EQ((*fetch->values)[0].scalar<float>(), 7);
  EXPECT_TRUE(feeds->values.ok());
  ended_.Wait();
}

TEST_F(PartialStepTest, AFeedIsDeliveredOnce) {
  Compile();
  Start();
  EXPECT_TRUE(Piece({{0, Float(3)}}, {})->values.ok());
  EXPECT_THAT(Piece({{1, Float(1)}, {0, Float(4)}}, {})->values.status().message(),
              HasSubstr("The feed x:0 has already been fed."));
  // The failed piece delivered nothing.
  const auto last = Piece({{1, Float(1)}}, {1}, /*last=*/true);
  last->ready.Wait();
  ASSERT_TRUE(last->values.ok()) << last->values.status();
  EXPECT_EQ((*last->values)[0].scalar<float>(), 7);
}

TEST_F(PartialStepTest, ACancelledStepEndsWithoutItsFeeds) {
  Compile();
  Start();
  CancelToken token;
  const auto waiting = Piece({{0, Float(3)}}, {1}, /*last=*/false, &token);
  EXPECT_FALSE(waiting->ready.happened());
  token.Cancel(Cancelled("the caller left"));
  waiting->ready.Wait();
  EXPECT_EQ(waiting->values.status().message(), "the caller left");
  ended_.Wait();
  EXPECT_EQ(Piece({{1, Float(1)}}, {})->values.status().message(), "the caller left");
}

}  // namespace
}  // namespace weir
