// Who waits for events while one of them keeps the thread.
#include "cluster/grpc/grpc_events.h"

#include <grpcpp/alarm.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace weir {
namespace {

constexpr auto kEventPatience = std::chrono::seconds(20);  // what takes longer will not come

// Happens at once; may keep the thread that works on it.
class TestEvent final : public GrpcEvent {
 public:
  TestEvent(GrpcEvents& events, bool keeps) : keeps_(keeps) {
    alarm_.Set(&events.queue(), std::chrono::system_clock::now(), static_cast<GrpcEvent*>(this));
  }
  void Happened(bool /*ok*/) override {
    std::unique_lock lock(mu_);
    thread_ = std::this_thread::get_id();
    changed_.notify_all();
    changed_.wait(lock, [&] { return !keeps_; });
  }
  // The thread that works on it; none if it does not happen.
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
  grpc::Alarm alarm_;
  std::mutex mu_;
  std::condition_variable changed_;
  bool keeps_;
  std::thread::id thread_;
};

TEST(GrpcEventsTest, AnotherThreadStandsInForOneThatIsKeptAndLeavesWhenItIsBack) {
  GrpcEvents events(std::make_unique<grpc::CompletionQueue>());
  TestEvent keeps(events, /*keeps=*/true);
  const std::thread::id kept = keeps.Thread();
  ASSERT_NE(kept, std::thread::id());
  events.Look();  // that an event was begun since the last look says nothing yet
  events.Look();
  events.Look();  // one is enough
  EXPECT_EQ(events.waiting(), 1);
  TestEvent next(events, /*keeps=*/false);
  const std::thread::id other = next.Thread();
  EXPECT_NE(other, std::thread::id());
  EXPECT_NE(other, kept);
  keeps.Release();
  // The thread is back at the queue at some time, and the other one gone from it.
  const auto end = std::chrono::steady_clock::now() + kEventPatience;
  TestEvent last(events, /*keeps=*/false);
  EXPECT_NE(last.Thread(), std::thread::id());
  while (events.waiting() != 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(events.waiting(), 1);
}

}  // namespace
}  // namespace weir
