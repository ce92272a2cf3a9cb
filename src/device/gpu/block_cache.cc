#include "device/gpu/block_cache.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace weir {
namespace {
constexpr size_t kAlignment = 256;
constexpr size_t kLargestSmall = 256 << 10;  // larger blocks are taken one by one
constexpr size_t kSlab = 4 << 20;
}  // namespace

size_t GpuBlockCache::ClassOf(size_t bytes) {
  const size_t step = std::max(kAlignment, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

GpuBlockCache::~GpuBlockCache() {
  for (const auto& [memory, size] : taken_) give_(memory);
}

void GpuBlockCache::SetLimit(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
}

GpuStream::MemoryUse GpuBlockCache::use() const {
  std::lock_guard lock(mutex_);
  return use_;
}

void* GpuBlockCache::TakeLocked(size_t size) {
  if (limit_ != 0 && use_.reserved + size > limit_) return nullptr;
  void* memory = take_(size);
  if (memory == nullptr) return nullptr;
  taken_.emplace(memory, size);
  use_.reserved += size;
  return memory;
}

void* GpuBlockCache::CutFromSlab(size_t size) {
  if (slab_left_ < size) {
    void* slab = TakeLocked(kSlab);
    if (slab == nullptr) return nullptr;
    slab_ = static_cast<char*>(slab);
    slab_left_ = kSlab;
  }
  char* memory = slab_;
  slab_ += size;
  slab_left_ -= size;
  return memory;
}

Result<void*> GpuBlockCache::Allocate(size_t bytes) {
  if (bytes == 0) return nullptr;
  std::lock_guard lock(mutex_);
  const auto refuse = [&] {
    return ResourceExhausted(
        "{} does not have enough memory for {} bytes: {} bytes are in use, {} bytes are reserved{}", what_, bytes,
        use_.in_use, use_.reserved, limit_ == 0 ? "" : fmt::format(", the limit is {} bytes", limit_));
  };
  if (bytes > size_t{1} << 62) return refuse();
  const size_t size = ClassOf(bytes);
  std::vector<void*>& cached = cached_[size];
  void* memory = nullptr;
  if (!cached.empty()) {
    memory = cached.back();
    cached.pop_back();
  } else {
    const auto take = [&] { return size <= kLargestSmall ? CutFromSlab(size) : TakeLocked(size); };
    memory = take();
    if (memory == nullptr) {
      ReleaseCacheLocked();
      memory = take();
    }
    if (memory == nullptr) return refuse();
  }
  in_use_.emplace(static_cast<const char*>(memory), size);
  use_.in_use += size;
  use_.peak = std::max(use_.peak, use_.in_use);
  return memory;
}

void GpuBlockCache::Free(void* memory) {
  if (memory == nullptr) return;
  std::lock_guard lock(mutex_);
  const auto found = in_use_.find(static_cast<const char*>(memory));
  WEIR_CHECK(found != in_use_.end(), fmt::ptr(memory));
  cached_[found->second].push_back(memory);
  use_.in_use -= found->second;
  in_use_.erase(found);
}

void GpuBlockCache::ReleaseCache() {
  std::lock_guard lock(mutex_);
  ReleaseCacheLocked();
}

void GpuBlockCache::ReleaseCacheLocked() {
  for (auto& entry : cached_) {
    const size_t size = entry.first;
    if (size <= kLargestSmall) continue;  // parts of slabs
    std::erase_if(entry.second, [&](void* memory) {
      give_(memory);
      taken_.erase(memory);
      use_.reserved -= size;
      return true;
    });
  }
}

bool GpuBlockCache::Contains(const void* memory, size_t bytes) const {
  std::lock_guard lock(mutex_);
  auto at = in_use_.upper_bound(static_cast<const char*>(memory));
  if (at == in_use_.begin()) return false;
  --at;
  const size_t offset = static_cast<size_t>(static_cast<const char*>(memory) - at->first);
  return offset <= at->second && bytes <= at->second - offset;
}

}  // namespace weir
