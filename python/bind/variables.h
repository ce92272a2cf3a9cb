// Variables and variable scopes in Python.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/variable.h"

namespace weir::python {

namespace py = pybind11;

bool IsVariable(py::handle object);
// The variable behind a bound Variable (or an object that wraps one under `_variable_object`). TypeError otherwise.
VariablePtr VariableFrom(py::handle object);
// None gives null.
VariablePtr OptionalVariableFrom(py::handle object);
std::vector<VariablePtr> VariablesFrom(py::handle list);

void BindVariables(py::module_& m);
void BindVariableScopes(py::module_& m);

}  // namespace weir::python
