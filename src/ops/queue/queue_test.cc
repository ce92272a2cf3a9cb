// Tests the QueueResource class: waiting, order of service, effects of cancelling and closing, many threads.
#include "ops/queue/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <limits>
#include <optional>
#include <thread>

namespace weir::ops::queue_test {
namespace {

QueueSpec Numbers(int64_t capacity, QueueKind kind = QueueKind::kFifo) {
  QueueSpec spec;
  spec.kind = kind;
  spec.name = "numbers";
  spec.capacity = capacity;
  spec.types = {kInt64};
  spec.shapes = {PartialShape(Shape{})};
  return spec;
}

std::vector<QueueElement> Elements(const std::vector<int64_t>& values) {
  std::vector<QueueElement> elements;
  for (const int64_t value : values) elements.push_back({{Tensor::Scalar(value)}});
  return elements;
}

// A call that may still be waiting.
struct Call {
  CancelToken cancel;
  std::optional<Status> status;
  std::vector<int64_t> values;
  bool waits() const { return !status.has_value(); }
};

class QueueTest : public ::testing::Test {
 protected:
  ResourcePtr<QueueResource> Make(QueueSpec spec) { return MakeIntrusive<QueueResource>(std::move(spec)); }

  std::shared_ptr<Call> Enqueue(QueueResource& queue, const std::vector<int64_t>& values) {
    auto call = std::make_shared<Call>();
    queue.Enqueue(Elements(values), call->cancel, [call](Status status) { call->status = std::move(status); });
    return call;
  }
  std::shared_ptr<Call> Dequeue(QueueResource& queue, int64_t count, bool fewer_when_closed = false) {
    auto call = std::make_shared<Call>();
    queue.Dequeue(count, fewer_when_closed, call->cancel, [call](Result<std::vector<QueueElement>> got) {
      call->status = got.status();
      if (!got.ok()) return;
      for (const QueueElement& element : *got) call->values.push_back(element.components[0].scalar<int64_t>());
    });
    return call;
  }
  std::shared_ptr<Call> Token(QueueResource& queue, const std::string& member) {
    auto call = std::make_shared<Call>();
    queue.Dequeue(1, false, member, call->cancel, [call](Result<std::vector<QueueElement>> got) {
      call->status = got.status();
      if (got.ok()) call->values.push_back((*got)[0].components[0].scalar<int64_t>());
    });
    return call;
  }
  std::shared_ptr<Call> Close(QueueResource& queue, bool cancel_pending = false) {
    auto call = std::make_shared<Call>();
    queue.Close(cancel_pending, call->cancel, [call](Status status) { call->status = std::move(status); });
    return call;
  }
  static void Cancel(Call& call) { call.cancel.Cancel(Cancelled("the step is over")); }
  // Closes the queue and returns the remaining elements in order.
  std::vector<int64_t> Rest(QueueResource& queue) {
    Close(queue, true);
    return Dequeue(queue, 1 << 20, true)->values;
  }
};
using Values = std::vector<int64_t>;

// If expected == needed, each member may take only its share of a round; otherwise first come, first served.
QueueSpec Tokens(int64_t needed, int64_t expected) {
  QueueSpec spec = Numbers(-1);
  spec.tokens_needed = needed;
  spec.members_expected = expected;
  return spec;
}

TEST_F(QueueTest, TokensAreReservedForExpectedMembers) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("early");
  Enqueue(*queue, {1, 1});
  EXPECT_EQ(Token(*queue, "early")->values, Values{1});
  auto more = Token(*queue, "early");
  EXPECT_TRUE(more->waits());
  queue->Join("late");
  EXPECT_EQ(Token(*queue, "late")->values, Values{1});
  EXPECT_TRUE(more->waits());
}

TEST_F(QueueTest, RoundsRestartWhenAllMembersRejoin) {
  auto queue = Make(Tokens(2, 2));
  for (const char* name : {"a", "b"}) queue->Join(name);
  Enqueue(*queue, {7, 7});
  EXPECT_EQ(Token(*queue, "a")->values, Values{7});
  for (const char* name : {"a", "b"}) queue->Leave(name);
  // The tokens of the members that left are dropped, and the first new member cannot take the share of the second one.
  EXPECT_EQ(queue->size(), 0);
  queue->Join("a again");
  auto first = Token(*queue, "a again");
  EXPECT_TRUE(first->waits());
  Enqueue(*queue, {3, 3});
  EXPECT_EQ(first->values, Values{3});
  auto more = Token(*queue, "a again");
  EXPECT_TRUE(more->waits());
  queue->Join("b again");
  EXPECT_EQ(Token(*queue, "b again")->values, Values{3});
  EXPECT_TRUE(more->waits());
}

TEST_F(QueueTest, ALateMemberReplacesOneThatLeft) {
  auto queue = Make(Tokens(2, 2));
  for (const char* name : {"stays", "leaves"}) queue->Join(name);
  queue->Leave("leaves");
  queue->Join("late");
  Enqueue(*queue, {1, 1});
  EXPECT_EQ(Token(*queue, "stays")->values, Values{1});
  EXPECT_EQ(Token(*queue, "late")->values, Values{1});
  queue->Leave("late");
  // Its token returns to the queue, and "stays", the only member, may take all tokens.
  EXPECT_EQ(Token(*queue, "stays")->values, Values{1});
}

TEST_F(QueueTest, ReportsWhenAllMembersWait) {
  auto queue = Make(Tokens(2, 2));
  EXPECT_FALSE(queue->all_members_waiting());
  queue->Join("a");
  auto first = Token(*queue, "a");
  EXPECT_FALSE(queue->all_members_waiting());  // another member is expected
  queue->Join("b");
  EXPECT_FALSE(queue->all_members_waiting());
  auto second = Token(*queue, "b");
  EXPECT_TRUE(queue->all_members_waiting());
  Enqueue(*queue, {1, 1});
  EXPECT_FALSE(queue->all_members_waiting());
}

TEST_F(QueueTest, ExtremeMemberCountsDoNotOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  for (const int64_t expected : {kLeast, int64_t{0}, int64_t{1}, kMost}) {
    auto queue = Make(Tokens(kMost, expected));
    for (const char* name : {"a", "b"}) queue->Join(name);
    Enqueue(*queue, {1, 1, 1});
    EXPECT_EQ(Token(*queue, "a")->values, Values{1});
    EXPECT_EQ(Token(*queue, "b")->values, Values{1});
    EXPECT_EQ(Token(*queue, "a")->waits(), expected == kMost);
  }
}

TEST_F(QueueTest, TokensWithoutSharesAreServedInOrderAndKept) {
  auto queue = Make(Tokens(2, 3));
  for (const char* name : {"a", "b", "c"}) queue->Join(name);
  Enqueue(*queue, {0, 0, 0});
  EXPECT_EQ(Token(*queue, "a")->values, Values{0});
  EXPECT_EQ(Token(*queue, "a")->values, Values{0});
  Enqueue(*queue, {1, 1, 1});
  for (const int64_t step : {0, 1, 1, 1}) EXPECT_EQ(Token(*queue, "b")->values, Values{step});
  auto first = Token(*queue, "c");
  auto second = Token(*queue, "a");
  EXPECT_TRUE(first->waits());
  Enqueue(*queue, {2});
  EXPECT_EQ(first->values, Values{2});
  EXPECT_TRUE(second->waits());
}

TEST_F(QueueTest, TokensWithoutSharesGoBackWhenAMemberLeaves) {
  auto queue = Make(Tokens(3, 2));
  for (const char* name : {"a", "b"}) queue->Join(name);
  Enqueue(*queue, {4, 4, 4});
  Token(*queue, "a");
  Token(*queue, "a");
  Token(*queue, "b");
  auto more = Token(*queue, "b");
  EXPECT_TRUE(more->waits());
  queue->Leave("a");
  EXPECT_EQ(more->values, Values{4});
  EXPECT_EQ(queue->size(), 1);
}

TEST_F(QueueTest, ASessionThatWaitsInSeveralThreadsHasSeveralShares) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("both");
  auto first = Token(*queue, "both");
  EXPECT_FALSE(queue->all_members_waiting());  // another replica is expected
  auto second = Token(*queue, "both");
  EXPECT_TRUE(queue->all_members_waiting());
  for (int64_t round = 1; round < 4; ++round) {
    Enqueue(*queue, {round, round});
    EXPECT_EQ(first->values, Values{round});
    EXPECT_EQ(second->values, Values{round});
    first = Token(*queue, "both");
    EXPECT_FALSE(queue->all_members_waiting());  // one of its threads does not wait
    second = Token(*queue, "both");
    EXPECT_TRUE(queue->all_members_waiting());
  }
}

