// JoinUntilSignal: blocks a program that only runs a server. Used by `weir serve`, Python's join() and C++ programs.
#pragma once

#include <memory>

#include "weir/base/shutdown_signals.h"
#include "weir/cluster/server.h"

namespace weir {

// The time that running steps may continue after a signal.
constexpr int64_t kSignalGraceMs = 3000;

// Blocks until the server is stopped, or the process receives SIGTERM or SIGINT. After a signal, running steps have up
// to `grace_ms` to end; then the server is stopped. If that takes some seconds longer, the process exits. Returns true
// after a signal. `since`, if given, was created earlier: signals count from then on. While steps end, the previous
// signal handlers are active again, so that a second signal ends the process.
bool JoinUntilSignal(Server& server, int64_t grace_ms = kSignalGraceMs,
                     std::unique_ptr<ShutdownSignals> since = nullptr);

}  // namespace weir
