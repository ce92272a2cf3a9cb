// Small blocks are one heap allocation, header and data together. Large ones are mapped pages, kept for reuse when they
// are freed: at most kMaxCachedBytes of them, none older than kCacheNanos.
#include "tensor/buffer.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <new>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/log.h"

namespace weir {
namespace {

constexpr size_t kLargeBytes = size_t{1} << 20;
constexpr size_t kHugePageBytes = size_t{2} << 20;
constexpr size_t kMaxCachedBytes = size_t{1} << 30;
constexpr int64_t kCacheNanos = int64_t{20} * 1'000'000'000;
// Fresh memory below this size may be handed out between two looks at what the system has left.
constexpr int64_t kUncheckedBytes = int64_t{32} << 20;

// What WEIR_MEMORY_LIMIT_MB grants to the large blocks of this process, together.
int64_t LimitByUser() {
  const char* variable = std::getenv("WEIR_MEMORY_LIMIT_MB");
  if (variable == nullptr) return kNoLimit;
  constexpr int64_t kMegabyte = int64_t{1} << 20;
  const std::string_view text = variable;
  int64_t megabytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), megabytes);
  if (error == std::errc() && end == text.data() + text.size() && megabytes > 0 && megabytes <= kNoLimit / kMegabyte) {
    return megabytes * kMegabyte;
  }
  LogWarning("WEIR_MEMORY_LIMIT_MB={} is not a number of megabytes: only the system limits memory", text);
  return kNoLimit;
}

size_t AlignUp(size_t n, size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

// Sizes of mapped blocks: eight steps per power of two, so that tensors of nearly the same size share a block.
size_t SizeClass(size_t bytes) {
  const size_t step = std::max(std::bit_floor(bytes) / 8, size_t{64} << 10);
  return AlignUp(bytes, step);
}

// What the system can still give to this process, asked anew at each call.
class MemoryProbe final {
 public:
  // The most that the process may ever hold.
  int64_t Limit() const {
    const int64_t physical = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    return std::min({physical, groups_.Limit(), AddressSpaceLimit()});
  }
  int64_t Room() const {
    int64_t room = std::min(groups_.Room(), AvailableMemory());
    if (const int64_t limit = AddressSpaceLimit(); limit != kNoLimit) {
      room = std::min(room, std::max<int64_t>(limit - AddressSpaceUsed(), 0));
    }
    return room;
  }

 private:
  static int64_t AddressSpaceLimit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
    return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, kNoLimit));
  }
  static int64_t AddressSpaceUsed() {
    const std::string text = ReadSmallFile("/proc/self/statm");
    int64_t pages = 0;
    std::from_chars(text.data(), text.data() + text.size(), pages);
    return pages * sysconf(_SC_PAGESIZE);
  }
  static int64_t AvailableMemory() {
    const std::string text = ReadSmallFile("/proc/meminfo");
    constexpr std::string_view kKey = "MemAvailable:";
    const size_t at = text.find(kKey);
    if (at == std::string::npos) return kNoLimit;
    const size_t digits = text.find_first_not_of(' ', at + kKey.size());
    if (digits == std::string::npos) return kNoLimit;
    int64_t kilobytes = 0;
    std::from_chars(text.data() + digits, text.data() + text.size(), kilobytes);
    return kilobytes * 1024;
  }

  MemoryGroups groups_;
};

