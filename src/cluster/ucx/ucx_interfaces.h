// The network devices and addresses that UCX may use. A UCX worker opens a TCP port on every network device that it
// uses, in addition to the port that peers connect to first. A server that is bound to one address limits both.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cluster/resolve.h"

namespace weir {

// The IPv4 address, with port 0, at which UCX listens for a server that is bound to `host`. FailedPrecondition if the
// host has none. IPv6 is not used: UCX 1.13 allocates the address of a TCP peer in the size of its own interface's
// address, and overruns the heap if a peer connects over IPv6 to an interface that has an IPv4 address, too.
Result<SocketAddress> UcxListenAddress(const std::string& host);

// The devices that have the addresses of `hosts`, and all RDMA devices, in the format of UCX_NET_DEVICES. Empty (all
// devices) if `hosts` is empty or has a wildcard address; "lo" if no device has one of the addresses.
// FailedPrecondition if the devices cannot be listed.
Result<std::string> UcxDevicesFor(const std::vector<std::string>& hosts);

}  // namespace weir
