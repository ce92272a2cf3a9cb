#include "train/progress.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/manual_clock.h"

namespace weir {
namespace {

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() { EXPECT_EQ(pipe(ends_), 0); }
  ~ProgressTest() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  std::string Written() {
    char buffer[4096];
    const ssize_t count = read(ends_[0], buffer, sizeof(buffer));
    return std::string(buffer, static_cast<size_t>(count));
  }
  int ends_[2] = {-1, -1};
  ManualClock clock_;
};

TEST_F(ProgressTest, ShowsStepsRatesAndValues) {
  LiveLine line(ends_[1], LiveLine::Kind::kReports, clock_);
  auto progress = TrainingProgress::Begin(line, clock_);
  ASSERT_NE(progress, nullptr);
  EXPECT_EQ(TrainingProgress::Begin(line, clock_), nullptr);
  EXPECT_TRUE(progress->due());
  progress->NoteStep(100);
  progress->NoteGlobalStep(10);
  EXPECT_EQ(Written(), "global step 10\n");
  EXPECT_FALSE(progress->due());
  clock_.nanos += 500'000'000;
  EXPECT_TRUE(progress->due());
  for (int i = 0; i < 5; ++i) progress->NoteStep(100);
  progress->NoteValue("loss", Tensor::Scalar(0.25f));
  progress->NoteValue("name", Tensor::Scalar(std::string("no number")));
  progress->NoteGlobalStep(20);
  EXPECT_EQ(Written(), "global step 20 | 20 steps/s | loss = 0.25 | 1000 examples/s\n");
  // Rates are measured over the last seconds. A step without a known number of examples hides the example rate.
  for (int i = 0; i < 6; ++i) {
    clock_.nanos += 1'000'000'000;
    progress->NoteStep(std::nullopt);
    progress->NoteGlobalStep(20);
    Written();
  }
  clock_.nanos += 1'000'000'000;
  progress->NoteGlobalStep(20);
  EXPECT_EQ(Written(), "global step 20 | 0 steps/s | loss = 0.25\n");
  clock_.nanos += 1'000'000'000;
  progress->NoteGlobalStep(7);  // a checkpoint was restored
  EXPECT_EQ(Written(), "global step 7 | loss = 0.25\n");
  progress->End();
  progress->NoteGlobalStep(8);
  EXPECT_EQ(Written(), "global step 7 | loss = 0.25\n\n");
  EXPECT_NE(TrainingProgress::Begin(line, clock_), nullptr);
}

TEST_F(ProgressTest, ShowsOwnStepsWithoutAGlobalStep) {
  LiveLine line(ends_[1], LiveLine::Kind::kReports, clock_);
  auto progress = TrainingProgress::Begin(line, clock_);
  progress->NoteStep(std::nullopt);
  progress->NoteStep(std::nullopt);
  progress->NoteGlobalStep(std::nullopt);
  EXPECT_EQ(Written(), "step 2\n");
}

TEST(ExamplesInTest, IsTheFirstDimension) {
  const auto feed = [](Shape shape) { return Feed{Output(), Tensor::Zeros(kFloat, shape).value()}; };
  EXPECT_EQ(ExamplesIn({feed({100, 784}), feed({100}), feed({})}), 100);
  EXPECT_EQ(ExamplesIn({feed({100, 784}), feed({10})}), std::nullopt);
  EXPECT_EQ(ExamplesIn({feed({})}), std::nullopt);
  EXPECT_EQ(ExamplesIn({}), std::nullopt);
}

}  // namespace
}  // namespace weir
