// Graph: nodes and their edges, and the other state of a graph: names, collections, scopes, known values.
// Thread safety: several threads may build at once. Each thread has its own scopes; insertion takes the graph's lock.
// Nodes live as long as the graph and never move. After creation only loop back edges, control inputs, attributes,
// devices and shapes of a node can change.
#ifndef WEIR_GRAPH_GRAPH_H_
#define WEIR_GRAPH_GRAPH_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "weir/base/function_ref.h"
#include "weir/graph/build_state.h"
#include "weir/graph/collections.h"
#include "weir/graph/device_name.h"
#include "weir/graph/node.h"
#include "weir/graph/node_names.h"
#include "weir/graph/scopes.h"
#include "weir/graph/shape_refiner.h"
#include "weir/op/op_registry.h"

namespace weir {

class FlowContext;
class FunctionLibrary;

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
  // Keeps other threads from changing the graph while the caller looks at several nodes. The thread that holds the lock
  // may call all methods of the graph and of its nodes.
  class NodesLock final {
   private:
    friend class Graph;
    explicit NodesLock(const Graph& graph) : lock_(graph.mu_) {}
    std::unique_lock<std::recursive_mutex> lock_;
  };
  [[nodiscard]] NodesLock LockNodes() const { return NodesLock(*this); }

  // --- names ---
  // Makes `base` unique within this graph ("x", "x_1", ...), prefixed with the thread's current name scope.
  // With mark_used = false only returns the name and does not reserve it.
  std::string UniqueName(std::string_view base, bool mark_used = true);

  // --- building state of the calling thread ---
  BuildState& build() { return build_states_.OfThisThread(); }
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
  void AddFlowContext(std::unique_ptr<FlowContext> context);
  void set_constant_evaluator(std::shared_ptr<ConstantEvaluator> evaluator) {
    refiner_.set_evaluator(std::move(evaluator));
  }
  const std::shared_ptr<ConstantEvaluator>& constant_evaluator() const { return refiner_.evaluator(); }
  Collections& collections() { return collections_; }
  const Collections& collections() const { return collections_; }

  // tf.set_random_seed. The seeds of random ops derive from it and from the number of nodes built so far.
  std::optional<int64_t> seed;

  // Inserts a node as given, for import. Checks only that the name is unique.
  Result<Node*> Insert(std::shared_ptr<const NodeProps> props, std::vector<Output> inputs,
                       std::vector<Node*> control_inputs, std::string device, std::vector<PartialShape> shapes);
  // Infers the output shapes of a node before it is inserted.
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

  // The value of an output if it is known without a run (a Const, or computed from Consts), else an invalid tensor.
  Tensor ConstantValue(Output output);
  // The shape that a shape vector describes, as far as it is known without a run.
  PartialShape ConstantShape(Output output);

 private:
  // Adds the names of all nodes to names_. REQUIRES: mu_ held.
  void CountNames();

  const OpRegistry& registry_;
  const int64_t uid_;
  std::unique_ptr<FunctionLibrary> functions_;
  // Recursive: ForEachNode and LockNodes let the caller use methods that take it.
  mutable std::recursive_mutex mu_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Node>> abandoned_;
  std::unique_ptr<Node> failed_;  // target of failed outputs, so that they know their graph
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
  // Contains only the names of the first num_named_ nodes: most graphs on servers never need a unique name.
  NodeNames names_;
  size_t num_named_ = 0;
  std::set<std::string, std::less<>> devices_;  // devices of nodes
  ShapeRefiner refiner_;
  BuildStates build_states_;
  std::vector<std::unique_ptr<FlowContext>> flow_contexts_;
  Collections collections_;
  GraphVersions versions_;
  std::atomic<bool> finalized_{false};
};

}  // namespace weir

#endif  // WEIR_GRAPH_GRAPH_H_
