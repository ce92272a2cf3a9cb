// gRPC transport, on gRPC's generic byte-buffer interface: no generated services, and no copy of tensors that are sent.
// Not encrypted, like TensorFlow's.
#pragma once

#include <memory>

#include "cluster/transport.h"

namespace weir {

// A peer that is silent for about this long counts as lost: calls to it end as Unavailable, and its own calls are
// cancelled.
constexpr int64_t kPeerTimeoutMs = 20'000;

std::unique_ptr<Transport> MakeGrpcTransport(int64_t peer_timeout_ms = kPeerTimeoutMs);

}  // namespace weir
