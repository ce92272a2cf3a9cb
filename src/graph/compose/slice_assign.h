// Assignment to a slice of a variable: v[1:3].assign(...).
#pragma once

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// Whether `value` is the result of slicing a variable, `v[a:b]`.
bool IsSliceOfVariable(const Output& value);

// Assigns `value` to the elements that `slice` has read. Returns the variable after the update: the reference or, for
// resources, a read. It is InvalidArgument if `slice` is not a slice of a variable.
Result<Output> AssignSlice(const Output& slice, const Input& value, const std::string& name = "");

}  // namespace weir
