#include "cluster/peer_identity.h"

#include <fmt/format.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace weir {
namespace {

constexpr std::string_view kUriScheme = "weir://";

std::vector<std::string> Parts(std::string_view text) {
  return absl::StrSplit(absl::string_view(text.data(), text.size()), '/');
}

bool IsNumber(const std::string& text) {
  int number = -1;
  return absl::SimpleAtoi(text, &number) && number >= 0 && std::to_string(number) == text;
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
  for (const std::string& part : parts) {
    if (part.empty()) return std::nullopt;
  }
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

PeerIdentity IdentityInCertificate(const std::vector<std::string>& uris, const std::string& common_name) {
  for (const std::string& uri : uris) {
    if (!uri.starts_with(kUriScheme)) continue;
    if (std::optional<PeerIdentity> identity = ParseIdentity(std::string_view(uri).substr(kUriScheme.size())))
      return *std::move(identity);
    return {Role::kNone, "", ""};  // an unknown weir:// name grants nothing
  }
  return {Role::kClient, fmt::format("client/{}", common_name), ""};
}

}  // namespace weir
