// Python's Session and InteractiveSession over the C++ Session.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

// tensor.eval() and operation.run(): in `session`, or the default one when it is None.
py::object EvalTensor(py::object tensor, py::object feed_dict, py::object session);
void RunOperation(py::object operation, py::object feed_dict, py::object session);

void BindSession(py::module_& m);

}  // namespace weir::python
