// Where UCX may listen. A UCX worker opens a TCP port on every network device that it uses, beside the one that peers
// connect to first, so a server that is bound to one address limits both.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cluster/resolve.h"

namespace weir {

// The address to listen at for a server that is bound to `host`, with port 0. IPv4 where the host has both.
Result<SocketAddress> UcxListenName(const std::string& host);

// The devices that have the addresses of `hosts`, and all RDMA devices, as UCX_NET_DEVICES names them. Empty (all
// devices) where a host is a wildcard address, or there is none.
std::string UcxDevicesFor(const std::vector<std::string>& hosts);

}  // namespace weir
