// Server: one task of a cluster: a master for clients and a worker for masters, at one address. It holds its port from
// Make until Stop or its destruction, and answers calls from Start on. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "weir/base/env.h"
#include "weir/op/op_registry.h"
#include "weir/proto/messages.h"
#include "weir/session/cluster_spec.h"

namespace weir {

class ElasticPool;
class Listener;
class Network;
class PyFuncRunner;
class ThreadPool;

class Server final {
 public:
  struct Dependencies {
    const OpRegistry& registry;  // all of these must outlive the server
    ThreadPool& pool;
    ElasticPool& blocking_pool;
    Env& env;  // the files that kernels use
    Network& network;
    PyFuncRunner* py_functions = nullptr;
  };
  struct Options {
    // Where to listen instead of the task's address in the cluster: "host" or "host:port". Empty: WEIR_BIND_ADDRESS of
    // the environment, or else the address in the cluster.
    std::string bind_address;
    // Time after which the master closes a session that no client has used since its creation; 0: never. Not set:
    // WEIR_UNCLAIMED_SESSION_SECONDS of the environment, or else a day.
    std::optional<int64_t> unclaimed_session_ms;
  };

  // Validates the definition and binds the port. Errors name the job and task, or the address that cannot be bound.
  static Result<std::unique_ptr<Server>> Make(const tensorflow::ServerDef& def, const Options& options,
                                              const Dependencies& dependencies);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Starts to answer calls, including calls that arrived before. A second call is a no-op.
  Status Start();
  // Gives running steps up to `grace_ms` to end, cancels the rest and releases the port. A second call waits for the
  // end of the first.
  void Stop(int64_t grace_ms = 0);
  // Blocks until the server is stopped, or `until`, which is polled every 100 ms, returns true.
  void Join(const std::function<bool()>& until = nullptr);
  bool stopped() const;

  std::string target() const;  // "grpc://localhost:2222"
  const tensorflow::ServerDef& server_def() const { return *def_; }

 private:
  struct Core;
  Server(tensorflow::ServerDef def, std::string address, std::shared_ptr<Core> core,
         std::unique_ptr<Listener> listener);

  const std::shared_ptr<const tensorflow::ServerDef> def_;
  const std::string address_;  // the one in the cluster
  std::shared_ptr<Core> core_;
  mutable std::mutex mu_;
  std::condition_variable ended_;
  bool started_ = false;
  bool stopped_ = false;    // Stop has been called
  bool has_ended_ = false;  // ... and has ended
  std::unique_ptr<Listener> listener_;
};

}  // namespace weir
