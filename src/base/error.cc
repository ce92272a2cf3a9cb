#include "weir/base/error.h"

namespace weir {

Error::Error(const Status& status)
    : std::runtime_error(status.ToString(absl::StatusToStringMode::kWithNoExtraData)),  // the message names the node
      status_(status),
      node_(NodeOf(status).value_or("")) {}

}  // namespace weir
