#include "base/process_memory.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>

#include "base/environment.h"
#include "base/this_process.h"

namespace weir {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
// The minimum that a thread takes from until_check_ at a time.
constexpr size_t kGrantBytes = size_t{256} << 10;
constexpr int64_t kMaxBetweenChecks = 32 * kMegabyte;
constexpr int64_t kMinBetweenChecks = kMegabyte;
// Left free on the machine and in the control group: the kernel kills a process that takes the last of the memory.
constexpr int64_t kSystemReserve = 16 * kMegabyte;

constexpr int64_t kAddressReserve = 256 * kMegabyte;
// Memory that only Reserve, not ReserveKept, may use.
constexpr int64_t kMaxForSteps = 64 * kMegabyte;

constexpr int kReclaimAttempts = 4;
constexpr std::chrono::milliseconds kReclaimPause(10);
constexpr std::chrono::milliseconds kReleasePeriod(500);
constexpr int64_t kCacheIdleNanos = int64_t{2'500'000'000};
// Freeing may lag behind the end of the work that held the memory, so trim several times.
constexpr int kRoundsToRelease = 4;
// With fewer grants per period than this the heap is quiet, and trimming it does not slow down other threads.
constexpr uint64_t kQuietGrants = 64;

// Under sanitizers most of the resident memory belongs to the sanitizer, so it is not read.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kAsksSystem = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kAsksSystem = false;
#else
constexpr bool kAsksSystem = true;
#endif
#else
constexpr bool kAsksSystem = true;
#endif

std::optional<int64_t> LimitByUser() {
  const std::optional<int64_t> megabytes = ReadEnvironmentOrWarn(
      {"WEIR_MEMORY_LIMIT_MB", "megabytes", 1, kNoLimit / kMegabyte}, "only the system limits memory");
  if (!megabytes.has_value()) return std::nullopt;
  return *megabytes * kMegabyte;
}

int64_t AddressSpaceLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, kNoLimit));
}

struct Pages {
  int64_t address_space = 0;
  int64_t resident = 0;
  int64_t shared = 0;  // resident pages of files and of shared memory
};

Pages ReadPages() {
  const std::string text = ReadSmallFile("/proc/self/statm");
  Pages pages;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int64_t* field : {&pages.address_space, &pages.resident, &pages.shared}) {
    while (at != end && *at == ' ') ++at;
    at = std::from_chars(at, end, *field).ptr;
  }
  return pages;
}

int64_t PageBytes() { return sysconf(_SC_PAGESIZE); }

// Resident memory that is not shared with other processes; 0 if unknown.
int64_t OwnResidentBytes() {
  if (!kAsksSystem) return 0;
  const Pages pages = ReadPages();
  return std::max<int64_t>(pages.resident - pages.shared, 0) * PageBytes();
}

int64_t AvailableOnMachine() {
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

// The number of bytes that the system can still give to this process.
int64_t SystemRoom(const MemoryGroups& groups) {
  int64_t room = std::min(groups.Room(), AvailableOnMachine());
  if (const int64_t limit = AddressSpaceLimit(); limit != kNoLimit) {
    // malloc arenas reserve address space in large chunks, so the last part of it is not usable.
    const int64_t used = ReadPages().address_space * PageBytes() + std::min(limit / 8, kAddressReserve);
    room = std::min(room, std::max<int64_t>(limit - used, 0));
  }
  return room;
}

int64_t SystemLimit(const MemoryGroups& groups) {
  const int64_t physical = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * PageBytes();
  return std::min({physical, groups.Limit(), AddressSpaceLimit()});
}

int64_t Clipped(size_t bytes) { return static_cast<int64_t>(std::min<size_t>(bytes, kNoLimit / 2)); }

}  // namespace

ProcessMemory& ProcessMemory::Get() {
  // Never destroyed: tensors may be freed during static destruction.
  static ProcessMemory* const memory = new ProcessMemory(LimitByUser());
  return *memory;
}

ProcessMemory::ProcessMemory(std::optional<int64_t> limit_by_user)
    : limited_by_user_(limit_by_user.has_value()),
      limit_(limited_by_user_ ? std::min(*limit_by_user, SystemLimit(groups_)) : SystemLimit(groups_) / 10 * 9),
      kept_limit_(limit_ - std::min(limit_ / 8, kMaxForSteps)),
      base_bytes_(limited_by_user_ ? OwnResidentBytes() : 0),
      until_check_(std::clamp(limit_ / 4, kMinBetweenChecks, kMaxBetweenChecks)),
      until_system_check_(kMaxBetweenChecks) {}

Status ProcessMemory::ReserveKept(size_t bytes) {
  WEIR_TRY(Reserve(bytes));
  if (seen_used_.load(std::memory_order_relaxed) <= kept_limit_ - Clipped(bytes)) [[likely]]
    return OkStatus();
  return CheckKeptLimit(bytes);
}

void ProcessMemory::ChargeAll(size_t bytes) {
  num_grants_.fetch_add(1, std::memory_order_relaxed);
  const size_t taken = std::max(bytes, kGrantBytes);
  until_check_.fetch_sub(Clipped(taken), std::memory_order_relaxed);
  grant_ += taken - bytes;
}

Status ProcessMemory::TakeGrant(size_t bytes) {
  num_grants_.fetch_add(1, std::memory_order_relaxed);
  const size_t taken = std::max(bytes, kGrantBytes);
  if (until_check_.fetch_sub(Clipped(taken), std::memory_order_relaxed) < Clipped(taken)) {
    if (Status status = CheckUsage(bytes); !status.ok()) {
      until_check_.store(0, std::memory_order_relaxed);  // else refused requests would add up and wrap around
      return status;
    }
  }
  grant_ += taken - bytes;
  return OkStatus();
}

