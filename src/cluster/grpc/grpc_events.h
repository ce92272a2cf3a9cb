// GrpcEvents: a thread that waits at one of gRPC's completion queues and runs what its events are for. One thread, so
// that a small message costs one wake-up; a message with much to copy is handed to a second one, and the first goes on
// reading.
#pragma once

#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>
#include <thread>

#include "base/thread_pool.h"

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
  // Waits for the thread. Operations that use the queue have been reported by then, or will be.
  ~GrpcEvents();
  GrpcEvents(const GrpcEvents&) = delete;
  GrpcEvents& operator=(const GrpcEvents&) = delete;

  grpc::CompletionQueue& queue() { return *queue_; }
  // What is to be done with a message of so many bytes: at once when it is small. Called by an event.
  void RunFor(size_t bytes, std::function<void()> work);

 private:
  void Run();

  const std::unique_ptr<grpc::CompletionQueue> queue_;
  ThreadPool large_;  // its thread starts with the first large message
  std::thread thread_;
};

}  // namespace weir
