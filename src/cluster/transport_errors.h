// Errors about peers and about this process that all transports share: users and tests see the same texts whichever
// transport carried the call.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/cord.h"
#include "base/status.h"

namespace weir {

constexpr size_t kMaxErrorText = 4096;  // of an error response: gRPC limits the size of its trailers

// Marks the error of a call whose connection broke after the peer had been silent for so long.
inline constexpr char kBrokenPayload[] = "weir/broken_connection";
inline Status MarkBroken(Status status, int64_t silent_ms) {
  status.SetPayload(kBrokenPayload, absl::Cord(std::to_string(silent_ms)));
  return status;
}
// nullopt if the error has another cause than a connection that broke after it was established.
inline std::optional<int64_t> SilenceBeforeBreak(const Status& status) {
  const auto silent_ms = status.GetPayload(kBrokenPayload);
  if (!silent_ms.has_value()) return std::nullopt;
  return std::atoll(std::string(*silent_ms).c_str());
}

inline Status BrokenConnection(std::string_view why) {
  return MarkBroken(
      Unavailable("the connection broke ({}): the peer's process has ended, or the network between has failed", why),
      /*silent_ms=*/0);
}
inline Status LostPeer(int64_t peer_timeout_ms) {
  return MarkBroken(
      Unavailable("no sign of life from the peer for {} ms: it is suspended or unreachable (WEIR_PEER_TIMEOUT_MS sets "
                  "this timeout)",
                  peer_timeout_ms),
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
