#include "base/status.h"

namespace weir {
namespace {
constexpr char kNodePayload[] = "weir/node";
constexpr char kDerivedPayload[] = "weir/derived";
constexpr char kTypePayload[] = "weir/type";

void CopyPayloads(const Status& from, Status* to) {
  from.ForEachPayload([to](absl::string_view url, const absl::Cord& payload) { to->SetPayload(url, payload); });
}
}  // namespace

Status MakeStatus(StatusCode code, std::string_view message) {
  return Status(code, absl::string_view(message.data(), message.size()));
}

Status WithContext(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::string_view message = status.message();
  Status result =
      MakeStatus(status.code(), fmt::format("{}: {}", context, std::string_view(message.data(), message.size())));
  CopyPayloads(status, &result);
  return result;
}

Status MarkNode(const Status& status, std::string_view node_name) {
  if (status.ok() || status.GetPayload(kNodePayload).has_value()) return status;
  Status result = status;
  result.SetPayload(kNodePayload, absl::Cord(absl::string_view(node_name.data(), node_name.size())));
  return result;
}

std::optional<std::string> NodeOf(const Status& status) {
  auto payload = status.GetPayload(kNodePayload);
  if (!payload.has_value()) return std::nullopt;
  return std::string(*payload);
}

Status MarkTypeError(const Status& status) {
  if (status.ok()) return status;
  Status result = status;
  result.SetPayload(kTypePayload, absl::Cord("1"));
  return result;
}

bool IsTypeError(const Status& status) { return status.GetPayload(kTypePayload).has_value(); }

Status MarkDerived(const Status& status) {
  if (status.ok()) return status;
  Status result = status;
  result.SetPayload(kDerivedPayload, absl::Cord("1"));
  return result;
}

bool IsDerived(const Status& status) { return status.GetPayload(kDerivedPayload).has_value(); }

}  // namespace weir
