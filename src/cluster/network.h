// Network: what the servers and the remote sessions of one process share: the transport, made on first use, and the
// masters that live in this process by address, so that a session on one of them needs no socket. Thread-safe.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "session/session.h"

namespace weir {

class MasterService;
class Transport;

class Network final {
 public:
  // `make` gives the transport. By default that is gRPC between hosts and shared memory between the processes of a
  // host; WEIR_TRANSPORT chooses another (docs/cluster.md).
  explicit Network(std::function<std::unique_ptr<Transport>()> make);
  Network();
  ~Network();
  Transport& transport();

  // While it is known under its address, a master is reached directly.
  void AddMaster(const std::string& address, std::shared_ptr<MasterService> master);
  void RemoveMaster(const std::string& address);
  // The master that "grpc://host:port" names. NotFound for other targets, InvalidArgument for what is no address.
  Result<std::shared_ptr<MasterService>> FindMaster(const std::string& target);
  Result<std::shared_ptr<Session>> NewSession(const std::string& target, std::shared_ptr<Graph> graph,
                                              const tensorflow::ConfigProto& config);

 private:
  const std::function<std::unique_ptr<Transport>()> make_;
  std::mutex mu_;
  std::unique_ptr<Transport> transport_;
  pid_t process_ = 0;  // that made it
  std::map<std::string, std::weak_ptr<MasterService>> masters_;
};

}  // namespace weir
