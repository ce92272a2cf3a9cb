// Converts between ropes and gRPC byte buffers without copying: the result holds references to the memory of the
// source.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include "cluster/rope.h"

namespace weir {

grpc::ByteBuffer ToByteBuffer(const Rope& rope);
Rope ToRope(const grpc::ByteBuffer& buffer);

}  // namespace weir
