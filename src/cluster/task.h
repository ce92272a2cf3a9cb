// Task: a worker and a master, connected to each other, that serve the calls to one task of a cluster. Does
// not know its address: a Server binds it to a port, a simulation to a simulated address. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/alarms.h"
#include "base/rng.h"
#include "cluster/master.h"
#include "cluster/process_parts.h"
#include "cluster/worker.h"
#include "session/cluster_spec.h"

namespace weir {

class Task final {
 public:
  struct Dependencies {
    ProcessParts parts;
    Transport& transport;  // all of these must outlive the task
    Clock& clock;
    Alarms& alarms;
    Rng& rng;
    size_t chunk_bytes = kChunkBytes;                    // see Worker::Dependencies
    int64_t unclaimed_session_ms = kUnclaimedSessionMs;  // see Master::Dependencies
    int64_t session_lease_ms = kSessionLeaseMs;          // see SessionTasks
    size_t kept_response_bytes = kKeptResponseBytes;     // see KeptResponses
    int64_t idle_session_ms = 0;                         // see Master::Dependencies
    Limits limits = Limits();
  };

  // `name` is "/job:ps/replica:0/task:0"; it need not be in the cluster. `config` is the default for sessions and
  // determines the devices.
  Task(std::string name, const ClusterSpec& cluster, const tensorflow::ConfigProto& config,
       const Dependencies& dependencies);
  ~Task();

  Worker& worker() { return worker_; }
  Master& master() { return *master_; }
  // For a listener. The task must outlive the calls.
  CallHandler Handler() { return MakeServiceHandler(worker_, *master_, access_, unread_answers_); }

  // Fails running steps and closes all sessions; later calls fail. Blocks until nothing is running.
  void End();
  // The same without blocking: `done` runs at the end.
  void End(std::function<void()> done);

 private:
  AccessControl access_;
  Quota unread_answers_;
  Worker worker_;
  const std::shared_ptr<Peers> peers_;
  const std::shared_ptr<BestEffortCalls> best_effort_;
  std::unique_ptr<Master> master_;
};

}  // namespace weir
