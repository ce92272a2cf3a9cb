#include "base/end_signals.h"

#include <signal.h>

#include <atomic>
#include <iterator>
#include <mutex>

namespace weir {
namespace {

constexpr int kEnds[] = {SIGTERM, SIGINT};

std::atomic<int> g_received{0};
static_assert(std::atomic<int>::is_always_lock_free, "it is changed by a signal handler");

struct Handling {
  std::mutex mu;
  int users = 0;
  struct sigaction before[std::size(kEnds)] = {};
};
Handling& TheHandling() {
  static Handling handling;
  return handling;
}

}  // namespace

EndSignals::EndSignals() : before_(g_received) {
  Handling& handling = TheHandling();
  const std::lock_guard lock(handling.mu);
  if (handling.users++ > 0) return;
  struct sigaction ours = {};
  ours.sa_handler = [](int) { g_received.fetch_add(1); };
  ours.sa_flags = SA_RESTART;  // any thread may receive the signal, including one in a system call
  for (size_t i = 0; i < std::size(kEnds); ++i) sigaction(kEnds[i], &ours, &handling.before[i]);
}

EndSignals::~EndSignals() {
  Handling& handling = TheHandling();
  const std::lock_guard lock(handling.mu);
  if (--handling.users > 0) return;
  for (size_t i = 0; i < std::size(kEnds); ++i) sigaction(kEnds[i], &handling.before[i], nullptr);
}

bool EndSignals::received() const { return g_received != before_; }

}  // namespace weir
