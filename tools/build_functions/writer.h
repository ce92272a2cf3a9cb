// Generates graph-building functions from the schemas of a registry: the text of a header and a source file.
// Parameters: inputs, then attributes without a default, then a struct with the other attributes.
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
