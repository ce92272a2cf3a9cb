// Tokens: secrets for clients without certificates, from a file that may change while the server runs. Thread-safe.
//
// A line of the file is a token and whose it is, a client or an administrator:
//   6f1c9b1e0d8a4c41b0c5a7d2e3f40918  client/alice
//   # a comment
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "cluster/peer_identity.h"

namespace weir {

class Env;

inline constexpr size_t kMinTokenBytes = 16;

// InvalidArgument, with the line, for a file that cannot be used. `where` names the file. A file without tokens is
// valid: nobody is accepted.
Result<std::vector<std::pair<std::string, PeerIdentity>>> ParseTokens(const std::string& text,
                                                                      const std::string& where);

class AcceptedTokens final {
 public:
  AcceptedTokens(Env& env, Clock& clock, std::string path, int64_t reload_seconds);

  // Why the file cannot be used, or that it has no tokens.
  Status Check();
  // Whose token it is; role kNone if nobody's. The time that it takes says nothing about how much of a token is right.
  PeerIdentity Find(std::string_view token);

 private:
  // Reads the file again if that is due. A file that has become unusable leaves the tokens as they were, with an error
  // in the log. REQUIRES: mu_ is held.
  Status Refresh();

  Env& env_;
  Clock& clock_;
  const std::string path_;
  const int64_t reload_nanos_;
  std::mutex mu_;
  int64_t read_again_nanos_ = 0;
  std::string text_;
  std::vector<std::pair<std::string, PeerIdentity>> tokens_;
};

// The token that a client shows, from a file: its first word. Thread-safe.
class ShownToken final {
 public:
  ShownToken(Env& env, Clock& clock, std::string path, int64_t reload_seconds);

  // Why the file cannot be used.
  Status Check();
  // The token; as it was before if the file has become unusable.
  std::string Get();

 private:
  Status Refresh();  // REQUIRES: mu_ is held

  Env& env_;
  Clock& clock_;
  const std::string path_;
  const int64_t reload_nanos_;
  std::mutex mu_;
  int64_t read_again_nanos_ = 0;
  std::string token_;
};

}  // namespace weir
