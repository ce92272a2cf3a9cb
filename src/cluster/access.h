// AccessControl: decides which callers may call a method and use a session. No other code decides this. The roles that
// may call each method are listed in services.h.
#pragma once

#include <atomic>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "cluster/peer_identity.h"

namespace weir {

// A set of roles. Trusted callers may do everything.
using Roles = unsigned;
inline constexpr Roles kTasks = static_cast<Roles>(Role::kTask);
inline constexpr Roles kAdministrators = static_cast<Roles>(Role::kAdministrator);
// Tasks use sessions, too: the program of a worker trains through its own server.
inline constexpr Roles kEverybody = static_cast<Roles>(Role::kClient) | kTasks | kAdministrators;

// "clients, tasks", for documents and messages.
std::string DescribeRoles(Roles roles);

// One per server. Denials are counted and logged, at most one line a second. Thread-safe.
class AccessControl final {
 public:
  explicit AccessControl(Clock& clock) : clock_(clock) {}

  // Unauthenticated for a caller without credentials; PermissionDenied for one whose role is not among `allowed`.
  Status CheckMethod(const PeerIdentity& peer, Roles allowed, const std::string& method);
  // Only the owner of a session may use it, that is, the caller who created it. PermissionDenied for others, except
  // administrators and trusted callers. `owner` is empty if a trusted caller created the session.
  Status CheckOwner(const PeerIdentity& peer, const std::string& owner, const std::string& session);

  int64_t denied_calls() const { return denied_; }

 private:
  Status Deny(StatusCode code, std::string why);

  Clock& clock_;
  std::atomic<int64_t> denied_{0};
  std::atomic<int64_t> not_logged_{0};
  std::atomic<int64_t> log_again_nanos_{0};
};

}  // namespace weir
