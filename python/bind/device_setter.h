// Binds the placement of parameters.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>

#include "graph/graph.h"

namespace weir::python {

namespace py = pybind11;

// A device function implemented in C++. `tf.device` calls it without going through Python.
struct DeviceFunction {
  std::function<Result<std::string>(Node&)> choose;
};

void BindDeviceSetter(py::module_& m);

}  // namespace weir::python
