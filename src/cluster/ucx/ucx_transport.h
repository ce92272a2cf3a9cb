// UCX transport: carries calls between hosts over UCX, which uses RDMA where available and TCP otherwise. It asks each
// peer over another transport whether the peer uses UCX. If not, calls use the other transport: see ucx_channel.h.
#pragma once

#include <memory>

#include "cluster/transport.h"
#include "cluster/transport_settings.h"

namespace weir {

std::unique_ptr<Transport> MakeUcxTransport(std::unique_ptr<Transport> other, const TransportSettings& settings);

// Blocks until calls on `channel` go over UCX, for at most `timeout_ms`. False if they do not.
bool WaitUntilUcxIsUsed(Channel& channel, int64_t timeout_ms);

}  // namespace weir
