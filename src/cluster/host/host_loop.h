// HostLoop: waits until sockets can be read or written again, and tells who watches them. It has a thread of its own
// for that; threads that wait for an answer do so instead of it, the last to come first, since it is likely to be
// answered first: what is brought to a thread by itself needs nobody to be woken. Thread-safe.
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
#include "cluster/host/host_socket.h"
#include "runtime/lent_thread.h"

namespace weir {

class HostLoop final {
 public:
  class Watcher {
   public:
    virtual ~Watcher() = default;
    // Called as long as there is something to read, or to write where that is watched; by several threads at a time
    // when one of them is kept for long.
    virtual void Ready(bool readable, bool writable) = 0;
    // Whether there is something left that Ready has read but not come to yet.
    virtual bool HasMore() { return false; }
  };
  using Id = uint64_t;

  HostLoop();
  ~HostLoop();

  Id NewId() { return next_++; }
  // Kept until Remove.
  void Add(Id id, int fd, std::shared_ptr<Watcher> watcher);
  void WatchWrites(Id id, int fd, bool on);
  void Remove(Id id, int fd);
  // Runs it on a thread of the loop, soon; not at all where the loop ends before.
  void Post(std::function<void()> work);
  // As those of EventThreads.
  void RunFor(size_t bytes, std::function<void()> work) { threads_.RunFor(bytes, std::move(work)); }
  void Look();
  // True while another thread than this one, which handles an event, waits for the next.
  bool others_wait() const { return threads_.waiting() > 0; }

  // Brings messages on this thread until it is there. Earlier when SendAway is called.
  void WaitFor(Arrival& arrival);
  // Sends those away who are in WaitFor; nobody comes after. They may take a moment to be gone.
  void SendAway();

 private:
  static constexpr int kMostEvents = 16;
  struct Events {
    int count = 0;
    std::array<epoll_event, kMostEvents> list;
  };

  // A thread that waits for events in turn with others.
  struct Seat final : Arrival::Waker, LentThread::Lender {
    enum class Place { kAwake, kInKernel, kParked };
    Seat(HostLoop& loop, const Arrival* arrival) : loop(loop), arrival(arrival) {}
    void Wake() override;
    void BeginLongWork() override { loop.GiveUpTurn(*this); }

    HostLoop& loop;
    const Arrival* const arrival;         // null: of the loop's own thread, which waits for ever
    std::shared_ptr<Watcher> at;          // the one that this thread works for
    std::atomic<bool> waits_long{false};  // others have come and gone meanwhile
    // Guarded by the loop's seats_mu_:
    Place place = Place::kAwake;
    bool nudged = false;  // while in the kernel: there is one to be read in nudges_ that is for it
    std::condition_variable changed;
  };

  EventThreads::Next Next(int timeout_ms, std::function<void()>* handle);
  void Dispatch(const Events& events, Seat* seat);
  void RunPosted();
  void Find(int timeout_ms, Events* events) const;

  // Waits for events until there are some, or it is not this one's turn any more.
  void Wait(Seat& seat, Events* events);
  bool IsOver(const Seat& seat) const;
  bool BeginSleep(Seat& seat);
  void EndSleep(Seat& seat);
  // Until it is its turn, or over. Takes the turn where nobody does who came later.
  void Park(Seat& seat);
  void ParkOwn();
  void Sit(Seat& seat);
  void Leave(Seat& seat);
  // Somebody else takes it, in a while at the latest.
  void GiveUpTurn(Seat& seat);
  void TakeTurn(Seat& seat);
  void WakeLocked(Seat& seat);
  void CallOwnIn(int64_t nanos);

  static constexpr int64_t kLongAgo = -(int64_t{1} << 62);
  static constexpr int64_t kLong = int64_t{1} << 62;

  const OwnedFd epoll_;
  const OwnedFd end_;     // can be read when it ends
  const OwnedFd posted_;  // can be read as often as something was posted
  const OwnedFd nudges_;  // can be read as often as somebody is called back out of the kernel
  const OwnedFd alarm_;   // calls the own thread back to where it takes turns
  std::atomic<Id> next_{3};
  std::mutex mu_;
  std::unordered_map<Id, std::shared_ptr<Watcher>> watchers_;
  std::deque<std::function<void()>> posts_;
  std::atomic<int64_t> last_wait_nanos_{kLong};  // of those that take turns

  std::mutex seats_mu_;
  Seat own_{*this, nullptr};
  std::vector<Seat*> seats_{&own_};  // in the order of their coming; the last one waits for events
  std::atomic<Seat*> turn_{&own_};   // that one
  int64_t left_nanos_ = kLongAgo;    // when somebody left
  bool back_soon_ = false;           // somebody came soon after the last one had left
  int64_t alarm_nanos_ = kLongAgo;   // when it goes off, or has
  bool ending_ = false;
  std::atomic<bool> sent_away_{false};
  // Goes first: its threads use the rest.
  EventThreads threads_{[this](int timeout_ms, std::function<void()>* handle) { return Next(timeout_ms, handle); }};
};

}  // namespace weir
