// Tests which thread polls: the loop's thread, or a thread that waits for a response.
#include "cluster/epoll_loop.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weir {
namespace {

constexpr auto kLoopPatience = std::chrono::seconds(20);  // gives up after this time

void SleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

// One end of a socket pair that the loop watches. `read` runs for each byte that is written to the other end.
class Wire final : public EpollLoop::Watcher {
 public:
  using Read = std::function<void(char)>;
  static std::shared_ptr<Wire> Make(EpollLoop& loop, Read read) {
    auto wire = std::make_shared<Wire>(loop, std::move(read));
    loop.Add(wire->id_, wire->fds_[0], wire);
    return wire;
  }
  Wire(EpollLoop& loop, Read read) : loop_(loop), id_(loop.NewId()), read_(std::move(read)) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds_), 0);
  }
  ~Wire() override {
    close(fds_[0]);
    close(fds_[1]);
  }
  void Remove() { loop_.Remove(id_, fds_[0]); }
  void Write(char byte = 'x') { EXPECT_EQ(write(fds_[1], &byte, 1), 1); }
  void OnReady(bool readable, bool) override {
    char byte = 0;
    if (readable && read(fds_[0], &byte, 1) == 1) read_(byte);
    if (readable) return;
    std::function<void()> rest;
    {
      std::lock_guard lock(mu_);
      rest.swap(rest_);
    }
    if (rest) rest();
  }
  // `rest` runs in the next call of OnReady.
  void Leave(std::function<void()> rest) {
    std::lock_guard lock(mu_);
    rest_ = std::move(rest);
  }
  bool HasMore() override {
    std::lock_guard lock(mu_);
    return rest_ != nullptr;
  }

 private:
  std::mutex mu_;
  std::function<void()> rest_;
  EpollLoop& loop_;
  const EpollLoop::Id id_;
  const Read read_;
  int fds_[2] = {-1, -1};
};

// Whether a thread waits for events, now or soon.
bool IsWaitedOn(const EpollLoop& loop) {
  const auto end = std::chrono::steady_clock::now() + kLoopPatience;
  while (!loop.others_wait() && std::chrono::steady_clock::now() < end) SleepMs(1);
  return loop.others_wait();
}

TEST(EpollLoopTest, WaiterHandlesItsOwnMessage) {
  EpollLoop loop;
  const std::thread::id mine = std::this_thread::get_id();
  int brought_here = 0;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    OneShotEvent event;
    const auto wire = Wire::Make(loop, [&](char) {
      brought_here += std::this_thread::get_id() == mine ? 1 : 0;
      event.Set();
    });
    std::thread writer([&] {
      SleepMs(5);  // by then this thread waits, unless the machine is busy
      wire->Write();
    });
    loop.WaitFor(event);
    EXPECT_TRUE(event.is_set());
    writer.join();
    wire->Remove();
  }
  EXPECT_GT(brought_here, kRounds / 4);
}

TEST(EpollLoopTest, LoopThreadPollsWithoutWaiters) {
  EpollLoop loop;
  std::array<OneShotEvent, 3> arrivals;
  std::atomic<int> read{0};
  auto wire = Wire::Make(loop, [&](char) { arrivals[read++].Set(); });
  wire->Write();
  EXPECT_TRUE(arrivals[0].WaitFor(kLoopPatience));
  for (int i = 0; i < 2; ++i) {  // the loop's thread must be woken each time
    OneShotEvent mine;
    std::thread other([&] {
      SleepMs(20);  // by then the main thread sleeps
      mine.Set();
    });
    loop.WaitFor(mine);  // and keeps the turn until it leaves
    other.join();
    wire->Write();
    EXPECT_TRUE(arrivals[i + 1].WaitFor(kLoopPatience));
  }
  EXPECT_TRUE(IsWaitedOn(loop));
  wire->Remove();
  const std::weak_ptr<Wire> weak = std::exchange(wire, nullptr);
  const auto end = std::chrono::steady_clock::now() + kLoopPatience;
  while (!weak.expired() && std::chrono::steady_clock::now() < end) SleepMs(1);
  EXPECT_TRUE(weak.expired());
}

TEST(EpollLoopTest, WaitersCountAsWaitingThreads) {
  EpollLoop loop;
  OneShotEvent mine;
  std::thread waiter([&] { loop.WaitFor(mine); });
  SleepMs(20);  // by then the loop's own thread has given up the turn
  EXPECT_TRUE(IsWaitedOn(loop));
  mine.Set();
  waiter.join();
}

