// Tests the WorkQueue class: each slice once per epoch, slices of sessions that end, waiting, saving and restoring.
#include "ops/queue/work_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <limits>
#include <map>
#include <set>
#include <thread>

namespace weir::ops::work_queue_test {
namespace {

using Works = std::vector<std::string>;

WorkQueueSpec SpecOf(const Works& works, int64_t num_epochs = 1, bool shuffle = false) {
  WorkQueueSpec spec;
  spec.works = Tensor::Vector<std::string>(absl::MakeConstSpan(works));
  spec.num_epochs = num_epochs;
  spec.shuffle = shuffle;
  spec.seed = 3;
  return spec;
}

// A take that may still be waiting.
struct TakeCall {
  CancelToken cancel;
  std::optional<Result<std::string>> result;
  bool waits() const { return !result.has_value(); }
  // The slice, "end" after all epochs, "waits", or another error.
  std::string text() const {
    if (waits()) return "waits";
    if (result->ok()) return **result;
    return result->status().code() == StatusCode::kOutOfRange ? "end" : result->status().ToString();
  }
};

class WorkQueueTest : public ::testing::Test {
 protected:
  std::shared_ptr<TakeCall> Start(const std::string& member) {
    auto call = std::make_shared<TakeCall>();
    queue_->Take(member, call->cancel, [call](Result<std::string> work) { call->result = std::move(work); });
    return call;
  }
  std::string Take(const std::string& member) { return Start(member)->text(); }
  Works TakeAll(const std::string& member) {
    Works all;
    for (std::string work = Take(member); work != "end"; work = Take(member)) {
      all.push_back(work);
      if (work == "waits") break;
    }
    return all;
  }
  void Join(const Works& members) {
    for (const std::string& member : members) queue_->Join(member);
  }

