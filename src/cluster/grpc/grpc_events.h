// GrpcEvents: one of gRPC's completion queues and the threads that wait at it.
#pragma once

#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>
#include <utility>

#include "cluster/event_threads.h"

namespace weir {

// What gRPC is told to report: the tag of an operation. `ok` as gRPC gives it.
class GrpcEvent {
 public:
  virtual void Happened(bool ok) = 0;

 protected:
  ~GrpcEvent() = default;
};

class GrpcEvents final {
 public:
  explicit GrpcEvents(std::unique_ptr<grpc::CompletionQueue> queue);
  // Waits for the threads. Operations that use the queue have been reported by then, or will be.
  ~GrpcEvents() { queue_->Shutdown(); }
  GrpcEvents(const GrpcEvents&) = delete;
  GrpcEvents& operator=(const GrpcEvents&) = delete;

  grpc::CompletionQueue& queue() { return *queue_; }
  // As those of EventThreads.
  void RunFor(size_t bytes, std::function<void()> work) { threads_.RunFor(bytes, std::move(work)); }
  void Look() { threads_.Look(); }

 private:
  const std::unique_ptr<grpc::CompletionQueue> queue_;
  EventThreads threads_;
};

}  // namespace weir
