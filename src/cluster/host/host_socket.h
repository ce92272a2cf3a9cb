// Unix domain sockets between processes of one host. A server that listens at an address also listens at an abstract
// socket name derived from it. Abstract names belong to the network namespace, so every process that can connect is on
// the same host. The kernel removes a name when its process dies. Only peers of the same user are accepted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "session/cluster_spec.h"

namespace weir {

// Owns a file descriptor. Movable.
class OwnedFd final {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFd();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// The numeric addresses of this host at which a server bound to `address` can be reached. REQUIRES: `address` has a
// port.
std::vector<std::string> NumericAddresses(const Address& address);
// The same for an address as text; empty if it is not an address of this host. Looks up only numeric addresses,
// loopback names and the name of this host, which do not need the network.
std::vector<std::string> AddressesOnHost(const std::string& text);

// Returns a non-blocking socket connected to the listener at `numeric_address`. Returns an invalid fd if there is no
// listener or it belongs to another user. Does not block.
OwnedFd ConnectOnHost(const std::string& numeric_address);
// Returns an invalid fd if the name is in use.
OwnedFd ListenOnHost(const std::string& numeric_address);
// Accepts the next pending connection from a process of this user. Returns an invalid fd with errno set if there is
// none or on an error.
OwnedFd AcceptOnHost(int listener);

// The process id of the peer; 0 if it is not visible from the PID namespace of this process.
int PeerProcess(int fd);

}  // namespace weir
