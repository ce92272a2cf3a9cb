// FlowGradients: autodiff of cond and while_loop. For each forward loop it builds the backward loop and brings forward
// values into it (docs/control-flow.md). Used only by gradients.cc.
#ifndef WEIR_GRAPH_FLOW_GRADIENTS_H_
#define WEIR_GRAPH_FLOW_GRADIENTS_H_

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/graph.h"

namespace weir {

// Whether values of this type have gradients.
inline bool IsTrainable(DType t) {
  t = BaseType(t);
  return IsFloating(t) || IsComplex(t) || t == kResource || t == kVariant;
}

class FlowGradients {
 public:
  // Null if none of the nodes in `between` is a loop exit. Adds all exits of differentiated loops to `between`.
  static Result<std::unique_ptr<FlowGradients>> Make(Graph& graph, std::vector<Node*>* between,
                                                     std::unordered_set<Node*>* between_set);
  virtual ~FlowGradients() = default;

  // Exits of differentiated loops without downstream uses that are ready from the start. Their gradient is zero.
  virtual std::vector<Node*> UnusedExits(const std::unordered_map<Node*, int>& pending,
                                         const std::unordered_set<Node*>& targets) = 0;
  // The flow context for building the gradient of `node`. before = true: for the gradients of its outputs (for an Exit
  // outside of the loop); before = false: for the gradient computation itself.
  virtual FlowContext* ContextFor(Node* node, bool before) = 0;
  // Called when all gradients of a loop exit are known. The exits of one loop are processed together: the call for the
  // last exit returns all of them, earlier calls return none. If any of them has a gradient, the others use
  // ZerosForExit.
  virtual std::vector<Node*> ExitReached(Node* exit) = 0;
  // The gradient of an unused exit of a differentiated loop.
  virtual Result<Output> ZerosForExit(Node* exit) = 0;
  // Closes the backward loops. Call after all gradients were built.
  virtual Status Finish() = 0;
};

// Gradients of Switch, Merge, Enter, Exit, NextIteration, LoopCond and their Ref variants; null for other ops.
using FlowGradientFn = Result<std::vector<Grad>> (*)(Node* node, const std::vector<Grad>& d_outputs);
FlowGradientFn FindFlowGradient(NodeKind kind);

// Zeros like output `index` of `node`, for an output without a gradient. For a Switch into a cond branch they are alive
// only if that output is. In a differentiated loop they belong to the current iteration of the backward loop.
Result<Output> ZerosForOutput(Node* node, int index);

// Converts a gradient to rows, or rows to a dense value with the shape of `like`. Errors are recorded in the graph.
IndexedSlices GradAsRows(const Grad& grad);
Output RowsAsDense(const IndexedSlices& rows, Output like);

}  // namespace weir

#endif  // WEIR_GRAPH_FLOW_GRADIENTS_H_
