// Task: what answers the calls to one task of a cluster: a worker and a master, wired to each other. Knows nothing of
// where it listens: a Server puts it behind a port, a simulation behind a made-up address. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/alarms.h"
#include "base/env.h"
#include "base/rng.h"
#include "cluster/master.h"
#include "cluster/worker.h"
#include "session/cluster_spec.h"

namespace weir {

class Task final {
 public:
  struct Dependencies {
    const OpRegistry& registry;  // all outlive the task
    ThreadPool& pool;
    ElasticPool& blocking_pool;
    Env& env;  // the files that kernels use
    Transport& transport;
    Clock& clock;
    Alarms& alarms;
    Rng& rng;
    PyFuncRunner* py_functions = nullptr;
    size_t chunk_bytes = kChunkBytes;                    // see Worker::Dependencies
    int64_t unclaimed_session_ms = kUnclaimedSessionMs;  // see Master::Dependencies
  };

  // `name` is "/job:ps/replica:0/task:0"; it need not be in the cluster. `config` is what sessions get that say nothing
  // else, and says which devices there are.
  Task(std::string name, const ClusterSpec& cluster, const tensorflow::ConfigProto& config,
       const Dependencies& dependencies);
  ~Task();

  Worker& worker() { return worker_; }
  Master& master() { return *master_; }
  // What a listener needs; the task must outlive the calls.
  CallHandler Handler() { return ServeBoth(worker_, *master_); }

  // Fails what runs and closes all sessions; later calls fail. Blocks until nothing runs.
  void End();
  // The same without blocking: `done` runs when it is over.
  void End(std::function<void()> done);

 private:
  Worker worker_;
  const std::shared_ptr<Peers> peers_;
  const std::shared_ptr<Farewells> farewells_;
  std::unique_ptr<Master> master_;
};

}  // namespace weir
