// Tests which thread waits for events while a handler blocks the usual one.
#include "cluster/event_threads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include "cluster/manual_alarms_test.h"

namespace weir {
namespace {

constexpr auto kEventPatience = std::chrono::seconds(20);  // gives up after this time

// Events that a test triggers.
class TestEvents final {
 public:
  ~TestEvents() {
    std::lock_guard lock(mu_);
    ended_ = true;
    changed_.notify_all();
  }
  void Add(std::function<void()> event) {
    std::lock_guard lock(mu_);
    events_.push_back(std::move(event));
    changed_.notify_all();
  }
  EventThreads::Next Next(int timeout_ms, std::function<void()>* handle) {
    std::unique_lock lock(mu_);
    const auto any = [&] { return ended_ || !events_.empty(); };
    if (timeout_ms < 0) {
      changed_.wait(lock, any);
    } else if (!changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), any)) {
      return EventThreads::Next::kNothing;
    }
    if (ended_) return EventThreads::Next::kEnd;
    *handle = std::move(events_.front());
    events_.pop_front();
    return EventThreads::Next::kEvent;
  }
  EventThreads& threads() { return threads_; }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> events_;
  bool ended_ = false;
  EventThreads threads_{[this](int timeout_ms, std::function<void()>* handle) { return Next(timeout_ms, handle); }};
};

// Happens at once. May block the thread that handles it.
class TestEvent final {
 public:
  TestEvent(TestEvents& events, bool keeps) : keeps_(keeps) {
    events.Add([this] { OnComplete(); });
  }
  // The thread that handles it; none if it does not happen.
  std::thread::id Thread() {
    std::unique_lock lock(mu_);
    changed_.wait_for(lock, kEventPatience, [&] { return thread_ != std::thread::id(); });
    return thread_;
  }
  void Release() {
    std::lock_guard lock(mu_);
    keeps_ = false;
    changed_.notify_all();
  }

 private:
  void OnComplete() {
    std::unique_lock lock(mu_);
    thread_ = std::this_thread::get_id();
    changed_.notify_all();
    changed_.wait(lock, [&] { return !keeps_; });
  }
  std::mutex mu_;
  std::condition_variable changed_;
  bool keeps_;
  std::thread::id thread_;
};

TEST(EventThreadsTest, StandInReplacesBlockedThread) {
  TestEvents events;
  TestEvent keeps(events, /*keeps=*/true);
  const std::thread::id kept = keeps.Thread();
  ASSERT_NE(kept, std::thread::id());
  EXPECT_FALSE(events.threads().CheckForStall());  // an event was started since the last call
  EXPECT_TRUE(events.threads().CheckForStall());
  EXPECT_FALSE(events.threads().CheckForStall());  // one stand-in is enough
  EXPECT_EQ(events.threads().waiting(), 1);
  TestEvent next(events, /*keeps=*/false);
  const std::thread::id other = next.Thread();
  EXPECT_NE(other, std::thread::id());
  EXPECT_NE(other, kept);
  keeps.Release();
  // The thread returns to the queue eventually, and the stand-in leaves.
  const auto end = std::chrono::steady_clock::now() + kEventPatience;
  TestEvent last(events, /*keeps=*/false);
  EXPECT_NE(last.Thread(), std::thread::id());
  while (events.threads().waiting() != 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(events.threads().waiting(), 1);
}

TEST(EventThreadsTest, LargeMessagesRunOnTheCopyingThread) {
  TestEvents events;
  std::promise<std::thread::id> small, large;
  const auto here = [](std::promise<std::thread::id>& where) { where.set_value(std::this_thread::get_id()); };
  events.threads().RunBySize(1000, [&] { here(small); });
  events.threads().RunBySize(size_t{1} << 20, [&] { here(large); });
  EXPECT_EQ(small.get_future().get(), std::this_thread::get_id());
  EXPECT_NE(large.get_future().get(), std::this_thread::get_id());
}

TEST(EventThreadsTest, ChecksAreRepeated) {
  ManualAlarms alarms;
  int checks = 0;
  CheckPeriodically(alarms, 1000, [&] { ++checks; });
  EXPECT_EQ(checks, 0);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(alarms.count(), 1U);
    alarms.FireAll();
    EXPECT_EQ(checks, i);
  }
}

}  // namespace
}  // namespace weir