  const ResourcePtr<WorkQueue> queue_ = MakeIntrusive<WorkQueue>("work");
};

TEST_F(WorkQueueTest, GivesEverySliceOncePerEpochInOrder) {
  Join({"a", "b"});
  EXPECT_EQ(queue_->Fill(SpecOf({"x", "y", "z"}, 2)).value(), 3);
  EXPECT_EQ(queue_->size().value(), 6);
  EXPECT_EQ(Take("a"), "x");
  EXPECT_EQ(Take("b"), "y");
  EXPECT_EQ(Take("b"), "z");
  EXPECT_EQ(queue_->size().value(), 3);
  EXPECT_EQ(Take("a"), "x");  // of the second epoch
  EXPECT_EQ(Take("b"), "y");
  EXPECT_EQ(Take("a"), "z");
  const auto last = Start("b");
  EXPECT_TRUE(last->waits());  // "a" may end before it is done
  EXPECT_EQ(Take("a"), "end");
  EXPECT_EQ(last->text(), "end");
  EXPECT_EQ(queue_->size().value(), 0);
}

TEST_F(WorkQueueTest, ShufflesEveryEpochInAnotherOrder) {
  Join({"a"});
  Works works;
  for (int i = 0; i < 50; ++i) works.push_back(std::to_string(i));
  ASSERT_TRUE(queue_->Fill(SpecOf(works, 2, /*shuffle=*/true)).ok());
  const Works all = TakeAll("a");
  ASSERT_EQ(all.size(), 100u);
  Works first(all.begin(), all.begin() + 50);
  Works second(all.begin() + 50, all.end());
  EXPECT_NE(first, second);
  EXPECT_NE(first, works);
  ASSERT_TRUE(queue_->Fill(SpecOf(works, 2, /*shuffle=*/true)).ok());
  EXPECT_EQ(TakeAll("a"), all);  // the seed determines the order
  for (Works* epoch : {&first, &second, &works}) std::sort(epoch->begin(), epoch->end());
  EXPECT_EQ(first, works);
  EXPECT_EQ(second, works);
}

TEST_F(WorkQueueTest, CutsWorksIntoSlices) {
  Join({"a"});
  WorkQueueSpec spec = SpecOf({"x", "y"});
  spec.num_slices = 5;
  EXPECT_EQ(queue_->Fill(spec).value(), 5);
  EXPECT_EQ(TakeAll("a"),
            (Works{"x?slice_id=0&slice_count=3", "x?slice_id=1&slice_count=3", "x?slice_id=2&slice_count=3",
                   "y?slice_id=0&slice_count=2", "y?slice_id=1&slice_count=2"}));
  for (int64_t works = 1; works < 12; ++works) {  // every part of every work, once
    for (int64_t slices = works; slices < 40; ++slices) {
      WorkQueueSpec many = SpecOf(Works(static_cast<size_t>(works), ""));
      for (int64_t w = 0; w < works; ++w) many.works.data<std::string>()[w] = std::to_string(w);
      many.num_slices = slices;
      ASSERT_TRUE(queue_->Fill(many).ok());
      const Works all = TakeAll("a");
      ASSERT_EQ(std::set<std::string>(all.begin(), all.end()).size(), static_cast<size_t>(slices));
      std::map<std::string, std::pair<int64_t, int64_t>> seen;  // by work: how many slices, and slice_count
      for (const std::string& slice : all) {
        auto& [count, wanted] = seen[slice.substr(0, slice.find('?'))];
        ++count;
        wanted = std::stoll(slice.substr(slice.rfind('=') + 1));
      }
      ASSERT_EQ(seen.size(), static_cast<size_t>(works));
      for (const auto& [work, counts] : seen) ASSERT_EQ(counts.first, counts.second) << work;
    }
  }
}

TEST_F(WorkQueueTest, SliceOfASessionThatEndsIsGivenAgainOnce) {
  Join({"a", "b", "c"});
  ASSERT_TRUE(queue_->Fill(SpecOf({"x", "y", "z"})).ok());
  EXPECT_EQ(Take("a"), "x");
  EXPECT_EQ(Take("a"), "y");  // x is done
  queue_->Leave("a");
  EXPECT_EQ(queue_->size().value(), 2);
  EXPECT_EQ(Take("b"), "y");
  EXPECT_EQ(Take("c"), "z");
  queue_->Leave("b");  // y has ended two sessions
  EXPECT_EQ(Take("c"), "end");
}

TEST_F(WorkQueueTest, WaitingTakeGetsTheSliceOfASessionThatEnds) {
  Join({"a", "b"});
  ASSERT_TRUE(queue_->Fill(SpecOf({"x"})).ok());
  EXPECT_EQ(Take("a"), "x");
  const auto next = Start("b");
  EXPECT_TRUE(next->waits());
  queue_->Leave("a");
  EXPECT_EQ(next->text(), "x");
  EXPECT_EQ(Take("b"), "end");
}

TEST_F(WorkQueueTest, ASessionWithTwoNodesLeavesWithTheSecond) {
  Join({"a", "a", "b"});
  ASSERT_TRUE(queue_->Fill(SpecOf({"x", "y"})).ok());
  EXPECT_EQ(Take("a"), "x");
  queue_->Leave("a");
  EXPECT_EQ(Take("b"), "y");
  const auto next = Start("b");
  EXPECT_TRUE(next->waits());
  queue_->Leave("a");
  EXPECT_EQ(next->text(), "x");
}

TEST_F(WorkQueueTest, CancelledTakeGetsNothing) {
  Join({"a", "b"});
  ASSERT_TRUE(queue_->Fill(SpecOf({"x"})).ok());
  EXPECT_EQ(Take("a"), "x");
  const auto next = Start("b");
  next->cancel.Cancel(Cancelled("the step is over"));
  ASSERT_FALSE(next->waits());
  EXPECT_EQ(next->result->status().code(), StatusCode::kCancelled);
  queue_->Leave("a");
  EXPECT_EQ(Take("b"), "x");
  auto late = std::make_shared<TakeCall>();
  late->cancel.Cancel(Cancelled("the step is over"));
  queue_->Take("b", late->cancel, [late](Result<std::string> work) { late->result = std::move(work); });
  EXPECT_EQ(late->result->status().code(), StatusCode::kCancelled);
}

TEST_F(WorkQueueTest, RestoreContinuesWithWhatWasNotDone) {
  Join({"a", "b"});
  const WorkQueueSpec spec = SpecOf({"v", "w", "x", "y", "z"}, 2, /*shuffle=*/true);
  ASSERT_TRUE(queue_->Fill(spec).ok());
  const Works expected = TakeAll("a");
  ASSERT_TRUE(queue_->Fill(spec).ok());
  EXPECT_EQ(Take("a"), expected[0]);
  EXPECT_EQ(Take("b"), expected[1]);
  EXPECT_EQ(Take("a"), expected[2]);
  const WorkQueue::State state = queue_->Save().value();  // "a" and "b" hold slices
  EXPECT_EQ(state.works, (Works{expected[2], expected[1], expected[3], expected[4]}));
  EXPECT_EQ(Take("b"), expected[3]);
  queue_->Leave("b");
  const ResourcePtr<WorkQueue> fresh = MakeIntrusive<WorkQueue>("fresh");
  for (WorkQueue* queue : {queue_.get(), fresh.get()}) {
    WorkQueueSpec other = spec;
    other.seed = 77;  // the state's seeds determine the order
    ASSERT_TRUE(queue->Restore(other, state).ok());
    EXPECT_EQ(queue->size().value(), 9);
    queue->Join("c");
    Works left;
    for (int i = 0; i < 9; ++i) {
      auto call = std::make_shared<TakeCall>();
      queue->Take("c", call->cancel, [call](Result<std::string> work) { call->result = std::move(work); });
      left.push_back(call->text());
    }
    EXPECT_EQ(left, (Works{expected[2], expected[1], expected[3], expected[4], expected[5], expected[6], expected[7],
                           expected[8], expected[9]}));
  }
}

TEST_F(WorkQueueTest, SlicesTakenBeforeARestoreDoNotComeBack) {
  Join({"a", "b"});
  const WorkQueueSpec spec = SpecOf({"x", "y"});
  ASSERT_TRUE(queue_->Fill(spec).ok());
  const WorkQueue::State state = queue_->Save().value();
  EXPECT_EQ(Take("a"), "x");
  ASSERT_TRUE(queue_->Restore(spec, state).ok());
  queue_->Leave("a");
  EXPECT_EQ(TakeAll("b"), (Works{"x", "y"}));
}

TEST_F(WorkQueueTest, RejectsWrongArguments) {
  Join({"a"});
  EXPECT_EQ(Start("a")->result->status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(queue_->size().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(queue_->Save().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(queue_->Fill(SpecOf({})).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(queue_->Fill(SpecOf({"x"}, 0)).status().code(), StatusCode::kInvalidArgument);
  WorkQueueSpec few = SpecOf({"x", "y"});
  few.num_slices = 1;
  EXPECT_EQ(queue_->Fill(few).status().code(), StatusCode::kInvalidArgument);
  few.num_slices = WorkQueue::kMaxSlices + 1;
  EXPECT_EQ(queue_->Fill(few).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(queue_->Restore(SpecOf({"x"}), {.epoch = -1}).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(queue_->Fill(SpecOf({"x"}, std::numeric_limits<int64_t>::max())).ok());
  EXPECT_EQ(queue_->size().value(), std::numeric_limits<int64_t>::max());
}

// Threads take, and leave in between while they hold a slice. A slice is given again for each session that left.
TEST_F(WorkQueueTest, ManyThreadsLoseNoSlice) {
  constexpr int kThreads = 4;
  Works works;
  for (int i = 0; i < 2000; ++i) works.push_back(std::to_string(i));
  ASSERT_TRUE(queue_->Fill(SpecOf(works, 1, /*shuffle=*/true)).ok());
  std::mutex mu;
  std::map<std::string, int> done;
  std::atomic<int> dropped = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int life = 0;; ++life) {
        const std::string member = std::to_string(t) + "_" + std::to_string(life);
        queue_->Join(member);
        std::optional<std::string> before;
        for (int i = 0; i < 100 || life == 3; ++i) {
          std::promise<Result<std::string>> taken;
          CancelToken cancel;
          queue_->Take(member, cancel, [&](Result<std::string> work) { taken.set_value(std::move(work)); });
          const Result<std::string> work = taken.get_future().get();
          if (before) {
            const std::lock_guard lock(mu);
            ++done[*before];
          }
          before.reset();
          if (!work.ok()) {
            EXPECT_EQ(work.status().code(), StatusCode::kOutOfRange);
            queue_->Leave(member);
            return;
          }
          before = *work;
        }
        queue_->Leave(member);
        ++dropped;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  size_t missing = works.size();
  for (const auto& [work, times] : done) {
    EXPECT_EQ(times, 1) << work;
    --missing;
  }
  EXPECT_LE(missing, static_cast<size_t>(dropped));  // only slices that were held twice when their session left
}

}  // namespace
}  // namespace weir::ops::work_queue_test
