// EpollLoop: an epoll loop that tells watchers when their sockets are readable or writable. The loop has one thread.
// Threads that wait for a response (WaitFor) poll instead of it: a thread that receives its own response need not be
// woken. The most recent waiter polls, because its response is likely to come first. Thread-safe.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/event_threads.h"
#include "cluster/one_shot_event.h"
#include "cluster/owned_fd.h"
#include "runtime/transport_thread.h"

namespace weir {

class EpollLoop final {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // Called while the socket is readable, or writable if WatchWrites is on (level-triggered). If a call takes
    // long, other threads call it at the same time. If both are false, it handles messages that were read before.
    virtual void OnReady(bool readable, bool writable) = 0;
    // True if OnReady has read messages that are not handled yet.
    virtual bool HasMore() { return false; }
  };
  using Id = uint64_t;

  EpollLoop();
  ~EpollLoop();

  Id NewId() { return next_++; }
  // The loop holds a reference to `watcher` until Remove.
  void Add(Id id, int fd, std::shared_ptr<Watcher> watcher);
  void WatchWrites(Id id, int fd, bool on);
  void Remove(Id id, int fd);
  // Runs `work` soon on a thread that polls the loop. Never runs it if the loop ends first.
  void Post(std::function<void()> work);
  // See EventThreads.
  void RunBySize(size_t bytes, std::function<void()> work) { threads_.RunBySize(bytes, std::move(work)); }
  void CheckForStall();
  // Call it from an event handler: true if another thread waits for events meanwhile.
  bool others_wait() const { return threads_.waiting() > 0; }

  // Polls the loop on this thread until `event` is set or ReleaseWaiters is called. What a handler throws is logged.
  void WaitFor(OneShotEvent& event);
  // Wakes all threads in WaitFor and makes later calls return at once. Does not wait for them to leave.
  void ReleaseWaiters();

 private:
  static constexpr int kMaxEvents = 16;
  struct Events {
    int count = 0;
    std::array<epoll_event, kMaxEvents> list;
  };

  // A thread that takes turns with others to poll the loop.
  struct Waiter final : OneShotEvent::Waker, TransportThread::Owner {
    enum class State { kAwake, kInEpollWait, kParked };
    Waiter(EpollLoop& loop, const OneShotEvent* event) : loop(loop), event(event) {}
    void Wake() override;
    void BeginLongWork() override { loop.YieldTurn(*this); }

    EpollLoop& loop;
    const OneShotEvent* const event;      // null for the loop's thread, which always waits
    std::shared_ptr<Watcher> handling;    // the watcher whose event this thread handles
    std::atomic<bool> skips_spin{false};  // lost the turn to a newer thread: do not spin
    // Guarded by the loop's waiters_mu_:
    State state = State::kAwake;
    bool wakeup_pending = false;  // while kInEpollWait: one count in wakeups_ is for this thread
    std::condition_variable changed;
  };

  EventThreads::Next Next(int timeout_ms, std::function<void()>* handle);
  void Dispatch(const Events& events, Waiter* waiter);
  void RunPosted();
  void Poll(int timeout_ms, Events* events) const;

  // Polls until there are events, or the waiter's wait is over (IsOver).
  void PollUntilEvent(Waiter& waiter, Events* events);
  bool IsOver(const Waiter& waiter) const;
  bool BeginSleep(Waiter& waiter);
  void EndSleep(Waiter& waiter);
  // Blocks until the waiter gets the turn or its wait is over. Takes the turn at once if this is the newest waiter and
  // the loop's thread has the turn.
  void Park(Waiter& waiter);
  void ParkLoopThread();
  void AddWaiter(Waiter& waiter);
  void RemoveWaiter(Waiter& waiter);
  // Passes the turn to the loop's thread, which begins to poll within a few milliseconds.
  void YieldTurn(Waiter& waiter);
  void TakeTurn(Waiter& waiter);
  void WakeLocked(Waiter& waiter);
  void WakeLoopThreadIn(int64_t nanos);

  static constexpr int64_t kLongAgo = -(int64_t{1} << 62);
  static constexpr int64_t kLong = int64_t{1} << 62;

  const OwnedFd epoll_;
  const OwnedFd end_;      // readable when the loop ends
  const OwnedFd posted_;   // semaphore: one count per function in posts_
  const OwnedFd wakeups_;  // semaphore: one count per thread that must leave epoll_wait
  const OwnedFd alarm_;    // timer that wakes the loop's thread when it is parked
  std::atomic<Id> next_{3};
  std::mutex mu_;
  std::unordered_map<Id, std::shared_ptr<Watcher>> watchers_;
  std::deque<std::function<void()>> posts_;
  std::atomic<int64_t> last_poll_nanos_{kLong};  // how long the last thread with the turn had to wait

  std::mutex waiters_mu_;
  Waiter loop_thread_{*this, nullptr};
  std::vector<Waiter*> waiters_{&loop_thread_};  // in the order of arrival; the newest polls
  std::atomic<Waiter*> turn_{&loop_thread_};     // the waiter that polls
  int64_t left_nanos_ = kLongAgo;                // when a waiter with the turn left
  bool back_soon_ = false;                       // the newest thread came soon after another one had left
  int64_t alarm_nanos_ = kLongAgo;               // when alarm_ fires, or fired last
  bool ending_ = false;
  std::atomic<bool> released_{false};
  // Declared last, so destroyed first: its threads use the other members.
  EventThreads threads_{[this](int timeout_ms, std::function<void()>* handle) { return Next(timeout_ms, handle); }};
};

}  // namespace weir
