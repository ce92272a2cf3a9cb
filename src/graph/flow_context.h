// FlowContext: the cond branch or while loop that nodes are being built in. Values from outside enter through it (Switch or
// Enter), and nodes without inputs from inside are tied to its pivot, so that they run only when the branch or the loop does.
// Owned by the graph; used only while building.
#ifndef WEIR_GRAPH_FLOW_CONTEXT_H_
#define WEIR_GRAPH_FLOW_CONTEXT_H_

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace weir {

class CondContext;
class WhileContext;

class FlowContext {
 public:
  FlowContext(Graph& graph, std::string name, FlowContext* outer) : graph_(graph), name_(std::move(name)), outer_(outer) {}
  virtual ~FlowContext() = default;

  Graph& graph() const { return graph_; }
  const std::string& name() const { return name_; }
  FlowContext* outer() const { return outer_; }
  virtual CondContext* AsCond() { return nullptr; }
  virtual WhileContext* AsWhile() { return nullptr; }
  // The nearest while loop around (or this itself).
  WhileContext* EnclosingWhile();
  // True if `inner` is this context or inside of it.
  bool Contains(const FlowContext* inner) const;

  // `value` as seen from inside. Called for every input of a node before the node is made in this context.
  virtual Result<Output> Capture(Output value) = 0;
  // Called after a node was made in this context; may add control inputs.
  virtual Status NodeAdded(Node* node) = 0;
  // What a control input from outside becomes inside (null: none needed).
  virtual Node* CaptureControl(Node* node) { return node; }

 protected:
  Graph& graph_;
  std::string name_;
  FlowContext* outer_;
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

}  // namespace weir

#endif  // WEIR_GRAPH_FLOW_CONTEXT_H_
