// WhileContext: a while loop. Outside values enter through a constant Enter. A backward loop, which computes gradients,
// is also a WhileContext; its LoopGradient brings values of the forward loop into it.
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
  // `name` is the loop's frame name.
  WhileContext(Graph& graph, std::string name, FlowContext* outer, Options options);

  const Options& options() const { return options_; }
  WhileContext* AsWhile() override { return this; }
  Node* pivot() const override { return body_pivot_ != nullptr ? body_pivot_ : condition_pivot_; }

  Result<Output> Capture(Output value) override;
  Result<Node*> CaptureShape(Output value, DType out_type) override;
  Status NodeAdded(Node* node) override;

  // --- Building the loop; call in this order ---
  // A loop variable: Enter and Merge. `initial` is a value outside of the loop; `shape` holds in every iteration.
  struct Variable {
    Output enter;
    Output merge;
    Output when_done;  // outputs of the Switch: after the last iteration, and in the body
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
  // From here on, nodes without inputs from the loop run once per iteration and once more for the last condition check.
  void set_condition_pivot(Node* node) { condition_pivot_ = node; }
  // Adds the LoopCond.
  Status SetCondition(Output condition, const std::string& name = "LoopCond");
  Output condition() const { return condition_; }
  Status AddSwitchFor(Variable* variable);
  // From here on, nodes without inputs from the loop run once per iteration.
  void set_body_pivot(Node* node) { body_pivot_ = node; }
  // Sets the value of the next iteration: adds NextIteration and the back edge.
  Result<Output> SetNext(const Variable& variable, Output next);
  Result<Output> AddExit(const Variable& variable, const std::string& name = "Exit");

  // For imported loops: sets all that the functions above build.
  void Restore(Output condition, Node* condition_pivot, Node* body_pivot, std::vector<Output> enters,
               std::vector<Output> exits);
  using FlowContext::Restore;

  Node* condition_pivot() const { return condition_pivot_; }
  Node* body_pivot() const { return body_pivot_; }
  const std::vector<Output>& enters() const { return enters_; }
  const std::vector<Output>& exits() const { return exits_; }

  // --- Gradients ---
  bool runs_backwards() const { return runs_backwards_; }
  // Set in a backward loop while gradients are being built; else null.
  LoopGradient* gradient() const { return gradient_; }
  void set_gradient(LoopGradient* gradient) {
    gradient_ = gradient;
    runs_backwards_ = true;
  }
  void clear_gradient() { gradient_ = nullptr; }
  // Adds an Enter for a value from outside (e.g. the gradient of an Exit). REQUIRES: the flow scope is outside of this
  // loop.
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
