#include "cluster/ucx/ucx_interfaces.h"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

namespace weir {
namespace {

// Empty if the host is unknown.
std::vector<SocketAddress> AddressesOf(const std::string& host) {
  Result<std::vector<SocketAddress>> found = Resolve(host, 0);
  return found.ok() ? *std::move(found) : std::vector<SocketAddress>();
}

std::string_view AddressBytes(const sockaddr* name) {
  if (name->sa_family == AF_INET) {
    const in_addr& address = reinterpret_cast<const sockaddr_in*>(name)->sin_addr;
    return {reinterpret_cast<const char*>(&address), sizeof(address)};
  }
  const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(name)->sin6_addr;
  return {reinterpret_cast<const char*>(&address), sizeof(address)};
}

bool IsWildcard(const sockaddr* name) { return AddressBytes(name).find_first_not_of('\0') == std::string_view::npos; }

// "mlx5_0:1" for each port of each RDMA device.
void AddRdmaDevices(std::set<std::string>* devices) {
  std::error_code error;
  for (const auto& device : std::filesystem::directory_iterator("/sys/class/infiniband", error)) {
    std::error_code no_ports;
    for (const auto& port : std::filesystem::directory_iterator(device.path() / "ports", no_ports))
      devices->insert(device.path().filename().string() + ":" + port.path().filename().string());
  }
}

}  // namespace

Result<SocketAddress> UcxListenAddress(const std::string& host) {
  const std::vector<SocketAddress> names = AddressesOf(host);
  if (names.empty()) return FailedPrecondition("UCX cannot listen at {}: cannot resolve the host name", host);
  for (const SocketAddress& name : names)
    if (name.family() == AF_INET) return name;
  return FailedPrecondition("UCX cannot listen at {}: it is used over IPv4 only", host);
}

Result<std::string> UcxDevicesFor(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return std::string();
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0)
    return FailedPrecondition("the network interfaces of this host cannot be listed: {}", std::strerror(errno));
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> guard(interfaces, freeifaddrs);
  std::set<std::string> devices;
  for (const std::string& host : hosts) {
    for (const SocketAddress& name : AddressesOf(host)) {
      if (IsWildcard(name.get())) return std::string();
      for (const ifaddrs* i = interfaces; i != nullptr; i = i->ifa_next) {
        if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != name.get()->sa_family) continue;
        if (AddressBytes(i->ifa_addr) == AddressBytes(name.get())) devices.insert(i->ifa_name);
      }
    }
  }
  if (devices.empty()) return std::string("lo");
  AddRdmaDevices(&devices);
  std::string list;
  for (const std::string& device : devices) list += (list.empty() ? "" : ",") + device;
  return list;
}

}  // namespace weir
