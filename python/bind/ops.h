// Op functions out of the registry: _weir.op_function("MatMul") is tf.raw_ops.MatMul without a line of Python.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/graph.h"

namespace weir::python {

namespace py = pybind11;

// What a call of an op gives: its Operation when it has no outputs, a Tensor, a list, or a namedtuple of these.
py::object ResultOf(Node* node);

void BindOps(py::module_& m);

}  // namespace weir::python
