// GrpcEvents: a gRPC completion queue and the threads that wait for its events.
#pragma once

#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>
#include <utility>

#include "cluster/event_threads.h"

namespace weir {

// The tag of an operation. OnComplete runs when gRPC reports its completion; `ok` is gRPC's.
class GrpcEvent {
 public:
  virtual void OnComplete(bool ok) = 0;

 protected:
  ~GrpcEvent() = default;
};

class GrpcEvents final {
 public:
  explicit GrpcEvents(std::unique_ptr<grpc::CompletionQueue> queue);
  // Shuts down the queue and joins the threads, once all pending operations have been reported.
  ~GrpcEvents() { queue_->Shutdown(); }
  GrpcEvents(const GrpcEvents&) = delete;
  GrpcEvents& operator=(const GrpcEvents&) = delete;

  grpc::CompletionQueue& queue() { return *queue_; }
  // See EventThreads.
  void RunBySize(size_t bytes, std::function<void()> work) { threads_.RunBySize(bytes, std::move(work)); }
  void CheckForStall() { threads_.CheckForStall(); }

 private:
  const std::unique_ptr<grpc::CompletionQueue> queue_;
  EventThreads threads_;
};

}  // namespace weir
