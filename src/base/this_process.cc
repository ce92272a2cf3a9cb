#include "base/this_process.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace weir {
namespace {

// Caches the process id; updated after each fork.
struct KnownProcess {
  std::atomic<pid_t> id{getpid()};
  KnownProcess() {
    pthread_atfork(nullptr, nullptr, [] { TheOne().id.store(getpid(), std::memory_order_relaxed); });
  }
  static KnownProcess& TheOne() {
    static KnownProcess known;
    return known;
  }
};

}  // namespace

pid_t ThisProcess() { return KnownProcess::TheOne().id.load(std::memory_order_relaxed); }

}  // namespace weir
