// Operators of Tensor (and of what behaves as one): arithmetic, comparison, logic and indexing.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

void BindOperators(py::module_& m);
// Gives another bound class (a variable) the operators of Tensor: its objects convert as inputs do.
void AddOperators(py::handle cls);
// x[key] with all of Python's indexing. `x` is a Tensor or converts to one.
py::object GetItem(py::handle x, py::handle key);

}  // namespace weir::python
