// Binds tf.DType. There is one object per element type, so that `is` works like `==`.
#pragma once

#include <pybind11/pybind11.h>

#include "tensor/dtype.h"

namespace weir::python {

namespace py = pybind11;

py::object DTypeObjectOf(DType dtype);
// Converts a DType, its number or name, or a numpy or Python type. Returns kInvalidType for anything else.
DType DTypeFrom(py::handle object);
// The same, but raises TypeError.
DType AsDType(py::handle object);

void BindDType(py::module_& m);

}  // namespace weir::python
