#include "cluster/access.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "base/alarms.h"
#include "base/log.h"

namespace weir {

std::string DescribeRoles(Roles roles) {
  std::vector<std::string> names;
  if ((roles & static_cast<Roles>(Role::kClient)) != 0) names.push_back("clients");
  if ((roles & kTasks) != 0) names.push_back("tasks");
  if ((roles & kAdministrators) != 0) names.push_back("administrators");
  return absl::StrJoin(names, ", ");
}

Status AccessControl::CheckMethod(const PeerIdentity& peer, Roles allowed, const std::string& method) {
  if (peer.role == Role::kTrusted || (static_cast<Roles>(peer.role) & allowed) != 0) return OkStatus();
  if (peer.role == Role::kNone) {
    return Deny(StatusCode::kUnauthenticated,
                fmt::format("{} called {} without valid credentials. This server requires a certificate of its CA "
                            "(WEIR_TLS_CERT and WEIR_TLS_KEY) or a token that it accepts (WEIR_TOKEN_FILE)",
                            peer.ToString(), EscapeForLog(method)));
  }
  return Deny(StatusCode::kPermissionDenied, fmt::format("{} may not call {}, which is for {}", peer.ToString(),
                                                         EscapeForLog(method), DescribeRoles(allowed)));
}

Status AccessControl::CheckOwner(const PeerIdentity& peer, const std::string& owner, const std::string& session) {
  if (peer.role == Role::kTrusted || peer.role == Role::kAdministrator) return OkStatus();
  if (!peer.name.empty() && peer.name == owner) return OkStatus();
  return Deny(StatusCode::kPermissionDenied,
              fmt::format("{} may not use session {}, which belongs to {}", peer.ToString(), EscapeForLog(session),
                          owner.empty() ? "the server's own process" : owner));
}

Status AccessControl::Deny(StatusCode code, std::string why) {
  constexpr int64_t kLogEveryNanos = 1000 * kNanosPerMilli;
  ++denied_;
  const int64_t now = clock_.MonotonicNanos();
  int64_t due = log_again_nanos_;
  if (now >= due && log_again_nanos_.compare_exchange_strong(due, now + kLogEveryNanos)) {
    const int64_t missed = not_logged_.exchange(0);
    LogWarning("Denied: {}{}", why,
               missed == 0 ? "" : fmt::format(" (and {} other calls since the last such line)", missed));
  } else {
    ++not_logged_;
  }
  return MakeStatus(code, std::move(why));
}

}  // namespace weir
