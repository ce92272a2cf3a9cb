// Small blocks are one heap allocation, header and data together. Large ones are mapped pages, of files where other
// processes may read them (shared_blocks.h), kept for reuse when they are freed: at most kMaxCachedBytes of them. Those
// older than kCacheNanos go when the next one is freed.
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
#include "tensor/shared_blocks.h"

namespace weir {
namespace {

constexpr size_t kLargeBytes = size_t{1} << 20;
constexpr size_t kWorthSharing = size_t{1} << 18;  // where blocks are shared, those from there on are mapped
constexpr rlim_t kMaxSharedBlocks = 4096;
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
class MappedBuffer;

// The file of a block that other processes can map; guarded by the allocator's lock.
struct SharedFile {
  int fd = -1;
  uint64_t id = 0;
  size_t capacity = 0;
  const MappedBuffer* user = nullptr;
  bool abandoned = false;
  bool forgotten = false;  // it is the parent's
};

struct MappedBlock {
  void* data = nullptr;
  size_t capacity = 0;
  SharedFile* file = nullptr;  // null where it is private
  int64_t since = 0;           // when it was freed
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

class RecyclingAllocator final : public Allocator {
 public:
  RecyclingAllocator()
      : limit_(std::min(probe_.Limit(), LimitByUser())),
        max_cached_(std::min<size_t>(kMaxCachedBytes, static_cast<size_t>(limit_ / 4))) {}

  Result<BufferPtr> Allocate(size_t bytes) override {
    return Allocate(bytes, sharing_.load(std::memory_order_relaxed));
  }

  Result<BufferPtr> Allocate(size_t bytes, bool shared) {
    if (bytes < (shared ? kWorthSharing : kLargeBytes)) {
      if (Buffer* buffer = HeapBuffer::Make(bytes)) return BufferPtr::Adopt(buffer);
      return Exhausted(bytes, 0);
    }
    const int64_t live = live_.load(std::memory_order_relaxed);
    const int64_t left = std::max<int64_t>(limit_ - live, 0);
    if (bytes > static_cast<size_t>(left) && bytes >= kLargeBytes) return Exhausted(bytes, left);
    const size_t capacity = SizeClass(bytes);
    MappedBlock block = TakeCached(bytes, capacity, shared);
    if (block.data == nullptr && shared && !RoomForFile(capacity)) {
      shared = false;
      block = TakeCached(bytes, capacity, shared);
    }
    if (block.data == nullptr) {
      WEIR_TRY(CheckRoom(bytes));
      block = Map(capacity, shared);
      if (block.data == nullptr) {
        DropCached();
        block = Map(capacity, shared);
      }
      if (block.data == nullptr) return Exhausted(bytes, probe_.Room());
    }
    auto* buffer = new MappedBuffer(block, bytes, *this);
    if (block.file != nullptr) {
      std::lock_guard lock(mutex_);
      block.file->user = buffer;
    }
    if (bytes >= kLargeBytes) live_.fetch_add(static_cast<int64_t>(block.capacity), std::memory_order_relaxed);
    return BufferPtr::Adopt(buffer);
  }

  void Release(MappedBlock block, size_t bytes) {
    if (bytes >= kLargeBytes) live_.fetch_sub(static_cast<int64_t>(block.capacity), std::memory_order_relaxed);
    BlockList dropped;
    {
      std::lock_guard lock(mutex_);
      if (block.file != nullptr && block.file->forgotten) return;
      block.since = RealClock().MonotonicNanos();
      const bool abandoned = block.file != nullptr && block.file->abandoned;
      if (block.file != nullptr) block.file->user = nullptr;
      const auto at = by_age_.insert(by_age_.end(), block);
      by_size_[KindOf(block)].emplace(block.capacity, at);
      cached_ += block.capacity;
      if (abandoned || block.capacity > max_cached_) Drop(at, &dropped);
      while (cached_ > max_cached_ || (!by_age_.empty() && by_age_.front().since < block.since - kCacheNanos)) {
        Drop(by_age_.begin(), &dropped);
      }
    }
    Unmap(dropped);
  }

  // ---- blocks that other processes can map ----

  void ShareLargeBlocks() {
    if (sharing_.exchange(true)) return;
    std::lock_guard once(watches_forks_mutex_);
    if (std::exchange(watches_forks_, true)) return;  // also a child does
    // The lock is free in a child, and what is not there any more is not handed out.
    pthread_atfork([] { TheOne().mutex_.lock(); }, [] { TheOne().mutex_.unlock(); }, [] { TheOne().ForgetShared(); });
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
    at->second.user->AddReader();  // who never leaves
  }

