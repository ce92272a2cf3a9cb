// tf.QueueBase and its kinds over the engine's Queue; accumulators.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/queue.h"

namespace weir::python {

namespace py = pybind11;

const Queue* QueueOf(py::handle object);  // null when it is none
void BindQueues(py::module_& m);
void BindAccumulators(py::module_& m);

}  // namespace weir::python