TEST(EpollLoopTest, SetEndsSpinningAndSleepingWaits) {
  EpollLoop loop;
  for (int round = 0; round < 200; ++round) {
    OneShotEvent event;
    std::thread other([&] {
      if (round % 2 == 0) SleepMs(1);
      event.Set();
    });
    loop.WaitFor(event);
    EXPECT_TRUE(event.is_set());
    other.join();
  }
  OneShotEvent before;
  before.Set();
  loop.WaitFor(before);
}

TEST(EpollLoopTest, SeveralWaitAndLeaveInAnyOrder) {
  constexpr int kWaiters = 4;
  EpollLoop loop;
  for (int order = 0; order < 2 * kWaiters; ++order) {
    std::array<OneShotEvent, kWaiters> arrivals;
    const auto wire = Wire::Make(loop, [&](char which) { arrivals[which].Set(); });
    std::vector<std::thread> waiters;
    for (OneShotEvent& event : arrivals) {
      waiters.emplace_back([&] {
        loop.WaitFor(event);
        EXPECT_TRUE(event.is_set());
      });
      if (order % 2 == 0) SleepMs(2);  // one after the other, or all at once
    }
    for (int i = 0; i < kWaiters; ++i)
      wire->Write(static_cast<char>((order % 2 == 0 ? i + order / 2 : order / 2 - i + kWaiters) % kWaiters));
    for (std::thread& waiter : waiters) waiter.join();
    wire->Remove();
  }
}

TEST(EpollLoopTest, ManyThreadsAskAndAreAnswered) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 500;
  EpollLoop loop;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      OneShotEvent* waits_for = nullptr;
      std::mutex mu;
      const auto answer = Wire::Make(loop, [&](char) {
        std::lock_guard lock(mu);
        waits_for->Set();
      });
      const auto ask = Wire::Make(loop, [&](char) { answer->Write(); });
      for (int i = 0; i < kRounds; ++i) {
        OneShotEvent event;
        {
          std::lock_guard lock(mu);
          waits_for = &event;
        }
        ask->Write();
        loop.WaitFor(event);
        ASSERT_TRUE(event.is_set());
        const std::lock_guard set(mu);  // Set has returned
      }
      ask->Remove();
      answer->Remove();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EpollLoopTest, HandlersMayWait) {
  EpollLoop loop;
  OneShotEvent outer;
  OneShotEvent inner;
  const auto answer = Wire::Make(loop, [&](char) { inner.Set(); });
  const auto ask = Wire::Make(loop, [&](char) {
    answer->Write();
    loop.WaitFor(inner);
    EXPECT_TRUE(inner.is_set());
    outer.Set();
  });
  ask->Write();
  loop.WaitFor(outer);
  EXPECT_TRUE(outer.is_set());
  ask->Remove();
  answer->Remove();
}

TEST(EpollLoopTest, ReleasedWaitersLeaveForGood) {
  auto loop = std::make_unique<EpollLoop>();
  std::array<OneShotEvent, 3> never;
  std::vector<std::thread> waiters;
  for (OneShotEvent& event : never) {
    waiters.emplace_back([&] {
      OneShotEvent before;  // a thread that comes back soon passes its turn to the loop's thread
      before.Set();
      loop->WaitFor(before);
      loop->WaitFor(event);
      EXPECT_FALSE(event.is_set());
    });
  }
  SleepMs(20);
  loop->ReleaseWaiters();
  for (std::thread& waiter : waiters) waiter.join();
  for (OneShotEvent& event : never) event.Set();  // wakes no thread
  OneShotEvent late;
  loop->WaitFor(late);
  OneShotEvent posted;
  loop->Post([&] { posted.Set(); });
  EXPECT_TRUE(posted.WaitFor(kLoopPatience));
  loop = nullptr;
}

TEST(EpollLoopTest, AWaitContinuesAfterAHandlerThrows) {
  EpollLoop loop;
  const std::thread::id mine = std::this_thread::get_id();
  OneShotEvent event;
  bool thrown_here = false;
  std::shared_ptr<Wire> wire;
  wire = Wire::Make(loop, [&](char byte) {
    if (byte == 'x') return event.Set();
    if (std::this_thread::get_id() != mine) {  // the main thread does not wait yet: try again
      SleepMs(1);
      return wire->Write(byte);
    }
    thrown_here = true;
    wire->Write('x');
    throw std::bad_alloc();
  });
  wire->Write('t');
  EXPECT_NO_THROW(loop.WaitFor(event));
  EXPECT_TRUE(thrown_here);
  EXPECT_TRUE(event.is_set());
  wire->Remove();
}

