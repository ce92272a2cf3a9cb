// Converts Python values to tensors, as tf.convert_to_tensor does, with the type rules of TensorFlow 1.15.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>

#include "bind/process.h"
#include "graph/input.h"

namespace weir::python {

namespace py = pybind11;

// Converts a value to a tensor of type `wanted` (kInvalidType: its natural type: float32, int32, string, ...). Not for
// values that contain Tensors. Raises ValueError and TypeError as TensorFlow does.
Tensor TensorFromPython(py::handle value, DType wanted);

class PyLiteral final : public Literal {
 public:
  explicit PyLiteral(py::object value) : value_(std::move(value)) {}
  Result<Output> ToOutput(Graph& graph, DType wanted, const std::string& name) const override;
  std::optional<Tensor> Value(DType wanted) const override;
  DType NaturalType() const override;
  py::object value() const { return value_.get(); }

 private:
  SharedPyObject value_;
};

// Converts an argument of a graph-building function: a Tensor as is, None to an absent input, anything else to a
// literal. For a variable, an op that updates it gets the reference (as_ref), others its value.
Input InputFrom(py::handle value, bool as_ref = false);

// Registers a bound C++ type whose objects convert to an Output (variables, ...).
using OutputConverter = std::function<Result<Output>(py::handle value, Graph& graph, DType wanted, bool as_ref)>;
void RegisterOutputConverter(py::handle type, OutputConverter convert);
// Converts an object of a registered type to an Output. nullopt for other objects.
std::optional<Result<Output>> ConvertRegistered(py::handle value, Graph& graph, DType wanted, bool as_ref);

void BindLiteral(py::module_& m);

}  // namespace weir::python
