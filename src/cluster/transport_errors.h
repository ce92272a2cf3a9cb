// Errors about peers and about this process that all transports share: users and tests see the same texts whichever
// transport carried the call.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/strings/cord.h"
#include "base/status.h"

namespace weir {

constexpr size_t kMaxErrorText = 4096;  // of an error response: gRPC limits the size of its trailers

// Why a call did not reach its peer, or its response did not come back. Nothing is known of the peer's process.
enum class Interruption { kNone, kBroken, kUnreachable };
inline constexpr char kInterruptionPayload[] = "weir/interruption";
inline Status MarkInterruption(Status status, Interruption what) {
  status.SetPayload(kInterruptionPayload, absl::Cord(what == Interruption::kBroken ? "broken" : "unreachable"));
  return status;
}
inline Interruption InterruptionOf(const Status& status) {
  const auto text = status.GetPayload(kInterruptionPayload);
  if (!text.has_value()) return Interruption::kNone;
  return *text == "broken" ? Interruption::kBroken : Interruption::kUnreachable;
}

inline Status BrokenConnection(std::string_view why) {
  return MarkInterruption(
      Unavailable("the connection broke ({}): the peer's process has ended, or the network between has failed", why),
      Interruption::kBroken);
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
