#include "cluster/host_loop.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "runtime/bundle.h"

namespace weir {
namespace {

constexpr HostLoop::Id kEnd = 0;
constexpr HostLoop::Id kPosted = 1;
constexpr HostLoop::Id kNudged = 2;

// Waking a thread takes longer than many messages take to be answered. After a wait of less than kCloseNanos, the next
// wait therefore polls for kLookNanos, yielding the processor in between, before it sleeps.
constexpr int64_t kLookNanos = 100'000;
constexpr int64_t kOwnLookNanos = 50'000;  // shorter, because a host may run many servers
constexpr int64_t kCloseNanos = 300'000;
// A thread that leaves WaitFor with its response is likely to be back soon with another request. If threads have
// recently come back within kSoonNanos, a leaving thread wakes no other thread to take over the turn. If no thread
// comes back, a timer wakes the loop's thread after kStayAwayNanos; each thread that comes and leaves postpones it. If
// waits are long, the pause is kStayAwayWaits times the wait, at most kStayAwayLongNanos.
constexpr int64_t kSoonNanos = 2'000'000;
constexpr int64_t kStayAwayNanos = 4'000'000;
constexpr int64_t kStayAwayBrieflyNanos = 1'000'000;
constexpr int64_t kStayAwayWaits = 8;
constexpr int64_t kStayAwayLongNanos = 16'000'000;

epoll_event EventOf(HostLoop::Id id, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return event;
}

}  // namespace

HostLoop::HostLoop()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      end_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      posted_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)),
      nudges_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)),
      alarm_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {
  const auto watch = [this](Id id, const OwnedFd& fd) {
    epoll_event event = EventOf(id, EPOLLIN);
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event);
  };
  watch(kEnd, end_);
  watch(kPosted, posted_);
  watch(kNudged, nudges_);
}

HostLoop::~HostLoop() {
  eventfd_write(end_.get(), 1);
  {
    std::lock_guard lock(seats_mu_);
    ending_ = true;
    CallOwnIn(0);
  }
}

