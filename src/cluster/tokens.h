// Tokens: secrets for clients without certificates, from a file that may change while the server runs. Thread-safe.
//
// Each line of the file has a token and its owner, a client or an administrator:
//   6f1c9b1e0d8a4c41b0c5a7d2e3f40918  client/alice
//   # a comment
#pragma once

#include <mutex>
#include <optional>
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

// InvalidArgument with the line number if the text is malformed. `where` names the file in errors. A text without
// tokens is valid: nobody is accepted.
Result<std::vector<std::pair<std::string, PeerIdentity>>> ParseTokens(const std::string& text,
                                                                      const std::string& where);

// A file that is read again at intervals. Not thread-safe.
class ReloadedFile final {
 public:
  ReloadedFile(Env& env, Clock& clock, std::string path, int64_t reload_seconds);

  const std::string& path() const { return path_; }
  // Returns the text if the file was not read in this interval, else nullopt.
  Result<std::optional<std::string>> ReadIfDue();
  // Makes the next call of ReadIfDue read the file.
  void ReadNextTime() { next_read_nanos_ = 0; }

 private:
  Env& env_;
  Clock& clock_;
  const std::string path_;
  const int64_t reload_nanos_;
  int64_t next_read_nanos_ = 0;
};

class AcceptedTokens final {
 public:
  AcceptedTokens(Env& env, Clock& clock, std::string path, int64_t reload_seconds)
      : file_(env, clock, std::move(path), reload_seconds) {}

  // An error if the file cannot be used or has no tokens.
  Status Check();
  // The owner of the token; role kNone if it is unknown. The time that this takes does not reveal how many bytes of the
  // token match a known one.
  PeerIdentity Find(std::string_view token);

 private:
  // Reads the file again if the interval has passed. If the file has become unusable, logs an error and keeps the
  // previous tokens. REQUIRES: mu_ is held.
  Status Refresh();

  std::mutex mu_;
  ReloadedFile file_;
  std::string text_;
  std::vector<std::pair<std::string, PeerIdentity>> tokens_;
};

// The token that a client presents: the first word of a file. Thread-safe.
class ShownToken final {
 public:
  ShownToken(Env& env, Clock& clock, std::string path, int64_t reload_seconds)
      : file_(env, clock, std::move(path), reload_seconds) {}

  // An error if the file cannot be used.
  Status Check();
  // The token. If the file has become unusable, the last one that was read.
  std::string Get();

 private:
  Status Refresh();  // REQUIRES: mu_ is held

  std::mutex mu_;
  ReloadedFile file_;
  std::string token_;
};

}  // namespace weir
