// Graph: nodes, their edges and names, and the state of building them (scopes, devices, control dependencies).
// Thread safety: building from several threads is safe (each thread has its own scopes; inserting takes the graph's
// lock); nodes live as long as the graph and do not move. Only inputs of loop back edges and control inputs change
// later.
#ifndef WEIR_GRAPH_GRAPH_H_
#define WEIR_GRAPH_GRAPH_H_

#include <any>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/function_ref.h"
#include "graph/device_name.h"
#include "op/attr_value.h"
#include "op/op_registry.h"
#include "op/output.h"

namespace weir {

class FlowContext;
class FunctionLibrary;
class ConstantEvaluator;

// What does not change about a node, shared between a graph and the plans made from it.
struct NodeProps {
  std::string name;
  const OpDef* op = nullptr;
  std::shared_ptr<const AttrMap> attrs;
  std::vector<DType> input_types;
  std::vector<DType> output_types;
};

class Node final {
 public:
  int id() const { return id_; }
  Graph& graph() const { return *graph_; }
  const std::string& name() const { return props_->name; }
  const OpDef& op() const { return *props_->op; }
  const std::string& type() const { return props_->op->name; }
  const AttrMap& attrs() const { return *props_->attrs; }
  template <class T>
  Result<T> Attr(std::string_view name) const {
    return GetAttr<T>(attrs(), name);
  }
  const AttrValue* FindAttr(std::string_view name) const;
  const std::shared_ptr<const NodeProps>& props() const { return props_; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(props_->output_types.size()); }
  Output input(int i) const { return inputs_[i]; }
  const std::vector<Output>& inputs() const { return inputs_; }
  const std::vector<Node*>& control_inputs() const { return control_inputs_; }
  // Nodes that take a value from this one (one entry per edge), and those that only wait for it.
  const std::vector<Node*>& consumers() const { return consumers_; }
  const std::vector<Node*>& control_outputs() const { return control_outputs_; }
  Output output(int i) { return Output(this, i); }
  DType output_type(int i) const { return props_->output_types[i]; }
  PartialShape output_shape(int i) const;
  const std::string& device() const { return device_; }  // as asked for
  FlowContext* flow_context() const { return flow_context_; }
  // A device that overrules the one asked for when the node is written to a GraphDef.
  const std::string& assigned_device() const { return assigned_device_; }
  void set_assigned_device(std::string device) { assigned_device_ = std::move(device); }

 private:
  friend class Graph;
  friend class NodeBuilder;
  friend struct Output;
  Node() = default;
  Graph* graph_ = nullptr;
  int id_ = 0;
  std::shared_ptr<const NodeProps> props_;
  std::vector<Output> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<Node*> consumers_;
  std::vector<Node*> control_outputs_;
  std::vector<PartialShape> output_shapes_;
  std::string device_;
  std::string assigned_device_;
  FlowContext* flow_context_ = nullptr;
};

// A device for a new node: a name, or a function of the node that is being made.
struct DeviceRequest {
  std::string name;
  std::function<Result<std::string>(Node&)> choose;  // when set, name is ignored
  bool ignore_outer = false;                         // tf.device(None)
};

// The scopes that hold for nodes that one thread builds now.
struct BuildState {
  std::string name_scope;  // without a trailing slash
  std::vector<DeviceRequest> devices;
  struct ControlFrame {
    std::vector<Node*> inputs;
    std::set<const Node*> made_inside;
    bool clears = false;  // control_dependencies(None)
    FlowContext* saved_flow = nullptr;
  };
  std::vector<ControlFrame> control;
  std::vector<std::vector<Node*>> colocation;                     // an empty inner vector: ignore what is outside
  std::vector<std::pair<std::string, AttrValue>> attrs;           // attributes put on every node
  std::vector<std::pair<std::string, std::string>> gradient_map;  // op type -> gradient to use instead
  std::string container;
  std::string gradient_source;  // the scope of the gradients being built: it names the arrays that TensorArrays'
                                // gradients go to
  FlowContext* flow = nullptr;
  Status error;  // the first failure of unchecked building (operators, gradient functions)
};

struct GraphVersions {
  int producer = 24;
  int min_consumer = 0;
};

class Graph final {
 public:
  explicit Graph(const OpRegistry& registry);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const OpRegistry& registry() const { return registry_; }
  FunctionLibrary& functions() const { return *functions_; }
  // The registry's op, or a function of this graph's library.
  const OpDef* FindOp(std::string_view name) const;
  int64_t uid() const { return uid_; }  // differs for every graph of the process

  // --- nodes ---
  Node* FindNode(std::string_view name) const;
  // "name:0" (or "name" for output 0).
  Result<Output> FindOutput(std::string_view name) const;
  int num_nodes() const;
  // In order of creation.
  std::vector<Node*> Nodes() const;
  Node* node(int id) const;
  // Calls `visit` for every node with the lock held.
  void ForEachNode(FunctionRef<void(Node*)> visit) const;

  // --- names ---
  // The name `base` made unique within this graph ("x", "x_1", ...), in the current scope of the thread.
  // With mark_used = false it only tells what the name would be.
  std::string UniqueName(std::string_view base, bool mark_used = true);

  // --- building state of the calling thread ---
  BuildState& build();
  // The first error of unchecked building on this thread, and forgets it.
  Status TakeError();
  void RecordError(const Status& status);

  // --- changes after creation ---
  void AddControlInput(Node* node, Node* control);
  Status UpdateInput(Node* node, int index, Output value);
  Status SetAttr(Node* node, std::string name, AttrValue value);
  void SetDevice(Node* node, std::string device);
  void SetFlowContext(Node* node, FlowContext* context);
  // Narrows what is known of an output; contradictions are errors.
  Status SetShape(Output output, const PartialShape& shape);

