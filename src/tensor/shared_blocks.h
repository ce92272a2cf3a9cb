// Large blocks of CpuAllocator() that other processes of the host can map: what lies in such a block is read there
// without a copy. A block is a file without a name, of a size that stays; who can open the descriptors of this process
// finds it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tensor/buffer.h"

namespace weir {

struct SharedBlock {
  uint64_t id = 0;  // the number of the file
  int fd = -1;      // of this process
  size_t capacity = 0;
  size_t offset = 0;  // of what was asked for
};

// From now on large blocks are such, as far as there are descriptors. A child that this process forks has none of them.
void ShareLargeBlocks();
// Where the bytes lie, if in a block that can be mapped. REQUIRES: somebody keeps the bytes.
std::optional<SharedBlock> FindSharedBlock(const void* data, size_t size);
// Somebody who cannot be asked may read the block as long as it likes: what it holds stays as it is. Who would write in
// place makes a copy (Tensor::HasReaders), and it is not recycled. REQUIRES: as above; nothing happens to other memory.
void AbandonSharedBlock(const void* data);
// A block that stays with this process, and with the children that it forks.
Result<BufferPtr> AllocatePrivate(size_t bytes);

}  // namespace weir
