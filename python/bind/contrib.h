// Functions of tf.contrib: computations of layers, metrics, optimizers and changes of gradients.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindContribLayers(pybind11::module_& m);
void BindContribMetrics(pybind11::module_& m);
void BindContribTrain(pybind11::module_& m);

}  // namespace weir::python
