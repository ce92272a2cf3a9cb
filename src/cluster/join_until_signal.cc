#include "cluster/join_until_signal.h"

namespace weir {

bool JoinUntilSignal(Server& server, int64_t grace_ms, std::unique_ptr<EndSignals> since) {
  if (since == nullptr) since = std::make_unique<EndSignals>();
  server.Join([&] { return since->received(); });
  if (!since->received()) return false;
  since = nullptr;
  server.Stop(grace_ms);
  return true;
}

}  // namespace weir