TEST_F(QueueTest, ASecondWaitingThreadAddsAShare) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("both");
  Enqueue(*queue, {1, 1});
  EXPECT_EQ(Token(*queue, "both")->values, Values{1});
  auto first = Token(*queue, "both");
  EXPECT_TRUE(first->waits());  // the other token is the share of the other replica
  auto second = Token(*queue, "both");
  EXPECT_EQ(first->values, Values{1});
  EXPECT_TRUE(second->waits());
}

TEST_F(QueueTest, AnEmptyBatchOfTokensBeginsNoRound) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("a");
  Enqueue(*queue, {1, 1});
  EXPECT_FALSE(Enqueue(*queue, {})->waits());
  EXPECT_EQ(Token(*queue, "a")->values, Values{1});
}

TEST_F(QueueTest, NoMemberTakesTheTokenOfAnother) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("fast");
  queue->Join("slow");
  Enqueue(*queue, {1, 1});
  EXPECT_EQ(Token(*queue, "fast")->values, Values{1});
  auto again = Token(*queue, "fast");
  EXPECT_TRUE(again->waits());
  EXPECT_EQ(Token(*queue, "slow")->values, Values{1});
  EXPECT_TRUE(again->waits());
  Enqueue(*queue, {2, 2});
  EXPECT_EQ(again->values, Values{2});
  EXPECT_EQ(Token(*queue, "slow")->values, Values{2});
}

