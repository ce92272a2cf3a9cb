#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace weir {
namespace {

TEST(ThreadPoolTest, DestructorRunsQueuedWork) {
  std::atomic<int> done{0};
  {
    ThreadPool pool("test", 3);
    for (int i = 0; i < 5000; ++i) pool.Schedule([&] { ++done; });
  }
  EXPECT_EQ(done, 5000);
}

TEST(ThreadPoolTest, QueuedWorkMayScheduleWorkDuringDestruction) {
  std::atomic<int> done{0};
  {
    ThreadPool pool("test", 2);
    for (int i = 0; i < 100; ++i) {
      pool.Schedule([&] {
        pool.Schedule([&] {
          ++done;
          pool.Schedule([&] { ++done; });
        });
      });
    }
  }
  EXPECT_EQ(done, 200);
}

TEST(ThreadPoolTest, ScheduleFromManyThreadsLosesNothing) {
  std::atomic<int> done{0};
  {
    ThreadPool pool("test", 4);
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) {
          pool.Schedule([&] { ++done; });
          if (i % 100 == 0) std::this_thread::yield();
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
  EXPECT_EQ(done, 8000);
}

TEST(ThreadPoolTest, SleepingWorkersWakeForEveryItem) {
  std::atomic<int> left{0};
  ThreadPool pool("test", 2);
  for (int i = 0; i < 200; ++i) {
    left = 2;
    for (int k = 0; k < 2; ++k) {
      // Each item waits for the other, so both must run at the same time.
      pool.Schedule([&] {
        --left;
        while (left > 0) std::this_thread::yield();
        if (left.fetch_sub(1) == -1) left.notify_all();
      });
    }
    for (int seen; (seen = left) != -2;) left.wait(seen);
  }
}

// Drops the last reference to a pool from its own work.
template <class Pool>
void DestroyFromItsOwnWork(std::shared_ptr<Pool> pool) {
  std::atomic<bool> done{false};
  std::atomic<bool> released{false};
  pool->Schedule([pool, &done, &released]() mutable {
    released.wait(false);
    pool.reset();
    done = true;
    done.notify_all();
  });
  pool.reset();
  released = true;
  released.notify_all();
  done.wait(false);
}

TEST(ThreadPoolTest, PoolDestroyedByItsOwnWork) { DestroyFromItsOwnWork(std::make_shared<ThreadPool>("test", 2)); }

void ExpectCoversOnce(ThreadPool& pool, int64_t total, int64_t cost) {
  std::vector<std::atomic<int>> hits(total);
  pool.ParallelFor(total, cost, [&](int64_t begin, int64_t end) {
    ASSERT_LT(begin, end);
    for (int64_t i = begin; i < end; ++i) ++hits[i];
  });
  for (const auto& hit : hits) ASSERT_EQ(hit, 1);
}

TEST(ThreadPoolTest, ParallelForCoversTheRangeOnce) {
  ThreadPool pool("test", 4);
  for (int64_t total : {0, 1, 2, 3, 7, 16, 17, 1000, 4097}) {
    for (int64_t cost : {int64_t{0}, int64_t{1}, int64_t{1000}, int64_t{1'000'000}, INT64_MAX}) {
      ExpectCoversOnce(pool, total, cost);
    }
  }
}

TEST(ThreadPoolTest, CheapRangesStayOnTheCaller) {
  ThreadPool pool("test", 4);
  int calls = 0;
  pool.ParallelFor(1000, 10, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 1000);
  });
  EXPECT_EQ(calls, 1);
}

TEST(ThreadPoolTest, ExpensiveRangesUseOtherThreadsInFewBlocks) {
  ThreadPool pool("test", 3);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  int calls = 0;
  pool.ParallelFor(1'000'000, 1'000'000, [&](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::lock_guard lock(mutex);
    ++calls;
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(calls, 12);
  EXPECT_GT(threads.size(), 1u);
  EXPECT_LE(threads.size(), 3u);
}

TEST(ThreadPoolTest, ParallelForNestsInsideBusyWorkers) {
  std::atomic<int64_t> sum{0};
  std::atomic<int> left{8};
  ThreadPool pool("test", 2);
  for (int i = 0; i < 8; ++i) {
    pool.Schedule([&] {
      pool.ParallelFor(8, 1'000'000, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
          pool.ParallelFor(10, 1'000'000, [&](int64_t b, int64_t e) { sum += e - b; });
        }
      });
      if (--left == 0) left.notify_all();
    });
  }
  for (int seen; (seen = left) != 0;) left.wait(seen);
  EXPECT_EQ(sum, 8 * 8 * 10);
}

TEST(ThreadPoolTest, ParallelForDoesNotWaitForABusyPool) {
  std::atomic<bool> release{false};
  ThreadPool pool("test", 2);
  for (int i = 0; i < 2; ++i) pool.Schedule([&] { release.wait(false); });
  ExpectCoversOnce(pool, 100, 1'000'000);
  release = true;
  release.notify_all();
}

