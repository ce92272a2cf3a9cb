// NodeBuilder: builds one node. It converts literal inputs, infers type attributes, completes and checks the others,
// names the node in the current scope, applies device functions, control dependencies, colocation and the flow context,
// and infers shapes. Errors name the op, the argument and the expected value.
#ifndef WEIR_GRAPH_NODE_BUILDER_H_
#define WEIR_GRAPH_NODE_BUILDER_H_

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

class ArgResolver;

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
  // The first argument determines a type attribute, even if it is a literal, as in TensorFlow's Python functions.
  // Without this, the first tensor does, and literals take its type.
  NodeBuilder& TypesInOrder();

  Result<Node*> Build();
  // For code that checks errors once at the end: an error is recorded in the graph's build state, and the result is
  // invalid.
  Output BuildOutput();  // output 0
  Node* BuildNode();     // null on error
  // All outputs; on an error, `on_error` failed ones.
  OutputList BuildOutputs(size_t on_error = 0);

 private:
  struct Arg {
    InputList inputs;
    bool is_list = false;
  };
  class DistinctNodes;
  // The colocation constraints of a new node that affect its device.
  struct Colocation {
    bool by_ref = false;  // with the owner of a reference
    std::string device;   // empty if none of the nodes requests one
  };

  // The steps of Build, in their order.
  Status CheckArgs(const OpDef& op) const;
  // Literals become nodes named below this one ("mul/y"); `name` then gets a trailing slash.
  Status ResolveArgs(const OpDef& op, ArgResolver& resolver, std::string* name, std::vector<Output>* inputs);
  void AddScopedAttrs(const OpDef& op, const BuildState& state);
  // Sets the attribute _class.
  Colocation Colocate(const OpDef& op, const std::vector<Output>& inputs, const BuildState& state);
  // Control inputs from the thread's scopes. A scope adds none if a data input was built inside of it, since that input
  // already depends on them.
  static DistinctNodes ScopedControlInputs(const BuildState& state, const std::vector<Output>& inputs);
  // Captures inputs from outside of the current branch or loop. The nodes added for that are named below this one.
  Status CaptureInputs(FlowContext& flow, std::string* name, std::vector<Output>* inputs, DistinctNodes* controls);
  // Moves attrs_ into the result. `name` is used in error messages.
  Result<std::shared_ptr<NodeProps>> MakeProps(const OpDef& op, const ArgResolver& resolver, const std::string& name,
                                               const std::vector<Output>& inputs);
  std::string FinalName(const std::string& name);
  Status ChooseDevice(const Colocation& colocation, const BuildState& state, Node* node) const;

  Graph& graph_;
  std::string op_;
  std::string name_;
  std::vector<Arg> args_;
  AttrMap attrs_;
  std::vector<Node*> control_inputs_;
  std::string device_;
  bool types_in_order_ = false;
};

// Converts `x` to an output of `graph` (a Const for literals), of type `wanted` unless that is kInvalidType.
Result<Output> ToOutput(Graph& graph, const Input& x, DType wanted = kInvalidType, const std::string& name = "Const");
Output Constant(Graph& graph, const Tensor& value, std::string name = "Const");

}  // namespace weir

#endif  // WEIR_GRAPH_NODE_BUILDER_H_
