// GrpcEvents: a thread that waits at one of gRPC's completion queues and runs what its events are for. One thread, so
// that a small message costs one wake-up; a message with much to copy is handed to a second one, and the first goes on
// reading. Where an event keeps the thread for long another one stands in: nobody else would read what peers send, and
// they would take a busy process for a dead one.
#pragma once

#include <grpcpp/completion_queue.h>

#include <atomic>
#include <cstdint>
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
  // Waits for the threads. Operations that use the queue have been reported by then, or will be.
  ~GrpcEvents();
  GrpcEvents(const GrpcEvents&) = delete;
  GrpcEvents& operator=(const GrpcEvents&) = delete;

  grpc::CompletionQueue& queue() { return *queue_; }
  // What is to be done with a message of so many bytes: at once when it is small. Called by an event.
  void RunFor(size_t bytes, std::function<void()> work);
  // Called now and then, by one thread: lets another thread stand in when nobody waits at the queue, and nobody has
  // since the last look.
  void Look();
  int waiting() const { return waiting_.load(std::memory_order_relaxed); }  // threads at the queue

 private:
  void Run();
  void StandIn(uint64_t turn);
  void Handle(void* tag, bool ok);

  const std::unique_ptr<grpc::CompletionQueue> queue_;
  std::atomic<uint64_t> turn_{0};        // of the thread; odd while it is at work on an event
  std::atomic<int> waiting_{1};          // threads at the queue
  std::atomic<uint64_t> num_events_{0};  // that were begun
  uint64_t seen_events_ = 0;             // at the last look
  ThreadPool large_;                     // its thread starts with the first large message
  ElasticPool stand_ins_;
  std::thread thread_;
};

}  // namespace weir
