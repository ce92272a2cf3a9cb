// Convolution, pooling and fused batch normalization (tf.nn).
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindConvolution(pybind11::module_& m);

}  // namespace weir::python
