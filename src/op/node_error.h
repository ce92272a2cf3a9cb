// Adds the node and its op to an error.
#pragma once

#include <string>

#include "base/status.h"

namespace weir {

// The start of the text that WithNode appends. The text ends with "]]".
inline std::string NodeTextStart(const std::string& name) { return fmt::format("[[node '{}'", name); }

// Appends node name and op, if it is known, to the message and marks the error (MarkNode). Keeps the other payloads.
inline Status WithNode(const Status& status, const std::string& name, const std::string& op = "") {
  const std::string of_op = op.empty() ? "" : fmt::format(" ({})", op);
  Status described = MakeStatus(
      status.code(), fmt::format("{}\n\t {}{}]]", std::string(status.message()), NodeTextStart(name), of_op));
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { described.SetPayload(url, payload); });
  return MarkNode(described, name);
}

}  // namespace weir
