// FlowContext: the cond branch or while loop that nodes are being built in. Values from outside enter through it
// (Switch or Enter), and nodes without inputs from inside are tied to its pivot, so that they run only when the branch
// or the loop does. Owned by the graph; used only while building. docs/control-flow.md tells what nodes come out.
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
  // The nearest while loop around (or this itself).
  WhileContext* EnclosingWhile();
  // True if `inner` is this context or inside of it.
  bool Contains(const FlowContext* inner) const;
  // A node that runs when the branch or the iteration does; null while the loop is being set up.
  virtual Node* pivot() const = 0;

  // `value` as seen from inside. Called for every input of a node before the node is made in this context.
  virtual Result<Output> Capture(Output value) = 0;
  // A node whose output 0 is the shape of `value`, for contexts that can tell it without the value; null for others.
  virtual Result<Node*> CaptureShape(Output value, DType out_type);
  // What a control input becomes inside: the node itself, or one in the same loop that runs after it.
  Result<Node*> CaptureControl(Node* node);
  // Called after a node was made in this context; may add control inputs.
  virtual Status NodeAdded(Node* node) = 0;

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

// The same without the control dependencies that hold now: for nodes that control flow itself consists of.
class BareFlowScope final {
 public:
  BareFlowScope(Graph& graph, FlowContext* context)
      : cleared_(ControlDependencies::Cleared(graph)), flow_(graph, context) {}

 private:
  ControlDependencies cleared_;
  FlowScope flow_;
};

// The context that a node's outputs are in: an Exit belongs to its loop, but its output is outside.
FlowContext* OutputContext(const Node& node);
bool IsLoopExit(const Node& node);
bool IsSwitch(const Node& node);
// A Switch of a loop variable (and not of a value that enters a branch).
bool IsLoopSwitch(const Node& node);
// An Enter whose value holds for all iterations.
bool IsConstantEnter(const Node& node);

// An error if a node of this kind, built in `here` (null: outside of all contexts), cannot take `input` because that is
// inside of a loop.
Status CheckInputContext(const FlowContext* here, NodeKind kind, std::string_view name, Output input);

// Switch, Merge, Enter and so on, in the form for references where the values are such.
Result<Node*> AddSwitch(Graph& graph, Output data, Output pred, const std::string& name = "");
Result<Node*> AddMerge(Graph& graph, const OutputList& inputs, const std::string& name = "");

}  // namespace weir

#endif  // WEIR_GRAPH_FLOW_CONTEXT_H_
