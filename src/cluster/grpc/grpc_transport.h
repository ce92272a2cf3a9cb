// gRPC transport, on gRPC's generic byte-buffer interface: no generated services, and no copy of tensors that are sent.
// Encrypted and authenticated if the settings have credentials (grpc_security.h); without them as open as TensorFlow's.
#pragma once

#include <memory>

#include "cluster/transport.h"
#include "cluster/transport_settings.h"

namespace weir {

std::unique_ptr<Transport> MakeGrpcTransport(const TransportSettings& settings = {});

}  // namespace weir
