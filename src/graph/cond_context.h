// CondContext: one branch of a cond. Outside values enter through a Switch on the predicate, so the branch is dead when
// it is not taken.
#ifndef WEIR_GRAPH_COND_CONTEXT_H_
#define WEIR_GRAPH_COND_CONTEXT_H_

#include "graph/flow_context.h"

namespace weir {

class CondContext final : public FlowContext {
 public:
  // `branch` is 1 for the nodes that run when `pred` is true, else 0. Moves the pivot into this context.
  CondContext(Graph& graph, std::string name, FlowContext* outer, Output pred, Output pivot, int branch);

  Output pred() const { return pred_; }
  int branch() const { return branch_; }
  Output pivot_value() const { return pivot_; }
  CondContext* AsCond() override { return this; }
  Node* pivot() const override { return pivot_.node; }

  Result<Output> Capture(Output value) override;
  Status NodeAdded(Node* node) override;

 private:
  const Output pred_;
  const Output pivot_;
  const int branch_;
};

}  // namespace weir

#endif  // WEIR_GRAPH_COND_CONTEXT_H_
