// The sessions and steps of a Worker: what worker.cc, worker_sessions.cc and worker_receives.cc share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/sent_values.h"
#include "cluster/worker.h"

namespace weir {

class PartialStep;

// A session that a master has opened. The default session, for masters that open none, has an empty handle.
struct Worker::WorkerSession {
  explicit WorkerSession(size_t kept_response_bytes)
      : responses(std::make_shared<Responses>(Responses::Options{.max_bytes = kept_response_bytes})) {}
  // Breaks a reference cycle: iterators with shared names hold a reference to the resources that they are stored in.
  ~WorkerSession() {
    if (isolated) resources->ClearAll();
  }
  std::string handle;
  std::string owner;   // the name of the caller who has created it; empty if that was a trusted one
  std::string master;  // "TASK at ADDRESS" of the master that opened it, and its incarnation
  int64_t master_incarnation = 0;
  // Guarded by the worker's lock:
  int64_t lease_nanos = 0;  // 0: the session lasts until it is closed
  int64_t renewed = 0;      // when the master last renewed the lease
  std::shared_ptr<ResourceManager> resources;
  bool isolated = false;  // the resources belong to this session alone
  std::shared_ptr<Peers> peers;
  std::shared_ptr<const Devices> devices;
  std::shared_ptr<NamedKernels> stateful = std::make_shared<NamedKernels>();
  const std::shared_ptr<Responses> responses;
  std::vector<int64_t> kept_steps;  // the step that keeps values, by slot - 1; 0: none. Guarded by the worker's lock
  std::mutex mu;
  std::map<std::string, std::shared_ptr<RegisteredGraph>> graphs;
};

struct Worker::ActiveStep {
  ActiveStep(int64_t id, std::shared_ptr<void> counted_here)
      : rendezvous(MakeIntrusive<StepRendezvous>(id)), counted(std::move(counted_here)) {}
  const IntrusivePtr<StepRendezvous> rendezvous;
  CancelToken cancel;
  SentValues sent;
  // Guarded by the worker's lock:
  std::shared_ptr<void> counted;           // null if the step only keeps values
  std::shared_ptr<WorkerSession> session;  // set by RunGraph
  int running = 0;                         // number of RunGraph calls
  int waiting = 0;                         // number of receives of other tasks that are not complete
  uint64_t num_receives = 0;               // number of receives of other tasks so far
  std::shared_ptr<PartialStep> partial;    // for partial runs; set by the first piece

  std::mutex mu;
  struct ChunkedSend {
    ChunkSource from;
    std::vector<bool> sent;  // by the number of the chunk
    size_t left = 0;         // number of chunks that were not sent yet
  };
  std::map<std::string, ChunkedSend>
      in_chunks;  // values that other tasks receive chunk by chunk, by key; guarded by mu

  void End(const Status& reason) {
    cancel.Cancel(reason);
    rendezvous->Abort(reason);
  }
};
}  // namespace weir
