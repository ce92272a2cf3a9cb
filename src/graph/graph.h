// Graph: nodes, edges, names, and the state of graph construction (scopes, devices, control dependencies).
// Thread safety: several threads may build at once. Each thread has its own scopes; insertion takes the graph's lock.
// Nodes live as long as the graph and never move. After creation only loop back edges, control inputs, attributes,
// devices and shapes of a node can change.
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

#include "absl/container/flat_hash_set.h"

#include "base/function_ref.h"
#include "graph/device_name.h"
#include "op/attr_value.h"
#include "op/op_registry.h"
#include "op/output.h"

namespace weir {

class FlowContext;
class FunctionLibrary;
class ConstantEvaluator;

// The immutable part of a node, shared between a graph and the plans compiled from it.
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
  // Data consumers (one entry per edge) and nodes with a control edge from this one.
  const std::vector<Node*>& consumers() const { return consumers_; }
  const std::vector<Node*>& control_outputs() const { return control_outputs_; }
  Output output(int i) { return Output(this, i); }
  DType output_type(int i) const { return props_->output_types[i]; }
  PartialShape output_shape(int i) const;
  const std::string& device() const { return *device_; }  // the requested device
  FlowContext* flow_context() const { return flow_context_; }
  // Overrides the requested device when the node is written to a GraphDef.
  const std::string& assigned_device() const { return *assigned_device_; }
  void set_assigned_device(std::string_view device);

 private:
  friend class Graph;
  friend class NodeBuilder;
  friend struct Output;
  explicit Node(Graph& graph);
  Graph* graph_;
  int id_ = 0;
  std::shared_ptr<const NodeProps> props_;
  std::vector<Output> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<Node*> consumers_;
  std::vector<Node*> control_outputs_;
  std::vector<PartialShape> output_shapes_;
  // Owned by the graph, because many nodes have the same device.
  const std::string* device_;
  const std::string* assigned_device_;
  FlowContext* flow_context_ = nullptr;
};

// A device request for new nodes: a name, or a function of the node being built.
struct DeviceRequest {
  std::string name;
  std::function<Result<std::string>(Node&)> choose;  // when set, name is ignored
  bool ignore_outer = false;                         // tf.device(None)
};

