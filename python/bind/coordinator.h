// Coordinators in Python.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

void BindCoordinator(py::module_& m);

}  // namespace weir::python
