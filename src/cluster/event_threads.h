// EventThreads: the thread that waits for events and runs their handlers. It is one thread, so that a small message
// costs one wake-up; messages with much to copy go to a second thread while the first keeps reading. If a handler
// blocks the thread for long, a stand-in thread waits for events instead: otherwise pings would stay unanswered, and
// peers would take a busy process for a dead one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/alarms.h"
#include "base/thread_pool.h"

namespace weir {

class EventThreads final {
 public:
  enum class Next { kEvent, kNothing, kEnd };
  // Waits for an event, without a timeout if `timeout_ms` is -1, and puts its handler into `*handle`. Must be
  // thread-safe: several threads call it at a time.
  using Wait = std::function<Next(int timeout_ms, std::function<void()>* handle)>;

  explicit EventThreads(Wait wait);
  // Joins the threads. REQUIRES: `wait` returns kEnd to each of them.
  ~EventThreads();
  EventThreads(const EventThreads&) = delete;
  EventThreads& operator=(const EventThreads&) = delete;

  // Runs `work`, which handles a message of `bytes` bytes: inline if the message is small, else on the copying thread.
  // Call it from an event handler.
  void RunBySize(size_t bytes, std::function<void()> work);
  static bool IsSmall(size_t bytes) { return bytes < size_t{256} << 10; }
  // Starts a stand-in thread if no thread waits for events and no event was started since the last call. Returns
  // whether it did. Call it periodically, from one thread at a time.
  bool CheckForStall();
  int waiting() const { return waiting_.load(std::memory_order_relaxed); }  // number of threads that wait for events

  // For threads outside this object that also wait for events. Such a thread calls BeginWait and EndWait around each
  // wait, and CountEvent for each event that it handles.
  void BeginWait() { waiting_.fetch_add(1, std::memory_order_relaxed); }
  void EndWait() { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  void CountEvent() { num_events_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void Run();
  void StandIn();
  bool StopIfNotNeeded();
  void Handle(const std::function<void()>& handle);

  const Wait wait_;
  std::atomic<int> waiting_{1};          // threads that wait for events
  std::atomic<uint64_t> num_events_{0};  // number of events whose handler was started
  uint64_t seen_events_ = 0;             // value of num_events_ at the last CheckForStall
  ThreadPool large_;                     // its thread starts with the first large message
  ElasticPool stand_ins_;
  std::thread thread_;
};

// Calls `check`, which calls EventThreads::CheckForStall, periodically: often enough that pings of a waiting peer are
// answered in time even if handlers block the threads. REQUIRES: what `check` uses outlives `alarms`.
void CheckPeriodically(Alarms& alarms, int64_t peer_timeout_ms, std::function<void()> check);

}  // namespace weir
