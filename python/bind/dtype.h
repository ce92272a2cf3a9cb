// Python's tf.DType: one object per element type, so that `is` works as well as `==`.
#pragma once

#include <pybind11/pybind11.h>

#include "tensor/dtype.h"

namespace weir::python {

namespace py = pybind11;

py::object DTypeObjectOf(DType dtype);
// tf.as_dtype: a DType, its number or name, a numpy or Python type. kInvalidType when it is none.
DType DTypeFrom(py::handle object);
// The same; TypeError when it is none.
DType AsDType(py::handle object);

void BindDType(py::module_& m);

}  // namespace weir::python
