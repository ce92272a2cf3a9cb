// Resolve: the socket addresses of a host. Names of the loopback interface never reach the resolver: a container may
// have neither /etc/hosts nor a name server, and a name server may answer anything.
#ifndef WEIR_CLUSTER_RESOLVE_H_
#define WEIR_CLUSTER_RESOLVE_H_

#include <sys/socket.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weir {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  int port() const;
  void set_port(int port);
  std::string Host() const;  // in numbers
};

// "localhost" and the names below it (RFC 6761), and what Debian calls ::1. A dot may follow.
bool IsLoopbackName(std::string_view host);

// The addresses of a name or of a number, for streams. NotFound where the name is not known.
Result<std::vector<SocketAddress>> Resolve(const std::string& host, int port);

}  // namespace weir

#endif  // WEIR_CLUSTER_RESOLVE_H_
