// Variable scopes as Python's functions are given them.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/variable_scope.h"

namespace weir::python {

// The scope behind a `VariableScope` object of Python, or null for anything else.
const VariableScope* VariableScopeOf(pybind11::handle object);

}  // namespace weir::python
