// Ropes as gRPC's byte buffers and back, without copying: the slices of one hold on to those of the other.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include "cluster/rope.h"

namespace weir {

grpc::ByteBuffer ToByteBuffer(const Rope& rope);
Rope ToRope(const grpc::ByteBuffer& buffer);

}  // namespace weir
