// NodeBuilder: builds one node. It converts literal inputs, infers type attributes, completes and checks the others,
// names the node in the current scope, applies device functions, control dependencies, colocation and the flow context,
// and infers shapes. Errors name the op, the argument and the expected value.
#ifndef WEIR_GRAPH_NODE_BUILDER_H_
#define WEIR_GRAPH_NODE_BUILDER_H_

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

class NodeBuilder final {
 public:
  // An empty `name` means the op's type. With a trailing slash the name is used as is, without scope or suffix.
  NodeBuilder(Graph& graph, std::string_view op, std::string name = "");

  // One call per argument of the schema, in order. List arguments use the InputList overload.
  NodeBuilder& In(Input input);
  NodeBuilder& In(InputList inputs);
  NodeBuilder& In(const OutputList& inputs) { return In(InputList(inputs.begin(), inputs.end())); }
  NodeBuilder& Attr(std::string name, AttrValue value);
  NodeBuilder& ControlInput(Node* node);
  NodeBuilder& Device(std::string device);

  Result<Node*> Build();
  // For code that checks errors once at the end: an error is recorded in the graph's build state, and the result is
  // invalid.
  Output BuildOutput();  // output 0
  Node* BuildNode();     // null on error
  // All outputs. On an error `on_error` failed outputs.
  OutputList BuildOutputs(size_t on_error = 0);

 private:
  struct Arg {
    InputList inputs;
    bool is_list = false;
  };
  Graph& graph_;
  std::string op_;
  std::string name_;
  std::vector<Arg> args_;
  AttrMap attrs_;
  std::vector<Node*> control_inputs_;
  std::string device_;
};

// Converts `x` to an output of `graph` (a Const for literals), of type `wanted` unless that is kInvalidType.
Result<Output> ToOutput(Graph& graph, const Input& x, DType wanted = kInvalidType, const std::string& name = "Const");
Output Constant(Graph& graph, const Tensor& value, std::string name = "Const");

}  // namespace weir

#endif  // WEIR_GRAPH_NODE_BUILDER_H_
