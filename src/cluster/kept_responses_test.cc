#include "cluster/kept_responses.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using StepResponses = KeptResponses<RunStepReply>;

// The responses of one session, and the answers to its calls.
class KeptResponsesTest : public testing::Test {
 protected:
  // Begins a call; `to` gets the text of its response, or of its error.
  StepResponses::CallPtr Begin(CallNumber number, std::string* to, CancelToken* connection = nullptr) {
    return responses_->Begin(number, connection, [to](const Result<RunStepReply>& reply) {
      *to = reply.ok() ? reply->tensors.at(0).name : absl::StatusCodeToString(reply.status().code());
    });
  }
  static RunStepReply Named(const std::string& name, int64_t size = 1) {
    RunStepReply reply;
    reply.tensors.push_back({name, *Tensor::Allocate(kUint8, Shape{size})});
    return reply;
  }

  static constexpr size_t kMaxBytes = 1000;
  const std::shared_ptr<StepResponses> responses_ =
      std::make_shared<StepResponses>(StepResponses::Options{.max_bytes = kMaxBytes});
};

TEST_F(KeptResponsesTest, CopiesOfACallGetItsResponse) {
  std::string first, second, third;
  const StepResponses::CallPtr call = Begin({1, 1}, &first);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(Begin({1, 1}, &second), nullptr);  // while it runs
  EXPECT_EQ(second, "");
  responses_->End(call, Named("a"));
  EXPECT_EQ(first, "a");
  EXPECT_EQ(second, "a");
  EXPECT_EQ(Begin({1, 1}, &third), nullptr);
  EXPECT_EQ(third, "a");
}

TEST_F(KeptResponsesTest, ErrorsAreKept) {
  std::string first, second;
  responses_->End(Begin({1, 1}, &first), Status(StatusCode::kInvalidArgument, "no"));
  EXPECT_EQ(Begin({1, 1}, &second), nullptr);
  EXPECT_EQ(second, "INVALID_ARGUMENT");
}

TEST_F(KeptResponsesTest, TheNextCallOnASlotFreesTheResponse) {
  std::string first, second, other, late;
  responses_->End(Begin({1, 1}, &first), Named("a", 300));
  responses_->End(Begin({2, 1}, &other), Named("b", 300));
  const size_t both = responses_->bytes();
  EXPECT_GE(both, 600u);
  const StepResponses::CallPtr next = Begin({1, 7}, &second);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(responses_->bytes(), both / 2);
  EXPECT_EQ(Begin({1, 1}, &late), nullptr);  // it was delayed on its way
  EXPECT_EQ(late, "ABORTED");
  responses_->End(next, Named("c"));
  EXPECT_EQ(second, "c");
}

TEST_F(KeptResponsesTest, ADrainingServerEndsCallsWhoseConnectionsHaveBroken) {
  std::string first, second, third, copy;
  CancelToken broken, breaks, breaks_later;
  const StepResponses::CallPtr orphan = Begin({1, 1}, &first, &broken);
  const StepResponses::CallPtr has_copy = Begin({2, 1}, &second, &breaks);
  const StepResponses::CallPtr alone = Begin({3, 1}, &third, &breaks_later);
  broken.Cancel(CallerIsGone());
  EXPECT_FALSE(orphan->cancel.cancelled());
  responses_->EndOrphans();
  EXPECT_TRUE(orphan->cancel.cancelled());
  EXPECT_EQ(Begin({2, 1}, &copy), nullptr);
  breaks.Cancel(CallerIsGone());
  EXPECT_FALSE(has_copy->cancel.cancelled());
  EXPECT_FALSE(alone->cancel.cancelled());
  breaks_later.Cancel(CallerIsGone());
  EXPECT_TRUE(alone->cancel.cancelled());
  for (const StepResponses::CallPtr& call : {orphan, has_copy, alone}) responses_->End(call, Named("a"));
  EXPECT_EQ(copy, "a");
}

TEST_F(KeptResponsesTest, OnlySoManyCopiesWait) {
  std::string answer, last;
  CancelToken broken;
  const StepResponses::CallPtr call = Begin({1, 1}, &answer, &broken);
  broken.Cancel(CallerIsGone());  // it counts no more
  for (int i = 0; i < kMaxCopies; ++i) EXPECT_EQ(Begin({1, 1}, &answer), nullptr);
  EXPECT_EQ(answer, "UNAVAILABLE");
  EXPECT_EQ(Begin({1, 1}, &last), nullptr);
  EXPECT_EQ(last, "RESOURCE_EXHAUSTED");
  responses_->End(call, Named("a"));
  EXPECT_EQ(answer, "a");
}

