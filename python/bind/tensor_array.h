// Binds tf.TensorArray.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/tensor_array.h"

namespace weir::python {

namespace py = pybind11;

const TensorArray* TensorArrayOf(py::handle object);  // null if it is not a TensorArray
py::object WrapTensorArray(TensorArray array);
void BindTensorArray(py::module_& m);

}  // namespace weir::python
