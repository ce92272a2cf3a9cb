// The text of graph-building functions: from the schemas of a registry to a header and a source file.
// The functions have their inputs first, then attributes without a default; the rest are in a trailing struct.
#pragma once

#include <string>
#include <string_view>

#include "op/op_registry.h"

namespace weir {

struct BuildFunctionFiles {
  std::string header;
  std::string source;
};

// `group` is a folder of src/ops: "math" gives graph/build/math_ops.{h,cc}.
BuildFunctionFiles WriteBuildFunctions(std::string_view group, const OpRegistry& registry);

}  // namespace weir
