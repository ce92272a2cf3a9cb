// Credentials: what this process shows to its peers, and what it asks of them. One set for a process; see
// docs/security.md.
#pragma once

#include <string>

#include "base/status.h"

namespace weir {

class Env;

struct Credentials {
  // PEM files. A process that has a certificate shows it on all its connections and accepts only peers whose
  // certificates the CA has signed.
  std::string tls_cert;
  std::string tls_key;
  std::string tls_ca;
  // For clients: a file whose first word is the token that this process shows.
  std::string token_file;
  // For servers: a file of the tokens that it accepts (tokens.h).
  std::string accepted_tokens_file;
  // How often changes of the files are looked for.
  int64_t reload_seconds = 10;

  // From WEIR_TLS_CERT, WEIR_TLS_KEY, WEIR_TLS_CA, WEIR_TOKEN_FILE and WEIR_ACCEPTED_TOKENS.
  static Credentials FromEnvironment();
  // These, and those of `other` where nothing is set.
  Credentials OrElse(const Credentials& other) const;

  // Connections are encrypted.
  bool uses_tls() const { return !tls_ca.empty() || !tls_cert.empty(); }
  bool operator==(const Credentials&) const = default;

  // This process proves its identity, or asks its peers for theirs.
  bool any() const { return uses_tls() || authenticates() || !token_file.empty(); }
  // Servers ask their callers who they are.
  bool authenticates() const { return !tls_cert.empty() || !accepted_tokens_file.empty(); }

  // InvalidArgument for a combination that cannot work; NotFound and its kin, with the file's name and what it is for,
  // for a file that cannot be read or is not PEM. `serves` is true for a process that listens.
  Status Check(Env& env, bool serves) const;
  // Whether the files with secrets are safe from other users: PermissionDenied for one that they can change. The result
  // is a warning about one that they can read, or empty.
  Result<std::string> CheckPermissions() const;
};

}  // namespace weir
