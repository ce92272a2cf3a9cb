// PeerIdentity: who has sent a call, as proven by a certificate or a token.
//
// Certificates of the cluster's CA carry names in the form of URIs:
//   weir://task/JOB/INDEX    a task of the cluster
//   weir://client/NAME       somebody who uses sessions
//   weir://admin/NAME        somebody who may also reset servers
// A certificate of the CA without such a name belongs to a client, whose name is the certificate's common name. One
// with several of them, or with one that is not exactly of this form, belongs to nobody.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weir {

// A bit each, so that a set of roles is a number.
enum class Role : unsigned {
  kNone = 0,     // has shown no valid credentials to a server that asks for them
  kTrusted = 1,  // the caller is this process, or the server asks nobody for credentials
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

// The identity of calls that need none.
const PeerIdentity& TrustedPeer();

// "client/alice" and its kin as they stand in a certificate after weir://, and in files of tokens. Null if the text
// names no role or has a character other than letters, digits and -_.@.
std::optional<PeerIdentity> ParseIdentity(std::string_view text);
// The name of a task in its certificate: "weir://task/ps/0". `task` is "/job:ps/replica:0/task:0". Empty if it is not
// the name of a task.
std::string TaskUri(std::string_view task);
// The same for a caller with the role of a task.
std::string TaskUriOf(const PeerIdentity& task);
// Text of a caller for a log or a message: without control characters, and of limited length.
std::string EscapeForLog(std::string_view text);

// Whom a caller wants to reach.
struct WantedServer {
  bool by_task = false;
  std::string uri;   // if by_task: the task's name in its certificate
  std::string host;  // otherwise: the host name or numeric address at which it is reached

  // Unauthenticated if a certificate with these names is that of another server, or not of a server.
  Status Check(const std::vector<std::string>& uris, const std::vector<std::string>& dns_names,
               const std::vector<std::string>& ip_names) const;
};

// The identity in a certificate that the CA has signed; role kNone if it has none that is valid.
PeerIdentity IdentityInCertificate(const std::vector<std::string>& uris, const std::string& common_name);

}  // namespace weir
