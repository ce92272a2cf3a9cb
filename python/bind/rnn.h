// Binds tf.nn.dynamic_rnn and related functions, and the computations of cells.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindRnn(pybind11::module_& m);

}  // namespace weir::python
