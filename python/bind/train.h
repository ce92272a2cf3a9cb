// Binds gradients, optimizers, synchronous replicas, learning rates and moving averages.
#pragma once

#include <pybind11/pybind11.h>

#include <string_view>

#include "bind/errors.h"
#include "op/op_def.h"
#include "train/optimizer.h"

namespace weir::python {

namespace py = pybind11;

// A gradient registered with tf.RegisterGradient, or null.
const GradientFn* RegisteredGradient(std::string_view name);

// Take for gradients: raises LookupError if an op defines no gradient.
template <class T>
T TakeGradients(Result<T> result) {
  if (result.status().code() == StatusCode::kNotFound) {
    py::str text(std::string(result.status().message()));
    PyErr_SetObject(PyExc_LookupError, text.ptr());
    throw py::error_already_set();
  }
  return Take(std::move(result));
}

// A number, a tensor, or a function without arguments. Does not own the function: the object that uses it must keep it
// alive (KeepArgumentsAlive).
HyperParam HyperParamFrom(py::object value);
// Between (gradient, variable) pairs of Python and C++.
std::vector<GradAndVar> PairsFrom(py::handle pairs);
py::list PairsToPython(const std::vector<GradAndVar>& pairs);

void BindGradients(py::module_& m);
void BindOptimizers(py::module_& m);
void BindLearningRates(py::module_& m);
void BindSyncReplicas(py::module_& m);
void BindGlobalStep(py::module_& m);

}  // namespace weir::python
