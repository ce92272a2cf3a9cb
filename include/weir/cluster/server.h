// Server: one task of a cluster: a master for clients and a worker for masters, at one address. It holds its port from
// Make until Stop or its destruction, and answers calls from Start on. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "weir/base/status.h"
#include "weir/proto/messages.h"

namespace weir {

class ClusterSpec;
class JobWatch;
class Listener;
class Network;
struct ProcessParts;

class Server final {
 public:
  // Internal: programs call Engine::StartServer. Validates the definition and binds the port. Errors name the job and
  // task, or the address that cannot be bound. REQUIRES: the parts and the network outlive the server.
  struct Options;
  static Result<std::unique_ptr<Server>> Make(const tensorflow::ServerDef& def, const Options& options,
                                              const ProcessParts& parts, Network& network);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Starts to answer calls, including calls that arrived before. A second call is a no-op.
  Status Start();
  // Gives running steps up to `grace_ms` to end, cancels the rest and releases the port. A second call waits for the
  // end of the first. `will_return`: the program has failed and will be started again, so servers that end with its job
  // wait for it.
  void Stop(int64_t grace_ms = 0, bool will_return = false);
  // Blocks until the server is stopped, or `until`, which is polled every 100 ms, returns true. Stops a server that was
  // told to end with a job (Options::end_with) when all tasks of the job have ended.
  void Join(const std::function<bool()>& until = nullptr);
  bool stopped() const;

  std::string target() const;  // "grpc://localhost:2222"
  const tensorflow::ServerDef& server_def() const { return *def_; }

 private:
  struct Core;
  Server(tensorflow::ServerDef def, std::string address, std::shared_ptr<Core> core,
         std::unique_ptr<Listener> listener);
  Status WatchJobs(const std::string& jobs, const ClusterSpec& cluster);

  const std::shared_ptr<const tensorflow::ServerDef> def_;
  const std::string address_;  // the one in the cluster
  std::shared_ptr<Core> core_;
  mutable std::mutex mu_;
  std::condition_variable ended_;
  std::shared_ptr<JobWatch> watch_;
  bool job_has_ended_ = false;
  bool started_ = false;
  bool stopped_ = false;    // Stop has been called
  bool has_ended_ = false;  // ... and has ended
  std::unique_ptr<Listener> listener_;
};

}  // namespace weir
