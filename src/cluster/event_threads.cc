#include "cluster/event_threads.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/out_of_memory.h"

namespace weir {

EventThreads::EventThreads(Wait wait)
    : wait_(std::move(wait)), large_("weir_rpc_copy", 1), stand_ins_("weir_rpc_more"), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "weir_rpc");
}

EventThreads::~EventThreads() { thread_.join(); }

void EventThreads::Handle(const std::function<void()>& handle) {
  CountEvent();
  EndWait();
  try {
    handle();
  } catch (...) {  // the callers learn of it when the handler's closures are destroyed
    LogCurrentException("the handler of a message");
  }
  BeginWait();
}

void EventThreads::Run() {
  std::function<void()> handle;
  for (;;) {
    const Next next = wait_(-1, &handle);
    if (next == Next::kEnd) return;
    if (next == Next::kNothing) continue;
    Handle(handle);
  }
}

bool EventThreads::CheckForStall() {
  const uint64_t events = num_events_.load(std::memory_order_relaxed);
  const bool stuck = waiting_.load(std::memory_order_relaxed) == 0 && events == seen_events_;
  seen_events_ = events;
  if (!stuck) return false;
  BeginWait();
  stand_ins_.Schedule([this] { StandIn(); });
  return true;
}

// Runs until another thread waits for events.
void EventThreads::StandIn() {
  constexpr int kTurnMs = 20;
  std::function<void()> handle;
  while (!StopIfNotNeeded()) {
    const Next next = wait_(kTurnMs, &handle);
    if (next == Next::kEnd) return EndWait();
    if (next == Next::kEvent) Handle(handle);
  }
}

bool EventThreads::StopIfNotNeeded() {
  int waiting = waiting_.load(std::memory_order_relaxed);
  while (waiting > 1) {
    if (waiting_.compare_exchange_weak(waiting, waiting - 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

void EventThreads::RunBySize(size_t bytes, std::function<void()> work) {
  if (IsSmall(bytes)) return work();
  large_.Schedule(std::move(work));
}

void CheckPeriodically(Alarms& alarms, int64_t peer_timeout_ms, std::function<void()> check) {
  const int64_t pause_ms = std::max<int64_t>(1, peer_timeout_ms / 8);
  alarms.After(pause_ms * kNanosPerMilli, [&alarms, peer_timeout_ms, check = std::move(check)]() mutable {
    check();
    CheckPeriodically(alarms, peer_timeout_ms, std::move(check));
  });
}

}  // namespace weir
