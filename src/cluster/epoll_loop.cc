#include "cluster/epoll_loop.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/out_of_memory.h"

namespace weir {
namespace {

constexpr EpollLoop::Id kEnd = 0;
constexpr EpollLoop::Id kPosted = 1;
constexpr EpollLoop::Id kWakeup = 2;

// Waking a thread takes longer than many messages take to be answered. After a wait of less than kShortWaitNanos, the
// next wait therefore polls for kSpinNanos, yielding the processor in between, before it sleeps.
constexpr int64_t kSpinNanos = 100'000;
constexpr int64_t kLoopThreadSpinNanos = 50'000;  // shorter, because a host may run many servers
constexpr int64_t kShortWaitNanos = 300'000;
// A thread that leaves WaitFor with its response is likely to be back soon with another request. If threads have
// recently come back within kReturnsSoonNanos, a leaving thread wakes no other thread to take over the turn. If no
// thread comes back, a timer wakes the loop's thread after kLoopThreadDelayNanos; each thread that comes and leaves
// postpones it. If waits are long, the pause is kLoopThreadDelayWaits times the wait, at most kLoopThreadMaxDelayNanos.
constexpr int64_t kReturnsSoonNanos = 2'000'000;
constexpr int64_t kLoopThreadDelayNanos = 4'000'000;
constexpr int64_t kLoopThreadShortDelayNanos = 1'000'000;
constexpr int64_t kLoopThreadDelayWaits = 8;
constexpr int64_t kLoopThreadMaxDelayNanos = 16'000'000;

epoll_event EventOf(EpollLoop::Id id, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return event;
}

}  // namespace

EpollLoop::EpollLoop()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      end_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      posted_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)),
      wakeups_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)),
      alarm_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) {
  const auto watch = [this](Id id, const OwnedFd& fd) {
    epoll_event event = EventOf(id, EPOLLIN);
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event);
  };
  watch(kEnd, end_);
  watch(kPosted, posted_);
  watch(kWakeup, wakeups_);
}

EpollLoop::~EpollLoop() {
  eventfd_write(end_.get(), 1);
  {
    std::lock_guard lock(waiters_mu_);
    ending_ = true;
    WakeLoopThreadIn(0);
  }
}

void EpollLoop::Add(Id id, int fd, std::shared_ptr<Watcher> watcher) {
  {
    std::lock_guard lock(mu_);
    watchers_.emplace(id, std::move(watcher));
  }
  epoll_event event = EventOf(id, EPOLLIN | EPOLLRDHUP);
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void EpollLoop::WatchWrites(Id id, int fd, bool on) {
  epoll_event event = EventOf(id, EPOLLIN | EPOLLRDHUP | (on ? EPOLLOUT : 0U));
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EpollLoop::Remove(Id id, int fd) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  std::shared_ptr<Watcher> former;  // destroyed without the lock
  std::lock_guard lock(mu_);
  if (auto it = watchers_.find(id); it != watchers_.end()) {
    former = std::move(it->second);
    watchers_.erase(it);
  }
}

void EpollLoop::Post(std::function<void()> work) {
  {
    std::lock_guard lock(mu_);
    posts_.push_back(std::move(work));
  }
  eventfd_write(posted_.get(), 1);
}

// The stand-in thread also handles messages that were read but wait behind the one that blocks a thread.
void EpollLoop::CheckForStall() {
  if (!threads_.CheckForStall()) return;
  Post([this] {
    std::vector<std::shared_ptr<Watcher>> watchers;
    {
      std::lock_guard lock(mu_);
      for (const auto& [id, watcher] : watchers_) watchers.push_back(watcher);
    }
    for (const std::shared_ptr<Watcher>& watcher : watchers) watcher->OnReady(false, false);
  });
}

// ---- events ----

EventThreads::Next EpollLoop::Next(int timeout_ms, std::function<void()>* handle) {
  Events events;
  if (timeout_ms < 0) {
    ParkLoopThread();
    PollUntilEvent(loop_thread_, &events);
  } else {
    Poll(timeout_ms, &events);
    if (events.count == 0) sched_yield();
  }
  for (int i = 0; i < events.count; ++i) {
    if (events.list[i].data.u64 == kEnd) return EventThreads::Next::kEnd;
  }
  if (events.count == 0) return EventThreads::Next::kNothing;
  *handle = [this, events] { Dispatch(events, nullptr); };
  return EventThreads::Next::kEvent;
}

void EpollLoop::Dispatch(const Events& events, Waiter* waiter) {
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
      if (waiter != nullptr) waiter->handling = watcher;
      watcher->OnReady((what & ~uint32_t{EPOLLOUT}) != 0, (what & EPOLLOUT) != 0);
    } catch (...) {  // the thread may wait for something else: it must not leave WaitFor with an exception
      LogCurrentException("the handler of a message");
    }
  }
  if (waiter != nullptr) waiter->handling = nullptr;
}

