// gRPC transport, on gRPC's generic byte-buffer interface: no generated services, and no copy of tensors that are sent.
// Not encrypted, like TensorFlow's.
#pragma once

#include <memory>

#include "cluster/transport.h"
#include "cluster/transport_settings.h"

namespace weir {

std::unique_ptr<Transport> MakeGrpcTransport(const TransportSettings& settings = {});

}  // namespace weir
