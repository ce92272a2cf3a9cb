// Errors of literals that cannot become a tensor. The literal attaches its value to the error; the node builder adds
// the op and the input to the message.
#ifndef WEIR_GRAPH_LITERAL_ERROR_H_
#define WEIR_GRAPH_LITERAL_ERROR_H_

#include <optional>
#include <string>

#include "base/status.h"

namespace weir {

inline constexpr absl::string_view kLiteralUrl = "weir/literal";

// `shown` is the value and its type, as shown in error messages: "'x' of type 'str'".
inline Status WithLiteral(Status status, const std::string& shown) {
  status.SetPayload(kLiteralUrl, absl::Cord(shown));
  return status;
}

inline std::optional<std::string> LiteralOf(const Status& status) {
  const auto payload = status.GetPayload(kLiteralUrl);
  return payload.has_value() ? std::optional<std::string>(std::string(*payload)) : std::nullopt;
}

}  // namespace weir

#endif  // WEIR_GRAPH_LITERAL_ERROR_H_
