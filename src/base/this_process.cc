#include "base/this_process.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace weir {
namespace {

// Caches the process id; updated after each fork.
struct CachedPid {
  std::atomic<pid_t> id{getpid()};
  CachedPid() {
    pthread_atfork(nullptr, nullptr, [] { Instance().id.store(getpid(), std::memory_order_relaxed); });
  }
  static CachedPid& Instance() {
    static CachedPid known;
    return known;
  }
};

}  // namespace

pid_t ThisProcess() { return CachedPid::Instance().id.load(std::memory_order_relaxed); }

}  // namespace weir
