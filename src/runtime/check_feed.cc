#include "runtime/check_feed.h"

namespace weir {
namespace {

// The shape in Python syntax: "(2,)", "(?, 3)", "<unknown>".
std::string PythonShape(const PartialShape& shape) {
  if (!shape.known_rank()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] < 0 ? "?" : std::to_string(shape[i]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

}  // namespace

Status CheckFeed(const PlanGraph::Feed& feed, const Tensor& value) {
  if (!value.valid()) return InvalidArgument("The value fed for Tensor '{}' is not a tensor", feed.name);
  if (value.dtype() != feed.dtype)
    return InvalidArgument("Cannot feed value of type {} for Tensor '{}', which has type {}", value.dtype(), feed.name,
                           feed.dtype);
  if (!feed.shape.CompatibleWith(value.shape()))
    return InvalidArgument("Cannot feed value of shape {} for Tensor '{}', which has shape '{}'",
                           PythonShape(value.shape()), feed.name, PythonShape(feed.shape));
  return OkStatus();
}

}  // namespace weir
