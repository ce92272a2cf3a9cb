// tf.train.Server: a server of a cluster in this process.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindServer(pybind11::module_& m);

}  // namespace weir::python
