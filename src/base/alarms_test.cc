#include "base/alarms.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/manual_clock.h"

namespace weir {
namespace {

constexpr int64_t kMilli = 1'000'000;

void WaitUntil(const std::atomic<int>& value, int wanted) {
  while (value.load() < wanted) RealClock().SleepMicros(200);
}

TEST(AlarmsTest, RunInOrderOfDueTime) {
  std::mutex mu;
  std::vector<int> order;
  std::atomic<int> rung{0};
  ManualClock clock;
  ThreadAlarms alarms(clock);
  for (int i : {3, 1, 2}) {
    alarms.After(int64_t{i} * 10 * kMilli, [&, i] {
      std::lock_guard lock(mu);
      order.push_back(i);
      ++rung;
    });
  }
  clock.nanos += 100 * kMilli;
  WaitUntil(rung, 3);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(AlarmsTest, CancelledAlarmsDoNotRun) {
  std::atomic<int> rung{0};
  ManualClock clock;
  ThreadAlarms alarms(clock);
  const Alarms::Id id = alarms.After(5 * kMilli, [&] { rung += 100; });
  alarms.Cancel(id);
  alarms.Cancel(id);
  alarms.After(10 * kMilli, [&] { ++rung; });
  clock.nanos += 100 * kMilli;
  WaitUntil(rung, 1);
  EXPECT_EQ(rung, 1);
}

TEST(AlarmsTest, CancelWaitsForARunningCallback) {
  std::atomic<int> stage{0};
  ThreadAlarms alarms(RealClock());
  const Alarms::Id id = alarms.After(0, [&] {
    stage = 1;
    RealClock().SleepMicros(20'000);
    stage = 2;
  });
  WaitUntil(stage, 1);
  alarms.Cancel(id);
  EXPECT_EQ(stage, 2);
}

TEST(AlarmsTest, CallbackMayAddAndCancelAlarms) {
  std::atomic<int> rung{0};
  ThreadAlarms alarms(RealClock());
  std::atomic<Alarms::Id> id{0};
  id = alarms.After(kMilli, [&] {
    alarms.Cancel(id);
    alarms.After(kMilli, [&] { ++rung; });
  });
  WaitUntil(rung, 1);
  EXPECT_EQ(rung, 1);
}

TEST(AlarmsTest, DestructorDropsPendingAlarms) {
  std::atomic<int> rung{0};
  {
    ThreadAlarms(RealClock()).After(int64_t{1} << 60, [&] { ++rung; });
  }
  EXPECT_EQ(rung, 0);
}

}  // namespace
}  // namespace weir
