// Sockets between the processes of one host. A server that listens at an address also listens at a name made of it in
// the kernel's own space of names, which is that of the network namespace: who reaches the name is on the same host,
// nothing is left behind by who dies, and only processes of the same user are talked to.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "session/cluster_spec.h"

namespace weir {

// A file descriptor with its end. Moves.
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

// The numeric addresses of this host that a server at `address` is reached at. `address` has a port.
std::vector<std::string> NumericAddresses(const Address& address);
// The same of the text of any address; none where it is not of this host. Names are only looked up where that does not
// ask the network.
std::vector<std::string> AddressesOnHost(const std::string& text);

// A socket that does not block, connected to who listens at that numeric address; not valid where nobody does whom one
// may talk to. Does not wait.
OwnedFd ConnectOnHost(const std::string& numeric_address);
// Not valid where somebody else has the name.
OwnedFd ListenOnHost(const std::string& numeric_address);
// The next one who has connected; not valid where there is none (any more).
OwnedFd AcceptOnHost(int listener);

// The process at the other end; 0 where this process cannot see it.
int PeerProcess(int fd);

}  // namespace weir
