// NodeBuilder: makes one node: converts literal inputs, infers type attributes, completes and checks the rest, names it
// in the current scope, applies device functions, control dependencies, colocation and the flow context, infers shapes.
// Errors name the op, the argument and what was expected.
#ifndef WEIR_GRAPH_NODE_BUILDER_H_
#define WEIR_GRAPH_NODE_BUILDER_H_

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

class NodeBuilder final {
 public:
  // `name` empty: the op's type. A trailing slash takes the name as it is, without scope or suffix.
  NodeBuilder(Graph& graph, std::string_view op, std::string name = "");

  // One per argument of the schema, in order; list arguments with the second form.
  NodeBuilder& In(Input input);
  NodeBuilder& In(InputList inputs);
  NodeBuilder& In(const OutputList& inputs) { return In(InputList(inputs.begin(), inputs.end())); }
  NodeBuilder& Attr(std::string name, AttrValue value);
  NodeBuilder& ControlInput(Node* node);
  NodeBuilder& Device(std::string device);

  Result<Node*> Build();
  // For building code that checks once: on error the graph's build state keeps it, and the result is invalid.
  Output BuildOutput();  // output 0
  Node* BuildNode();     // null on error
  // All outputs; on an error as many failed ones as are asked for.
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

// x as a value of `graph` (a Const for literals), of type `wanted` unless that is kInvalidType.
Result<Output> ToOutput(Graph& graph, const Input& x, DType wanted = kInvalidType, const std::string& name = "Const");
// A Const node.
Output Constant(Graph& graph, const Tensor& value, std::string name = "Const");

}  // namespace weir

#endif  // WEIR_GRAPH_NODE_BUILDER_H_
