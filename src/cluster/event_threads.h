// EventThreads: a thread that waits for events and runs what they are for. One thread, so that a small message costs
// one wake-up; a message with much to copy is handed to a second one, and the first goes on reading. Where an event
// keeps the thread for long another one stands in: nobody else would read what peers send, and they would take a busy
// process for a dead one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "base/thread_pool.h"

namespace weir {

class EventThreads final {
 public:
  enum class Next { kEvent, kNothing, kEnd };
  // Waits for an event, forever where `timeout_ms` is -1, and leaves what it is for in `*handle`. Called by several
  // threads at a time.
  using Wait = std::function<Next(int timeout_ms, std::function<void()>* handle)>;

  explicit EventThreads(Wait wait);
  // Waits for the threads, which end with kEnd.
  ~EventThreads();
  EventThreads(const EventThreads&) = delete;
  EventThreads& operator=(const EventThreads&) = delete;

  // What is to be done with a message of so many bytes: at once when it is small. Called by an event.
  void RunFor(size_t bytes, std::function<void()> work);
  static bool IsSmall(size_t bytes) { return bytes < size_t{256} << 10; }
  // Called now and then, by one thread: lets another thread stand in when nobody waits for events, and nobody has
  // since the last look. True where it does.
  bool Look();
  int waiting() const { return waiting_.load(std::memory_order_relaxed); }  // threads that do

  // Of a thread that is none of these: it waits for events too, or no more; it has one.
  void BeginWait() { waiting_.fetch_add(1, std::memory_order_relaxed); }
  void EndWait() { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  void CountEvent() { num_events_.fetch_add(1, std::memory_order_relaxed); }

 private:
  void Run();
  void StandIn();
  bool LeaveToOther();
  void Handle(const std::function<void()>& handle);

  const Wait wait_;
  std::atomic<int> waiting_{1};          // threads that wait for events
  std::atomic<uint64_t> num_events_{0};  // that were begun
  uint64_t seen_events_ = 0;             // at the last look
  ThreadPool large_;                     // its thread starts with the first large message
  ElasticPool stand_ins_;
  std::thread thread_;
};

}  // namespace weir
