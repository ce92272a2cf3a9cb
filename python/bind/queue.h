// Binds tf.QueueBase and its subclasses, accumulators, work queues, and the input pipelines that use queues.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/queue.h"

namespace weir::python {

namespace py = pybind11;

const Queue* QueueOf(py::handle object);  // null if it is not a queue
py::object WrapQueue(const Queue& queue);
std::vector<PartialShape> ShapesFrom(py::handle object);  // None, one shape, or a list of shapes
void BindQueues(py::module_& m);
void BindAccumulators(py::module_& m);
void BindInputPipelines(py::module_& m);
void BindWorkQueues(py::module_& m);
void BindParsing(py::module_& m);

}  // namespace weir::python
