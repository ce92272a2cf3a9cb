// Tests StagingArea: waiting, order of service, limits, effects of cancelling.
#include "ops/queue/staging_area.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace weir::ops::staging_area_test {
namespace {

// A call that may still be waiting.
struct Call {
  CancelToken cancel;
  std::optional<Status> status;
  int64_t value = -1;  // that a take or a peek got
  bool waits() const { return !status.has_value(); }
  bool was_cancelled() const { return !waits() && absl::IsCancelled(*status); }
};
using CallPtr = std::shared_ptr<Call>;

ResourcePtr<StagingArea> Area(int64_t capacity, int64_t memory_limit = 0) {
  return MakeIntrusive<StagingArea>("area", capacity, memory_limit);
}

// Puts a tuple of one vector, whose first element is `value`.
CallPtr Put(StagingArea& area, int64_t value, size_t elements = 1, CallPtr call = std::make_shared<Call>()) {
  std::vector<int64_t> numbers(elements, value);
  area.Put({Tensor::Vector<int64_t>(absl::MakeConstSpan(numbers))}, call->cancel,
           [call](Status status) { call->status = std::move(status); });
  return call;
}

StagingArea::TakeDone Into(const CallPtr& call) {
  return [call](Result<StagingArea::Tuple> tuple) {
    call->status = tuple.status();
    if (tuple.ok()) call->value = tuple->at(0).Int(0);
  };
}

CallPtr Take(StagingArea& area, CallPtr call = std::make_shared<Call>()) {
  area.Take(call->cancel, Into(call));
  return call;
}

CallPtr Peek(StagingArea& area, int64_t index) {
  auto call = std::make_shared<Call>();
  area.Peek(index, call->cancel, Into(call));
  return call;
}

TEST(StagingAreaTest, PutsWaitForRoomInOrder) {
  auto area = Area(1);
  EXPECT_FALSE(Put(*area, 1)->waits());
  const CallPtr second = Put(*area, 2);
  const CallPtr third = Put(*area, 3);
  EXPECT_TRUE(second->waits());
  EXPECT_EQ(Take(*area)->value, 1);
  EXPECT_FALSE(second->waits());
  EXPECT_TRUE(third->waits());
  EXPECT_EQ(Take(*area)->value, 2);
  EXPECT_EQ(Take(*area)->value, 3);
  EXPECT_EQ(area->size(), 0);
}

TEST(StagingAreaTest, TakesWaitInOrderAndPeeksTakeNothing) {
  auto area = Area(0);
  const CallPtr peek = Peek(*area, 1);
  const CallPtr first = Take(*area);
  const CallPtr second = Take(*area);
  Put(*area, 1);
  EXPECT_EQ(first->value, 1);
  EXPECT_TRUE(second->waits());
  Put(*area, 2);
  EXPECT_EQ(second->value, 2);
  Put(*area, 3);
  EXPECT_TRUE(peek->waits());
  Put(*area, 4);
  EXPECT_EQ(peek->value, 4);
  EXPECT_EQ(area->size(), 2);
}

TEST(StagingAreaTest, CancelledPutAddsNothingAndUnblocksOthers) {
  auto area = Area(0, 16);
  Put(*area, 1);
  const CallPtr large = Put(*area, 7, 2);
  const CallPtr behind = Put(*area, 2);
  EXPECT_TRUE(behind->waits());  // would fit, but came later
  large->cancel.Cancel(Cancelled("enough"));
  EXPECT_TRUE(large->was_cancelled());
  EXPECT_TRUE(behind->status->ok());
  EXPECT_EQ(Take(*area)->value, 1);
  EXPECT_EQ(Take(*area)->value, 2);
}

TEST(StagingAreaTest, CancelledTakeTakesNothing) {
  auto area = Area(0);
  const CallPtr given_up = Take(*area);
  const CallPtr next = Take(*area);
  given_up->cancel.Cancel(Cancelled("enough"));
  EXPECT_TRUE(given_up->was_cancelled());
  Put(*area, 1);
  EXPECT_EQ(next->value, 1);
}

TEST(StagingAreaTest, CallsOfACancelledStepEndAtOnce) {
  auto area = Area(0);
  auto over = std::make_shared<Call>();
  over->cancel.Cancel(Cancelled("over"));
  EXPECT_TRUE(Put(*area, 1, 1, over)->was_cancelled());
  over->status.reset();
  EXPECT_TRUE(Take(*area, over)->was_cancelled());
  EXPECT_EQ(area->size(), 0);
}

TEST(StagingAreaTest, ClearMakesRoom) {
  auto area = Area(1);
  Put(*area, 1);
  const CallPtr waiting = Put(*area, 2);
  area->Clear();
  EXPECT_TRUE(waiting->status->ok());
  EXPECT_EQ(Take(*area)->value, 2);
}

TEST(StagingAreaTest, BytesAreLimited) {
  auto area = Area(0, 16);
  Put(*area, 1);
  Put(*area, 2);
  const CallPtr third = Put(*area, 3);
  EXPECT_TRUE(third->waits());
  Take(*area);
  EXPECT_FALSE(third->waits());
  const CallPtr never = Put(*area, 4, 3);
  EXPECT_TRUE(absl::IsResourceExhausted(*never->status));
}

}  // namespace
}  // namespace weir::ops::staging_area_test