TEST(EpollLoopTest, LongWorkYieldsTheTurn) {
  EpollLoop loop;
  OneShotEvent mine;
  OneShotEvent other;
  const auto next = Wire::Make(loop, [&](char) { other.Set(); });
  std::shared_ptr<Wire> works;
  works = Wire::Make(loop, [&, mine_alone = std::this_thread::get_id()](char) {
    if (std::this_thread::get_id() != mine_alone) {  // the main thread does not wait yet: try again
      SleepMs(1);
      works->Write();
      return;
    }
    EXPECT_TRUE(TransportThread::Current().is_donated());
    TransportThread::Current().BeginLongWork();
    next->Write();
    EXPECT_TRUE(other.WaitFor(kLoopPatience));
    mine.Set();
  });
  std::thread writer([&] {
    SleepMs(20);  // by then the main thread waits, and nothing will wake the loop's thread
    works->Write();
  });
  loop.WaitFor(mine);
  writer.join();
  EXPECT_TRUE(other.is_set());
  EXPECT_FALSE(TransportThread::Current().is_donated());
  works->Remove();
  next->Remove();
}

TEST(EpollLoopTest, UnhandledMessagesMoveToOtherThreadsDuringLongWork) {
  EpollLoop loop;
  OneShotEvent mine;
  OneShotEvent rest;
  std::shared_ptr<Wire> works;
  works = Wire::Make(loop, [&, mine_alone = std::this_thread::get_id()](char) {
    if (std::this_thread::get_id() != mine_alone) {  // the main thread does not wait yet: try again
      SleepMs(1);
      works->Write();
      return;
    }
    works->Leave([&] { rest.Set(); });
    TransportThread::Current().BeginLongWork();
    EXPECT_TRUE(rest.WaitFor(kLoopPatience));
    mine.Set();
  });
  works->Write();
  loop.WaitFor(mine);
  works->Remove();
}

TEST(EpollLoopTest, WaitingUsesNoCpu) {
  EpollLoop loop;
  OneShotEvent never;
  std::thread waiter([&] { loop.WaitFor(never); });
  SleepMs(50);
  const auto used_us = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  };
  const int64_t before = used_us();
  SleepMs(400);
  EXPECT_LT(used_us() - before, 20'000);
  never.Set();
  waiter.join();
}

// The number of times that threads of that name have gone to sleep.
int64_t SleepsOf(const std::string& name) {
  int64_t sleeps = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    std::string line;
    bool named = false;
    while (std::getline(status, line)) {
      if (line.starts_with("Name:")) named = line.ends_with("\t" + name);
      const std::string_view count = "voluntary_ctxt_switches:";
      if (named && line.starts_with(count)) sleeps += std::stoll(line.substr(count.size()));
    }
  }
  return sleeps;
}

TEST(EpollLoopTest, LoopThreadSleepsWhileWaitersAlternate) {
  EpollLoop loop;
  OneShotEvent* waits_for = nullptr;
  std::mutex mu;
  const auto wire = Wire::Make(loop, [&](char) {
    std::lock_guard lock(mu);
    waits_for->Set();
  });
  std::atomic<bool> asked{false};
  std::atomic<bool> over{false};
  std::thread answers([&] {
    while (!over) {
      std::this_thread::sleep_for(std::chrono::microseconds(400));
      if (asked.exchange(false)) wire->Write();
    }
  });
  const auto ask = [&] {
    OneShotEvent event;
    {
      std::lock_guard lock(mu);
      waits_for = &event;
    }
    asked = true;
    loop.WaitFor(event);
    const std::lock_guard set(mu);  // Set has returned
  };
  for (int i = 0; i < 10; ++i) ask();
  const int64_t before = SleepsOf("weir_rpc");
  int slow = 0;  // rounds slow enough that the loop's thread may have been woken
  for (int i = 0; i < 300; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ask();
    slow += std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(1) ? 1 : 0;
  }
  EXPECT_LE(SleepsOf("weir_rpc") - before, 10 + 3 * slow);
  over = true;
  answers.join();
  wire->Remove();
}

TEST(EpollLoopTest, BlockedWaiterDoesNotBlockOtherMessages) {
  EpollLoop loop;
  OneShotEvent mine;
  OneShotEvent begun;
  OneShotEvent go_on;
  OneShotEvent other;
  const auto keeps = Wire::Make(loop, [&](char) {
    begun.Set();
    go_on.Wait();
    mine.Set();
  });
  const auto next = Wire::Make(loop, [&](char) { other.Set(); });
  std::thread waiter([&] { loop.WaitFor(mine); });
  SleepMs(20);
  keeps->Write();
  ASSERT_TRUE(begun.WaitFor(kLoopPatience));
  next->Write();
  const auto end = std::chrono::steady_clock::now() + kLoopPatience;
  while (!other.WaitFor(std::chrono::milliseconds(5)) && std::chrono::steady_clock::now() < end) loop.CheckForStall();
  EXPECT_TRUE(other.is_set());
  go_on.Set();
  waiter.join();
  keeps->Remove();
  next->Remove();
}

}  // namespace
}  // namespace weir
