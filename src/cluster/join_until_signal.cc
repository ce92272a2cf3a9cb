#include "cluster/join_until_signal.h"

#include "base/exit_deadline.h"
#include "base/log.h"

namespace weir {

bool JoinUntilSignal(Server& server, int64_t grace_ms, std::unique_ptr<ShutdownSignals> since) {
  if (since == nullptr) since = std::make_unique<ShutdownSignals>();
  server.Join([&] { return since->received(); });
  if (!since->received()) return false;
  since = nullptr;
  LogInfo("Stopping the server at {}: running steps may take {:g} s to end; a second signal ends the process at once",
          server.target(), static_cast<double>(grace_ms) / 1000);
  // Steps end soon after they are cancelled. Anything else that delays the end gets this long.
  constexpr int64_t kTimeToStopMs = 2000;
  const ExitDeadline deadline(std::chrono::milliseconds(grace_ms + kTimeToStopMs));
  server.Stop(grace_ms);
  LogInfo("Stopped the server at {}", server.target());
  return true;
}

}  // namespace weir
