// Coordinators in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "train/coordinator.h"

namespace weir::python {

namespace py = pybind11;

// The C++ one of a tf.train.Coordinator; null for None, a TypeError for anything else.
std::shared_ptr<Coordinator> CoordinatorOf(py::handle object);

void BindCoordinator(py::module_& m);

}  // namespace weir::python
