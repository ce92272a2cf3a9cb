// HostLoop: an epoll loop that tells watchers when their sockets are readable or writable. The loop has one thread.
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

#include "cluster/arrival.h"
#include "cluster/event_threads.h"
#include "cluster/owned_fd.h"
#include "runtime/lent_thread.h"

namespace weir {

class HostLoop final {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // Called while the socket is readable, or writable if WatchWrites is on (level-triggered). If a call takes long,
    // other threads call it at the same time. If both are false, Ready handles messages that were read before.
    virtual void Ready(bool readable, bool writable) = 0;
    // True if Ready has read messages that are not handled yet.
    virtual bool HasMore() { return false; }
  };
  using Id = uint64_t;

  HostLoop();
  ~HostLoop();

  Id NewId() { return next_++; }
  // The loop holds a reference to `watcher` until Remove.
  void Add(Id id, int fd, std::shared_ptr<Watcher> watcher);
  void WatchWrites(Id id, int fd, bool on);
  void Remove(Id id, int fd);
  // Runs `work` soon on a thread that polls the loop. Never runs it if the loop ends first.
  void Post(std::function<void()> work);
  // See EventThreads.
  void RunFor(size_t bytes, std::function<void()> work) { threads_.RunFor(bytes, std::move(work)); }
  void Look();
  // Call it from an event handler: true if another thread waits for events meanwhile.
  bool others_wait() const { return threads_.waiting() > 0; }

  // Polls the loop on this thread until `arrival` is set or SendAway is called. What a handler throws is logged.
  void WaitFor(Arrival& arrival);
  // Wakes all threads in WaitFor and makes later calls return at once. Does not wait for them to leave.
  void SendAway();

 private:
  static constexpr int kMostEvents = 16;
  struct Events {
    int count = 0;
    std::array<epoll_event, kMostEvents> list;
  };

  // A thread that takes turns with others to poll the loop.
  struct Seat final : Arrival::Waker, LentThread::Lender {
    enum class Place { kAwake, kInKernel, kParked };
    Seat(HostLoop& loop, const Arrival* arrival) : loop(loop), arrival(arrival) {}
    void Wake() override;
    void BeginLongWork() override { loop.GiveUpTurn(*this); }

    HostLoop& loop;
    const Arrival* const arrival;         // null for the loop's thread, which always waits
    std::shared_ptr<Watcher> at;          // the watcher whose event this thread handles
    std::atomic<bool> waits_long{false};  // lost the turn to a newer thread: do not spin
    // Guarded by the loop's seats_mu_:
    Place place = Place::kAwake;
    bool nudged = false;  // while kInKernel: one count in nudges_ is for this thread
    std::condition_variable changed;
  };

  EventThreads::Next Next(int timeout_ms, std::function<void()>* handle);
  void Dispatch(const Events& events, Seat* seat);
  void RunPosted();
  void Find(int timeout_ms, Events* events) const;

  // Polls until there are events, or the seat's wait is over (IsOver).
  void Wait(Seat& seat, Events* events);
  bool IsOver(const Seat& seat) const;
  bool BeginSleep(Seat& seat);
  void EndSleep(Seat& seat);
  // Blocks until the seat gets the turn or its wait is over. Takes the turn at once if this is the newest seat and the
  // loop's thread has the turn.
  void Park(Seat& seat);
  void ParkOwn();
  void Sit(Seat& seat);
  void Leave(Seat& seat);
  // Passes the turn to the loop's thread, which begins to poll within a few milliseconds.
  void GiveUpTurn(Seat& seat);
  void TakeTurn(Seat& seat);
  void WakeLocked(Seat& seat);
  void CallOwnIn(int64_t nanos);

  static constexpr int64_t kLongAgo = -(int64_t{1} << 62);
  static constexpr int64_t kLong = int64_t{1} << 62;

  const OwnedFd epoll_;
  const OwnedFd end_;     // readable when the loop ends
  const OwnedFd posted_;  // semaphore: one count per function in posts_
  const OwnedFd nudges_;  // semaphore: one count per thread that must leave epoll_wait
  const OwnedFd alarm_;   // timer that wakes the loop's thread when it is parked
  std::atomic<Id> next_{3};
  std::mutex mu_;
  std::unordered_map<Id, std::shared_ptr<Watcher>> watchers_;
  std::deque<std::function<void()>> posts_;
  std::atomic<int64_t> last_wait_nanos_{kLong};  // how long the last thread with the turn had to wait

  std::mutex seats_mu_;
  Seat own_{*this, nullptr};
  std::vector<Seat*> seats_{&own_};  // in the order of arrival; the newest polls
  std::atomic<Seat*> turn_{&own_};   // the seat that polls
  int64_t left_nanos_ = kLongAgo;    // when a seat with the turn left
  bool back_soon_ = false;           // the newest thread came soon after another one had left
  int64_t alarm_nanos_ = kLongAgo;   // when alarm_ fires, or fired last
  bool ending_ = false;
  std::atomic<bool> sent_away_{false};
  // Declared last, so destroyed first: its threads use the other members.
  EventThreads threads_{[this](int timeout_ms, std::function<void()>* handle) { return Next(timeout_ms, handle); }};
};

}  // namespace weir
