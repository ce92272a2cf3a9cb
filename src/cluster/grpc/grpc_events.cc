#include "cluster/grpc/grpc_events.h"

#include <pthread.h>

#include <chrono>
#include <utility>

namespace weir {

GrpcEvents::GrpcEvents(std::unique_ptr<grpc::CompletionQueue> queue)
    : queue_(std::move(queue)), large_("weir_rpc_copy", 1), stand_ins_("weir_rpc_more"), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "weir_rpc");
}

GrpcEvents::~GrpcEvents() {
  queue_->Shutdown();
  thread_.join();
}

void GrpcEvents::Handle(void* tag, bool ok) {
  num_events_.fetch_add(1, std::memory_order_relaxed);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  static_cast<GrpcEvent*>(tag)->Happened(ok);
  waiting_.fetch_add(1, std::memory_order_relaxed);
}

void GrpcEvents::Run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) {
    turn_.fetch_add(1, std::memory_order_relaxed);
    Handle(tag, ok);
    turn_.fetch_add(1, std::memory_order_relaxed);
  }
}

void GrpcEvents::Look() {
  const uint64_t events = num_events_.load(std::memory_order_relaxed);
  const bool stuck = waiting_.load(std::memory_order_relaxed) == 0 && events == seen_events_;
  seen_events_ = events;
  const uint64_t turn = turn_.load(std::memory_order_relaxed);
  if (!stuck || turn % 2 == 0) return;
  waiting_.fetch_add(1, std::memory_order_relaxed);
  stand_ins_.Schedule([this, turn] { StandIn(turn); });
}

// Until the thread is back from that turn.
void GrpcEvents::StandIn(uint64_t turn) {
  constexpr auto kTurn = std::chrono::milliseconds(20);
  void* tag = nullptr;
  bool ok = false;
  while (turn_.load(std::memory_order_relaxed) == turn) {
    const auto next = queue_->AsyncNext(&tag, &ok, std::chrono::system_clock::now() + kTurn);
    if (next == grpc::CompletionQueue::SHUTDOWN) break;
    if (next == grpc::CompletionQueue::GOT_EVENT) Handle(tag, ok);
  }
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void GrpcEvents::RunFor(size_t bytes, std::function<void()> work) {
  constexpr size_t kLarge = size_t{256} << 10;
  if (bytes < kLarge) return work();
  large_.Schedule(std::move(work));
}

}  // namespace weir
