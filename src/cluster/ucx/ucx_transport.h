// Calls between hosts over UCX, which takes RDMA where there is some and TCP otherwise. Peers are asked over another
// transport whether they have it, and are reached over that one as long as they do not: see ucx_channel.h.
#pragma once

#include <memory>

#include "cluster/transport.h"

namespace weir {

// `forced`: also between processes of one host, for which there are shorter ways.
std::unique_ptr<Transport> MakeUcxTransport(std::unique_ptr<Transport> other, int64_t peer_timeout_ms, bool forced);

// Waits until the calls of a channel of such a transport go over UCX, but not longer. False where they do not.
bool WaitUntilUcxIsUsed(Channel& channel, int64_t timeout_ms);

}  // namespace weir