TEST_F(QueueTest, TokensOfAnEarlierRoundAreDroppedWhenTheNextOneBegins) {
  auto queue = Make(Tokens(3, 3));
  for (const char* name : {"a", "b", "c"}) queue->Join(name);
  for (int64_t round = 1; round < 4; ++round) {
    Enqueue(*queue, {round, round, round});
    EXPECT_EQ(Token(*queue, "a")->values, Values{round});
    EXPECT_EQ(Token(*queue, "b")->values, Values{round});
    EXPECT_EQ(queue->size(), 1);
  }
  EXPECT_EQ(Token(*queue, "c")->values, Values{3});
}

TEST_F(QueueTest, UnusedSharesOfALeavingMemberGoToTheOthers) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("a");
  queue->Join("b");
  queue->Join("b");  // from another kernel of the same session
  Enqueue(*queue, {5, 5});
  EXPECT_EQ(Token(*queue, "a")->values, Values{5});
  auto more = Token(*queue, "a");
  queue->Leave("b");
  EXPECT_TRUE(more->waits());
  queue->Leave("b");
  EXPECT_EQ(more->values, Values{5});
  EXPECT_TRUE(Token(*queue, "a")->waits());
}

TEST_F(QueueTest, UsedTokensOfALeavingMemberAreReturned) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("a");
  queue->Join("b");
  Enqueue(*queue, {7, 7});
  EXPECT_EQ(Token(*queue, "a")->values, Values{7});
  EXPECT_EQ(Token(*queue, "b")->values, Values{7});
  auto more = Token(*queue, "a");
  EXPECT_TRUE(more->waits());
  queue->Leave("b");
  EXPECT_EQ(more->values, Values{7});
  EXPECT_EQ(queue->size(), 0);
}

TEST_F(QueueTest, TheOnlyMemberTakesAllTokens) {
  auto queue = Make(Tokens(3, 1));
  queue->Join("only");
  Enqueue(*queue, {0, 0, 0});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Token(*queue, "only")->values, Values{0});
  EXPECT_TRUE(Token(*queue, "only")->waits());
}

