// Op functions out of the registry: _weir.op_function("MatMul") is tf.raw_ops.MatMul without a line of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "graph/graph.h"

namespace weir::python {

namespace py = pybind11;

// What a call of an op gives: its Operation when it has no outputs, a Tensor, a list, or a namedtuple of these.
py::object ResultOf(Node* node);

// "MatMul" -> "mat_mul", "Conv2D" -> "conv2d", "BatchMatMulV2" -> "batch_mat_mul_v2", as TensorFlow names its
// functions.
std::string SnakeName(const std::string& op);

void BindOps(py::module_& m);

}  // namespace weir::python
