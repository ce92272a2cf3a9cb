#include "cli/free_ports.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>

namespace weir::cli {

namespace {

constexpr int kLowest = 10000;
constexpr int kHighest = 65535;

template <class SocketAddress>
bool CanBind(int family, const SocketAddress& address) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno == EAFNOSUPPORT;  // no such address family: the port cannot be in use there
  const int only_v6 = 1;
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, sizeof(only_v6));
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  const bool absent = !bound && errno == EADDRNOTAVAIL;
  close(fd);
  return bound || absent;
}

// Binds on all interfaces, which fails if a process listens on any of them.
bool IsFree(int port) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<uint16_t>(port));
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = v4.sin_port;
  return CanBind(AF_INET, v4) && CanBind(AF_INET6, v6);
}

}  // namespace

Result<std::vector<int>> FindFreePorts(int count) {
  int first_outgoing = 32768;
  int last_outgoing = 60999;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first_outgoing >> last_outgoing;
  std::vector<int> candidates;
  for (int port = kLowest; port <= kHighest; ++port) {
    if (port < first_outgoing || port > last_outgoing) candidates.push_back(port);
  }
  if (static_cast<int>(candidates.size()) < 4 * count) {
    candidates.clear();
    for (int port = kLowest; port <= kHighest; ++port) candidates.push_back(port);
  }
  std::shuffle(candidates.begin(), candidates.end(), std::mt19937(std::random_device()()));
  std::vector<int> ports;
  for (const int port : candidates) {
    if (static_cast<int>(ports.size()) == count) break;
    if (IsFree(port)) ports.push_back(port);
  }
  if (static_cast<int>(ports.size()) < count)
    return ResourceExhausted("not enough free ports: need {}, found {}", count, ports.size());
  return ports;
}

}  // namespace weir::cli
