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

// Whether gradients flow through values of the type.
inline bool IsTrainable(DType t) {
  t = BaseType(t);
  return IsFloating(t) || IsComplex(t) || t == kResource || t == kVariant;
}

class FlowGradients {
 public:
  // Null when none of the nodes to differentiate is a loop exit. All exits of a differentiated loop join `between`.
  static Result<std::unique_ptr<FlowGradients>> Make(Graph& graph, std::vector<Node*>* between,
                                                     std::unordered_set<Node*>* between_set);
  virtual ~FlowGradients() = default;

  // Exits of differentiated loops that nothing downstream uses and that are ready at once: their gradient is zero.
  virtual std::vector<Node*> UnusedExits(const std::unordered_map<Node*, int>& pending,
                                         const std::unordered_set<Node*>& targets) = 0;
  // The flow context to build the gradient of `node` in. before: for what flows into its outputs (an Exit's gradient
  // arrives outside of the loop), otherwise for the gradient itself.
  virtual FlowContext* ContextFor(Node* node, bool before) = 0;
  // Called when all gradients of a loop exit have arrived. Exits of one loop are processed together: returns those that
  // are now ready (empty while others are missing). If one of them has a gradient, the others take ZerosForExit.
  virtual std::vector<Node*> ExitReached(Node* exit) = 0;
  // The value that stands in for the gradient of an exit that is part of a differentiated loop but unused.
  virtual Result<Output> ZerosForExit(Node* exit) = 0;
  // Closes the loops: after all gradients were built.
  virtual Status Finish() = 0;
};

// Gradients of Switch, Merge, Enter, Exit, NextIteration, LoopCond and their Ref forms; null for other ops.
using FlowGradientFn = Result<std::vector<Grad>> (*)(Node* node, const std::vector<Grad>& d_outputs);
FlowGradientFn FindFlowGradient(NodeKind kind);

// Zeros like output `index` of a node, for where no gradient reaches it; of a Switch that leads into a branch only when
// that output is alive. Inside of a differentiated loop: in the current iteration of the loop that runs backwards.
Result<Output> ZerosForOutput(Node* node, int index);

// A gradient as rows or as a dense value of the shape of `like`. The errors of building stay with the graph.
IndexedSlices GradAsRows(const Grad& grad);
Output RowsAsDense(const IndexedSlices& rows, Output like);

}  // namespace weir

#endif  // WEIR_GRAPH_FLOW_GRADIENTS_H_
