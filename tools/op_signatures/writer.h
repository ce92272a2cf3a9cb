// Writes the schemas of a registry as signatures, one line per op, for tools/write_op_functions:
//   TopKV2(input: T, k: int32; sorted: bool = true) -> values: T, indices: int32
#pragma once

#include <string>

#include "op/op_registry.h"

namespace weir {

// Inputs, then after a semicolon the attributes that the inputs do not determine, then the outputs.
std::string Signature(const OpDef& op);

// The signatures of all ops that programs may use, sorted by name. Empty if there are none.
std::string Signatures(const OpRegistry& registry);

}  // namespace weir
