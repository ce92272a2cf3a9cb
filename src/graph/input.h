// Input: what a graph-building function takes: an Output, or something that becomes a constant once the type it must
// have is known (a C++ number or list, a Python value). A value.
#ifndef WEIR_GRAPH_INPUT_H_
#define WEIR_GRAPH_INPUT_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "op/output.h"
#include "tensor/tensor.h"

namespace weir {

// Turns a user's value into a node. `wanted` is kInvalidType when any type will do; `name` is the node's wanted name.
class Literal {
 public:
  virtual ~Literal() = default;
  virtual Result<Output> ToOutput(Graph& graph, DType wanted, const std::string& name) const = 0;
  // The type it takes when nothing else decides; kInvalidType when not known before ToOutput.
  virtual DType NaturalType() const { return kInvalidType; }
  // The value as a tensor; nothing when it takes a node to know it, or when it cannot be of that type.
  virtual std::optional<Tensor> Value(DType wanted) const { return std::nullopt; }
};

class Input {
 public:
  Input() = default;  // absent
  Input(Output output) : output_(output) {}
  Input(Node* node) : output_(node, 0) {}
  Input(std::shared_ptr<const Literal> literal) : literal_(std::move(literal)) {}
  // Numbers adapt to the type wanted where that loses nothing (2 to 2.0f); tensors keep theirs.
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
  Input(const std::vector<int64_t>& v);  // int32 unless asked otherwise
  Input(const std::vector<float>& v);

  bool absent() const { return !output_.valid() && literal_ == nullptr; }
  bool failed() const { return !output_.valid() && output_.has_graph(); }  // building it went wrong
  bool is_output() const { return output_.valid(); }
  Output output() const { return output_; }
  const Literal* literal() const { return literal_.get(); }

 private:
  Output output_;
  std::shared_ptr<const Literal> literal_;
};
using InputList = std::vector<Input>;

// The graph that the first Output among the inputs belongs to (failed ones too), or null.
Graph* GraphOf(const InputList& inputs);
Graph* GraphOfAll(std::initializer_list<InputList> lists);

}  // namespace weir

#endif  // WEIR_GRAPH_INPUT_H_
