// Access to variable scopes from other bindings.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/variable_scope.h"

namespace weir::python {

// The scope of a Python `VariableScope` object, or null for other objects.
const VariableScope* VariableScopeOf(pybind11::handle object);
// A Python initializer, a class or a function. Null for None.
std::shared_ptr<const ScopedInitializer> InitializerFrom(pybind11::object function);

}  // namespace weir::python