TEST_F(QueueTest, CloseEndsAllWaitsForTokens) {
  auto queue = Make(Tokens(2, 2));
  queue->Join("a");
  queue->Join("b");
  Enqueue(*queue, {1, 1});
  Token(*queue, "a");
  auto waits = Token(*queue, "a");
  auto longer = Token(*queue, "a");
  Close(*queue, true);
  EXPECT_EQ(waits->values, Values{1});
  ASSERT_FALSE(longer->waits());
  EXPECT_EQ(longer->status->code(), StatusCode::kOutOfRange);
}

TEST_F(QueueTest, DequeuesAreServedInFifoOrder) {
  auto queue = Make(Numbers(-1));
  auto first = Dequeue(*queue, 1);
  auto second = Dequeue(*queue, 2);
  auto third = Dequeue(*queue, 1);
  Enqueue(*queue, {1});
  EXPECT_EQ(first->values, Values{1});
  EXPECT_TRUE(second->waits());
  Enqueue(*queue, {2});
  EXPECT_TRUE(second->waits());
  EXPECT_TRUE(third->waits());  // although there is an element for it
  Enqueue(*queue, {3, 4});
  EXPECT_EQ(second->values, (Values{2, 3}));
  EXPECT_EQ(third->values, Values{4});
}

TEST_F(QueueTest, EnqueuesWaitForRoomInFifoOrder) {
  auto queue = Make(Numbers(2));
  auto first = Enqueue(*queue, {1, 2, 3});
  auto second = Enqueue(*queue, {4});
  EXPECT_TRUE(first->waits());
  EXPECT_EQ(queue->size(), 2);
  EXPECT_EQ(Dequeue(*queue, 1)->values, Values{1});
  EXPECT_FALSE(first->waits());
  EXPECT_TRUE(second->waits());
  EXPECT_EQ(Dequeue(*queue, 1)->values, Values{2});
  EXPECT_FALSE(second->waits());
  EXPECT_EQ(Rest(*queue), (Values{3, 4}));
}

TEST_F(QueueTest, DequeueMayExceedTheCapacity) {
  auto queue = Make(Numbers(2));
  auto wanted = Dequeue(*queue, 5);
  auto given = Enqueue(*queue, {1, 2, 3, 4, 5, 6});
  EXPECT_FALSE(given->waits());
  EXPECT_EQ(wanted->values, (Values{1, 2, 3, 4, 5}));
  EXPECT_EQ(queue->size(), 1);
}

TEST_F(QueueTest, QueueOfCapacityZeroAcceptsNothing) {
  auto queue = Make(Numbers(0));
  auto given = Enqueue(*queue, {1});
  auto wanted = Dequeue(*queue, 1);
  EXPECT_TRUE(given->waits());
  EXPECT_TRUE(wanted->waits());
  Cancel(*given);
  Cancel(*wanted);
}

TEST_F(QueueTest, CancelledDequeuePutsElementsBack) {
  for (const QueueKind kind : {QueueKind::kFifo, QueueKind::kPriority, QueueKind::kPaddingFifo}) {
    auto queue = Make(Numbers(-1, kind));
    Enqueue(*queue, {1, 2, 3});
    auto cancelled = Dequeue(*queue, 5);
    auto next = Dequeue(*queue, 2);
    EXPECT_EQ(queue->size(), 0);
    Cancel(*cancelled);
    EXPECT_EQ(cancelled->status->code(), StatusCode::kCancelled);
    EXPECT_EQ(next->values, (Values{1, 2})) << QueueKindName(kind);
    Enqueue(*queue, {4});
    EXPECT_EQ(Rest(*queue), (Values{3, 4})) << QueueKindName(kind);
  }
}

TEST_F(QueueTest, CancelledEnqueueKeepsElementsAlreadyEnqueued) {
  auto queue = Make(Numbers(2));
  auto cancelled = Enqueue(*queue, {1, 2, 3});
  auto next = Enqueue(*queue, {4});
  Cancel(*cancelled);
  EXPECT_EQ(cancelled->status->code(), StatusCode::kCancelled);
  EXPECT_TRUE(next->waits());
  EXPECT_EQ(Dequeue(*queue, 1)->values, Values{1});
  EXPECT_FALSE(next->waits());
  EXPECT_EQ(Rest(*queue), (Values{2, 4}));
}

