// Server: one task of a cluster: a master for clients and a worker for masters, at one address. Made for a ServerDef,
// it has its port from then until Stop or its destruction, and answers from Start on. Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/env.h"
#include "base/thread_pool.h"
#include "cluster/network.h"
#include "op/op_registry.h"
#include "op/py_func.h"
#include "proto/server.pb.h"
#include "session/cluster_spec.h"

namespace weir {

class Listener;

class Server final {
 public:
  struct Dependencies {
    const OpRegistry& registry;  // all outlive the server
    ThreadPool& pool;
    ElasticPool& blocking_pool;
    Env& env;  // the files that kernels use
    Network& network;
    PyFuncRunner* py_functions = nullptr;
  };
  struct Options {
    // Where to listen, instead of the address that the cluster has for this task: "host" or "host:port". Empty: the
    // environment's WEIR_BIND_ADDRESS, or else that address.
    std::string bind_address;
    // After which time the master closes a session that no client has used since it was created; 0: never. Not given:
    // the environment's WEIR_UNCLAIMED_SESSION_SECONDS, or else a day.
    std::optional<int64_t> unclaimed_session_ms;
  };

  // Checks the definition and takes the port. Errors name the job, the task and the address.
  static Result<std::unique_ptr<Server>> Make(const tensorflow::ServerDef& def, const Options& options,
                                              const Dependencies& dependencies);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Begins to answer, also calls that came in before. Starting twice does nothing.
  Status Start();
  // Gives running steps up to `grace_ms` to end, cancels the rest and releases the port. Stopping again waits for
  // the end of the first.
  void Stop(int64_t grace_ms = 0);
  // Blocks until it is stopped, or, where `until` is given, it says so: it is asked every 100 ms.
  void Join(const std::function<bool()>& until = nullptr);
  bool stopped() const;

  std::string target() const;  // "grpc://localhost:2222"
  const tensorflow::ServerDef& server_def() const { return def_; }

 private:
  struct Core;
  Server(tensorflow::ServerDef def, std::string address, std::shared_ptr<Core> core,
         std::unique_ptr<Listener> listener);

  const tensorflow::ServerDef def_;
  const std::string address_;  // as others know it
  std::shared_ptr<Core> core_;
  mutable std::mutex mu_;
  std::condition_variable ended_;
  bool started_ = false;
  bool stopped_ = false;    // Stop has been called
  bool has_ended_ = false;  // ... and is done
  std::unique_ptr<Listener> listener_;
};

}  // namespace weir
