// Binds estimators.
#pragma once

#include <pybind11/pybind11.h>

#include "train/estimator.h"

namespace weir::python {

// Converts the properties of a tf.estimator.RunConfig.
RunConfig RunConfigFrom(const pybind11::object& config, const pybind11::object& model_dir);

void BindEstimator(pybind11::module_& m);
void BindHeads(pybind11::module_& m);
void BindTrainAndEvaluate(pybind11::module_& m);

}  // namespace weir::python
