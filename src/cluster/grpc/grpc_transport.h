// gRPC as a transport, over its generic byte-buffer interface: no generated services, no copy of a tensor on the way
// out. Without encryption, as TensorFlow's.
#pragma once

#include <memory>

#include "cluster/transport.h"

namespace weir {

// A peer from which nothing is heard for about that long counts as lost: calls to it are Unavailable, its own calls are
// cancelled.
constexpr int64_t kPeerTimeoutMs = 20'000;

std::unique_ptr<Transport> MakeGrpcTransport(int64_t peer_timeout_ms = kPeerTimeoutMs);

}  // namespace weir
