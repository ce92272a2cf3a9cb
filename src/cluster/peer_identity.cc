#include "cluster/peer_identity.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace weir {
namespace {

constexpr std::string_view kUriScheme = "weir://";

std::vector<std::string> Parts(std::string_view text) {
  return absl::StrSplit(absl::string_view(text.data(), text.size()), '/');
}

// The characters of a name in a certificate or a file of tokens. Others could forge lines of a log, or mean something
// to OpenSSL's parser of names.
bool IsPlain(std::string_view part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || std::string_view("-_.@").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool IsNumber(const std::string& text) {
  int number = -1;
  return absl::SimpleAtoi(text, &number) && number >= 0 && std::to_string(number) == text;
}

// The scheme of a URI may be written in any case.
bool IsOurs(const std::string& uri) { return absl::StartsWithIgnoreCase(uri, "weir:"); }

// "*.example.org" covers one label, as usual.
bool Covers(const std::string& pattern, const std::string& host) {
  if (host.empty()) return false;
  if (absl::EqualsIgnoreCase(pattern, host)) return true;
  const size_t dot = host.find('.');
  return pattern.starts_with("*.") && dot != std::string::npos && dot > 0 &&
         absl::EqualsIgnoreCase(pattern.substr(1), host.substr(dot));
}

// True if both are numeric addresses, and the same one.
bool IsSameNumber(const std::string& a, const std::string& b) {
  for (const int family : {AF_INET, AF_INET6}) {
    std::array<unsigned char, 16> one{};
    std::array<unsigned char, 16> other{};
    if (inet_pton(family, a.c_str(), one.data()) == 1 && inet_pton(family, b.c_str(), other.data()) == 1)
      return one == other;
  }
  return false;
}

}  // namespace

std::string PeerIdentity::ToString() const {
  const std::string who = !name.empty() ? name : role == Role::kTrusted ? "a trusted caller" : "an unknown caller";
  return address.empty() ? who : fmt::format("{} ({})", who, address);
}

const PeerIdentity& TrustedPeer() {
  static const PeerIdentity trusted;
  return trusted;
}

std::optional<PeerIdentity> ParseIdentity(std::string_view text) {
  const std::vector<std::string> parts = Parts(text);
  if (!std::all_of(parts.begin(), parts.end(), [](const std::string& part) { return IsPlain(part); }))
    return std::nullopt;
  const auto make = [&](Role role) { return PeerIdentity{role, std::string(text), ""}; };
  if (parts.size() == 2 && parts[0] == "client") return make(Role::kClient);
  if (parts.size() == 2 && parts[0] == "admin") return make(Role::kAdministrator);
  if (parts.size() == 3 && parts[0] == "task" && IsNumber(parts[2])) return make(Role::kTask);
  return std::nullopt;
}

std::string TaskUri(std::string_view task) {
  const std::vector<std::string> parts = Parts(task);
  if (parts.size() != 4 || !parts[1].starts_with("job:") || !parts[3].starts_with("task:")) return "";
  return fmt::format("{}task/{}/{}", kUriScheme, std::string(absl::StripPrefix(parts[1], "job:")),
                     std::string(absl::StripPrefix(parts[3], "task:")));
}

std::string TaskUriOf(const PeerIdentity& task) { return fmt::format("{}{}", kUriScheme, task.name); }

std::string EscapeForLog(std::string_view text) {
  constexpr size_t kMost = 200;
  return absl::CHexEscape(absl::string_view(text.data(), std::min(text.size(), kMost)));
}

Status WantedServer::Check(const std::vector<std::string>& uris, const std::vector<std::string>& dns_names,
                           const std::vector<std::string>& ip_names) const {
  const bool has_identity = std::any_of(uris.begin(), uris.end(), IsOurs);
  const PeerIdentity identity = IdentityInCertificate(uris, "");
  const auto covers = [this](const std::string& name) { return Covers(name, host); };
  const auto is_same = [this](const std::string& name) { return IsSameNumber(name, host); };
  bool good = false;
  if (by_task) {
    good = identity.role == Role::kTask && fmt::format("{}{}", kUriScheme, identity.name) == uri;
  } else if (!has_identity || identity.role == Role::kTask) {  // clients do not serve
    good = IsSameNumber(host, host) ? std::any_of(ip_names.begin(), ip_names.end(), is_same)
                                    : std::any_of(dns_names.begin(), dns_names.end(), covers);
  }
  if (good) return OkStatus();
  std::vector<std::string> names = uris;
  if (!by_task) {
    names.insert(names.end(), dns_names.begin(), dns_names.end());
    names.insert(names.end(), ip_names.begin(), ip_names.end());
  }
  return MakeStatus(
      StatusCode::kUnauthenticated,
      fmt::format("the server's certificate is for {}, not for {}",
                  names.empty() ? "no such name" : fmt::format("{}", fmt::join(names, ", ")), by_task ? uri : host));
}

PeerIdentity IdentityInCertificate(const std::vector<std::string>& uris, const std::string& common_name) {
  // Several weir:// names, or one that is malformed, grant nothing.
  const auto ours = std::find_if(uris.begin(), uris.end(), IsOurs);
  std::optional<PeerIdentity> identity;
  if (ours == uris.end()) {
    identity = ParseIdentity(fmt::format("client/{}", common_name));
  } else if (std::count_if(uris.begin(), uris.end(), IsOurs) == 1 && ours->starts_with(kUriScheme)) {
    identity = ParseIdentity(std::string_view(*ours).substr(kUriScheme.size()));
  }
  return identity.value_or(PeerIdentity{Role::kNone, "", ""});
}

}  // namespace weir
