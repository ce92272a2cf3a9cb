// tf.TensorArray over the engine's TensorArray.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/tensor_array.h"

namespace weir::python {

namespace py = pybind11;

const TensorArray* TensorArrayOf(py::handle object);  // null when it is none
py::object WrapTensorArray(TensorArray array);
void BindTensorArray(py::module_& m);

}  // namespace weir::python
