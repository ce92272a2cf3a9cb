// Credentials: what this process presents to its peers, and what it requires of them. A process has one set; see
// docs/security.md.
#pragma once

#include <string>

#include "base/status.h"

namespace weir {

class Env;

struct Credentials {
  // PEM files. A process with a certificate presents it on all its connections and accepts only peers whose
  // certificates are signed by the CA.
  std::string tls_cert;
  std::string tls_key;
  std::string tls_ca;
  // For clients: a file whose first word is the token that this process presents.
  std::string token_file;
  // For servers: a file of the tokens that it accepts (tokens.h).
  std::string accepted_tokens_file;
  // The interval at which the files are checked for changes.
  int64_t reload_seconds = 10;

  // From WEIR_TLS_CERT, WEIR_TLS_KEY, WEIR_TLS_CA, WEIR_TOKEN_FILE and WEIR_ACCEPTED_TOKENS.
  static Credentials FromEnvironment();
  // Returns these credentials, with the unset fields taken from `other`.
  Credentials OrElse(const Credentials& other) const;

  // Whether connections are encrypted.
  bool uses_tls() const { return !tls_ca.empty() || !tls_cert.empty(); }
  bool operator==(const Credentials&) const = default;

  // Whether this process presents credentials, or requires them of its peers.
  bool any() const { return uses_tls() || authenticates() || !token_file.empty(); }
  // Whether a server requires credentials from its callers.
  bool authenticates() const { return !tls_cert.empty() || !accepted_tokens_file.empty(); }

  // InvalidArgument for fields that contradict each other. For a file that cannot be read or is not PEM, an error with
  // the file's name and purpose. `serves` is true for a process that listens.
  Status Check(Env& env, bool serves) const;
  // Whether the files with secrets are safe from other users: PermissionDenied for one that they can change. The result
  // is a warning about one that they can read, or empty.
  Result<std::string> CheckPermissions() const;
};

}  // namespace weir
