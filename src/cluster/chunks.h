// Large tensors between Weir tasks are sent in chunks, each in the response to a separate RecvTensor call. The receiver
// says in its request that it accepts chunks. The first response has the type, the shape and the first chunk.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "cluster/wire.h"

namespace weir {

// The size of a chunk. A chunk is copied to its place while it is in the cache and others are in flight. gRPC delivers
// only complete messages, so a single large message would be copied after its last byte has arrived.
constexpr size_t kChunkBytes = size_t{1} << 20;
// The number of chunks requested at a time: enough for a network of 10 Gb/s and 1 ms.
constexpr int kChunksAtOnce = 4;
// Tensors of more chunks than this are sent in chunks. For smaller ones further requests cost more than they gain.
constexpr size_t kMaxWholeChunks = 4;

// Makes `request` accept chunks and ask for the one at byte `offset`.
void AskForChunk(size_t offset, tensorflow::RecvTensorRequest* request);
// False if the receiver accepts whole tensors only. InvalidArgument if the offset is not a number.
Result<bool> WantsChunk(const tensorflow::RecvTensorRequest& request, size_t* offset);

// The bytes that chunks are taken from: the tensor itself if it is plain, or a copy of strings in their encoding.
struct ChunkSource {
  Tensor bytes;
  bool encoded = false;
};
// True if the tensor is best sent as a whole over a transport where that costs no more than chunks: it is plain, not
// bool, and fits into a call.
bool FitsSingleMessage(const Tensor& tensor);
// nullopt if the tensor is sent as a whole, because it is short or neither plain nor string.
Result<std::optional<ChunkSource>> SplitIntoChunks(const Tensor& tensor, size_t chunk_bytes);
// The chunk at `offset`, sharing memory. REQUIRES: offset < bytes.num_bytes().
RecvTensorReply MakeChunk(const ChunkSource& from, size_t offset, size_t chunk_bytes);
bool IsChunk(const RecvTensorReply& reply);

// Assembles the chunks of a tensor. The first one must be added first, the others in any order. Thread-safe.
class ChunkedTensor final {
 public:
  // Adds the chunk at `offset`; the first, at 0, allocates the tensor. True if it was the last missing one. An error if
  // it does not fit.
  Result<bool> Add(const RecvTensorReply& reply, size_t offset);
  // The offset of the next chunk to request; false when all have been requested.
  bool Next(size_t* offset);
  // REQUIRES: all chunks were added. An error if they are no valid tensor.
  Result<Tensor> Take();

 private:
  Tensor tensor_;         // allocated with the first chunk
  bool encoded_ = false;  // it holds encoded strings
  size_t total_ = 0;
  size_t chunk_bytes_ = 0;  // of all but the last chunk
  std::atomic<size_t> asked_{0};
  std::atomic<size_t> received_{0};
};

}  // namespace weir
