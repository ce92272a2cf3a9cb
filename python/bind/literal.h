// Python values on their way into a graph: what tf.convert_to_tensor takes, with TensorFlow 1.15's rules for types.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>

#include "bind/process.h"
#include "graph/input.h"

namespace weir::python {

namespace py = pybind11;

// A value as a tensor of type `wanted` (kInvalidType: its natural type: float32, int32, string, ...). Not for values
// that hold Tensors. Throws ValueError and TypeError as TensorFlow does.
Tensor TensorFromPython(py::handle value, DType wanted);

class PyLiteral final : public Literal {
 public:
  explicit PyLiteral(py::object value) : value_(std::move(value)) {}
  Result<Output> ToOutput(Graph& graph, DType wanted, const std::string& name) const override;
  std::optional<Tensor> Value(DType wanted) const override;
  DType NaturalType() const override;

 private:
  PyItem value_;
};

// An argument of a graph-building function: a Tensor as it is, None as absent, anything else as a literal.
// Of a variable an op that changes it sees the reference (as_ref), others its value.
Input InputFrom(py::handle value, bool as_ref = false);

// Bound C++ types that stand for a value of a graph (variables, ...). `convert` gives the Output that ops see.
using OutputConverter = std::function<Result<Output>(py::handle value, Graph& graph, DType wanted, bool as_ref)>;
void RegisterOutputConverter(py::handle type, OutputConverter convert);
// The Output for such an object; nothing for others.
std::optional<Result<Output>> ConvertRegistered(py::handle value, Graph& graph, DType wanted, bool as_ref);

void BindLiteral(py::module_& m);

}  // namespace weir::python