int64_t ProcessMemory::Used() const {
  const int64_t blocks = block_bytes_.load(std::memory_order_relaxed);
  const int64_t resident = OwnResidentBytes() - base_bytes_ + shared_bytes_.load(std::memory_order_relaxed);
  return std::max({blocks, resident, int64_t{0}});
}

Status ProcessMemory::CheckUsage(size_t bytes) {
  quiet_trims_left_.store(kRoundsToRelease, std::memory_order_relaxed);
  StartReleasing();
  const int64_t wanted = Clipped(bytes);
  const int64_t used = UsedAfterReclaim(limit_ - wanted);
  if (used > limit_ - wanted) return Exhausted(bytes, std::max<int64_t>(limit_ - used, 0));
  const int64_t granted = std::clamp((limit_ - used - wanted) / 4, kMinBetweenChecks, kMaxBetweenChecks);
  if (until_system_check_.fetch_sub(granted + wanted, std::memory_order_relaxed) < granted + wanted)
    WEIR_TRY(CheckSystem(bytes));
  until_check_.store(granted, std::memory_order_relaxed);
  return OkStatus();
}

Status ProcessMemory::CheckKeptLimit(size_t bytes) {
  const int64_t most = kept_limit_ - Clipped(bytes);
  const int64_t used = UsedAfterReclaim(most);
  return used <= most ? OkStatus() : Exhausted(bytes, std::max<int64_t>(kept_limit_ - used, 0));
}

// Checks that the system has enough free memory: other processes may have used it, even if this process is below its
// limit.
Status ProcessMemory::CheckSystem(size_t bytes) {
  const auto suffices = [&](int64_t room) { return room - std::min(kSystemReserve, limit_ / 16) >= Clipped(bytes); };
  if (!suffices(SystemRoom(groups_))) {
    Reclaim();
    if (const int64_t room = SystemRoom(groups_); !suffices(room))
      return ResourceExhausted(
          "out of memory: cannot allocate {} bytes: only {} bytes are available to this process, because other "
          "processes on the machine or in its control group use the rest",
          bytes, room);
  }
  until_system_check_.store(kMaxBetweenChecks, std::memory_order_relaxed);
  return OkStatus();
}

Status ProcessMemory::Exhausted(size_t bytes, int64_t left) const {
  const char* const why =
      limited_by_user_ ? "set by WEIR_MEMORY_LIMIT_MB" : "90 % of the memory of the machine or control group";
  return ResourceExhausted(
      "out of memory: cannot allocate {} bytes: {} bytes are left below this process's limit of {} MB ({}). Set "
      "WEIR_MEMORY_LIMIT_MB to change the limit",
      bytes, left, limit_ / kMegabyte, why);
}

// Retries because other threads may still be freeing the memory of a step that has just failed.
int64_t ProcessMemory::UsedAfterReclaim(int64_t most) {
  int64_t used = Used();
  for (int attempt = 0; used > most && most > 0 && attempt < kReclaimAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kReclaimPause);
    Reclaim();
    used = Used();
  }
  seen_used_.store(used, std::memory_order_relaxed);
  return used;
}

void ProcessMemory::Reclaim() {
  if (MemoryCache* cache = cache_.load(std::memory_order_acquire)) cache->ReleaseUnused(0);
  malloc_trim(0);
}

void ProcessMemory::ReleaseSoon() {
  trims_left_.store(kRoundsToRelease, std::memory_order_relaxed);
  StartReleasing();
}

void ProcessMemory::StartReleasing() {
  const pid_t self = ThisProcess();
  pid_t before = releaser_.load(std::memory_order_relaxed);
  if (before == self || !releaser_.compare_exchange_strong(before, self)) return;
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  try {
    std::thread thread([this] { Release(); });
    pthread_setname_np(thread.native_handle(), "weir_memory");
    thread.detach();
  } catch (const std::exception&) {  // cannot start a thread: the next caller retries
    releaser_.store(0, std::memory_order_relaxed);
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

void ProcessMemory::Release() {
  const pid_t self = ThisProcess();
  for (;;) {
    do {
      std::this_thread::sleep_for(kReleasePeriod);
    } while (ReleaseOnce());
    releaser_.store(0);
    // Check again: a caller that saw releaser_ set since the last round relied on this thread.
    pid_t none = 0;
    if (!ReleaseOnce() || !releaser_.compare_exchange_strong(none, self)) return;
  }
}

// Returns whether another round is needed.
bool ProcessMemory::ReleaseOnce() {
  MemoryCache* const cache = cache_.load(std::memory_order_acquire);
  const bool cached = cache != nullptr && cache->ReleaseUnused(kCacheIdleNanos);
  const uint64_t grants = num_grants_.load(std::memory_order_relaxed);
  const bool quiet = grants - seen_grants_.exchange(grants, std::memory_order_relaxed) < kQuietGrants;
  std::atomic<int>& rounds =
      trims_left_.load(std::memory_order_relaxed) > 0 || !quiet ? trims_left_ : quiet_trims_left_;
  if (const int left = rounds.load(std::memory_order_relaxed); left > 0) {
    rounds.store(left - 1, std::memory_order_relaxed);
    malloc_trim(0);
  }
  return cached || trims_left_.load(std::memory_order_relaxed) > 0 ||
         quiet_trims_left_.load(std::memory_order_relaxed) > 0;
}

}  // namespace weir
