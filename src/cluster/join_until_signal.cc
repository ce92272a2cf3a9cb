#include "cluster/join_until_signal.h"

#include "base/exit_deadline.h"

namespace weir {

bool JoinUntilSignal(Server& server, int64_t grace_ms, std::unique_ptr<ShutdownSignals> since) {
  if (since == nullptr) since = std::make_unique<ShutdownSignals>();
  server.Join([&] { return since->received(); });
  if (!since->received()) return false;
  since = nullptr;
  // Steps end soon after they are cancelled. Anything else that delays the end gets this long.
  constexpr int64_t kTimeToStopMs = 2000;
  const ExitDeadline deadline(std::chrono::milliseconds(grace_ms + kTimeToStopMs));
  server.Stop(grace_ms);
  return true;
}

}  // namespace weir
