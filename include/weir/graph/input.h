// Input: an argument of a graph-building function: an Output, or a literal (a C++ number or list, a Python value) that
// becomes a constant once its required type is known. A value type.
#ifndef WEIR_GRAPH_INPUT_H_
#define WEIR_GRAPH_INPUT_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "weir/op/output.h"
#include "weir/tensor/tensor.h"

namespace weir {

// Converts a user's value to a node. `wanted` is kInvalidType if any type is accepted; `name` is the requested node
// name.
class Literal {
 public:
  virtual ~Literal() = default;
  virtual Result<Output> ToOutput(Graph& graph, DType wanted, const std::string& name) const = 0;
  // The type without a type constraint; kInvalidType if it is known only after ToOutput.
  virtual DType NaturalType() const { return kInvalidType; }
  // The value as a tensor; nullopt if it needs a node, or cannot be converted to `wanted`.
  virtual std::optional<Tensor> Value(DType wanted) const { return std::nullopt; }
};

class Input {
 public:
  Input() = default;  // absent
  Input(Output output) : output_(output) {}
  Input(Node* node) : output_(node, 0) {}
  Input(std::shared_ptr<const Literal> literal) : literal_(std::move(literal)) {}
  // Numbers convert to the wanted type if that loses nothing (2 to 2.0f). Tensors keep their type.
  Input(float v);
  Input(double v);
  Input(int v);
  Input(int64_t v);
  Input(bool v);
  Input(const char* v);
  Input(const std::string& v);
  Input(const Tensor& v);
  Input(std::initializer_list<float> v);
  Input(std::initializer_list<int> v);
  Input(const std::vector<int64_t>& v);  // int32 unless another type is wanted
  Input(const std::vector<float>& v);

  bool absent() const { return !output_.valid() && literal_ == nullptr; }
  bool failed() const { return !output_.valid() && output_.has_graph(); }  // building the output failed
  bool is_output() const { return output_.valid(); }
  Output output() const { return output_; }
  const Literal* literal() const { return literal_.get(); }

 private:
  Output output_;
  std::shared_ptr<const Literal> literal_;
};
using InputList = std::vector<Input>;

// The graph of the first Output among the inputs (failed outputs count), or null.
Graph* GraphOf(const InputList& inputs);
Graph* GraphOfAll(std::initializer_list<InputList> lists);

}  // namespace weir

#endif  // WEIR_GRAPH_INPUT_H_
