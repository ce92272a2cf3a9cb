#include "cluster/host/host_loop.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/clock.h"

namespace weir {
namespace {

constexpr HostLoop::Id kEnd = 0;
constexpr HostLoop::Id kPosted = 1;

// Waking a thread takes longer than many a message is answered in: where events follow each other closely, the thread
// looks for the next one for a while before it sleeps, and lets others run in between.
constexpr int64_t kLookNanos = 50'000;
constexpr int64_t kCloseNanos = 200'000;

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
      posted_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {
  epoll_event end = EventOf(kEnd, EPOLLIN);
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, end_.get(), &end);
  epoll_event posted = EventOf(kPosted, EPOLLIN);
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, posted_.get(), &posted);
  threads_ = std::make_unique<EventThreads>(
      [this](int timeout_ms, std::function<void()>* handle) { return Next(timeout_ms, handle); });
}

HostLoop::~HostLoop() {
  eventfd_write(end_.get(), 1);
  threads_.reset();
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
  std::shared_ptr<Watcher> former;  // let go of without the lock
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

bool HostLoop::Wait(epoll_event* event) {
  const int64_t begin = RealClock().MonotonicNanos();
  int64_t now = begin;
  int found = 0;
  for (; found == 0 && last_wait_nanos_ < kCloseNanos && now - begin < kLookNanos; now = RealClock().MonotonicNanos()) {
    found = epoll_wait(epoll_.get(), event, 1, 0);
    if (found == 0) sched_yield();
  }
  if (found == 0) {
    found = epoll_wait(epoll_.get(), event, 1, -1);
    now = RealClock().MonotonicNanos();
  }
  last_wait_nanos_ = now - begin;
  return found > 0;
}

EventThreads::Next HostLoop::Next(int timeout_ms, std::function<void()>* handle) {
  epoll_event event{};
  const bool found = timeout_ms < 0 ? Wait(&event) : epoll_wait(epoll_.get(), &event, 1, timeout_ms) > 0;
  if (!found) return EventThreads::Next::kNothing;
  const Id id = event.data.u64;  // a copy: the event itself is packed
  if (id == kEnd) return EventThreads::Next::kEnd;
  if (id == kPosted) {
    eventfd_t one = 0;
    if (eventfd_read(posted_.get(), &one) != 0) return EventThreads::Next::kNothing;  // another thread was faster
    std::lock_guard lock(mu_);
    *handle = std::move(posts_.front());
    posts_.pop_front();
    return EventThreads::Next::kEvent;
  }
  std::shared_ptr<Watcher> watcher;
  {
    std::lock_guard lock(mu_);
    if (auto it = watchers_.find(id); it != watchers_.end()) watcher = it->second;
  }
  if (watcher == nullptr) return EventThreads::Next::kNothing;
  *handle = [watcher = std::move(watcher), events = event.events] {
    watcher->Ready((events & ~uint32_t{EPOLLOUT}) != 0, (events & EPOLLOUT) != 0);
  };
  return EventThreads::Next::kEvent;
}

}  // namespace weir