void EpollLoop::RunPosted() {
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
//  - A thread that enters WaitFor becomes a waiter and takes the turn. The previous holder is woken from epoll_wait
//    and parks until it gets the turn back or its event is set.
//  - If the last wait was short, the holder spins for a while before it sleeps in epoll_wait.
//  - A holder that begins long work passes the turn to the loop's thread, and takes it back afterwards if no newer
//    thread has come.
//  - A thread that leaves passes the turn to the newest waiter. If threads come back as fast as they leave, it passes
//    the turn to the loop's thread instead, which stays parked until a timer fires and polls only if it still has the
//    turn then. Parked waiters are woken meanwhile when their event is set.

bool EpollLoop::IsOver(const Waiter& waiter) const {
  return turn_.load(std::memory_order_acquire) != &waiter ||
         (waiter.event != nullptr && (waiter.event->is_set() || released_.load(std::memory_order_acquire)));
}

// Leaves out wake-ups: they only wake a thread.
void EpollLoop::Poll(int timeout_ms, Events* events) const {
  const int found = epoll_wait(epoll_.get(), events->list.data(), kMaxEvents, timeout_ms);
  const auto end = events->list.begin() + std::max(0, found);
  events->count = static_cast<int>(
      std::remove_if(events->list.begin(), end, [](const epoll_event& e) { return e.data.u64 == kWakeup; }) -
      events->list.begin());
}

void EpollLoop::PollUntilEvent(Waiter& waiter, Events* events) {
  const int64_t begin = RealClock().MonotonicNanos();
  int64_t now = begin;
  const int64_t spin_nanos = waiter.event != nullptr ? kSpinNanos : kLoopThreadSpinNanos;
  const bool spins = !waiter.skips_spin && last_poll_nanos_.load(std::memory_order_relaxed) < kShortWaitNanos;
  for (; spins && now - begin < spin_nanos; now = RealClock().MonotonicNanos()) {
    Poll(0, events);
    if (events->count > 0 || IsOver(waiter)) break;
    sched_yield();
  }
  while (events->count == 0) {
    if (!BeginSleep(waiter)) return;
    Poll(-1, events);
    EndSleep(waiter);
    now = RealClock().MonotonicNanos();
    // Events are level-triggered: the thread that has the turn now finds them, too.
    if (turn_.load(std::memory_order_acquire) != &waiter) events->count = 0;
    if (events->count == 0) sched_yield();  // lets another thread that was woken run
  }
  if (events->count > 0) waiter.skips_spin = false;
  last_poll_nanos_.store(now - begin, std::memory_order_relaxed);
}

// Returns false if the waiter's wait is over. If it returns true, the thread that ends the wait wakes this one.
bool EpollLoop::BeginSleep(Waiter& waiter) {
  std::lock_guard lock(waiters_mu_);
  if (IsOver(waiter)) return false;
  waiter.state = Waiter::State::kInEpollWait;
  return true;
}

void EpollLoop::EndSleep(Waiter& waiter) {
  std::lock_guard lock(waiters_mu_);
  waiter.state = Waiter::State::kAwake;
  eventfd_t one = 0;
  if (std::exchange(waiter.wakeup_pending, false)) eventfd_read(wakeups_.get(), &one);
}

void EpollLoop::WakeLocked(Waiter& waiter) {
  if (waiter.state == Waiter::State::kParked) {
    if (&waiter == &loop_thread_) return WakeLoopThreadIn(0);
    waiter.changed.notify_all();
  }
  if (waiter.state == Waiter::State::kInEpollWait && !std::exchange(waiter.wakeup_pending, true))
    eventfd_write(wakeups_.get(), 1);
}

void EpollLoop::Waiter::Wake() {
  std::lock_guard lock(loop.waiters_mu_);
  loop.WakeLocked(*this);
}

void EpollLoop::AddWaiter(Waiter& waiter) {
  std::lock_guard lock(waiters_mu_);
  waiters_.push_back(&waiter);
  back_soon_ = RealClock().MonotonicNanos() - left_nanos_ < kReturnsSoonNanos;
  TakeTurn(waiter);
}

void EpollLoop::TakeTurn(Waiter& waiter) {
  Waiter* const before = turn_.exchange(&waiter, std::memory_order_acq_rel);
  before->skips_spin = true;
  if (before->state == Waiter::State::kInEpollWait) WakeLocked(*before);
}

void EpollLoop::YieldTurn(Waiter& waiter) {
  if (waiter.handling != nullptr && waiter.handling->HasMore())
    Post([watcher = waiter.handling] { watcher->OnReady(false, false); });
  std::lock_guard lock(waiters_mu_);
  if (turn_.load(std::memory_order_relaxed) != &waiter) return;
  turn_.store(&loop_thread_, std::memory_order_release);
  if (loop_thread_.state == Waiter::State::kParked) WakeLoopThreadIn(kLoopThreadDelayNanos);
}

void EpollLoop::RemoveWaiter(Waiter& waiter) {
  std::lock_guard lock(waiters_mu_);
  std::erase(waiters_, &waiter);
  if (turn_.load(std::memory_order_relaxed) != &waiter) return;
  left_nanos_ = RealClock().MonotonicNanos();
  Waiter* const next = back_soon_ ? &loop_thread_ : waiters_.back();
  turn_.store(next, std::memory_order_release);
  if (next != &loop_thread_) return WakeLocked(*next);
  if (loop_thread_.state != Waiter::State::kParked) return;
  const int64_t wait = std::min(last_poll_nanos_.load(std::memory_order_relaxed), kLoopThreadMaxDelayNanos);
  const int64_t soon = std::clamp(kLoopThreadDelayWaits * wait, kLoopThreadDelayNanos, kLoopThreadMaxDelayNanos);
  WakeLoopThreadIn(back_soon_ ? soon : kLoopThreadShortDelayNanos);
}

// Wakes the parked loop thread after `nanos`, or earlier: an alarm that is already set for the second half of this time
// is kept.
// REQUIRES: waiters_mu_ is held.
void EpollLoop::WakeLoopThreadIn(int64_t nanos) {
  const int64_t now = RealClock().MonotonicNanos();
  if (alarm_nanos_ >= now + nanos / 2 && alarm_nanos_ <= now + nanos) return;
  alarm_nanos_ = now + nanos;
  itimerspec spec{};
  spec.it_value.tv_nsec = std::max<int64_t>(1, nanos);
  timerfd_settime(alarm_.get(), 0, &spec, nullptr);
}

void EpollLoop::Park(Waiter& waiter) {
  std::unique_lock lock(waiters_mu_);
  if (waiters_.back() == &waiter && turn_.load(std::memory_order_relaxed) == &loop_thread_) return TakeTurn(waiter);
  waiter.state = Waiter::State::kParked;
  waiter.changed.wait(
      lock, [&] { return turn_.load(std::memory_order_relaxed) == &waiter || waiter.event->is_set() || released_; });
  waiter.state = Waiter::State::kAwake;
}

// Another thread may have taken the turn by the time the alarm fires. It sets the alarm again when it leaves.
void EpollLoop::ParkLoopThread() {
  if (turn_.load(std::memory_order_acquire) == &loop_thread_) return;
  threads_.EndWait();
  {
    std::unique_lock lock(waiters_mu_);
    loop_thread_.state = Waiter::State::kParked;
    while (turn_.load(std::memory_order_relaxed) != &loop_thread_ && !ending_) {
      lock.unlock();
      uint64_t times = 0;
      static_cast<void>(read(alarm_.get(), &times, sizeof(times)) == sizeof(times));  // checks turn_ in any case
      lock.lock();
    }
    loop_thread_.state = Waiter::State::kAwake;
  }
  threads_.BeginWait();
}

void EpollLoop::WaitFor(OneShotEvent& event) {
  TransportThread::Current().Flush();
  Waiter waiter(*this, &event);
  AddWaiter(waiter);  // before SetWaker: it may throw
  event.SetWaker(&waiter);
  while (!event.is_set() && !released_.load(std::memory_order_acquire)) {
    if (turn_.load(std::memory_order_acquire) != &waiter) {
      Park(waiter);
      continue;
    }
    Events events;
    threads_.BeginWait();
    PollUntilEvent(waiter, &events);
    threads_.EndWait();
    if (events.count == 0) continue;
    threads_.CountEvent();
    const DonatedThread donated(waiter);
    Dispatch(events, &waiter);
  }
  event.SetWaker(nullptr);
  RemoveWaiter(waiter);
}

void EpollLoop::ReleaseWaiters() {
  std::lock_guard lock(waiters_mu_);
  released_ = true;
  for (Waiter* waiter : waiters_) {
    if (waiter != &loop_thread_) WakeLocked(*waiter);
  }
}

}  // namespace weir
