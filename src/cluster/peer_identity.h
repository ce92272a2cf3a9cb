// PeerIdentity: the caller of a method, as proven by a certificate or a token.
//
// Certificates of the cluster's CA carry names in the form of URIs:
//   weir://task/JOB/INDEX    a task of the cluster
//   weir://client/NAME       a user of sessions
//   weir://admin/NAME        a user who may also reset servers
// A certificate of the CA without such a name belongs to a client, whose name is the certificate's common name. A
// certificate with several such names, or with a malformed one, grants nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weir {

// One bit per role: a set of roles is a number.
enum class Role : unsigned {
  kNone = 0,     // presented no valid credentials to a server that requires them
  kTrusted = 1,  // the caller is this process, or the server requires no credentials
  kClient = 2,
  kTask = 4,
  kAdministrator = 8,
};

struct PeerIdentity {
  Role role = Role::kTrusted;
  std::string name;     // "client/alice", "task/ps/0", "admin/bob"; empty for kNone and kTrusted
  std::string address;  // where the call comes from, as the transport writes it; may be empty

  // For messages: "client/alice (ipv4:10.0.0.7:41234)".
  std::string ToString() const;
  // Tells peers apart: the name, or without one, the connection. Empty for calls of this process.
  const std::string& key() const { return name.empty() ? address : name; }
};

// An identity with role kTrusted, for calls inside the process and transports without credentials.
const PeerIdentity& TrustedPeer();

// Parses "client/alice", "admin/bob" or "task/ps/0", as in files of tokens and, after "weir://", in certificates.
// Returns nullopt if the role is unknown, or if a part is missing or has a character other than letters, digits and
// -_.@.
std::optional<PeerIdentity> ParseIdentity(std::string_view text);
// The name of a task in its certificate: "weir://task/ps/0" for "/job:ps/replica:0/task:0". Empty if `task` is not the
// name of a task.
std::string TaskUri(std::string_view task);
// The name of a task in its certificate, from the identity of the task.
std::string TaskUriOf(const PeerIdentity& task);
// Makes text from a caller safe for logs and messages: escapes control characters and cuts it after 200 bytes.
std::string EscapeForLog(std::string_view text);

// The server that a caller expects to reach.
struct WantedServer {
  bool by_task = false;
  std::string uri;   // if by_task: the task's name in its certificate
  std::string host;  // otherwise: the host name or numeric address at which it is reached

  // Unauthenticated if a certificate with these names belongs to another server, or not to a server.
  Status Check(const std::vector<std::string>& uris, const std::vector<std::string>& dns_names,
               const std::vector<std::string>& ip_names) const;
};

// The identity in a certificate; role kNone if it has no valid one. REQUIRES: the CA has signed the certificate.
PeerIdentity IdentityInCertificate(const std::vector<std::string>& uris, const std::string& common_name);

}  // namespace weir
