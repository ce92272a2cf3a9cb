// FlowContext: the cond branch or while loop in which nodes are built. Outside values enter through it (Switch or
// Enter). Nodes without inputs from inside get a control edge from its pivot, so that they run only when the branch or
// loop does.
// Owned by the graph; used only during graph construction. docs/control-flow.md describes the resulting nodes.
#ifndef WEIR_GRAPH_FLOW_CONTEXT_H_
#define WEIR_GRAPH_FLOW_CONTEXT_H_

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace weir {

class CondContext;
class WhileContext;

class FlowContext {
 public:
  FlowContext(Graph& graph, std::string name, FlowContext* outer)
      : graph_(graph), name_(std::move(name)), outer_(outer) {}
  virtual ~FlowContext() = default;
  FlowContext(const FlowContext&) = delete;
  FlowContext& operator=(const FlowContext&) = delete;

  Graph& graph() const { return graph_; }
  const std::string& name() const { return name_; }
  FlowContext* outer() const { return outer_; }
  virtual CondContext* AsCond() { return nullptr; }
  virtual WhileContext* AsWhile() { return nullptr; }
  // The innermost while loop that contains this context (possibly this context itself), or null.
  WhileContext* EnclosingWhile();
  // True if `inner` is this context or nested inside it.
  bool Contains(const FlowContext* inner) const;
  // A node that runs whenever the branch or the iteration runs. Null while the loop is being set up.
  virtual Node* pivot() const = 0;

  // Returns `value` as seen from inside. Called for every input before a node is built in this context.
  virtual Result<Output> Capture(Output value) = 0;
  // A node whose output 0 is the shape of `value`, if the context knows it without the value; else null.
  virtual Result<Node*> CaptureShape(Output value, DType out_type);
  // Maps a control input into the context: the node itself, or a node of the same loop that runs after it.
  Result<Node*> CaptureControl(Node* node);
  // Called after a node was built in this context. May add control inputs.
  virtual Status NodeAdded(Node* node) = 0;

  // Values from outside, as seen from inside.
  const std::unordered_map<Output, Output, OutputHash>& captured() const { return captured_; }
  // For imported contexts: a value that was captured.
  void Restore(Output outside, Output inside) { captured_.emplace(outside, inside); }

 protected:
  Graph& graph_;
  std::string name_;
  FlowContext* outer_;
  std::unordered_map<Output, Output, OutputHash> captured_;
  std::unordered_map<Node*, Node*> captured_controls_;
};

// Makes `context` the flow context of the calling thread for its lifetime.
class FlowScope final {
 public:
  explicit FlowScope(Graph& graph, FlowContext* context);
  ~FlowScope();
  FlowScope(const FlowScope&) = delete;
  FlowScope& operator=(const FlowScope&) = delete;

 private:
  Graph& graph_;
  FlowContext* saved_;
};

// FlowScope without the current control dependencies: for the nodes that implement control flow.
class FlowScopeWithoutControls final {
 public:
  FlowScopeWithoutControls(Graph& graph, FlowContext* context)
      : cleared_(ControlDependencies::Cleared(graph)), flow_(graph, context) {}

 private:
  ControlDependencies cleared_;
  FlowScope flow_;
};

// The context of a node's outputs. An Exit belongs to its loop, but its output is outside.
FlowContext* OutputContext(const Node& node);
bool IsLoopExit(const Node& node);
bool IsSwitch(const Node& node);
// A Switch of a loop variable, as opposed to one that brings a value into a cond branch.
bool IsLoopSwitch(const Node& node);
// An Enter of a loop invariant.
bool IsConstantEnter(const Node& node);
// A function of the library that is used as an op, or the gradient of one.
bool IsFunctionCall(const Node& node);

// Checks that a node of this kind, built in `here` (null: outside of all contexts), may use `input`. Using a value from
// inside a loop outside of that loop is an error.
Status CheckInputContext(const FlowContext* here, NodeKind kind, std::string_view name, Output input);

// Switch and Merge, in their Ref variants for references.
Result<Node*> AddSwitch(Graph& graph, Output data, Output pred, const std::string& name = "");
Result<Node*> AddMerge(Graph& graph, const OutputList& inputs, const std::string& name = "");

}  // namespace weir

#endif  // WEIR_GRAPH_FLOW_CONTEXT_H_