// Header and data in one malloc block; the data begins at the next aligned address.
class HeapBuffer final : public Buffer {
 public:
  static Buffer* Make(size_t bytes) {
    void* block = std::malloc(sizeof(HeapBuffer) + kBufferAlignment + bytes);
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

class MappedBuffer final : public Buffer {
 public:
  MappedBuffer(void* data, size_t bytes, size_t capacity, RecyclingAllocator& home)
      : Buffer(data, bytes), capacity_(capacity), home_(home) {}

 private:
  ~MappedBuffer() override;
  size_t capacity_;
  RecyclingAllocator& home_;
};

class RecyclingAllocator final : public Allocator {
 public:
  RecyclingAllocator()
      : limit_(std::min(probe_.Limit(), LimitByUser())),
        max_cached_(std::min<size_t>(kMaxCachedBytes, static_cast<size_t>(limit_ / 4))) {}

  Result<BufferPtr> Allocate(size_t bytes) override {
    if (bytes < kLargeBytes) {
      if (Buffer* buffer = HeapBuffer::Make(bytes)) return BufferPtr::Adopt(buffer);
      return Exhausted(bytes, 0);
    }
    const int64_t live = live_.load(std::memory_order_relaxed);
    const int64_t left = std::max<int64_t>(limit_ - live, 0);
    if (bytes > static_cast<size_t>(left)) return Exhausted(bytes, left);
    size_t capacity = SizeClass(bytes);
    void* data = TakeCached(bytes, &capacity);
    if (data == nullptr) {
      WEIR_TRY(CheckRoom(bytes));
      data = Map(capacity);
      if (data == nullptr) {
        DropCached();
        data = Map(capacity);
      }
      if (data == nullptr) return Exhausted(bytes, probe_.Room());
    }
    live_.fetch_add(static_cast<int64_t>(capacity), std::memory_order_relaxed);
    return BufferPtr::Adopt(new MappedBuffer(data, bytes, capacity, *this));
  }

  void Release(void* data, size_t capacity) {
    live_.fetch_sub(static_cast<int64_t>(capacity), std::memory_order_relaxed);
    if (capacity > max_cached_) {
      munmap(data, capacity);
      return;
    }
    std::list<Block> dropped;
    {
      std::lock_guard lock(mutex_);
      const int64_t now = RealClock().MonotonicNanos();
      const auto at = by_age_.insert(by_age_.end(), Block{data, capacity, now});
      by_size_.emplace(capacity, at);
      cached_ += capacity;
      while (cached_ > max_cached_ || by_age_.front().since < now - kCacheNanos) DropOldest(&dropped);
    }
    for (const Block& block : dropped) munmap(block.data, block.capacity);
  }

 private:
  struct Block {
    void* data;
    size_t capacity;
    int64_t since;
  };
  using BlockList = std::list<Block>;

  static Status Exhausted(size_t bytes, int64_t room) {
    return ResourceExhausted("out of memory: cannot allocate {} bytes, {} are left to this process", bytes, room);
  }

  static void* Map(size_t capacity) {
    // Huge pages make the first touch of a big block several times cheaper; they need an aligned start.
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

  // The smallest cached block that holds `bytes` and is at most a quarter larger, or null. Of several the one that was
  // used last: the caches of the processor hold it.
  void* TakeCached(size_t bytes, size_t* capacity) {
    std::lock_guard lock(mutex_);
    const auto fits = by_size_.lower_bound(bytes);
    if (fits == by_size_.end() || fits->first > *capacity + *capacity / 4) return nullptr;
    const auto found = std::prev(by_size_.upper_bound(fits->first));
    const BlockList::iterator block = found->second;
    void* data = block->data;
    *capacity = block->capacity;
    cached_ -= block->capacity;
    by_age_.erase(block);
    by_size_.erase(found);
    return data;
  }

  Status CheckRoom(size_t bytes) {
    const auto wanted = static_cast<int64_t>(bytes);
    if (unchecked_.fetch_add(wanted, std::memory_order_relaxed) + wanted < kUncheckedBytes) return OkStatus();
    unchecked_.store(0, std::memory_order_relaxed);
    if (wanted <= probe_.Room()) return OkStatus();
    DropCached();
    const int64_t room = probe_.Room();
    return wanted <= room ? OkStatus() : Exhausted(bytes, room);
  }

  void DropCached() {
    std::list<Block> dropped;
    {
      std::lock_guard lock(mutex_);
      while (!by_age_.empty()) DropOldest(&dropped);
    }
    for (const Block& block : dropped) munmap(block.data, block.capacity);
  }

  // REQUIRES: the mutex is held and a block is cached.
  void DropOldest(BlockList* dropped) {
    const BlockList::iterator oldest = by_age_.begin();
    auto [at, end] = by_size_.equal_range(oldest->capacity);
    while (at != end && at->second != oldest) ++at;
    by_size_.erase(at);
    cached_ -= oldest->capacity;
    dropped->splice(dropped->end(), by_age_, oldest);
  }

  const MemoryProbe probe_;
  const int64_t limit_;
  const size_t max_cached_;
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> unchecked_{0};
  std::mutex mutex_;
  BlockList by_age_;  // oldest first
  std::multimap<size_t, BlockList::iterator> by_size_;
  size_t cached_ = 0;
};

MappedBuffer::~MappedBuffer() { home_.Release(data_, capacity_); }

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

Allocator& CpuAllocator() {
  // Never destroyed: tensors may outlive everything else in the process.
  static RecyclingAllocator* const allocator = new RecyclingAllocator;
  return *allocator;
}

BufferPtr WrapMemory(void* data, size_t bytes, std::function<void()> release) {
  return BufferPtr::Adopt(new WrappedBuffer(data, bytes, std::move(release)));
}

}  // namespace weir
