// Resolve: the socket addresses of a host name. Names of the loopback interface are never looked up: a container may
// have neither /etc/hosts nor a name server, and a name server may answer anything.
#ifndef WEIR_CLUSTER_RESOLVE_H_
#define WEIR_CLUSTER_RESOLVE_H_

#include <sys/socket.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "session/cluster_spec.h"

namespace weir {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  int port() const;
  void set_port(int port);
  std::string Host() const;  // numeric
};

// "localhost" and the names below it (RFC 6761), and Debian's names for ::1. A trailing dot is allowed.
bool IsLoopbackName(std::string_view host);

// True for a loopback name and for a numeric address of the loopback interface. Other names are not looked up.
bool IsLoopback(const std::string& host);

// The stream socket addresses of a host name or numeric address. NotFound if the name is unknown.
Result<std::vector<SocketAddress>> Resolve(const std::string& host, int port);

// The numeric addresses of this host at which a server bound to `address` can be reached. REQUIRES: `address` has a
// port.
std::vector<std::string> NumericAddresses(const Address& address);
// The same for an address as text; empty if it is not an address of this host. Looks up only numeric addresses,
// loopback names and the name of this host, which do not need the network.
std::vector<std::string> AddressesOnHost(const std::string& text);

}  // namespace weir

#endif  // WEIR_CLUSTER_RESOLVE_H_
