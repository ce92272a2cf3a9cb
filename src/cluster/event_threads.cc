#include "cluster/event_threads.h"

#include <pthread.h>

#include <utility>

namespace weir {

EventThreads::EventThreads(Wait wait)
    : wait_(std::move(wait)), large_("weir_rpc_copy", 1), stand_ins_("weir_rpc_more"), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "weir_rpc");
}

EventThreads::~EventThreads() { thread_.join(); }

void EventThreads::Handle(const std::function<void()>& handle) {
  num_events_.fetch_add(1, std::memory_order_relaxed);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  handle();
  waiting_.fetch_add(1, std::memory_order_relaxed);
}

void EventThreads::Run() {
  std::function<void()> handle;
  for (;;) {
    const Next next = wait_(-1, &handle);
    if (next == Next::kEnd) return;
    if (next == Next::kNothing) continue;
    turn_.fetch_add(1, std::memory_order_relaxed);
    Handle(handle);
    turn_.fetch_add(1, std::memory_order_relaxed);
  }
}

void EventThreads::Look() {
  const uint64_t events = num_events_.load(std::memory_order_relaxed);
  const bool stuck = waiting_.load(std::memory_order_relaxed) == 0 && events == seen_events_;
  seen_events_ = events;
  const uint64_t turn = turn_.load(std::memory_order_relaxed);
  if (!stuck || turn % 2 == 0) return;
  waiting_.fetch_add(1, std::memory_order_relaxed);
  stand_ins_.Schedule([this, turn] { StandIn(turn); });
}

// Until the thread is back from that turn.
void EventThreads::StandIn(uint64_t turn) {
  constexpr int kTurnMs = 20;
  std::function<void()> handle;
  while (turn_.load(std::memory_order_relaxed) == turn) {
    const Next next = wait_(kTurnMs, &handle);
    if (next == Next::kEnd) break;
    if (next == Next::kEvent) Handle(handle);
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void EventThreads::RunFor(size_t bytes, std::function<void()> work) {
  constexpr size_t kLarge = size_t{256} << 10;
  if (bytes < kLarge) return work();
  large_.Schedule(std::move(work));
}

}  // namespace weir
