// Tensors too large for one message: between Weir tasks they travel in pieces, each an answer to a RecvTensor of its
// own. The one that asks says that it can put pieces together; the first answer brings type and shape and the first
// piece.
#pragma once

#include <string>

#include "cluster/wire.h"

namespace weir {

// What is larger goes in pieces of this size.
constexpr size_t kChunkBytes = size_t{256} << 20;

// A request from byte `offset` on, by one who takes pieces.
void AskForChunk(size_t offset, tensorflow::RecvTensorRequest* request);
// False when the one who asks takes whole tensors only. An offset that is no number is InvalidArgument.
Result<bool> WantsChunk(const tensorflow::RecvTensorRequest& request, size_t* offset);

// The piece of a plain tensor that begins at `offset`; shares its memory. REQUIRES: offset < num_bytes().
RecvTensorReply MakeChunk(const Tensor& tensor, size_t offset, size_t chunk_bytes);
bool IsChunk(const RecvTensorReply& reply);

// Puts the pieces together, in their order.
class ChunkedTensor final {
 public:
  // Allocates the tensor with the first piece. An error for a piece that does not fit.
  Status Add(const RecvTensorReply& reply);
  size_t received() const { return received_; }
  bool complete() const { return tensor_.valid() && received_ == tensor_.num_bytes(); }
  Tensor Take() { return std::move(tensor_); }

 private:
  Tensor tensor_;
  size_t received_ = 0;
};

}  // namespace weir