void HostLoop::Add(Id id, int fd, std::shared_ptr<Watcher> watcher) {
  {
    std::lock_guard lock(mu_);
    watchers_.emplace(id, std::move(watcher));
  }
  epoll_event event = EventOf(id, EPOLLIN | EPOLLRDHUP);
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void HostLoop::WatchWrites(Id id, int fd, bool on) {
  epoll_event event = EventOf(id, EPOLLIN | EPOLLRDHUP | (on ? EPOLLOUT : 0U));
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void HostLoop::Remove(Id id, int fd) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  std::shared_ptr<Watcher> former;  // destroyed without the lock
  std::lock_guard lock(mu_);
  if (auto it = watchers_.find(id); it != watchers_.end()) {
    former = std::move(it->second);
    watchers_.erase(it);
  }
}

void HostLoop::Post(std::function<void()> work) {
  {
    std::lock_guard lock(mu_);
    posts_.push_back(std::move(work));
  }
  eventfd_write(posted_.get(), 1);
}

// The stand-in thread also handles messages that were read but wait behind the one that blocks a thread.
void HostLoop::Look() {
  if (!threads_.Look()) return;
  Post([this] {
    std::vector<std::shared_ptr<Watcher>> watchers;
    {
      std::lock_guard lock(mu_);
      for (const auto& [id, watcher] : watchers_) watchers.push_back(watcher);
    }
    for (const std::shared_ptr<Watcher>& watcher : watchers) watcher->Ready(false, false);
  });
}

// ---- events ----

EventThreads::Next HostLoop::Next(int timeout_ms, std::function<void()>* handle) {
  Events events;
  if (timeout_ms < 0) {
    ParkOwn();
    Wait(own_, &events);
  } else {
    Find(timeout_ms, &events);
    if (events.count == 0) sched_yield();
  }
  for (int i = 0; i < events.count; ++i) {
    if (events.list[i].data.u64 == kEnd) return EventThreads::Next::kEnd;
  }
  if (events.count == 0) return EventThreads::Next::kNothing;
  *handle = [this, events] { Dispatch(events, nullptr); };
  return EventThreads::Next::kEvent;
}

void HostLoop::Dispatch(const Events& events, Seat* seat) {
  for (int i = 0; i < events.count; ++i) {
    const Id id = events.list[i].data.u64;  // copies: epoll_event is packed
    const uint32_t what = events.list[i].events;
    std::shared_ptr<Watcher> watcher;
    try {
      if (id == kPosted) RunPosted();
      {
        std::lock_guard lock(mu_);
        if (auto it = watchers_.find(id); it != watchers_.end()) watcher = it->second;
      }
      if (watcher == nullptr) continue;
      if (seat != nullptr) seat->at = watcher;
      watcher->Ready((what & ~uint32_t{EPOLLOUT}) != 0, (what & EPOLLOUT) != 0);
    } catch (...) {  // the thread may wait for something else: it must not leave WaitFor with an exception
      LogCaught("the handler of a message");
    }
  }
  if (seat != nullptr) seat->at = nullptr;
}

void HostLoop::RunPosted() {
  eventfd_t one = 0;
  if (eventfd_read(posted_.get(), &one) != 0) return;  // another thread was faster
  std::function<void()> work;
  {
    std::lock_guard lock(mu_);
    if (posts_.empty()) return;  // a forked child has written to the eventfd
    work = std::move(posts_.front());
    posts_.pop_front();
  }
  work();
}

// ---- turns ----

// One thread at a time polls for events: the one that has the turn. It also handles the events, and keeps the turn
// meanwhile.
//  - Without other waiters, the loop's own thread has the turn.
//  - A thread that enters WaitFor gets a seat and takes the turn. The previous holder is called out of epoll_wait (a
//    nudge). It parks until it gets the turn back or its event is set.
//  - If the last wait was short, the holder spins for a while before it sleeps in epoll_wait.
//  - A holder that begins long work passes the turn to the loop's thread, and takes it back afterwards if no newer
//    thread has come.
//  - A thread that leaves passes the turn to the newest seat. If threads come back as fast as they leave, it passes the
//    turn to the loop's thread instead, which stays parked until a timer fires and polls only if it still has the turn
//    then. Parked seats are woken meanwhile when their event is set.

bool HostLoop::IsOver(const Seat& seat) const {
  return turn_.load(std::memory_order_acquire) != &seat ||
         (seat.arrival != nullptr && (seat.arrival->there() || sent_away_.load(std::memory_order_acquire)));
}

// Leaves out nudges: they only wake a thread.
void HostLoop::Find(int timeout_ms, Events* events) const {
  const int found = epoll_wait(epoll_.get(), events->list.data(), kMostEvents, timeout_ms);
  const auto end = events->list.begin() + std::max(0, found);
  events->count = static_cast<int>(
      std::remove_if(events->list.begin(), end, [](const epoll_event& e) { return e.data.u64 == kNudged; }) -
      events->list.begin());
}

void HostLoop::Wait(Seat& seat, Events* events) {
  const int64_t begin = RealClock().MonotonicNanos();
  int64_t now = begin;
  const int64_t look = seat.arrival != nullptr ? kLookNanos : kOwnLookNanos;
  const bool looks = !seat.waits_long && last_wait_nanos_.load(std::memory_order_relaxed) < kCloseNanos;
  for (; looks && now - begin < look; now = RealClock().MonotonicNanos()) {
    Find(0, events);
    if (events->count > 0 || IsOver(seat)) break;
    sched_yield();
  }
  while (events->count == 0) {
    if (!BeginSleep(seat)) return;
    Find(-1, events);
    EndSleep(seat);
    now = RealClock().MonotonicNanos();
    // Events are level-triggered: the thread that has the turn now finds them, too.
    if (turn_.load(std::memory_order_acquire) != &seat) events->count = 0;
    if (events->count == 0) sched_yield();  // lets another thread that was nudged run
  }
  if (events->count > 0) seat.waits_long = false;
  last_wait_nanos_.store(now - begin, std::memory_order_relaxed);
}

// Returns false if the seat's wait is over. If it returns true, the thread that ends the wait wakes this one.
bool HostLoop::BeginSleep(Seat& seat) {
  std::lock_guard lock(seats_mu_);
  if (IsOver(seat)) return false;
  seat.place = Seat::Place::kInKernel;
  return true;
}

void HostLoop::EndSleep(Seat& seat) {
  std::lock_guard lock(seats_mu_);
  seat.place = Seat::Place::kAwake;
  eventfd_t one = 0;
  if (std::exchange(seat.nudged, false)) eventfd_read(nudges_.get(), &one);
}

void HostLoop::WakeLocked(Seat& seat) {
  if (seat.place == Seat::Place::kParked) {
    if (&seat == &own_) return CallOwnIn(0);
    seat.changed.notify_all();
  }
  if (seat.place == Seat::Place::kInKernel && !std::exchange(seat.nudged, true)) eventfd_write(nudges_.get(), 1);
}

void HostLoop::Seat::Wake() {
  std::lock_guard lock(loop.seats_mu_);
  loop.WakeLocked(*this);
}

void HostLoop::Sit(Seat& seat) {
  std::lock_guard lock(seats_mu_);
  seats_.push_back(&seat);
  back_soon_ = RealClock().MonotonicNanos() - left_nanos_ < kSoonNanos;
  TakeTurn(seat);
}

void HostLoop::TakeTurn(Seat& seat) {
  Seat* const before = turn_.exchange(&seat, std::memory_order_acq_rel);
  before->waits_long = true;
  if (before->place == Seat::Place::kInKernel) WakeLocked(*before);
}

void HostLoop::GiveUpTurn(Seat& seat) {
  if (seat.at != nullptr && seat.at->HasMore()) Post([watcher = seat.at] { watcher->Ready(false, false); });
  std::lock_guard lock(seats_mu_);
  if (turn_.load(std::memory_order_relaxed) != &seat) return;
  turn_.store(&own_, std::memory_order_release);
  if (own_.place == Seat::Place::kParked) CallOwnIn(kStayAwayNanos);
}

void HostLoop::Leave(Seat& seat) {
  std::lock_guard lock(seats_mu_);
  std::erase(seats_, &seat);
  if (turn_.load(std::memory_order_relaxed) != &seat) return;
  left_nanos_ = RealClock().MonotonicNanos();
  Seat* const next = back_soon_ ? &own_ : seats_.back();
  turn_.store(next, std::memory_order_release);
  if (next != &own_) return WakeLocked(*next);
  if (own_.place != Seat::Place::kParked) return;
  const int64_t wait = std::min(last_wait_nanos_.load(std::memory_order_relaxed), kStayAwayLongNanos);
  const int64_t soon = std::clamp(kStayAwayWaits * wait, kStayAwayNanos, kStayAwayLongNanos);
  CallOwnIn(back_soon_ ? soon : kStayAwayBrieflyNanos);
}

// Wakes the parked loop thread after `nanos`, or earlier: an alarm that is already set for the second half of this time
// is kept.
// REQUIRES: seats_mu_ is held.
void HostLoop::CallOwnIn(int64_t nanos) {
  const int64_t now = RealClock().MonotonicNanos();
  if (alarm_nanos_ >= now + nanos / 2 && alarm_nanos_ <= now + nanos) return;
  alarm_nanos_ = now + nanos;
  itimerspec spec{};
  spec.it_value.tv_nsec = std::max<int64_t>(1, nanos);
  timerfd_settime(alarm_.get(), 0, &spec, nullptr);
}

void HostLoop::Park(Seat& seat) {
  std::unique_lock lock(seats_mu_);
  if (seats_.back() == &seat && turn_.load(std::memory_order_relaxed) == &own_) return TakeTurn(seat);
  seat.place = Seat::Place::kParked;
  seat.changed.wait(
      lock, [&] { return turn_.load(std::memory_order_relaxed) == &seat || seat.arrival->there() || sent_away_; });
  seat.place = Seat::Place::kAwake;
}

// Another thread may have taken the turn by the time the alarm fires. It sets the alarm again when it leaves.
void HostLoop::ParkOwn() {
  if (turn_.load(std::memory_order_acquire) == &own_) return;
  threads_.EndWait();
  {
    std::unique_lock lock(seats_mu_);
    own_.place = Seat::Place::kParked;
    while (turn_.load(std::memory_order_relaxed) != &own_ && !ending_) {
      lock.unlock();
      uint64_t times = 0;
      static_cast<void>(read(alarm_.get(), &times, sizeof(times)) == sizeof(times));  // checks turn_ in any case
      lock.lock();
    }
    own_.place = Seat::Place::kAwake;
  }
  threads_.BeginWait();
}

void HostLoop::WaitFor(Arrival& arrival) {
  if (Bundle* const bundle = Bundle::Current()) bundle->Send();
  Seat seat(*this, &arrival);
  Sit(seat);  // before SetWaker: it may throw
  arrival.SetWaker(&seat);
  while (!arrival.there() && !sent_away_.load(std::memory_order_acquire)) {
    if (turn_.load(std::memory_order_acquire) != &seat) {
      Park(seat);
      continue;
    }
    Events events;
    threads_.BeginWait();
    Wait(seat, &events);
    threads_.EndWait();
    if (events.count == 0) continue;
    threads_.CountEvent();
    const LentThread lent(seat);
    Dispatch(events, &seat);
  }
  arrival.SetWaker(nullptr);
  Leave(seat);
}

void HostLoop::SendAway() {
  std::lock_guard lock(seats_mu_);
  sent_away_ = true;
  for (Seat* seat : seats_) {
    if (seat != &own_) WakeLocked(*seat);
  }
}

}  // namespace weir
