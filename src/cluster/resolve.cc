#include "cluster/resolve.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/strings/ascii.h"

namespace weir {
namespace {

// Lower case, without the trailing dot.
std::string CanonicalName(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return absl::AsciiStrToLower(absl::string_view(host.data(), host.size()));
}

bool IsIpv6LoopbackName(std::string_view name) { return name == "ip6-localhost" || name == "ip6-loopback"; }

template <class Name>
SocketAddress AddressOf(const Name& name) {
  SocketAddress address;
  std::memcpy(&address.storage, &name, sizeof(name));
  address.size = sizeof(name);
  return address;
}

std::vector<SocketAddress> LoopbackAddresses(std::string_view name) {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  if (IsIpv6LoopbackName(name)) return {AddressOf(v6)};
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return {AddressOf(v4), AddressOf(v6)};
}

std::string NumericHost(const sockaddr& address) {
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
    hosts.push_back(NumericHost(*a->ifa_addr));
  }
  return hosts;
}

}  // namespace

int SocketAddress::port() const {
  return ntohs(family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                                    : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

void SocketAddress::set_port(int port) {
  in_port_t& own = family() == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port
                                        : reinterpret_cast<sockaddr_in*>(&storage)->sin_port;
  own = htons(static_cast<uint16_t>(port));
}

std::string SocketAddress::Host() const { return NumericHost(*get()); }

bool IsLoopbackName(std::string_view host) {
  const std::string name = CanonicalName(host);
  return name == "localhost" || name.ends_with(".localhost") || IsIpv6LoopbackName(name);
}

bool IsLoopback(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6) != 0;
  return IsLoopbackName(host);
}

Result<std::vector<SocketAddress>> Resolve(const std::string& host, int port) {
  std::vector<SocketAddress> addresses;
  if (IsLoopbackName(host)) {
    addresses = LoopbackAddresses(CanonicalName(host));
  } else {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
      return NotFound("'{}': {}", host, gai_strerror(error));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> guard(found, freeaddrinfo);
    for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
      if (a->ai_family != AF_INET && a->ai_family != AF_INET6) continue;
      SocketAddress& address = addresses.emplace_back();
      address.size = std::min<socklen_t>(a->ai_addrlen, sizeof(address.storage));
      std::memcpy(&address.storage, a->ai_addr, address.size);
    }
  }
  for (SocketAddress& address : addresses) address.set_port(port);
  return addresses;
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

}  // namespace weir
