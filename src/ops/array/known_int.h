// Constant integers that a gradient function can read from the graph.
#pragma once

#include <optional>

#include "graph/graph.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {

// The value of x if it is a Const with a single integer.
inline std::optional<int64_t> KnownInt(Output x) {
  if (!x.valid() || x.node->type() != "Const" || x.shape().num_elements() != 1) return std::nullopt;
  const Result<Tensor> value = x.node->Attr<Tensor>("value");
  if (!value.ok() || value->num_elements() != 1 || !IsInteger(value->dtype())) return std::nullopt;
  return IntAt(*value, 0);
}

}  // namespace weir::ops