TEST_F(KeptResponsesTest, LargeResponsesAreNotKept) {
  std::string first, second, third;
  responses_->End(Begin({1, 1}, &first), Named("a", kMaxBytes));
  EXPECT_EQ(first, "a");
  EXPECT_EQ(responses_->bytes(), 0u);
  EXPECT_EQ(Begin({1, 1}, &second), nullptr);
  EXPECT_EQ(second, "ABORTED");
  responses_->End(Begin({1, 2}, &third), Named("b"));
  EXPECT_EQ(third, "b");
}

TEST_F(KeptResponsesTest, RepeatableCallsRunAgain) {
  std::string first, second;
  for (std::string* answer : {&first, &second}) {
    const StepResponses::CallPtr call = Begin({1, 1}, answer);
    ASSERT_NE(call, nullptr);
    call->repeatable = true;
    responses_->End(call, Named("a", kMaxBytes));
    EXPECT_EQ(*answer, "a");
    EXPECT_EQ(responses_->bytes(), 0u);
  }
}

TEST_F(KeptResponsesTest, ACallThatWasGivenUpIsCancelledAndRefused) {
  std::string running, late, next, copy;
  const StepResponses::CallPtr call = Begin({1, 3}, &running);
  responses_->GiveUp({1, 5}, Cancelled("enough"));
  EXPECT_TRUE(call->cancel.cancelled());
  responses_->End(call, call->cancel.reason());
  EXPECT_EQ(running, "CANCELLED");
  for (uint64_t sequence : {3, 4, 5}) {
    EXPECT_EQ(Begin({1, sequence}, &late), nullptr);
    EXPECT_EQ(std::exchange(late, ""), "ABORTED");
  }
  const StepResponses::CallPtr following = Begin({1, 6}, &next);
  ASSERT_NE(following, nullptr);
  responses_->GiveUp({1, 5}, Cancelled("late"));  // does not concern the next call
  EXPECT_FALSE(following->cancel.cancelled());
  EXPECT_EQ(Begin({1, 6}, &copy), nullptr);
  responses_->End(following, Named("a"));
  EXPECT_EQ(next, "a");
  EXPECT_EQ(copy, "a");
}

TEST_F(KeptResponsesTest, ANewCallOnASlotCancelsTheOneThatRuns) {
  std::string first, second;
  const StepResponses::CallPtr call = Begin({1, 1}, &first);
  ASSERT_NE(Begin({1, 2}, &second), nullptr);
  EXPECT_TRUE(call->cancel.cancelled());
}

TEST_F(KeptResponsesTest, ACallOnABrokenConnectionDoesNotBegin) {
  std::string broken, again;
  CancelToken connection;
  connection.Cancel(CallerIsGone());
  EXPECT_EQ(Begin({1, 1}, &broken, &connection), nullptr);
  EXPECT_EQ(broken, "UNAVAILABLE");
  EXPECT_NE(Begin({1, 1}, &again), nullptr);
}

TEST_F(KeptResponsesTest, SlotsAreLimited) {
  std::string answer;
  EXPECT_EQ(Begin({kMaxCallSlots + 1, 1}, &answer), nullptr);
  EXPECT_EQ(answer, "INVALID_ARGUMENT");
  responses_->GiveUp({~uint32_t{0}, 1}, Cancelled(""));
}

TEST(CallSlots, ConcurrentCallsHaveDistinctSlots) {
  CallSlots slots;
  const CallNumber a = slots.Take(3);
  const CallNumber b = slots.Take(1);
  EXPECT_EQ(a.slot, 1u);
  EXPECT_EQ(b.slot, 2u);
  slots.Free(a);
  const CallNumber c = slots.Take(1);
  EXPECT_EQ(c.slot, 1u);
  EXPECT_EQ(c.sequence, a.sequence + 3);
  for (uint32_t i = 3; i <= kMaxCallSlots; ++i) EXPECT_EQ(slots.Take(1).slot, i);
  const CallNumber none = slots.Take(1);
  EXPECT_EQ(none.slot, 0u);
  slots.Free(none);
  EXPECT_EQ(slots.Take(1).slot, 0u);
}

}  // namespace
}  // namespace weir
