// The network devices and addresses that UCX may use. A UCX worker opens a TCP port on every network device that it
// uses, in addition to the port that peers connect to first. A server that is bound to one address limits both.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cluster/resolve.h"

namespace weir {

// The address, with port 0, at which UCX listens for a server that is bound to `host`. Prefers IPv4.
Result<SocketAddress> UcxListenAddress(const std::string& host);

// The devices that have the addresses of `hosts`, and all RDMA devices, in the format of UCX_NET_DEVICES. Empty (all
// devices) if `hosts` is empty or has a wildcard address; "lo" if no device has one of the addresses.
// FailedPrecondition if the devices cannot be listed.
Result<std::string> UcxDevicesFor(const std::vector<std::string>& hosts);

}  // namespace weir
