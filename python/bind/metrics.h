// tf.metrics.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindMetrics(pybind11::module_& m);

}  // namespace weir::python
