// Errors about peers and about this process that all transports share: users and tests see the same texts whichever
// transport carried the call.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace weir {

constexpr size_t kMaxErrorText = 4096;  // of an error response: gRPC limits the size of its trailers

inline Status BrokenConnection(std::string_view why) {
  return Unavailable("the connection broke ({}): the peer's process has ended, or the network between has failed", why);
}
inline Status LostPeer(int64_t peer_timeout_ms) {
  return Unavailable(
      "no sign of life from the peer for {} ms: it is suspended or unreachable (WEIR_PEER_TIMEOUT_MS sets this "
      "timeout)",
      peer_timeout_ms);
}
inline Status CallerIsGone() { return Unavailable("the caller has cancelled the call or cannot be reached"); }
inline Status ServerIsStopping() { return Unavailable("the server is stopping"); }
// The error of calls in a forked child, which inherits the connections of its parent, but not the threads that serve
// them.
inline Status CannotCallAfterFork(std::string_view of) {
  return FailedPrecondition(
      "this process was forked from one that was connected to {}, and cannot use its connections: fork before the "
      "first session on a server, or start a new process (multiprocessing's 'spawn')",
      of);
}
inline Status ProcessIsEnding() { return Cancelled("the transport of this process is shutting down"); }

}  // namespace weir
