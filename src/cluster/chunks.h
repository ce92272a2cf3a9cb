// Large tensors: between Weir tasks they travel in chunks, each an answer to a RecvTensor of its
// own. The one that asks says that it can put chunks together; the first answer brings type and shape and the first
// chunk.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "cluster/wire.h"

namespace weir {

// The size of a chunk: a chunk is copied to its place, out of the cache, while others are on their way. (gRPC hands a
// message over when all of it is there, so one large message would be copied after its last byte has come.)
constexpr size_t kChunkBytes = size_t{1} << 20;
// So many are asked for at a time: enough to keep a network of 10 Gb/s and 1 ms busy.
constexpr int kChunksAtOnce = 4;
// A tensor of more chunks than this is taken apart; for fewer, asking again costs more than it gains.
constexpr size_t kWholeChunks = 4;

// A request from byte `offset` on, by one who takes chunks.
void AskForChunk(size_t offset, tensorflow::RecvTensorRequest* request);
// False when the one who asks takes whole tensors only. An offset that is no number is InvalidArgument.
Result<bool> WantsChunk(const tensorflow::RecvTensorRequest& request, size_t* offset);

// What a tensor is taken apart from: plain ones themselves, strings in their encoding, which is a copy.
struct Chunkable {
  Tensor bytes;
  bool encoded = false;
};
// True for a tensor that is best sent as a whole where that costs no more than chunks: a plain one that a call can
// hold.
bool IsSentWhole(const Tensor& tensor);
// Nothing for a tensor that is sent as a whole: a short one, or one of neither kind.
Result<std::optional<Chunkable>> TakeApart(const Tensor& tensor, size_t chunk_bytes);
// The chunk that begins at `offset`; shares its memory. REQUIRES: offset < bytes.num_bytes().
RecvTensorReply MakeChunk(const Chunkable& from, size_t offset, size_t chunk_bytes);
bool IsChunk(const RecvTensorReply& reply);

// Puts the chunks together, in any order after the first. Thread-safe.
class ChunkedTensor final {
 public:
  // The chunk that begins at `offset`; true when it was the last one missing. The first one, at 0, allocates the
  // tensor. An error for one that does not fit.
  Result<bool> Add(const RecvTensorReply& reply, size_t offset);
  // Where the next chunk to ask for begins; false when all have been asked for.
  bool Next(size_t* offset);
  // REQUIRES: all chunks were added. An error where they are no tensor.
  Result<Tensor> Take();

 private:
  Tensor tensor_;         // set with the first chunk
  bool encoded_ = false;  // it holds the bytes of strings
  size_t total_ = 0;
  size_t chunk_bytes_ = 0;  // of all but the last one
  std::atomic<size_t> asked_{0};
  std::atomic<size_t> received_{0};
};

}  // namespace weir
