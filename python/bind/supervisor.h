// Binds supervisors.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

namespace py = pybind11;

void BindSupervisor(py::module_& m);

}  // namespace weir::python
