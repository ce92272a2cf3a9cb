// Variables and variable scopes in Python.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/variable.h"

namespace weir::python {

namespace py = pybind11;

bool IsVariable(py::handle object);
// The variable behind a bound Variable (or an object that wraps one under `_variable_object`). TypeError otherwise.
VariablePtr VariableFrom(py::handle object);
// The variable as the graph that is being built sees it: a function that is being traced captures its handle, and of a
// reference its value.
VariablePtr VariableHere(const VariablePtr& variable);
// None gives null.
VariablePtr OptionalVariableFrom(py::handle object);
std::vector<VariablePtr> VariablesFrom(py::handle list);

// A Python function of the variable; None gives an empty one. ValueError for what cannot be called.
Constraint ConstraintFrom(py::object function);
// The function that ConstraintFrom was given; None for an empty one.
py::object ConstraintObject(const Constraint& constraint);

void BindVariables(py::module_& m);
void BindVariableScopes(py::module_& m);

}  // namespace weir::python
