// Adds the node and its op to an error.
#pragma once

#include <string>

#include "base/status.h"

namespace weir {

// Appends node name and op to the message and marks the error (MarkNode). Keeps the other payloads.
inline Status WithNode(const Status& status, const std::string& name, const std::string& op) {
  Status described =
      MakeStatus(status.code(), fmt::format("{}\n\t [[node '{}' ({})]]", std::string(status.message()), name, op));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { described.SetPayload(url, payload); });
  return MarkNode(described, name);
}

}  // namespace weir
