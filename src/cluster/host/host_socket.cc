#include "cluster/host/host_socket.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

#include "cluster/resolve.h"

namespace weir {
namespace {

// An abstract name, because its first byte is 0. The number 2 is the version of the protocol.
sockaddr_un NameOf(const std::string& numeric_address, socklen_t* size) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = std::string(1, '\0') + "weir/2/" + numeric_address;
  const size_t length = std::min(text.size(), sizeof(name.sun_path));
  std::memcpy(name.sun_path, text.data(), length);
  *size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  return name;
}

OwnedFd NewSocket() { return OwnedFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

std::optional<ucred> PeerOf(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}

bool IsOfThisUser(int fd) {
  const std::optional<ucred> peer = PeerOf(fd);
  return peer.has_value() && peer->uid == geteuid();
}

std::string HostOf(const sockaddr& address) {
  char host[NI_MAXHOST] = "";
  const socklen_t size = address.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (getnameinfo(&address, size, host, sizeof(host), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return host;
}

std::vector<std::string> HostsOfThisMachine() {
  ifaddrs* all = nullptr;
  std::vector<std::string> hosts;
  if (getifaddrs(&all) != 0) return hosts;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> guard(all, freeifaddrs);
  for (const ifaddrs* a = all; a != nullptr; a = a->ifa_next) {
    if (a->ifa_addr == nullptr || (a->ifa_addr->sa_family != AF_INET && a->ifa_addr->sa_family != AF_INET6)) continue;
    hosts.push_back(HostOf(*a->ifa_addr));
  }
  return hosts;
}

}  // namespace

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) close(fd_);
}

std::vector<std::string> NumericAddresses(const Address& address) {
  std::vector<std::string> hosts;
  if (address.is_unix()) return hosts;
  const Result<std::vector<SocketAddress>> found = Resolve(address.host, address.port);
  if (!found.ok()) return hosts;
  const std::vector<std::string> own = HostsOfThisMachine();
  for (const SocketAddress& candidate : *found) {
    const std::string host = candidate.Host();
    if (host == "0.0.0.0" || host == "::") {
      hosts.insert(hosts.end(), own.begin(), own.end());
    } else if (host.starts_with("127.") || std::find(own.begin(), own.end(), host) != own.end()) {
      hosts.push_back(host);
    }
  }
  std::sort(hosts.begin(), hosts.end());
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  std::vector<std::string> addresses;
  for (std::string& host : hosts) addresses.push_back(Address{std::move(host), address.port, ""}.ToString());
  return addresses;
}

std::vector<std::string> AddressesOnHost(const std::string& text) {
  const Result<Address> address = Address::Parse(text);
  if (!address.ok() || address->is_unix()) return {};
  char own[256] = "";
  gethostname(own, sizeof(own) - 1);
  in6_addr bytes{};
  const bool numeric =
      inet_pton(AF_INET, address->host.c_str(), &bytes) == 1 || inet_pton(AF_INET6, address->host.c_str(), &bytes) == 1;
  if (!numeric && !IsLoopbackName(address->host) && address->host != own) return {};
  return NumericAddresses(*address);
}

OwnedFd ConnectOnHost(const std::string& numeric_address) {
  OwnedFd fd = NewSocket();
  socklen_t size = 0;
  const sockaddr_un name = NameOf(numeric_address, &size);
  if (!fd.valid() || connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 || !IsOfThisUser(fd.get()))
    return OwnedFd();
  return fd;
}

OwnedFd ListenOnHost(const std::string& numeric_address) {
  OwnedFd fd = NewSocket();
  socklen_t size = 0;
  const sockaddr_un name = NameOf(numeric_address, &size);
  constexpr int kWaiting = 4096;
  if (!fd.valid() || bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 ||
      listen(fd.get(), kWaiting) != 0)
    return OwnedFd();
  return fd;
}

OwnedFd AcceptOnHost(int listener) {
  for (;;) {
    OwnedFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid() && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (fd.valid() && !IsOfThisUser(fd.get())) continue;
    return fd;
  }
}

int PeerProcess(int fd) {
  const std::optional<ucred> peer = PeerOf(fd);
  return peer.has_value() ? peer->pid : 0;
}

}  // namespace weir
