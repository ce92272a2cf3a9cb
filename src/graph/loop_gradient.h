// LoopGradient: the gradient of one loop: an iteration counter in the forward loop, the backward loop, and the stacks
// that carry forward values to it (docs/control-flow.md). Exists only while gradients are being built.
#ifndef WEIR_GRAPH_LOOP_GRADIENT_H_
#define WEIR_GRAPH_LOOP_GRADIENT_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "graph/while_context.h"

namespace weir {

class LoopGradient final {
 public:
  // `outer` is the gradient of the loop around `forward` if that loop is differentiated too. Otherwise it is null, and
  // the backward loop is built in `base`.
  static Result<std::unique_ptr<LoopGradient>> Make(WhileContext& forward, LoopGradient* outer, FlowContext* base);
  ~LoopGradient();
  LoopGradient(const LoopGradient&) = delete;
  LoopGradient& operator=(const LoopGradient&) = delete;

  WhileContext& forward() const { return forward_; }
  WhileContext& backward() const { return *backward_; }
  LoopGradient* outer() const { return outer_; }

  // True for a value of an iteration of the forward loop: in its body or in a cond branch there, but not in a nested
  // loop.
  bool IsForward(Output value) const;
  // The value that `value` had in the forward iteration that the backward loop is processing.
  Result<Output> InBackward(Output value);
  // A node whose output 0 is the shape of a forward value. Null if the value itself is available at no cost.
  Result<Node*> ShapeInBackward(Output value, DType out_type);

  // The gradient of a constant Enter summed over all iterations, available outside of the backward loop.
  Result<Output> Sum(Node* enter, Output grad);
  Result<IndexedSlices> Collect(Node* enter, const IndexedSlices& grad);

  // Backward loop variables, by the forward Switch of the variable that they are the gradient of.
  std::vector<std::pair<Node*, WhileContext::Variable>> variables;
  // All exits of the forward loop; the number of exits without gradients so far; the exits whose gradients are known,
  // which wait for the others; the unused exits.
  std::vector<Output> exits;
  int pending_exits = 0;
  std::vector<Node*> deferred_exits;
  std::vector<Node*> unused_exits;

 private:
  LoopGradient(WhileContext& forward, LoopGradient* outer, FlowContext* base);
  Status AddForwardCounter();
  Status AddBackwardCounter(FlowContext* base);
  // Pushes `value` on a stack in the forward loop and pops it in the backward loop. Returns the popped value.
  Result<Output> ThroughStack(Output value);
  // ControlTriggers that delay the next iteration until the pushes (pops) inside cond branches are done. The pushes
  // (pops) of a branch that does not run are dead, which a ControlTrigger accepts.
  Result<Node*> ForwardSync();
  Result<Node*> BackwardSync();

  Graph& graph_;
  WhileContext& forward_;
  LoopGradient* const outer_;
  FlowContext* stack_context_;
  WhileContext* backward_ = nullptr;
  Output count_;                   // number of forward iterations
  Node* forward_count_ = nullptr;  // counter of the current iteration and its NextIteration
  Node* forward_next_ = nullptr;
  Node* backward_next_ = nullptr;
  Node* forward_sync_ = nullptr;
  Node* backward_sync_ = nullptr;
  std::unordered_map<Output, Output, OutputHash> history_;
  std::unordered_map<Output, Output, OutputHash> shapes_[2];  // int32, int64
};

// The constant Enter that `value` comes from unchanged (possibly through Switches); null if there is none.
Node* InvariantEnter(Output value);

// A scalar zero.
Result<Tensor> ZeroScalar(DType dtype);
// Zeros with the shape of `like` and type `dtype`. If `like` is a resource handle, the shape of its variable is used.
Result<Output> ZerosWithShapeOf(Graph& graph, Output like, DType dtype, const std::string& name = "zeros");
// The shape of `value`, or of the variable if `value` is a resource handle.
Output ShapeOrVariableShape(Output value, DType out_type);

}  // namespace weir

#endif  // WEIR_GRAPH_LOOP_GRADIENT_H_
