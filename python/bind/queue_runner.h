// Queue runners in Python.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

void BindQueueRunner(py::module_& m);

}  // namespace weir::python
