// Binds convolution, pooling and fused batch normalization (tf.nn), and the layers that use them (tf.layers).
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindConvolution(pybind11::module_& m);
void BindLayers(pybind11::module_& m);

}  // namespace weir::python
