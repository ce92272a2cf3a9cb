// Creates op functions from the registry: _weir.op_function("MatMul") is tf.raw_ops.MatMul, without Python code.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "graph/graph.h"

namespace weir::python {

namespace py = pybind11;

// The result of calling an op: its Operation if it has no outputs, else a Tensor, a list, or a namedtuple of these.
py::object ResultOf(Node* node);

// "MatMul" -> "mat_mul", "Conv2D" -> "conv2d", "BatchMatMulV2" -> "batch_mat_mul_v2": TensorFlow's function names.
std::string SnakeName(const std::string& op);

void BindOps(py::module_& m);

}  // namespace weir::python
