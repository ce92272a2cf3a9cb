#include "base/attribute_error.h"

namespace weir {
namespace {
constexpr char kAttributePayload[] = "weir/attribute";
}  // namespace

Status MarkAttributeError(const Status& status) {
  if (status.ok()) return status;
  Status result = status;
  result.SetPayload(kAttributePayload, absl::Cord("1"));
  return result;
}

bool IsAttributeError(const Status& status) { return status.GetPayload(kAttributePayload).has_value(); }

}  // namespace weir