TEST(ThreadPoolTest, ScheduleIsCheap) {
  std::atomic<bool> release{false};
  std::atomic<bool> started{false};
  ThreadPool pool("test", 1);
  pool.Schedule([&] {
    started = true;
    started.notify_all();
    release.wait(false);
  });
  started.wait(false);
  constexpr int kItems = 20'000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kItems; ++i) pool.Schedule([] {});
  const auto nanos = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count() / kItems;
  release = true;
  release.notify_all();
  RecordProperty("nanoseconds_per_schedule", static_cast<int>(nanos));
  EXPECT_LT(nanos, 20'000);  // generous: sanitizers and busy machines run this too
}

TEST(ElasticPoolTest, BlockedWorkDoesNotHoldUpOthers) {
  std::atomic<bool> release{false};
  std::atomic<int> done{0};
  ElasticPool pool("test");
  for (int i = 0; i < 10; ++i) {
    pool.Schedule([&] {
      release.wait(false);
      ++done;
    });
  }
  pool.Schedule([&] {
    release = true;
    release.notify_all();
  });
  while (done < 10) std::this_thread::yield();
}

TEST(ElasticPoolTest, DestructorWaitsForAllWork) {
  std::atomic<int> done{0};
  {
    ElasticPool pool("test");
    for (int i = 0; i < 50; ++i) {
      pool.Schedule([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        pool.Schedule([&] { ++done; });
      });
    }
  }
  EXPECT_EQ(done, 50);
}

TEST(ElasticPoolTest, PoolDestroyedByItsOwnWork) { DestroyFromItsOwnWork(std::make_shared<ElasticPool>("test")); }

TEST(ElasticPoolTest, RunsTimersInOrderUnlessUnscheduled) {
  std::mutex mu;
  std::condition_variable changed;
  std::vector<int> ran;
  ElasticPool pool("test");
  EXPECT_TRUE(pool.has_threads());
  auto add = [&](int number) {
    return [&, number] {
      std::lock_guard lock(mu);
      ran.push_back(number);
      changed.notify_all();
    };
  };
  pool.ScheduleAfter(std::chrono::milliseconds(60), add(3));
  const ElasticPool::TimerId dropped = pool.ScheduleAfter(std::chrono::milliseconds(20), add(2));
  const ElasticPool::TimerId first = pool.ScheduleAfter(std::chrono::milliseconds(1), add(1));
  EXPECT_TRUE(pool.Unschedule(dropped));
  EXPECT_FALSE(pool.Unschedule(dropped));
  std::unique_lock lock(mu);
  changed.wait(lock, [&] { return ran.size() == 2; });
  EXPECT_EQ(ran, (std::vector<int>{1, 3}));
  EXPECT_FALSE(pool.Unschedule(first));
}

TEST(ElasticPoolTest, DestructorDoesNotWaitForTimers) {
  ElasticPool pool("test");
  pool.ScheduleAfter(std::chrono::hours(1), [] {});
}

TEST(ElasticPoolTest, ReportsWhetherItIsIdle) {
  ElasticPool pool("test");
  ThreadPool threads("test", 2);
  EXPECT_TRUE(pool.IsIdle(std::chrono::milliseconds(0)));
  EXPECT_TRUE(threads.IsIdle(std::chrono::milliseconds(0)));
  std::atomic<bool> released{false};
  pool.Schedule([&] { released.wait(false); });
  threads.Schedule([&] { released.wait(false); });
  EXPECT_FALSE(pool.IsIdle(std::chrono::milliseconds(5)));
  EXPECT_FALSE(threads.IsIdle(std::chrono::milliseconds(5)));
  released = true;
  released.notify_all();
  EXPECT_TRUE(pool.IsIdle(std::chrono::seconds(10)));
  EXPECT_TRUE(threads.IsIdle(std::chrono::seconds(10)));
}

TEST(UsableCoresTest, IsWithinTheMachine) {
  EXPECT_GE(UsableCores(), 1);
  EXPECT_LE(UsableCores(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(ThreadPoolTest, RunnerExecutesTheWork) {
  std::vector<std::function<void()>> handed;
  const Runner runner = [&](std::function<void()> work) { handed.push_back(std::move(work)); };
  int ran = 0;
  {
    ThreadPool pool(runner);
    ElasticPool elastic(runner);
    pool.Schedule([&] { ran += 1; });
    elastic.Schedule([&] { ran += 10; });
    EXPECT_EQ(pool.num_threads(), 0);
    int64_t sum = 0;
    pool.ParallelFor(1000, 1'000'000, [&](int64_t begin, int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 1000);
  }
  EXPECT_EQ(ran, 0);
  ASSERT_EQ(handed.size(), 2u);
  for (const std::function<void()>& work : handed) work();
  EXPECT_EQ(ran, 11);
}

TEST(ThreadPoolTest, ParallelForRethrowsAfterAllRangesEnded) {
  ThreadPool pool("test", 4);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> running{0};
    const auto work = [&](int64_t begin, int64_t) {
      ++running;
      std::this_thread::yield();
      --running;
      if (begin % 2 == round % 2) throw std::bad_alloc();
    };
    EXPECT_THROW(pool.ParallelFor(16, 1'000'000, work), std::bad_alloc);
    EXPECT_EQ(running, 0);
  }
}

TEST(ThreadPoolTest, WorkThatThrowsLeavesThePoolWorking) {
  std::atomic<int> done{0};
  {
    ThreadPool pool("test", 2);
    ElasticPool elastic("test");
    for (int i = 0; i < 20; ++i) {
      pool.Schedule([] { throw std::bad_alloc(); });
      elastic.Schedule([] { throw std::bad_alloc(); });
      pool.Schedule([&] { ++done; });
      elastic.Schedule([&] { ++done; });
    }
  }
  EXPECT_EQ(done, 40);
}

}  // namespace
}  // namespace weir
