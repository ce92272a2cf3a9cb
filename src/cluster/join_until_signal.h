// JoinUntilSignal: how a program waits for its server that is nothing but a server. `weir serve`, Python's join() and
// C++ programs end by it.
#pragma once

#include <memory>

#include "base/end_signals.h"
#include "cluster/server.h"

namespace weir {

// How long steps may go on after a signal to end.
constexpr int64_t kSignalGraceMs = 3000;

// Blocks until the server is stopped, or SIGTERM or SIGINT comes to the process: then running steps may end, for at
// most `grace_ms`, and the server is stopped; if that takes seconds more, the process ends. True if a signal has done
// that. `since`, where it is given, was made earlier: signals count from then on. While steps end the handling of
// before is back, so that a second signal ends the process.
bool JoinUntilSignal(Server& server, int64_t grace_ms = kSignalGraceMs, std::unique_ptr<EndSignals> since = nullptr);

}  // namespace weir