  // --- state ---
  void Finalize() { finalized_ = true; }
  void Unfinalize() { finalized_ = false; }
  bool finalized() const { return finalized_; }
  GraphVersions& versions() { return versions_; }
  void Own(std::unique_ptr<FlowContext> context);
  void set_constant_evaluator(std::shared_ptr<ConstantEvaluator> evaluator) { evaluator_ = std::move(evaluator); }
  const std::shared_ptr<ConstantEvaluator>& constant_evaluator() const { return evaluator_; }
  // Collections: named lists that building code keeps with the graph (GraphKeys in graph_keys.h). An item is what its
  // writer put in: Output, Node*, std::shared_ptr<Variable>, std::string, int64_t, a Python object.
  void AddToCollection(const std::string& name, std::any item);
  std::vector<std::any> Collection(const std::string& name) const;
  void SetCollection(const std::string& name, std::vector<std::any> items);
  std::vector<std::string> CollectionNames() const;
  // The items of type T.
  template <class T>
  std::vector<T> CollectionOf(const std::string& name) const {
    std::vector<T> result;
    for (std::any& item : Collection(name))
      if (T* typed = std::any_cast<T>(&item)) result.push_back(std::move(*typed));
    return result;
  }

  // tf.set_random_seed: seeds of random ops derive from it and from the count of nodes made so far.
  std::optional<int64_t> seed;

  // Inserts a node as it is, for import. Checks nothing but the name's uniqueness.
  Result<Node*> Insert(std::shared_ptr<const NodeProps> props, std::vector<Output> inputs,
                       std::vector<Node*> control_inputs, std::string device, std::vector<PartialShape> shapes);
  // Infers the output shapes of a node about to be made (shape_refiner.cc).
  Result<std::vector<PartialShape>> InferShapes(const NodeProps& props, const std::vector<Output>& inputs);

  // Puts in a node that NodeBuilder has prepared under a name that is not in use.
  Node* Adopt(std::unique_ptr<Node> node);
  // Keeps a node that failed to be made: a device function may have kept a pointer to it.
  void Abandon(std::unique_ptr<Node> node);

  // Of no type and in no list: see Output::Failed.
  Node* failed_node() const { return failed_.get(); }

  // Takes a node out again: what a failed import had added. Nobody may hold it.
  void Remove(Node* node);

  std::recursive_mutex& mu() const { return mu_; }

  // The value of an output known before any run (a Const, or computed from such), invalid when not known.
  Tensor ConstantValue(Output output);
  // A shape vector as far as it is known before any run.
  PartialShape ConstantShape(Output output);

 private:
  Result<std::vector<PartialShape>> InferShapesLocked(const NodeProps& props, const std::vector<Output>& inputs);
  Tensor ConstantValueLocked(Output output, int* budget);
  PartialShape ConstantShapeLocked(Output output, int* budget);

  const OpRegistry& registry_;
  const int64_t uid_;
  std::unique_ptr<FunctionLibrary> functions_;
  std::shared_ptr<ConstantEvaluator> evaluator_;
  mutable std::recursive_mutex mu_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Node>> abandoned_;
  std::unique_ptr<Node> failed_;  // what invalid outputs point to, so that they know their graph
  std::unordered_map<Output, Tensor, OutputHash> known_values_;  // constants found by shape inference
  std::unordered_map<std::string, Node*> by_name_;
  std::unordered_map<std::string, int> names_in_use_;  // lower case, as TensorFlow compares names
  std::unordered_map<std::thread::id, std::unique_ptr<BuildState>> build_states_;
  std::vector<std::unique_ptr<FlowContext>> flow_contexts_;
  std::map<std::string, std::vector<std::any>> collections_;
  GraphVersions versions_;
  std::atomic<bool> finalized_{false};
};

// --- scopes (RAII, for the calling thread)
// ------------------------------------------------------------------------------
class NameScope final {
 public:
  // Opens a scope with a unique name below the current one; "" goes to the root; "a/b/" (trailing slash) re-enters
  // exactly.
  NameScope(Graph& graph, std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;
  const std::string& name() const { return name_; }  // without the slash

 private:
  Graph& graph_;
  std::string saved_;
  std::string name_;
};

class DeviceScope final {
 public:
  DeviceScope(Graph& graph, DeviceRequest request);
  DeviceScope(Graph& graph, std::string name) : DeviceScope(graph, DeviceRequest{.name = std::move(name)}) {}
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Graph& graph_;
};

class ControlDependencies final {
 public:
  ControlDependencies(Graph& graph, std::vector<Node*> inputs);
  // Forgets outer control dependencies and the flow context.
  static ControlDependencies Cleared(Graph& graph) { return ControlDependencies(graph, ClearTag{}); }
  ~ControlDependencies();
  ControlDependencies(const ControlDependencies&) = delete;
  ControlDependencies& operator=(const ControlDependencies&) = delete;

 private:
  struct ClearTag {};
  ControlDependencies(Graph& graph, ClearTag);
  Graph& graph_;
};

class ColocationScope final {
 public:
  // Colocates new nodes with `node` (a null node ignores outer colocation). Device requests are ignored inside.
  ColocationScope(Graph& graph, Node* node, bool ignore_existing = false);
  ~ColocationScope();
  ColocationScope(const ColocationScope&) = delete;
  ColocationScope& operator=(const ColocationScope&) = delete;

 private:
  Graph& graph_;
  std::vector<std::vector<Node*>> saved_colocation_;
  std::vector<DeviceRequest> saved_devices_;
};

// A name a node may have: [A-Za-z0-9.][A-Za-z0-9_.\\-/>]*
bool IsValidNodeName(std::string_view name);
bool IsValidScopeName(std::string_view name);

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_H_