TEST_F(QueueTest, CallsOfACancelledStepDoNothing) {
  auto queue = Make(Numbers(2));
  CancelToken over;
  over.Cancel(Cancelled("over"));
  Status enqueued;
  queue->Enqueue(Elements({1}), over, [&](Status status) { enqueued = std::move(status); });
  EXPECT_EQ(enqueued.code(), StatusCode::kCancelled);
  EXPECT_EQ(queue->size(), 0);
  Enqueue(*queue, {2});
  Status dequeued;
  queue->Dequeue(1, false, over, [&](Result<std::vector<QueueElement>> got) { dequeued = got.status(); });
  EXPECT_EQ(dequeued.code(), StatusCode::kCancelled);
  EXPECT_EQ(queue->size(), 1);
}

TEST_F(QueueTest, CloseWaitsForPendingEnqueues) {
  auto queue = Make(Numbers(1));
  auto before = Enqueue(*queue, {1, 2});
  auto close = Close(*queue);
  auto after = Enqueue(*queue, {3});
  EXPECT_TRUE(close->waits());
  EXPECT_FALSE(queue->is_closed());
  EXPECT_EQ(Dequeue(*queue, 1)->values, Values{1});
  EXPECT_TRUE(before->status->ok());
  EXPECT_TRUE(close->status->ok());
  EXPECT_TRUE(queue->is_closed());
  EXPECT_EQ(after->status->code(), StatusCode::kCancelled);
  EXPECT_EQ(Rest(*queue), Values{2});
}

TEST_F(QueueTest, CloseCanBeCancelled) {
  auto queue = Make(Numbers(1));
  auto before = Enqueue(*queue, {1, 2});
  auto close = Close(*queue);
  auto after = Enqueue(*queue, {3});
  Cancel(*close);
  EXPECT_EQ(close->status->code(), StatusCode::kCancelled);
  EXPECT_EQ(Dequeue(*queue, 3)->values, (Values{1, 2, 3}));
  EXPECT_TRUE(after->status->ok());
  EXPECT_FALSE(queue->is_closed());
}

TEST_F(QueueTest, CloseMayCancelPendingCalls) {
  auto queue = Make(Numbers(1));
  auto before = Enqueue(*queue, {1, 2});
  auto pending = Close(*queue);
  auto close = Close(*queue, true);
  EXPECT_TRUE(close->status->ok());
  EXPECT_EQ(before->status->message(), "Enqueue operation was cancelled");
  EXPECT_EQ(pending->status->code(), StatusCode::kCancelled);
  EXPECT_EQ(Rest(*queue), Values{1});
}

TEST_F(QueueTest, CloseEndsWaitingDequeues) {
  auto queue = Make(Numbers(-1));
  Enqueue(*queue, {1, 2, 3});
  auto too_many = Dequeue(*queue, 5);
  auto up_to = Dequeue(*queue, 5, true);
  auto one = Dequeue(*queue, 1);
  Close(*queue);
  EXPECT_EQ(too_many->status->code(), StatusCode::kOutOfRange);
  EXPECT_EQ(too_many->status->message(),
            "FIFOQueue 'numbers' is closed and has insufficient elements (requested 5, current size 3)");
  EXPECT_EQ(up_to->values, (Values{1, 2, 3}));
  EXPECT_EQ(one->status->code(), StatusCode::kOutOfRange);
}

TEST_F(QueueTest, MinAfterDequeueAppliesWhileOpen) {
  QueueSpec spec = Numbers(10, QueueKind::kRandomShuffle);
  spec.min_after_dequeue = 2;
  spec.seed = 1;
  auto queue = Make(spec);
  Enqueue(*queue, {1, 2, 3});
  EXPECT_FALSE(Dequeue(*queue, 1)->waits());
  auto waiting = Dequeue(*queue, 2);
  EXPECT_TRUE(waiting->waits());
  EXPECT_EQ(queue->size(), 2);
  Enqueue(*queue, {4});
  EXPECT_TRUE(waiting->waits());
  EXPECT_EQ(queue->size(), 2);  // the waiting dequeue holds one
  Cancel(*waiting);
  EXPECT_EQ(queue->size(), 3);
  Close(*queue);
  EXPECT_EQ(Dequeue(*queue, 5, true)->values.size(), 3u);
}

