// tf.nn.dynamic_rnn and its kin, and the arithmetic of cells.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindRnn(pybind11::module_& m);

}  // namespace weir::python
