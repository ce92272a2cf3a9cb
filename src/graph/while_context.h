// WhileContext: a while loop. What it uses from outside comes through a constant Enter. The loops that run backwards
// for gradients are WhileContexts, too: they have a LoopGradient, which brings values of the forward loop into them.
#ifndef WEIR_GRAPH_WHILE_CONTEXT_H_
#define WEIR_GRAPH_WHILE_CONTEXT_H_

#include "graph/flow_context.h"

namespace weir {

class LoopGradient;

class WhileContext final : public FlowContext {
 public:
  struct Options {
    int parallel_iterations = 10;
    bool back_prop = true;
    bool swap_memory = false;
  };
  // The name is the loop's frame name.
  WhileContext(Graph& graph, std::string name, FlowContext* outer, Options options);

  const Options& options() const { return options_; }
  WhileContext* AsWhile() override { return this; }
  Node* pivot() const override { return body_pivot_ != nullptr ? body_pivot_ : condition_pivot_; }

  Result<Output> Capture(Output value) override;
  Result<Node*> CaptureShape(Output value, DType out_type) override;
  Status NodeAdded(Node* node) override;

  // --- laying out the loop, in this order ---
  // A loop variable: Enter and Merge. `initial` is a value outside of the loop, `shape` what holds in every iteration.
  struct Variable {
    Output enter;
    Output merge;
    Output when_done;  // what the Switch gives when the loop has ended, and while it goes on
    Output in_body;
  };
  struct Names {
    std::string enter = "Enter";
    std::string merge = "Merge";
    std::string exit = "Exit";
  };
  Result<Variable> AddVariable(Output initial, const PartialShape& shape, const Names& names);
  Result<Variable> AddVariable(Output initial, const PartialShape& shape) {
    return AddVariable(initial, shape, Names());
  }
  // Nodes without inputs of the loop that are built from now on run once per iteration, and once more at the end.
  void set_condition_pivot(Node* node) { condition_pivot_ = node; }
  // The condition: LoopCond.
  Status SetCondition(Output condition, const std::string& name = "LoopCond");
  Output condition() const { return condition_; }
  Status AddSwitchFor(Variable* variable);
  // From now on such nodes run once per iteration.
  void set_body_pivot(Node* node) { body_pivot_ = node; }
  // The value for the next iteration: NextIteration and the back edge.
  Result<Output> SetNext(const Variable& variable, Output next);
  Result<Output> AddExit(const Variable& variable, const std::string& name = "Exit");

  const std::vector<Output>& enters() const { return enters_; }
  const std::vector<Output>& exits() const { return exits_; }

  // --- gradients ---
  bool runs_backwards() const { return runs_backwards_; }
  // What this loop is the gradient of, while the gradients are being built; else null.
  LoopGradient* gradient() const { return gradient_; }
  void set_gradient(LoopGradient* gradient) {
    gradient_ = gradient;
    runs_backwards_ = true;
  }
  void forget_gradient() { gradient_ = nullptr; }
  // An Enter into this loop that was built elsewhere (the gradient of an Exit).
  Result<Output> AddEnter(Output outside, bool is_constant, const std::string& name);
  Result<Output> AddExitOf(Output inside, const std::string& name);

 private:
  const Options options_;
  Node* condition_pivot_ = nullptr;
  Node* body_pivot_ = nullptr;
  Output condition_;
  std::vector<Output> enters_;
  std::vector<Output> exits_;
  LoopGradient* gradient_ = nullptr;
  bool runs_backwards_ = false;
};

}  // namespace weir

#endif  // WEIR_GRAPH_WHILE_CONTEXT_H_
