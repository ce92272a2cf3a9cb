#include "cluster/grpc/grpc_events.h"

#include <chrono>

namespace weir {
namespace {

EventThreads::Next NextEvent(grpc::CompletionQueue& queue, int timeout_ms, std::function<void()>* handle) {
  void* tag = nullptr;
  bool ok = false;
  auto next = grpc::CompletionQueue::GOT_EVENT;
  if (timeout_ms < 0) {
    if (!queue.Next(&tag, &ok)) next = grpc::CompletionQueue::SHUTDOWN;
  } else {
    next = queue.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + std::chrono::milliseconds(timeout_ms));
  }
  if (next == grpc::CompletionQueue::SHUTDOWN) return EventThreads::Next::kEnd;
  if (next == grpc::CompletionQueue::TIMEOUT) return EventThreads::Next::kNothing;
  *handle = [event = static_cast<GrpcEvent*>(tag), ok] { event->OnComplete(ok); };
  return EventThreads::Next::kEvent;
}

}  // namespace

GrpcEvents::GrpcEvents(std::unique_ptr<grpc::CompletionQueue> queue)
    : queue_(std::move(queue)), threads_([this](int timeout_ms, std::function<void()>* handle) {
        return NextEvent(*queue_, timeout_ms, handle);
      }) {}

}  // namespace weir
