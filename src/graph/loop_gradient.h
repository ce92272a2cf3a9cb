// LoopGradient: one differentiated loop: the counter that it gets, the loop that runs backwards, and the stacks that
// bring forward values there. docs/control-flow.md tells how. Lives while gradients are being built.
#ifndef WEIR_GRAPH_LOOP_GRADIENT_H_
#define WEIR_GRAPH_LOOP_GRADIENT_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/while_context.h"

namespace weir {

class LoopGradient final {
 public:
  // outer: the gradient of the loop around `forward`, if that is differentiated, too; else the new loop is built in
  // `base`.
  static Result<std::unique_ptr<LoopGradient>> Make(WhileContext& forward, LoopGradient* outer, FlowContext* base);
  ~LoopGradient();
  LoopGradient(const LoopGradient&) = delete;
  LoopGradient& operator=(const LoopGradient&) = delete;

  WhileContext& forward() const { return forward_; }
  WhileContext& backward() const { return *backward_; }
  LoopGradient* outer() const { return outer_; }

  // True for a value of an iteration of the forward loop: in its body or in a branch there, but not in a loop inside.
  bool IsForward(Output value) const;
  // The value that `value` had in the iteration that the backward loop is at.
  Result<Output> InBackward(Output value);
  // A node whose output 0 is the shape of a forward value; null when taking the value costs nothing.
  Result<Node*> ShapeInBackward(Output value, DType out_type);

  // The sum over all iterations of the gradient of a constant Enter, outside of the backward loop.
  Result<Output> Sum(Node* enter, Output grad);
  Result<IndexedSlices> Collect(Node* enter, const IndexedSlices& grad);

  // The gradient of a loop variable, by its forward Switch.
  std::vector<std::pair<Node*, WhileContext::Variable>> variables;
  // Exits of the forward loop that did not get their gradients yet, those that wait for the others, and those that
  // nothing uses.
  std::vector<Output> exits;
  int pending_exits = 0;
  std::vector<Node*> deferred_exits;
  std::vector<Node*> unused_exits;

 private:
  LoopGradient(WhileContext& forward, LoopGradient* outer, FlowContext* base);
  Status AddForwardCounter();
  Status AddBackwardCounter(FlowContext* base);
  // A stack for `value`, filled by the forward loop and emptied by the backward one; gives what is popped.
  Result<Output> ThroughStack(Output value);
  // The nodes that wait for pushes and pops of which one of two takes place.
  Result<Node*> ForwardSync();
  Result<Node*> BackwardSync();

  Graph& graph_;
  WhileContext& forward_;
  LoopGradient* const outer_;
  FlowContext* stack_context_;
  WhileContext* backward_ = nullptr;
  Output count_;                   // how many iterations there were
  Node* forward_count_ = nullptr;  // this iteration's count, and what hands it on
  Node* forward_next_ = nullptr;
  Node* backward_next_ = nullptr;
  Node* forward_sync_ = nullptr;
  Node* backward_sync_ = nullptr;
  std::unordered_map<Output, Output, OutputHash> history_;
  std::unordered_map<Output, Output, OutputHash> shapes_[2];  // int32, int64
};

// The constant Enter that `value` comes from unchanged (but maybe guarded by Switches); null when there is none.
Node* InvariantEnter(Output value);

// 0 of that type, as a tensor.
Result<Tensor> ZeroScalar(DType dtype);
// Zeros of the shape of `like` and of type `dtype`, which differ for resources: there the variable's shape counts.
Result<Output> ZerosWithShapeOf(Graph& graph, Output like, DType dtype, const std::string& name = "zeros");
// The shape of `value`, or of the variable that it is a handle of.
Output ShapeOrVariableShape(Output value, DType out_type);

}  // namespace weir

#endif  // WEIR_GRAPH_LOOP_GRADIENT_H_
