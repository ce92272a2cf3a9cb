// Operators of Tensor and similar classes: arithmetic, comparison, logic and indexing.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

void BindOperators(py::module_& m);
// Adds the operators of Tensor to another bound class (variables), whose objects convert to tensors.
void AddOperators(py::handle cls);
// x[key] with Python's full indexing. `x` is a Tensor or converts to one.
py::object GetItem(py::handle x, py::handle key);

}  // namespace weir::python
