// ProcessMemory: how much memory this process may hold (WEIR_MEMORY_LIMIT_MB), and giving back to the system what it
// does not need any more. Nobody counts single allocations: whoever is about to take memory says how much, and each
// time that sum has grown by some megabytes the system is asked what the process really holds. So everything counts:
// tensors, strings, queues, graphs, messages. Thread-safe; one per process, since the system's limits are.
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

// What a node of a graph costs, roughly and beside the values of its attributes.
constexpr size_t kGraphNodeBytes = 1024;

// Freed memory that is kept for reuse.
class MemoryCache {
 public:
  virtual ~MemoryCache() = default;
  // Gives back what was not used for `nanos`; 0: everything. Returns whether something is left.
  virtual bool GiveBackUnused(int64_t nanos) = 0;
};

class ProcessMemory final {
 public:
  // Lives as long as the process.
  static ProcessMemory& Get();

  // To be called before taking `bytes` of memory, or just after where the size is not known before. ResourceExhausted
  // when the process would hold more than it may. Costs a few instructions, but for a look at the system now and then.
  Status Reserve(size_t bytes) { return TakeFromGrant(bytes) ? OkStatus() : TakeGrant(bytes); }
  // The same for what stays after a step (elements of queues, nodes of graphs): it may not take the last of the memory,
  // so that steps that would empty a queue can still run.
  Status ReserveKept(size_t bytes);
  // The same for callers that cannot fail: the next Reserve sees the memory.
  void Charge(size_t bytes) {
    if (!TakeFromGrant(bytes)) ChargeAll(bytes);
  }

  // Counts a mapped block in use at its full size, touched or not; and a mapping that the system does not count as this
  // process's own. Negative when it is freed.
  void CountBlock(int64_t bytes) { block_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  void CountSharedMapping(int64_t bytes) { shared_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  // Something was put into the cache.
  void CacheGrew() { StartReleasing(); }
  // The cache is emptied before anything fails, and when it was idle for some seconds. It must live forever.
  void SetCache(MemoryCache* cache) { cache_.store(cache, std::memory_order_release); }

  // Something large was closed or freed: its memory goes back to the system within seconds, whatever else goes on.
  void ReleaseSoon();

  // The most that the process may hold.
  int64_t limit() const { return limit_; }
  // What it holds now, as far as it counts.
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
  Status Look(size_t bytes);
  Status LookAtKept(size_t bytes);
  Status CheckSystem(size_t bytes);
  Status Exhausted(size_t bytes, int64_t left) const;
  // What is used, after giving back what can be where that is more than `most`.
  int64_t UsedAbove(int64_t most);
  void Reclaim();
  // Starts the thread that gives memory back, where none runs.
  void StartReleasing();
  void Release();
  bool ReleaseOnce();

  static inline constinit thread_local size_t grant_ = 0;  // what the thread may reserve without asking anybody
  const MemoryGroups groups_;
  const bool limited_by_user_;
  const int64_t limit_;
  const int64_t kept_limit_;
  const int64_t base_bytes_;  // held before anything counted
  std::atomic<int64_t> block_bytes_{0};
  std::atomic<int64_t> shared_bytes_{0};
  std::atomic<int64_t> until_look_;  // may be reserved before the next look
  std::atomic<int64_t> until_system_look_;
  std::atomic<int64_t> seen_used_{0};  // by the last look
  std::atomic<MemoryCache*> cache_{nullptr};

  std::atomic<uint64_t> num_grants_{0};   // how busy the heap is
  std::atomic<int> quiet_rounds_{0};      // to trim it in while it is quiet
  std::atomic<int> rounds_{0};            // to trim it in anyway
  std::atomic<pid_t> releaser_{0};        // the process whose thread gives memory back; 0: none
  std::atomic<uint64_t> seen_grants_{0};  // by that thread
};

}  // namespace weir

#endif  // WEIR_BASE_PROCESS_MEMORY_H_
