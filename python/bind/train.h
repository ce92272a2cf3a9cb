// Gradients, optimizers, learning rates and moving averages in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

#include "op/op_def.h"

namespace weir::python {

namespace py = pybind11;

// A gradient registered with tf.RegisterGradient; null when there is none of that name.
const GradientFn* RegisteredGradient(std::string_view name);

void BindGradients(py::module_& m);
void BindOptimizers(py::module_& m);
void BindLearningRates(py::module_& m);

}  // namespace weir::python