TEST_F(QueueTest, EqualPrioritiesKeepTheirOrder) {
  QueueSpec spec = Numbers(-1, QueueKind::kPriority);
  spec.types = {kInt64, kInt64};
  spec.shapes.clear();
  auto queue = Make(spec);
  auto add = [&](int64_t priority, int64_t value) {
    std::vector<QueueElement> one(1);
    one[0].components = {Tensor::Scalar(priority), Tensor::Scalar(value)};
    CancelToken token;
    queue->Enqueue(std::move(one), token, [](const Status& status) { EXPECT_TRUE(status.ok()); });
  };
  for (int64_t i = 0; i < 20; ++i) add(i % 3, i);
  Values values;
  CancelToken token;
  auto take = [&](Result<std::vector<QueueElement>> got) {
    ASSERT_TRUE(got.ok());
    for (const QueueElement& e : *got) values.push_back(e.components[1].scalar<int64_t>());
  };
  queue->Dequeue(20, false, token, take);
  EXPECT_EQ(values, (Values{0, 3, 6, 9, 12, 15, 18, 1, 4, 7, 10, 13, 16, 19, 2, 5, 8, 11, 14, 17}));
}

TEST_F(QueueTest, ACallbackMayStartTheNextWait) {
  auto queue = Make(Numbers(1));
  int64_t sum = 0;
  int taken = 0;
  CancelToken token;
  std::function<void(Result<std::vector<QueueElement>>)> take = [&](Result<std::vector<QueueElement>> got) {
    ASSERT_TRUE(got.ok());
    sum += (*got)[0].components[0].scalar<int64_t>();
    if (++taken < 100) queue->Dequeue(1, false, token, take);
  };
  queue->Dequeue(1, false, token, take);
  Values values;
  for (int64_t i = 1; i <= 100; ++i) values.push_back(i);
  Enqueue(*queue, values);
  EXPECT_EQ(taken, 100);
  EXPECT_EQ(sum, 5050);
}

// Threads enqueue numbers, other threads dequeue several at a time, and some steps are cancelled while they wait. Every
// number that was enqueued must be dequeued exactly once.
TEST_F(QueueTest, ManyThreadsLoseAndDuplicateNothing) {
  constexpr int kThreads = 4;
  constexpr int64_t kEach = 400;
  for (const QueueKind kind : {QueueKind::kFifo, QueueKind::kRandomShuffle}) {
    auto queue = Make(Numbers(7, kind));
    std::vector<std::thread> producers;
    std::vector<std::thread> consumers;
    std::vector<Values> got(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      producers.emplace_back([&, t] {
        for (int64_t i = 0; i < kEach; i += 4) {
          const int64_t base = t * kEach + i;
          CancelToken token;
          std::promise<Status> done;
          queue->Enqueue(Elements({base, base + 1, base + 2, base + 3}), token,
                         [&](Status status) { done.set_value(std::move(status)); });
          ASSERT_TRUE(done.get_future().get().ok());
        }
      });
      consumers.emplace_back([&, t] {
        for (int round = 0;; ++round) {
          CancelToken token;
          std::promise<Result<std::vector<QueueElement>>> done;
          queue->Dequeue(1 + (round + t) % 9, true, token,
                         [&](Result<std::vector<QueueElement>> r) { done.set_value(std::move(r)); });
          if (round % 3 == 0) token.Cancel(Cancelled("over"));  // while it waits, or after it was served
          Result<std::vector<QueueElement>> result = done.get_future().get();
          if (result.ok()) {
            for (const QueueElement& e : *result)
              got[static_cast<size_t>(t)].push_back(e.components[0].scalar<int64_t>());
          } else if (result.status().code() == StatusCode::kOutOfRange) {
            return;
          }
        }
      });
    }
    for (std::thread& thread : producers) thread.join();
    EXPECT_TRUE(Close(*queue)->status->ok());
    for (std::thread& thread : consumers) thread.join();
    Values all;
    for (const Values& values : got) all.insert(all.end(), values.begin(), values.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), static_cast<size_t>(kThreads * kEach));
    for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<int64_t>(i));
  }
}

}  // namespace
}  // namespace weir::ops::queue_test
