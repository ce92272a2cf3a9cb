// Binds variables and variable scopes.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/process.h"
#include "graph/compose/variable.h"

namespace weir::python {

namespace py = pybind11;

bool IsVariable(py::handle object);
// The C++ variable of a Variable, or of an object that wraps one as `_variable_object`. Raises TypeError for others.
VariablePtr VariableFrom(py::handle object);
// The variable for use in the current graph. While a function is traced, captures a resource variable's handle, or a
// reference variable's value.
VariablePtr CapturedVariable(const VariablePtr& variable);
// Null for None.
VariablePtr OptionalVariableFrom(py::handle object);
std::vector<VariablePtr> VariablesFrom(py::handle list);

// Wraps a Python function of the variable. Empty for None. Raises ValueError if it is not callable.
Constraint ConstraintFrom(py::object function);
// The function passed to ConstraintFrom; null, or None, for an empty constraint.
const SharedPyObject* ConstraintFunction(const Constraint& constraint);
py::object ConstraintObject(const Constraint& constraint);

void BindVariables(py::module_& m);
// Adds assignments and scatters to the class of variables, and as functions to `m`.
void BindVariableUpdates(py::module_& m, py::class_<Variable, VariablePtr>& cls);
void BindVariableScopes(py::module_& m);

}  // namespace weir::python
