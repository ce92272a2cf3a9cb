// Stopping, errors and grace periods. Threads are fakes that end under control of the test; no test depends on real
// time.
#include "train/coordinator.h"

#include <gmock/gmock.h>

#include <atomic>

#include "base/status.h"

namespace weir {
namespace {

using testing::HasSubstr;
using Outcome = Coordinator::Outcome;

// Reports being alive for a number of calls.
class FakeThread final : public CoordinatedThread {
 public:
  FakeThread(std::string name, int questions) : name_(std::move(name)), left_(questions) {}
  Result<bool> Alive() override { return left_ > 0 && left_-- > 0; }
  Result<std::string> Name() override { return name_; }

 private:
  const std::string name_;
  int left_;
};

constexpr int kForever = 1 << 30;

CoordinatedThreadPtr Fake(std::string name, int questions) {
  return std::make_shared<FakeThread>(std::move(name), questions);
}

TEST(CoordinatorTest, TheFirstErrorIsReported) {
  Coordinator coord;
  EXPECT_FALSE(coord.should_stop());
  EXPECT_FALSE(coord.WaitForStop(0.0));
  EXPECT_EQ(coord.RequestStop(Aborted("first")), Outcome::kFirstError);
  EXPECT_EQ(coord.RequestStop(Aborted("second")), Outcome::kNoted);
  EXPECT_TRUE(coord.should_stop());
  EXPECT_TRUE(coord.WaitForStop());
  EXPECT_FALSE(coord.joined());
  EXPECT_EQ(coord.Join(), Aborted("first"));
  EXPECT_TRUE(coord.joined());
  EXPECT_EQ(coord.RequestStop(Aborted("late")), Outcome::kTooLate);
  EXPECT_EQ(coord.RequestStop(), Outcome::kNoted);
  coord.ClearStop();
  EXPECT_FALSE(coord.should_stop() || coord.joined());
  EXPECT_TRUE(coord.error().ok());
  EXPECT_TRUE(coord.Join().ok());
}

TEST(CoordinatorTest, AnErrorAfterACleanStopIsForgotten) {
  Coordinator coord;
  coord.RequestStop();
  EXPECT_EQ(coord.RequestStop(Aborted("a consequence")), Outcome::kNoted);
  EXPECT_TRUE(coord.Join().ok());
}

TEST(CoordinatorTest, CleanCodesAreNoErrors) {
  Coordinator usual;
  usual.RequestStop(OutOfRange("the end"));
  EXPECT_TRUE(usual.should_stop());
  EXPECT_TRUE(usual.Join().ok());
  Coordinator other({StatusCode::kAborted});
  other.RequestStop(Aborted("fine"));
  EXPECT_TRUE(other.Join().ok());
  Coordinator reporting;
  EXPECT_EQ(reporting.ReportError(OutOfRange("not fine")), Outcome::kFirstError);
  EXPECT_EQ(reporting.Join(), OutOfRange("not fine"));
}

TEST(CoordinatorTest, JoinWaitsForThreadsWithoutAStop) {
  Coordinator coord;
  coord.RegisterThread(Fake("registered", 3));
  EXPECT_TRUE(coord.Join({.threads = {Fake("given", 5)}}).ok());
  EXPECT_FALSE(coord.should_stop());
  EXPECT_TRUE(coord.joined());
}

TEST(CoordinatorTest, NamesThreadsThatDoNotStop) {
  Coordinator coord;
  coord.RequestStop();
  coord.RegisterThread(Fake("stuck", kForever));
  coord.RegisterThread(Fake("quick", 1));
  const Status status = coord.Join({.threads = {Fake("other", kForever)}, .stop_grace_period_secs = 0.01});
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("threads still running: other stuck"));
  EXPECT_EQ(coord.stragglers(), 2);
  EXPECT_TRUE(coord.Join().ok()) << "they are no longer registered";
}

TEST(CoordinatorTest, LiveThreadsMayBeIgnored) {
  Coordinator coord;
  coord.RequestStop();
  EXPECT_TRUE(
      coord.Join({.threads = {Fake("stuck", kForever)}, .stop_grace_period_secs = -1, .ignore_live_threads = true})
          .ok());
  EXPECT_EQ(coord.stragglers(), 1);
}

TEST(CoordinatorTest, AnErrorTakesPrecedenceOverStragglers) {
  Coordinator coord;
  coord.RequestStop(Aborted("the cause"));
  EXPECT_EQ(coord.Join({.threads = {Fake("stuck", kForever)}, .stop_grace_period_secs = 0}), Aborted("the cause"));
}

TEST(CoordinatorTest, WaitingCanBeInterrupted) {
  Coordinator coord;
  int asked = 0;
  const Interrupted second_time = [&] { return ++asked == 2; };
  EXPECT_FALSE(coord.WaitForStop({}, second_time));
  EXPECT_EQ(asked, 2);
  const Status status = coord.Join({.threads = {Fake("a", kForever)}, .interrupted = [] { return true; }});
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_FALSE(coord.joined());
}

TEST(CoordinatorTest, AWaitEndsWhenAnotherThreadStops) {
  Coordinator coord;
  std::thread other([&] { coord.RequestStop(); });
  EXPECT_TRUE(coord.WaitForStop());
  other.join();
}

TEST(LooperThreadTest, RunsUntilTheStop) {
  auto coord = std::make_shared<Coordinator>();
  std::atomic<int> calls{0};
  LooperThread timed(coord, "timed", 0.001, [&] {
    if (++calls == 3) coord->RequestStop();
    return OkStatus();
  });
  EXPECT_TRUE(coord->Join().ok());
  EXPECT_EQ(calls, 3);
}

TEST(LooperThreadTest, AnErrorStopsAll) {
  auto coord = std::make_shared<Coordinator>();
  LooperThread waiting(coord, "waiting", 1000.0, [] { return OkStatus(); });
  LooperThread failing(coord, "failing", {}, [] { return Aborted("in the loop"); });
  EXPECT_EQ(coord->Join(), Aborted("in the loop"));
}

}  // namespace
}  // namespace weir
