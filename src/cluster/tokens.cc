#include "cluster/tokens.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "base/alarms.h"
#include "base/env.h"
#include "base/log.h"

namespace weir {
namespace {

constexpr int64_t kNanosPerSecond = 1000 * kNanosPerMilli;

// Takes the same time for all texts of one length. The length is not secret.
bool IsEqualInConstantTime(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference =
        difference | static_cast<unsigned char>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

// gRPC aborts the process for other characters in metadata. The message does not repeat the secret.
Status CheckCharacters(std::string_view token, const std::string& where) {
  if (std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; })) return OkStatus();
  return InvalidArgument("{}: a token may only have printable ASCII characters", where);
}

std::vector<std::string> Words(absl::string_view line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
}

}  // namespace

Result<std::vector<std::pair<std::string, PeerIdentity>>> ParseTokens(const std::string& text,
                                                                      const std::string& where) {
  std::vector<std::pair<std::string, PeerIdentity>> tokens;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const std::vector<std::string> words = Words(line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (words.size() != 2) {
      return InvalidArgument("{}, line {}: expected a token and its owner, such as client/alice, but found {} words",
                             where, number, words.size());
    }
    if (words[0].size() < kMinTokenBytes) {
      return InvalidArgument("{}, line {}: a token needs at least {} characters; make one with: openssl rand -hex 32",
                             where, number, kMinTokenBytes);
    }
    WEIR_TRY(CheckCharacters(words[0], fmt::format("{}, line {}", where, number)));
    if (std::any_of(tokens.begin(), tokens.end(), [&](const auto& known) { return known.first == words[0]; }))
      return InvalidArgument("{}, line {}: this token is on another line, too", where, number);
    const std::optional<PeerIdentity> identity = ParseIdentity(words[1]);
    if (!identity.has_value() || identity->role == Role::kTask) {
      return InvalidArgument("{}, line {}: '{}' is not client/NAME or admin/NAME. Tasks need certificates", where,
                             number, words[1]);
    }
    tokens.emplace_back(words[0], *identity);
  }
  return tokens;
}

ReloadedFile::ReloadedFile(Env& env, Clock& clock, std::string path, int64_t reload_seconds)
    : env_(env), clock_(clock), path_(std::move(path)), reload_nanos_(reload_seconds * kNanosPerSecond) {}

Result<std::optional<std::string>> ReloadedFile::ReadIfDue() {
  const int64_t now = clock_.MonotonicNanos();
  if (next_read_nanos_ != 0 && now < next_read_nanos_) return std::optional<std::string>();
  next_read_nanos_ = now + reload_nanos_;
  WEIR_ASSIGN(std::string text, env_.ReadFile(path_));
  return std::optional(std::move(text));
}

Status AcceptedTokens::Refresh() {
  WEIR_ASSIGN(std::optional<std::string> text, file_.ReadIfDue());
  if (!text.has_value() || *text == text_) return OkStatus();
  WEIR_ASSIGN(tokens_, ParseTokens(*text, file_.path()));
  text_ = *std::move(text);
  return OkStatus();
}

Status AcceptedTokens::Check() {
  std::lock_guard lock(mu_);
  file_.ReadNextTime();
  WEIR_TRY(Refresh());
  return tokens_.empty() ? InvalidArgument("{} has no tokens", file_.path()) : OkStatus();
}

PeerIdentity AcceptedTokens::Find(std::string_view token) {
  std::lock_guard lock(mu_);
  if (Status status = Refresh(); !status.ok())
    LogError("cannot reload the accepted tokens, the previous ones stay valid: {}", std::string(status.message()));
  PeerIdentity found{Role::kNone, "", ""};
  for (const auto& [known, identity] : tokens_) {  // compare all, so that the time does not reveal which one matches
    if (IsEqualInConstantTime(known, token)) found = identity;
  }
  return found;
}

Status ShownToken::Refresh() {
  WEIR_ASSIGN(const std::optional<std::string> text, file_.ReadIfDue());
  if (!text.has_value()) return OkStatus();
  const std::vector<std::string> words = Words(*text);
  if (words.empty()) return InvalidArgument("the token file '{}' is empty", file_.path());
  WEIR_TRY(CheckCharacters(words[0], file_.path()));
  token_ = words[0];
  return OkStatus();
}

Status ShownToken::Check() {
  std::lock_guard lock(mu_);
  file_.ReadNextTime();
  return Refresh();
}

std::string ShownToken::Get() {
  std::lock_guard lock(mu_);
  if (Status status = Refresh(); !status.ok())
    LogError("cannot reload the token, the previous one is used: {}", std::string(status.message()));
  return token_;
}

}  // namespace weir