// The scopes of one thread: they apply to every node that the thread builds.
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
  std::vector<std::vector<Node*>> colocation;                     // one group per open scope
  std::vector<std::pair<std::string, AttrValue>> attrs;           // attributes added to every node
  std::vector<std::pair<std::string, std::string>> gradient_map;  // op type -> gradient type that replaces it
  std::string container;
  std::string gradient_source;  // name scope of the gradients being built; the "source" of TensorArray gradients
  FlowContext* flow = nullptr;
  Status error;  // first error of unchecked building (operators, gradient functions)
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
  // An op of the registry, or a function of this graph's library.
  const OpDef* FindOp(std::string_view name) const;
  int64_t uid() const { return uid_; }  // unique within the process

  // --- nodes ---
  Node* FindNode(std::string_view name) const;
  // "name:0" (or "name" for output 0).
  Result<Output> FindOutput(std::string_view name) const;
  int num_nodes() const;
  // In order of creation.
  std::vector<Node*> Nodes() const;
  Node* node(int id) const;
  // Calls `visit` for every node while holding the graph's lock.
  void ForEachNode(FunctionRef<void(Node*)> visit) const;

  // --- names ---
  // Makes `base` unique within this graph ("x", "x_1", ...), prefixed with the thread's current name scope.
  // With mark_used = false only returns the name and does not reserve it.
  std::string UniqueName(std::string_view base, bool mark_used = true);

  // --- building state of the calling thread ---
  BuildState& build();
  // Returns and clears the first error of unchecked building on this thread.
  Status TakeError();
  void RecordError(const Status& status);

  // --- changes after creation ---
  void AddControlInput(Node* node, Node* control);
  Status UpdateInput(Node* node, int index, Output value);
  Status SetAttr(Node* node, std::string name, AttrValue value);
  void SetDevice(Node* node, std::string device);
  void SetFlowContext(Node* node, FlowContext* context);
  // Merges `shape` into the known shape of an output. A contradiction is an error.
  Status SetShape(Output output, const PartialShape& shape);

  // --- state ---
  void Finalize() { finalized_ = true; }
  void Unfinalize() { finalized_ = false; }
  bool finalized() const { return finalized_; }
  GraphVersions& versions() { return versions_; }
  void Own(std::unique_ptr<FlowContext> context);
  void set_constant_evaluator(std::shared_ptr<ConstantEvaluator> evaluator) { evaluator_ = std::move(evaluator); }
  const std::shared_ptr<ConstantEvaluator>& constant_evaluator() const { return evaluator_; }
  // Collections: named lists of items stored with the graph (names in graph_keys.h). The item type is up to the writer:
  // Output, Node*, std::shared_ptr<Variable>, std::string, int64_t, a Python object.
  void AddToCollection(const std::string& name, std::any item);
  std::vector<std::any> Collection(const std::string& name) const;
  void SetCollection(const std::string& name, std::vector<std::any> items);
  std::vector<std::string> CollectionNames() const;
  // The items of type T; items of other types are skipped.
  template <class T>
  std::vector<T> CollectionOf(const std::string& name) const {
    std::vector<T> result;
    for (std::any& item : Collection(name))
      if (T* typed = std::any_cast<T>(&item)) result.push_back(std::move(*typed));
    return result;
  }

  // tf.set_random_seed. The seeds of random ops derive from it and from the number of nodes built so far.
  std::optional<int64_t> seed;

  // Inserts a node as given, for import. Checks only that the name is unique.
  Result<Node*> Insert(std::shared_ptr<const NodeProps> props, std::vector<Output> inputs,
                       std::vector<Node*> control_inputs, std::string device, std::vector<PartialShape> shapes);
  // Infers the output shapes of a node before it is inserted (shape_refiner.cc).
  Result<std::vector<PartialShape>> InferShapes(const NodeProps& props, const std::vector<Output>& inputs);

  // Inserts a node that NodeBuilder has prepared. REQUIRES: its name is not in use.
  Node* Adopt(std::unique_ptr<Node> node);
  // Returns a string that lives as long as the graph.
  const std::string* DeviceNamed(std::string_view device);
  // Keeps a node whose construction failed alive: a device function may still hold a pointer to it.
  void Abandon(std::unique_ptr<Node> node);

  // The node that failed outputs point to (Output::Failed). It has no op and is in no list.
  Node* failed_node() const { return failed_.get(); }

  // Removes a node that a failed import added. REQUIRES: nothing refers to the node.
  void Remove(Node* node);

  std::recursive_mutex& mu() const { return mu_; }

  // The value of an output if it is known without a run (a Const, or computed from Consts), else an invalid tensor.
  Tensor ConstantValue(Output output);
  // The shape that a shape vector describes, as far as it is known without a run.
  PartialShape ConstantShape(Output output);

 private:
  // Adds the names of all nodes to names_in_use_. REQUIRES: mu_ held.
  void CountNames();
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
  std::unique_ptr<Node> failed_;  // target of failed outputs, so that they know their graph
  std::unordered_map<Output, Tensor, OutputHash> known_values_;  // constants found by shape inference
  // Nodes by name. The keys are the nodes themselves, so that a name is stored once.
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return absl::HashOf(name); }
    size_t operator()(const Node* node) const { return absl::HashOf(std::string_view(node->name())); }
  };
  struct SameName {
    using is_transparent = void;
    static std::string_view NameOf(std::string_view name) { return name; }
    static std::string_view NameOf(const Node* node) { return node->name(); }
    bool operator()(const auto& a, const auto& b) const { return NameOf(a) == NameOf(b); }
  };
  absl::flat_hash_set<Node*, NameHash, SameName> by_name_;
  // Lower case, as TensorFlow compares names. Of the nodes, only the first num_named_ are included: most graphs of
  // servers never need a unique name.
  std::unordered_map<std::string, int> names_in_use_;
  size_t num_named_ = 0;
  std::set<std::string, std::less<>> devices_;  // devices of nodes
  std::unordered_map<std::thread::id, std::unique_ptr<BuildState>> build_states_;
  std::vector<std::unique_ptr<FlowContext>> flow_contexts_;
  std::map<std::string, std::vector<std::any>> collections_;
  GraphVersions versions_;
  std::atomic<bool> finalized_{false};
};

// --- Scopes (RAII, for the calling thread) ---
class NameScope final {
 public:
  // Opens a scope with a unique name below the current one. "" selects the root scope. "a/b/" (trailing slash)
  // re-enters exactly that scope.
  NameScope(Graph& graph, std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;
  const std::string& name() const { return name_; }  // without a trailing slash

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
  // Hides the outer control dependencies and the flow context.
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
  // Colocates new nodes with `node`; null only ignores outer colocation. Outer device requests do not apply inside.
  ColocationScope(Graph& graph, Node* node, bool ignore_existing = false);
  ~ColocationScope();
  ColocationScope(const ColocationScope&) = delete;
  ColocationScope& operator=(const ColocationScope&) = delete;

 private:
  Graph& graph_;
  std::vector<std::vector<Node*>> saved_colocation_;
  std::vector<DeviceRequest> saved_devices_;
};

// Whether a node may have this name: [A-Za-z0-9.][A-Za-z0-9_.\\-/>]*
bool IsValidNodeName(std::string_view name);
bool IsValidScopeName(std::string_view name);

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_H_
