// Binds coordinators.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "train/coordinator.h"

namespace weir::python {

namespace py = pybind11;

// Returns the C++ object of a tf.train.Coordinator; null for None. Raises TypeError for anything else.
std::shared_ptr<Coordinator> CoordinatorOf(py::handle object);

void BindCoordinator(py::module_& m);

}  // namespace weir::python
