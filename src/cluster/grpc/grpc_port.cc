#include "cluster/grpc/grpc_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "cluster/resolve.h"

namespace weir {
namespace {

// Binds `*port`, or a free port (stored in `*port`) if it is 0, and releases it again. Returns errno, or 0.
int TryPort(SocketAddress address, int* port) {
  const int fd = socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.family() == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  address.set_port(*port);
  const bool bound = bind(fd, address.get(), address.size) == 0 && listen(fd, 1) == 0;
  const int error = bound ? 0 : errno;
  auto* name = reinterpret_cast<sockaddr*>(&address.storage);
  if (bound && getsockname(fd, name, &address.size) == 0) *port = address.port();
  close(fd);
  return error;
}

// True if a server answers at the socket's path. The leftover file of a dead server does not count.
bool IsTaken(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof(name.sun_path)) return false;
  std::memcpy(name.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool answered = connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0;
  close(fd);
  return answered;
}

// Adds to `hosts` the numeric hosts at which `*port` is free. If it is 0, picks a free port. Returns errno if the port
// is taken at one of them, or if none belongs to this machine.
int FindHostsWithFreePort(const std::vector<SocketAddress>& found, int* port, std::vector<std::string>* hosts) {
  int error = EADDRNOTAVAIL;
  for (const SocketAddress& address : found) {
    if (error == EADDRINUSE) break;
    const int bind_error = TryPort(address, port);
    if (error != 0 || bind_error == EADDRINUSE) error = bind_error;
    if (bind_error == 0) hosts->push_back(address.Host());
  }
  return error;
}

Status PortInUse(const Address& address) {
  if (address.is_unix()) return Unavailable("another server is listening at {} already", address.ToString());
  return Unavailable("port {} is in use already (address {})", address.port, address.ToString());
}

// The addresses to bind, and a port that was free when it was checked.
Result<std::vector<std::string>> FindFreePort(const Address& address, int* port) {
  if (address.is_unix()) {
    *port = -1;
    if (IsTaken(address.path)) return PortInUse(address);
    return std::vector<std::string>{address.ToString()};
  }
  Result<std::vector<SocketAddress>> found = Resolve(address.host, address.port);
  if (!found.ok())
    return InvalidArgument("cannot resolve the host name of address {}: {}", address.ToString(),
                           std::string(found.status().message()));
  constexpr int kTries = 20;  // a port may be free at the first address but taken at another
  std::vector<std::string> hosts;
  int error = EADDRINUSE;
  for (int i = 0; i < kTries && error == EADDRINUSE && (i == 0 || address.port == 0); ++i) {
    hosts.clear();
    *port = address.port;
    error = FindHostsWithFreePort(*found, port, &hosts);
  }
  if (error == EADDRINUSE) return PortInUse(address);
  if (error == EADDRNOTAVAIL) return InvalidArgument("{} is not an address of this machine", address.ToString());
  if (error != 0) return Unavailable("cannot listen on {}: {}", address.ToString(), std::strerror(error));
  std::vector<std::string> addresses;
  for (std::string& host : hosts) {
    std::string bound = Address{std::move(host), *port, ""}.ToString();
    if (std::find(addresses.begin(), addresses.end(), bound) == addresses.end()) addresses.push_back(std::move(bound));
  }
  return addresses;
}

}  // namespace

Result<int> BindFreePort(const Address& address, BindAddresses bind) {
  constexpr int kTries = 20;
  for (int i = 0; i < kTries && (i == 0 || address.port == 0); ++i) {
    int port = 0;
    WEIR_ASSIGN(const std::vector<std::string> addresses, FindFreePort(address, &port));
    if (bind(addresses, port)) return port;
  }
  return PortInUse(address);
}

}  // namespace weir
