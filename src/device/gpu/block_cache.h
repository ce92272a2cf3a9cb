// GpuBlockCache: a caching allocator of size classes over a slow one (cuMemAlloc takes 100 microseconds and more).
// Freed blocks are given out again at once: the work of one stream runs in order. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "device/gpu_stream.h"

namespace weir {

class GpuBlockCache final {
 public:
  // `take` returns null if there is not enough memory.
  using Take = std::function<void*(size_t bytes)>;
  using Give = std::function<void(void* memory)>;
  // `what` names the memory in errors: "GPU 0 (NVIDIA H200)".
  GpuBlockCache(std::string what, Take take, Give give)
      : what_(std::move(what)), take_(std::move(take)), give_(std::move(give)) {}
  // Gives everything back, blocks in use included.
  ~GpuBlockCache();
  GpuBlockCache(const GpuBlockCache&) = delete;
  GpuBlockCache& operator=(const GpuBlockCache&) = delete;

  Result<void*> Allocate(size_t bytes);
  void Free(void* memory);
  void SetLimit(uint64_t bytes);
  GpuStream::MemoryUse use() const;
  // Gives back the cached blocks, except the small ones. REQUIRES: no work uses them.
  void ReleaseCache();
  // Returns whether the range is inside one block.
  bool Contains(const void* memory, size_t bytes) const;

  // The size of the block for a request of `bytes`: a multiple of 256 that wastes at most an eighth of a large block.
  static size_t ClassOf(size_t bytes);

 private:
  void* TakeLocked(size_t size);
  void* CutFromSlab(size_t size);
  void ReleaseCacheLocked();

  const std::string what_;
  const Take take_;
  const Give give_;
  mutable std::mutex mutex_;
  std::unordered_map<size_t, std::vector<void*>> cached_;  // by size
  std::map<const char*, size_t> in_use_;                   // size by address
  std::map<void*, size_t> taken_;                          // blocks of take_, slabs included
  char* slab_ = nullptr;  // the unused rest of the newest slab, which small blocks are cut from
  size_t slab_left_ = 0;
  uint64_t limit_ = 0;
  GpuStream::MemoryUse use_;
};

}  // namespace weir
