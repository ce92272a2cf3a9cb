// Large blocks of CpuAllocator() that other processes of the host can map, to read tensors without a copy. A block is
// an anonymous file (memfd) of fixed size. A process that may open the file descriptors of this one can map it.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tensor/buffer.h"

namespace weir {

struct SharedBlock {
  uint64_t id = 0;  // inode number of the file
  int fd = -1;      // file descriptor in this process
  size_t capacity = 0;
  size_t offset = 0;  // of the requested bytes in the block
};

// Makes the allocator create large blocks as shared files from now on, within the limit of file descriptors. Forked
// children do not inherit such blocks.
void ShareLargeBlocks();
// Finds the shared block that contains the bytes, if any. REQUIRES: the caller keeps the bytes alive.
std::optional<SharedBlock> FindSharedBlock(const void* data, size_t size);
// For a block that a peer may read for an unknown time, because the connection to it is lost. The block keeps its
// content: writers copy it (Tensor::HasReaders), and it is never recycled. No-op for other memory.
// REQUIRES: the caller keeps the bytes alive.
void AbandonSharedBlock(const void* data);
// Allocates a block that is never shared with other processes. Forked children inherit it.
Result<BufferPtr> AllocatePrivate(size_t bytes);

}  // namespace weir