  static RecyclingAllocator& TheOne() {
    // Never destroyed: tensors may outlive everything else in the process.
    static RecyclingAllocator* const allocator = new RecyclingAllocator;
    return *allocator;
  }

 private:
  using BlockList = std::list<MappedBlock>;
  using Files = std::map<const char*, SharedFile>;  // by the block's first byte

  static Status Exhausted(size_t bytes, int64_t room) {
    return ResourceExhausted("out of memory: cannot allocate {} bytes, {} are left to this process", bytes, room);
  }

  static size_t KindOf(const MappedBlock& block) { return block.file != nullptr ? 1 : 0; }

  static void* MapPrivate(size_t capacity) {
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

  // A file of that size, which cannot shrink: who maps it can read all of it. Not valid where there is none to be had.
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

  // Its data are null where nothing is left.
  MappedBlock Map(size_t capacity, bool shared) {
    MappedBlock block{.data = MapPrivate(capacity), .capacity = capacity};
    if (block.data == nullptr || !shared) return block;
    const SharedFile file = NewFile(capacity);
    // In the place of the private one.
    if (file.fd < 0 ||
        mmap(block.data, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.fd, 0) == MAP_FAILED) {
      sharing_ = false;  // it is not for this process
      if (file.fd >= 0) close(file.fd);
      munmap(block.data, capacity);
      block.data = MapPrivate(capacity);
      return block;
    }
    madvise(block.data, capacity, MADV_HUGEPAGE);
    madvise(block.data, capacity, MADV_DONTFORK);
    std::lock_guard lock(mutex_);
    block.file = &files_.insert_or_assign(static_cast<const char*>(block.data), file).first->second;
    return block;
  }

  static void Unmap(const BlockList& dropped) {
    for (const MappedBlock& block : dropped) munmap(block.data, block.capacity);
  }

  // The smallest cached block of the kind that holds `bytes` and is at most a quarter larger than `capacity`. Of
  // several the one that was used last: the caches of the processor hold it.
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
    BlockList dropped;
    {
      std::lock_guard lock(mutex_);
      while (!by_age_.empty()) Drop(by_age_.begin(), &dropped);
    }
    Unmap(dropped);
  }

  // Takes a cached block out. REQUIRES: the mutex is held.
  void Drop(BlockList::iterator block, BlockList* dropped) {
    BySize& by_size = by_size_[KindOf(*block)];
    auto [at, end] = by_size.equal_range(block->capacity);
    while (at != end && at->second != block) ++at;
    by_size.erase(at);
    cached_ -= block->capacity;
    if (block->file != nullptr) {
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

  // In a child that was just forked: other memory may soon be where its parent's blocks were. REQUIRES: the mutex is
  // held, and is given back.
  void ForgetShared() {
    sharing_ = false;
    by_size_[1].clear();
    by_age_.remove_if([this](const MappedBlock& block) {
      if (block.file != nullptr) cached_ -= block.capacity;
      return block.file != nullptr;
    });
    for (auto& [data, file] : files_) file.forgotten = true;
    forgotten_ = std::move(files_);  // tensors of the parent refer to them
    files_.clear();
    mutex_.unlock();
  }

  const MemoryProbe probe_;
  const int64_t limit_;
  const size_t max_cached_;
  std::atomic<bool> sharing_{false};
  std::mutex watches_forks_mutex_;
  bool watches_forks_ = false;
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> unchecked_{0};
  std::mutex mutex_;
  BlockList by_age_;  // oldest first
  using BySize = std::multimap<size_t, BlockList::iterator>;
  BySize by_size_[2];  // private ones, shared ones
  size_t cached_ = 0;
  Files files_;
  Files forgotten_;
};

MappedBuffer::~MappedBuffer() { home_.Release(block_, size_); }

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

Allocator& CpuAllocator() { return RecyclingAllocator::TheOne(); }

void ShareLargeBlocks() { RecyclingAllocator::TheOne().ShareLargeBlocks(); }
std::optional<SharedBlock> FindSharedBlock(const void* data, size_t size) {
  return RecyclingAllocator::TheOne().FindShared(data, size);
}
void AbandonSharedBlock(const void* data) { RecyclingAllocator::TheOne().Abandon(data); }
Result<BufferPtr> AllocatePrivate(size_t bytes) { return RecyclingAllocator::TheOne().Allocate(bytes, false); }

BufferPtr WrapMemory(void* data, size_t bytes, std::function<void()> release) {
  return BufferPtr::Adopt(new WrappedBuffer(data, bytes, std::move(release)));
}

}  // namespace weir
