// Host transport: carries calls between Weir processes of one host and one user directly (host_link.h, host_socket.h),
// and all other calls over another transport. It needs no configuration: peers without it are reached over the other
// transport.
#pragma once

#include <memory>

#include "cluster/transport.h"
#include "cluster/transport_settings.h"

namespace weir {

std::unique_ptr<Transport> MakeHostTransport(std::unique_ptr<Transport> other, const TransportSettings& settings);

}  // namespace weir
