// ProcessMemory: enforces the memory limit of the process (WEIR_MEMORY_LIMIT_MB) and returns unused memory to the
// system. Single allocations are not tracked: callers announce how much they are about to allocate, and each time the
// announced sum has grown by some megabytes, the actual memory usage is read from the system. So everything counts:
// tensors, strings, queues, graphs, messages. Thread-safe. One per process, because the system's limits are.
#ifndef WEIR_BASE_PROCESS_MEMORY_H_
#define WEIR_BASE_PROCESS_MEMORY_H_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/cgroup.h"
#include "base/status.h"

namespace weir {

// The approximate size of a graph node without its attribute values.
constexpr size_t kGraphNodeBytes = 1024;

// A cache of freed memory blocks.
class MemoryCache {
 public:
  virtual ~MemoryCache() = default;
  // Returns blocks that were unused for `nanos` (0: all blocks) to the system. Returns whether any blocks remain.
  virtual bool ReleaseUnused(int64_t nanos) = 0;
};

class ProcessMemory final {
 public:
  // Lives as long as the process.
  static ProcessMemory& Get();

  // Call before allocating `bytes` of memory, or right after if the size is not known before. ResourceExhausted if the
  // process would exceed its limit. Costs a few instructions, except when the usage has to be read from the system.
  Status Reserve(size_t bytes) { return TakeFromGrant(bytes) ? OkStatus() : TakeGrant(bytes); }
  // Reserve for data that outlives a step (queue elements, graph nodes). Its limit is lower, so that steps that would
  // free such data, e.g. by emptying a queue, can still run.
  Status ReserveKept(size_t bytes);
  // Reserve for callers that cannot fail: the next Reserve accounts for the memory.
  void Charge(size_t bytes) {
    if (!TakeFromGrant(bytes)) ChargeAll(bytes);
  }

  // CountBlock: counts a mapped block at its full size, whether its pages are touched or not. CountSharedMapping:
  // counts a mapping that the system does not attribute to this process alone. Negative `bytes` on release.
  void CountBlock(int64_t bytes) { block_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void CountSharedMapping(int64_t bytes) { shared_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  // Call after adding a block to the cache.
  void CacheGrew() { StartReleasing(); }
  // The cache is emptied before a Reserve fails; blocks that were unused for some seconds are released. `cache` must
  // live as long as the process.
  void SetCache(MemoryCache* cache) { cache_.store(cache, std::memory_order_release); }

  // Call after freeing something large: trims the heap within seconds, even if other threads are busy allocating.
  void ReleaseSoon();

  // The memory limit of the process in bytes.
  int64_t limit() const { return limit_; }
  // The current usage in bytes: the larger of the counted blocks and the resident memory.
  int64_t Used() const;

  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

 private:
  explicit ProcessMemory(std::optional<int64_t> limit_by_user);
  ~ProcessMemory() = default;

  static bool TakeFromGrant(size_t bytes) {
    if (bytes > grant_) [[unlikely]]
      return false;
    grant_ -= bytes;
    return true;
  }
  Status TakeGrant(size_t bytes);
  void ChargeAll(size_t bytes);
  Status CheckUsage(size_t bytes);
  Status CheckKeptLimit(size_t bytes);
  Status CheckSystem(size_t bytes);
  Status Exhausted(size_t bytes, int64_t left) const;
  // Returns Used(). If that exceeds `most`, first reclaims memory, retrying a few times.
  int64_t UsedAfterReclaim(int64_t most);
  void Reclaim();
  // Starts the release thread unless it is running.
  void StartReleasing();
  void Release();
  bool ReleaseOnce();

  static inline constinit thread_local size_t grant_ = 0;  // bytes that the thread may reserve without shared counters
  const MemoryGroups groups_;
  const bool limited_by_user_;
  const int64_t limit_;
  const int64_t kept_limit_;
  const int64_t base_bytes_;  // resident at construction; not counted against a limit set by the user
  std::atomic<int64_t> block_bytes_{0};
  std::atomic<int64_t> shared_bytes_{0};
  std::atomic<int64_t> until_check_;         // bytes to reserve before the next CheckUsage
  std::atomic<int64_t> until_system_check_;  // bytes to reserve before the next CheckSystem
  std::atomic<int64_t> seen_used_{0};        // the usage at the last CheckUsage
  std::atomic<MemoryCache*> cache_{nullptr};

  std::atomic<uint64_t> num_grants_{0};   // measures how busy the heap is
  std::atomic<int> quiet_trims_left_{0};  // remaining heap trims, done only while the heap is quiet
  std::atomic<int> trims_left_{0};        // remaining heap trims, done in any case
  std::atomic<pid_t> releaser_{0};        // the process that runs the release thread; 0: none (fork copies the value)
  std::atomic<uint64_t> seen_grants_{0};  // num_grants_ at the last round of the release thread
};

}  // namespace weir

#endif  // WEIR_BASE_PROCESS_MEMORY_H_
