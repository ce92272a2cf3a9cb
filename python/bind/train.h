// Gradients, optimizers, synchronous replicas, learning rates and moving averages in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

#include "bind/errors.h"
#include "op/op_def.h"

namespace weir::python {

namespace py = pybind11;

// A gradient registered with tf.RegisterGradient; null when there is none of that name.
const GradientFn* RegisteredGradient(std::string_view name);

// Take for gradients: one that nothing defines is a LookupError.
template <class T>
T TakeGradients(Result<T> result) {
  if (result.status().code() == StatusCode::kNotFound) {
    py::str text(std::string(result.status().message()));
    PyErr_SetObject(PyExc_LookupError, text.ptr());
    throw py::error_already_set();
  }
  return Take(std::move(result));
}

void BindGradients(py::module_& m);
void BindOptimizers(py::module_& m);
void BindLearningRates(py::module_& m);
void BindSyncReplicas(py::module_& m);
void BindGlobalStep(py::module_& m);

}  // namespace weir::python
