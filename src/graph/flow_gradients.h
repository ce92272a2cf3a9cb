// FlowGradients: what autodiff must know about cond and while_loop. For each forward loop it builds the loop that runs
// backwards and brings forward values into it (see docs/control-flow.md). Used by gradients.cc alone.
#ifndef WEIR_GRAPH_FLOW_GRADIENTS_H_
#define WEIR_GRAPH_FLOW_GRADIENTS_H_

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"

namespace weir {

class FlowGradients {
 public:
  // Null when none of the nodes to differentiate is a loop exit.
  static std::unique_ptr<FlowGradients> Make(Graph& graph, const std::vector<Node*>& between,
                                             const std::unordered_set<Node*>& between_set);
  virtual ~FlowGradients() = default;

  // Exits of differentiated loops that nothing downstream uses and that are ready at once.
  virtual Result<std::vector<Node*>> UnusedExits(const std::unordered_map<Node*, int>& pending,
                                                 const std::unordered_set<Node*>& targets) = 0;
  // The flow context to build the gradient of `node` in. before: for what flows into its outputs (an Exit's gradient
  // arrives outside of the loop), otherwise for the gradient itself.
  virtual FlowContext* ContextFor(Node* node, bool before) = 0;
  // Zeros for an output of a node inside a loop that no gradient reaches.
  virtual Result<Output> Zeros(Node* node, int index) = 0;
  // True when a switch may be processed although gradients of later iterations are still to come.
  virtual bool IsLoopSwitch(Node* node) const = 0;
  // Called when all gradients of a loop exit have arrived. Exits of one loop are processed together: returns those that
  // are now ready (empty while others are missing). has_grad tells whether any gradient has reached an exit.
  virtual std::vector<Node*> ExitReached(Node* exit, FunctionRef<bool(Node*)> has_grad) = 0;
  // The value that stands in for the gradient of an exit that is part of a differentiated loop but unused.
  virtual Result<Output> ZerosForExit(Node* exit) = 0;
  // Closes the loops: after all gradients were built.
  virtual Status Finish() = 0;
};

// Gradients of Switch, Merge, Enter, Exit, NextIteration, LoopCond and their Ref forms; null for other ops.
using FlowGradientFn = Result<std::vector<Grad>> (*)(Node* node, const std::vector<Grad>& d_outputs);
FlowGradientFn FindFlowGradient(std::string_view op);

// Zeros like output `index` of a node that is not inside a differentiated loop; of a Switch only in the taken branch.
Result<Output> ZerosOutsideLoop(Node* node, int index);

}  // namespace weir

#endif  // WEIR_GRAPH_FLOW_GRADIENTS_H_
