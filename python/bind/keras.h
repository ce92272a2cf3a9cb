// Binds the parts of tf.keras that C++ computes.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindKeras(pybind11::module_& m);

}  // namespace weir::python
