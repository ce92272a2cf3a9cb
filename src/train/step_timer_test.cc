#include "train/step_timer.h"

#include <gtest/gtest.h>

#include "base/manual_clock.h"

namespace weir {
namespace {

TEST(StepTimerTest, Steps) {
  auto timer = SecondOrStepTimer::Make({.every_steps = 3}).value();
  EXPECT_TRUE(timer.ShouldTrigger(7));
  EXPECT_FALSE(timer.Note(7).has_value());
  EXPECT_FALSE(timer.ShouldTrigger(9));
  EXPECT_TRUE(timer.ShouldTrigger(10));
  EXPECT_EQ(timer.Note(11)->steps, 4);
  EXPECT_EQ(timer.last_step(), 11);
  timer.Reset();
  EXPECT_TRUE(timer.ShouldTrigger(11));
}

TEST(StepTimerTest, FractionsOfSteps) {
  auto timer = SecondOrStepTimer::Make({.every_steps = 2.5}).value();
  timer.Note(1);
  EXPECT_FALSE(timer.ShouldTrigger(3));
  EXPECT_TRUE(timer.ShouldTrigger(4));
}

TEST(StepTimerTest, Seconds) {
  ManualClock clock;
  auto timer = SecondOrStepTimer::Make({.every_secs = 2}, clock).value();
  timer.Note(1);
  clock.nanos += 1'999'999'999;
  EXPECT_FALSE(timer.ShouldTrigger(2));
  clock.nanos += 1;
  EXPECT_TRUE(timer.ShouldTrigger(2));
  EXPECT_FALSE(timer.ShouldTrigger(1));  // already noted
  EXPECT_EQ(timer.Note(2)->secs, 2);
}

TEST(StepTimerTest, RejectsNeitherOrBothIntervals) {
  EXPECT_EQ(SecondOrStepTimer::Make({}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SecondOrStepTimer::Make({.every_secs = 1, .every_steps = 1}).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace weir
