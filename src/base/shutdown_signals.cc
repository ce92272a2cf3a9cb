#include "base/shutdown_signals.h"

#include <signal.h>

#include <atomic>
#include <iterator>
#include <mutex>

namespace weir {
namespace {

constexpr int kShutdownSignals[] = {SIGTERM, SIGINT};

std::atomic<int> g_received{0};
static_assert(std::atomic<int>::is_always_lock_free, "it is changed by a signal handler");

struct Handling {
  std::mutex mu;
  int users = 0;
  struct sigaction before[std::size(kShutdownSignals)] = {};
};
Handling& GlobalHandlers() {
  static Handling handling;
  return handling;
}

}  // namespace

ShutdownSignals::ShutdownSignals() : initial_count_(g_received) {
  Handling& handling = GlobalHandlers();
  const std::lock_guard lock(handling.mu);
  if (handling.users++ > 0) return;
  struct sigaction ours = {};
  ours.sa_handler = [](int) { g_received.fetch_add(1); };
  ours.sa_flags = SA_RESTART;  // any thread may receive the signal, including one in a system call
  for (size_t i = 0; i < std::size(kShutdownSignals); ++i) sigaction(kShutdownSignals[i], &ours, &handling.before[i]);
}

ShutdownSignals::~ShutdownSignals() {
  Handling& handling = GlobalHandlers();
  const std::lock_guard lock(handling.mu);
  if (--handling.users > 0) return;
  for (size_t i = 0; i < std::size(kShutdownSignals); ++i) sigaction(kShutdownSignals[i], &handling.before[i], nullptr);
}

bool ShutdownSignals::received() const { return g_received != initial_count_; }

}  // namespace weir
