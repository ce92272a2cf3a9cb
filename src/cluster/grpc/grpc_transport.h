// gRPC as a transport, over its generic byte-buffer interface: no generated services, no copy of a tensor on the way
// out. Without encryption, as TensorFlow's.
#pragma once

#include <memory>

#include "cluster/transport.h"

namespace weir {

std::unique_ptr<Transport> MakeGrpcTransport();

}  // namespace weir
