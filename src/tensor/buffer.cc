// A small block is one heap allocation, header and data together. A large block is a mapping; if other processes may
// read it (shared_blocks.h), a mapping of a file. Freed large blocks are cached for reuse, up to kMaxCachedBytes.
// ProcessMemory returns those to the system that were unused for a while.
#include "tensor/buffer.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <numeric>

#include "base/clock.h"
#include "base/process_memory.h"
#include "tensor/shared_blocks.h"

namespace weir {
namespace {

constexpr size_t kLargeBytes = size_t{1} << 20;
constexpr size_t kMinSharedBytes = size_t{1} << 18;  // smallest mapped block once blocks are shared
constexpr rlim_t kMaxSharedBlocks = 4096;
constexpr size_t kHugePageBytes = size_t{2} << 20;
constexpr size_t kMaxCachedBytes = size_t{1} << 30;
// Estimated bytes per small block besides its data: header, alignment, and the Tensor that refers to it.
constexpr size_t kHeapOverhead = 256;
// Blocks up to this size are charged but never refused. Where many of them accumulate (a queue, a graph), the container
// reserves memory itself and fails.
constexpr size_t kTinyBytes = size_t{64} << 10;

size_t AlignUp(size_t n, size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

// Rounds up to the size of a mapped block: eight size classes per power of two, so that tensors of similar size can
// reuse a block.
size_t SizeClass(size_t bytes) {
  const size_t step = std::max(std::bit_floor(bytes) / 8, size_t{64} << 10);
  return AlignUp(bytes, step);
}

// Header and data in one malloc block; the data starts at the next aligned address.
class HeapBuffer final : public Buffer {
 public:
  static Buffer* Make(size_t bytes) {
    // malloc aligns the block to max_align_t.
    constexpr size_t kMaxPadding = kBufferAlignment - std::gcd(sizeof(HeapBuffer), alignof(std::max_align_t));
    void* block = std::malloc(sizeof(HeapBuffer) + kMaxPadding + bytes);
    if (block == nullptr) return nullptr;
    const uintptr_t data = AlignUp(reinterpret_cast<uintptr_t>(block) + sizeof(HeapBuffer), kBufferAlignment);
    return new (block) HeapBuffer(reinterpret_cast<void*>(data), bytes);
  }

 private:
  HeapBuffer(void* data, size_t bytes) : Buffer(data, bytes) {}
  void Destroy() const override {
    auto* self = const_cast<HeapBuffer*>(this);
    self->~HeapBuffer();
    std::free(self);
  }
};

class RecyclingAllocator;
class MappedBuffer;

// The file of a block that other processes can map; guarded by the allocator's lock.
struct SharedFile {
  int fd = -1;
  uint64_t id = 0;
  size_t capacity = 0;
  const MappedBuffer* user = nullptr;
  bool abandoned = false;
  bool inherited = false;  // this process was forked, and the file belongs to its parent
};

struct MappedBlock {
  void* data = nullptr;
  size_t capacity = 0;
  SharedFile* file = nullptr;  // null: a private mapping
  int64_t since = 0;           // when it was freed, in nanoseconds of the monotonic clock
};

class MappedBuffer final : public Buffer {
 public:
  MappedBuffer(const MappedBlock& block, size_t bytes, RecyclingAllocator& home)
      : Buffer(block.data, bytes), block_(block), home_(home) {}

 private:
  ~MappedBuffer() override;
  const MappedBlock block_;
  RecyclingAllocator& home_;
};

class RecyclingAllocator final : public Allocator, public MemoryCache {
 public:
  RecyclingAllocator()
      : memory_(ProcessMemory::Get()),
        max_cached_(std::min<size_t>(kMaxCachedBytes, static_cast<size_t>(memory_.limit() / 4))) {
    memory_.SetCache(this);
  }

  Result<BufferPtr> Allocate(size_t bytes) override {
    return Allocate(bytes, sharing_.load(std::memory_order_relaxed));
  }

  Result<BufferPtr> Allocate(size_t bytes, bool shared) {
    if (bytes < (shared ? kMinSharedBytes : kLargeBytes)) {
      if (bytes <= kTinyBytes) {
        memory_.Charge(bytes + kHeapOverhead);
      } else {
        WEIR_TRY(memory_.Reserve(bytes + kHeapOverhead));
      }
      if (Buffer* buffer = HeapBuffer::Make(bytes)) return BufferPtr::Adopt(buffer);
      return Refused(bytes);
    }
    const size_t capacity = SizeClass(bytes);
    MappedBlock block = TakeCached(bytes, capacity, shared);
    if (block.data == nullptr && shared && !RoomForFile(capacity)) {
      shared = false;
      block = TakeCached(bytes, capacity, shared);
    }
    if (block.data == nullptr) {
      WEIR_TRY(memory_.Reserve(bytes));
      block = Map(capacity, shared);
      if (block.data == nullptr) {
        ReleaseUnused(0);
        block = Map(capacity, shared);
      }
      if (block.data == nullptr) return Refused(bytes);
    }
    auto* buffer = new MappedBuffer(block, bytes, *this);
    if (block.file != nullptr) {
      std::lock_guard lock(mutex_);
      block.file->user = buffer;
    }
    memory_.CountBlock(static_cast<int64_t>(block.capacity));
    return BufferPtr::Adopt(buffer);
  }

  void Release(MappedBlock block) {
    memory_.CountBlock(-static_cast<int64_t>(block.capacity));
    BlockList dropped;
    {
      std::lock_guard lock(mutex_);
      if (block.file != nullptr && block.file->inherited) return;
      block.since = RealClock().MonotonicNanos();
      const bool abandoned = block.file != nullptr && block.file->abandoned;
      if (block.file != nullptr) block.file->user = nullptr;
      const auto at = by_age_.insert(by_age_.end(), block);
      by_size_[KindOf(block)].emplace(block.capacity, at);
      cached_ += block.capacity;
      if (abandoned || block.capacity > max_cached_) Drop(at, &dropped);
      while (cached_ > max_cached_) Drop(by_age_.begin(), &dropped);
    }
    Unmap(dropped);
    memory_.CacheGrew();
  }

  bool ReleaseUnused(int64_t nanos) override {
    BlockList dropped;
    bool left = false;
    {
      std::lock_guard lock(mutex_);
      const int64_t latest = RealClock().MonotonicNanos() - nanos;
      while (!by_age_.empty() && by_age_.front().since <= latest) Drop(by_age_.begin(), &dropped);
      left = !by_age_.empty();
    }
    Unmap(dropped);
    return left;
  }

  // ---- blocks that other processes can map ----

  void ShareLargeBlocks() {
    if (sharing_.exchange(true)) return;
    std::lock_guard once(watches_forks_mutex_);
    if (std::exchange(atfork_registered_, true)) return;  // a forked child inherits the handlers
    // Holds the lock during the fork, so that it is free in the child, and removes the parent's blocks from the child's
    // cache.
    pthread_atfork([] { Instance().mutex_.lock(); }, [] { Instance().mutex_.unlock(); },
                   [] { Instance().DropInheritedFiles(); });
  }

  std::optional<SharedBlock> FindShared(const void* data, size_t size) {
    const auto* begin = static_cast<const char*>(data);
    std::lock_guard lock(mutex_);
    const auto at = FileAt(begin);
    if (at == files_.end()) return std::nullopt;
    const auto offset = static_cast<size_t>(begin - at->first);
    if (size > at->second.capacity - offset) return std::nullopt;
    return SharedBlock{at->second.id, at->second.fd, at->second.capacity, offset};
  }

  void Abandon(const void* data) {
    std::lock_guard lock(mutex_);
    const auto at = FileAt(static_cast<const char*>(data));
    if (at == files_.end() || at->second.user == nullptr || std::exchange(at->second.abandoned, true)) return;
    at->second.user->AddReader();  // never removed
  }

  static RecyclingAllocator& Instance() {
    // Never destroyed: tensors may outlive everything else in the process.
    static RecyclingAllocator* const allocator = new RecyclingAllocator;
    return *allocator;
  }

 private:
  using BlockList = std::list<MappedBlock>;
  using Files = std::map<const char*, SharedFile>;  // by the block's first byte

  static Status Refused(size_t bytes) {
    return ResourceExhausted("out of memory: the system refused to allocate {} bytes", bytes);
  }

  static size_t KindOf(const MappedBlock& block) { return block.file != nullptr ? 1 : 0; }

  static void* MapPrivate(size_t capacity) {
    // Huge pages make the first access to a big block several times cheaper. They need an aligned start.
    const size_t slack = capacity >= 2 * kHugePageBytes ? kHugePageBytes : 0;
    void* mapped = mmap(nullptr, capacity + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    if (slack == 0) return mapped;
    char* const begin = static_cast<char*>(mapped);
    char* const data = reinterpret_cast<char*>(AlignUp(reinterpret_cast<uintptr_t>(begin), kHugePageBytes));
    if (data != begin) munmap(begin, data - begin);
    if (const size_t tail = begin + slack - data; tail != 0) munmap(data + capacity, tail);
    madvise(data, capacity, MADV_HUGEPAGE);
    return data;
  }

  // Creates a file of that size, sealed against shrinking, so that a process that maps it can safely read all of it.
  // fd is -1 on failure.
  static SharedFile NewFile(size_t capacity) {
    SharedFile file{.fd = memfd_create("weir_tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING), .capacity = capacity};
    struct stat found {};
    const bool good = file.fd >= 0 && ftruncate(file.fd, static_cast<off_t>(capacity)) == 0 &&
                      fcntl(file.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
                      fstat(file.fd, &found) == 0;
    file.id = found.st_ino;
    if (!good && file.fd >= 0) close(std::exchange(file.fd, -1));
    return file;
  }

  bool RoomForFile(size_t capacity) {
    rlimit number{}, size{};
    if (getrlimit(RLIMIT_NOFILE, &number) != 0 || getrlimit(RLIMIT_FSIZE, &size) != 0) return false;
    std::lock_guard lock(mutex_);
    return files_.size() < std::min(kMaxSharedBlocks, number.rlim_cur / 4) && capacity <= size.rlim_cur;
  }

  // Returns a block with null data when the system is out of memory.
  MappedBlock Map(size_t capacity, bool shared) {
    MappedBlock block{.data = MapPrivate(capacity), .capacity = capacity};
    if (block.data == nullptr || !shared) return block;
    const SharedFile file = NewFile(capacity);
    // Maps the file over the private mapping.
    if (file.fd < 0 ||
        mmap(block.data, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.fd, 0) == MAP_FAILED) {
      sharing_ = false;  // not possible in this process
      if (file.fd >= 0) close(file.fd);
      munmap(block.data, capacity);
      block.data = MapPrivate(capacity);
      return block;
    }
    madvise(block.data, capacity, MADV_HUGEPAGE);
    madvise(block.data, capacity, MADV_DONTFORK);
    memory_.CountSharedMapping(static_cast<int64_t>(capacity));
    std::lock_guard lock(mutex_);
    block.file = &files_.insert_or_assign(static_cast<const char*>(block.data), file).first->second;
    return block;
  }

  static void Unmap(const BlockList& dropped) {
    for (const MappedBlock& block : dropped) munmap(block.data, block.capacity);
  }

  // Takes the smallest cached block of the kind that holds `bytes` and is at most a quarter larger than `capacity`.
  // Among equal sizes it takes the most recently used one, which may still be in the CPU caches.
  MappedBlock TakeCached(size_t bytes, size_t capacity, bool shared) {
    std::lock_guard lock(mutex_);
    BySize& by_size = by_size_[shared ? 1 : 0];
    const auto fits = by_size.lower_bound(bytes);
    if (fits == by_size.end() || fits->first > capacity + capacity / 4) return {};
    const auto found = std::prev(by_size.upper_bound(fits->first));
    const MappedBlock block = *found->second;
    cached_ -= block.capacity;
    by_age_.erase(found->second);
    by_size.erase(found);
    return block;
  }

  // Moves a cached block to `dropped`. REQUIRES: the mutex is held.
  void Drop(BlockList::iterator block, BlockList* dropped) {
    BySize& by_size = by_size_[KindOf(*block)];
    auto [at, end] = by_size.equal_range(block->capacity);
    while (at != end && at->second != block) ++at;
    by_size.erase(at);
    cached_ -= block->capacity;
    if (block->file != nullptr) {
      memory_.CountSharedMapping(-static_cast<int64_t>(block->capacity));
      close(block->file->fd);
      files_.erase(static_cast<const char*>(block->data));
    }
    dropped->splice(dropped->end(), by_age_, block);
  }

  // REQUIRES: the mutex is held.
  Files::iterator FileAt(const char* data) {
    auto at = files_.upper_bound(data);
    if (at == files_.begin()) return files_.end();
    --at;
    return static_cast<size_t>(data - at->first) < at->second.capacity ? at : files_.end();
  }

  // Runs in a child right after the fork. The parent's shared blocks are not mapped there, and other memory may take
  // their addresses. REQUIRES: the mutex is held. Unlocks it.
  void DropInheritedFiles() {
    sharing_ = false;
    by_size_[1].clear();
    by_age_.remove_if([this](const MappedBlock& block) {
      if (block.file != nullptr) cached_ -= block.capacity;
      return block.file != nullptr;
    });
    for (auto& [data, file] : files_) {
      file.inherited = true;
      memory_.CountSharedMapping(-static_cast<int64_t>(file.capacity));
    }
    inherited_files_ = std::move(files_);  // tensors inherited from the parent still point to the entries
    files_.clear();
    mutex_.unlock();
  }

  ProcessMemory& memory_;
  const size_t max_cached_;
  std::atomic<bool> sharing_{false};
  std::mutex watches_forks_mutex_;
  bool atfork_registered_ = false;
  std::mutex mutex_;
  BlockList by_age_;  // oldest first
  using BySize = std::multimap<size_t, BlockList::iterator>;
  BySize by_size_[2];  // private blocks, shared blocks
  size_t cached_ = 0;
  Files files_;
  Files inherited_files_;
};

MappedBuffer::~MappedBuffer() { home_.Release(block_); }

class WrappedBuffer final : public Buffer {
 public:
  WrappedBuffer(void* data, size_t bytes, std::function<void()> release)
      : Buffer(data, bytes), release_(std::move(release)) {}

 private:
  ~WrappedBuffer() override {
    if (release_) release_();
  }
  std::function<void()> release_;
};

}  // namespace

Allocator& CpuAllocator() { return RecyclingAllocator::Instance(); }

void ShareLargeBlocks() { RecyclingAllocator::Instance().ShareLargeBlocks(); }
std::optional<SharedBlock> FindSharedBlock(const void* data, size_t size) {
  return RecyclingAllocator::Instance().FindShared(data, size);
}
void AbandonSharedBlock(const void* data) { RecyclingAllocator::Instance().Abandon(data); }
Result<BufferPtr> AllocatePrivate(size_t bytes) { return RecyclingAllocator::Instance().Allocate(bytes, false); }

BufferPtr WrapMemory(void* data, size_t bytes, std::function<void()> release) {
  return BufferPtr::Adopt(new WrappedBuffer(data, bytes, std::move(release)));
}

}  // namespace weir
