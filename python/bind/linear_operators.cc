// The C++ linear operators. weir/lib/linear_operators.py has TensorFlow's classes for them.
#include "graph/compose/linear_operators.h"

#include "bind/arguments.h"
#include "bind/ownership.h"
#include "graph/compose/dims.h"

namespace weir::python {
namespace {

struct OperatorObject {
  LinearOperatorPtr op;
  py::object graph;
};

OperatorObject OwnedOperator(LinearOperatorPtr op) {
  Check(op->graph().TakeError());
  py::object graph = GraphOf(op->graph());
  return {std::move(op), std::move(graph)};
}
Output CheckedOutput(const OperatorObject& object, Output value) {
  Check(object.op->graph().TakeError());
  return value;
}

using OperatorStatistic = Output (LinearOperator::*)() const;

void BindOperatorMethods(py::class_<OperatorObject>& type) {
  const std::pair<const char*, OperatorStatistic> statistics[] = {
      {"shape_tensor", &LinearOperator::ShapeTensor}, {"to_dense", &LinearOperator::ToDense},
      {"diag_part", &LinearOperator::DiagPart},       {"trace", &LinearOperator::Trace},
      {"determinant", &LinearOperator::Determinant},  {"log_abs_determinant", &LinearOperator::LogAbsDeterminant},
  };
  for (const auto& [name, statistic] : statistics) {
    type.def(name,
             [statistic = statistic](const OperatorObject& o) { return CheckedOutput(o, ((*o.op).*statistic)()); });
  }
  type.def_property_readonly("dtype", [](const OperatorObject& o) { return o.op->dtype(); })
      .def_property_readonly("shape", [](const OperatorObject& o) { return o.op->shape(); })
      .def("matmul",
           [](const OperatorObject& o, Input x, bool adjoint) {
             const Output value = ValueOf(o.op->graph(), x, o.op->dtype(), "x");
             Check(o.op->graph().TakeError());
             return CheckedOutput(o, o.op->Multiply(value, adjoint));
           })
      .def("solve",
           [](const OperatorObject& o, Input rhs, bool adjoint) {
             const Output value = ValueOf(o.op->graph(), rhs, o.op->dtype(), "rhs");
             Check(o.op->graph().TakeError());
             return CheckedOutput(o, o.op->Solve(value, adjoint));
           })
      .def("adjoint", [](const OperatorObject& o) { return OwnedOperator(AdjointOperator(o.op)); })
      .def("inverse", [](const OperatorObject& o) { return OwnedOperator(InverseOperator(o.op)); });
}

void BindStructuredOperators(py::module_& m) {
  m.def("zeros_operator", [](Input rows, Input columns, Input batch, DType dtype) {
    LinearOperatorPtr op = Take(ZerosOperator(DefaultGraphRef(), rows, columns, batch, dtype));
    Check(DefaultGraphRef().TakeError());
    return OwnedOperator(std::move(op));
  });
  m.def("householder_operator", [](Output axis) { return OwnedOperator(HouseholderOperator(axis)); });
  m.def("low_rank_update_operator", [](const OperatorObject& base, Output u, Output diagonal, Output v) {
    return OwnedOperator(LowRankUpdateOperator(base.op, u, diagonal, v));
  });
  m.def("toeplitz_operator", [](Output column, Output row) { return OwnedOperator(ToeplitzOperator(column, row)); });
  m.def("circulant_operator", [](Output spectrum, DType dtype, int depth) {
    return OwnedOperator(CirculantOperator(spectrum, dtype, depth));
  });
  Def(
      m, "convolution_kernel",
      +[](Graph&, Output spectrum, DType dtype, int depth) { return ConvolutionKernelOf(spectrum, dtype, depth); },
      py::arg("spectrum"), py::arg("dtype"), py::arg("depth"));
}

}  // namespace

void BindLinearOperators(py::module_& m) {
  py::class_<OperatorObject> type(m, "LinearOperator", GarbageCollected<OperatorObject, VisitGraph<OperatorObject>>());
  BindOperatorMethods(type);
  BindStructuredOperators(m);
  const std::pair<const char*, LinearOperatorPtr (*)(Output)> of_tensors[] = {
      {"full_matrix_operator", FullMatrixOperator},
      {"lower_triangular_operator", LowerTriangularOperator},
      {"diagonal_operator", DiagonalOperator},
  };
  for (const auto& [name, function] : of_tensors) {
    m.def(name, [function = function](Output tensor) { return OwnedOperator(function(tensor)); });
  }
  m.def("scaled_identity_operator", [](Input rows, Output multiplier) {
    return OwnedOperator(Take(ScaledIdentityOperator(multiplier.graph(), rows, multiplier)));
  });
  const std::pair<const char*, LinearOperatorPtr (*)(std::vector<LinearOperatorPtr>)> of_operators[] = {
      {"composition_operator", CompositionOperator},
      {"block_diagonal_operator", BlockDiagonalOperator},
      {"kronecker_operator", KroneckerOperator},
  };
  for (const auto& [name, function] : of_operators) {
    m.def(name, [function = function](const std::vector<OperatorObject>& parts) {
      if (parts.empty()) RaiseValue("Expected a non-empty list of operators. Found: []");
      std::vector<LinearOperatorPtr> operators;
      for (const OperatorObject& part : parts) operators.push_back(part.op);
      return OwnedOperator(function(std::move(operators)));
    });
  }
}

}  // namespace weir::python
