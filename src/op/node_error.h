// The error of a node as the user reads it: with the node that it belongs to, and its op.
#pragma once

#include <string>

#include "base/status.h"

namespace weir {

// Says it of an error, and marks it (MarkNode). What else the error carries stays with it.
inline Status DescribeNode(const Status& status, const std::string& name, const std::string& op) {
  Status described =
      MakeStatus(status.code(), fmt::format("{}\n\t [[node '{}' ({})]]", std::string(status.message()), name, op));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { described.SetPayload(url, payload); });
  return MarkNode(described, name);
}

}  // namespace weir
