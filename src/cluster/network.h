// Network: shared by all servers and remote sessions of a process. Holds the transport, made on first use, and the
// masters of this process by address, so that a session on one of them needs no socket. Thread-safe.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/credentials.h"
#include "cluster/limits.h"
#include "session/session.h"

namespace weir {

class Env;
class MasterService;
class Transport;

class Network final {
 public:
  // `make` creates the transport. The default uses shared memory within a host and gRPC between hosts; WEIR_TRANSPORT
  // chooses another (docs/cluster.md).
  explicit Network(std::function<std::unique_ptr<Transport>(const Credentials&)> make, Credentials credentials = {},
                   Result<Limits> limits = Limits());
  // Reads the files of the credentials from `env`. Takes unset fields of the credentials and unset limits from the
  // environment variables.
  explicit Network(Env& env, const Credentials& credentials = {}, const Limits::Settings& limits = {});
  ~Network();
  Transport& transport();
  Credentials credentials();
  // The limits of the servers of this process. InvalidArgument if an environment variable has an invalid limit.
  const Result<Limits>& limits() const { return limits_; }
  // Uses these credentials from now on; unset fields keep their values. FailedPrecondition if the process has already
  // connected or listened with different ones, because it has one identity.
  Status UseCredentials(const Credentials& credentials);
  // True for the first caller: one warning per process is enough.
  bool FirstWarningOfExposure() { return !warned_.exchange(true); }

  // A registered master is called directly by sessions of this process.
  void AddMaster(const std::string& address, std::shared_ptr<MasterService> master);
  void RemoveMaster(const std::string& address);
  // The master at "grpc://host:port". NotFound for other kinds of targets, InvalidArgument for a malformed address.
  Result<std::shared_ptr<MasterService>> FindMaster(const std::string& target);
  Result<std::shared_ptr<Session>> NewSession(const std::string& target, std::shared_ptr<Graph> graph,
                                              const tensorflow::ConfigProto& config);

 private:
  const std::function<std::unique_ptr<Transport>(const Credentials&)> make_;
  const Result<Limits> limits_;
  std::atomic<bool> warned_{false};
  std::mutex mu_;
  Credentials credentials_;
  std::unique_ptr<Transport> transport_;
  pid_t process_ = 0;  // the process that created the transport; a forked child cannot use it
  std::map<std::string, std::weak_ptr<MasterService>> masters_;
};

}  // namespace weir
