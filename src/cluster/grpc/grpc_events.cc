#include "cluster/grpc/grpc_events.h"

#include <pthread.h>

#include <utility>

namespace weir {

GrpcEvents::GrpcEvents(std::unique_ptr<grpc::CompletionQueue> queue)
    : queue_(std::move(queue)), large_("weir_rpc_copy", 1), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "weir_rpc");
}

GrpcEvents::~GrpcEvents() {
  queue_->Shutdown();
  thread_.join();
}

void GrpcEvents::Run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) static_cast<GrpcEvent*>(tag)->Happened(ok);
}

void GrpcEvents::RunFor(size_t bytes, std::function<void()> work) {
  constexpr size_t kLarge = size_t{256} << 10;
  if (bytes < kLarge) return work();
  large_.Schedule(std::move(work));
}

}  // namespace weir
