#include "graph/cond_context.h"

#include <algorithm>

namespace weir {

CondContext::CondContext(Graph& graph, std::string name, FlowContext* outer, Output pred, Output pivot, int branch)
    : FlowContext(graph, std::move(name), outer), pred_(pred), pivot_(pivot), branch_(branch) {
  graph.SetFlowContext(pivot.node, this);
}

Result<Output> CondContext::Capture(Output value) {
  if (value == pred_ || Contains(OutputContext(*value.node))) return value;
  if (auto it = captured_.find(value); it != captured_.end()) return it->second;
  Output outside = value;
  if (outer_ != nullptr) {
    WEIR_ASSIGN(outside, outer_->Capture(value));
  }
  FlowScopeWithoutControls scope(graph_, nullptr);
  WEIR_ASSIGN(Node * node, AddSwitch(graph_, outside, pred_));
  graph_.SetFlowContext(node, this);
  const Output inside(node, branch_);
  captured_.emplace(value, inside);
  captured_.emplace(outside, inside);
  return inside;
}

Status CondContext::NodeAdded(Node* node) {
  if (node->num_inputs() > 0 && !IsFunctionCall(*node)) return OkStatus();
  const auto& controls = node->control_inputs();
  const bool tied = node->num_inputs() == 0 && std::any_of(controls.begin(), controls.end(), [this](Node* control) {
                      return Contains(OutputContext(*control));
                    });
  if (!tied) graph_.AddControlInput(node, pivot_.node);
  return OkStatus();
}

}  // namespace weir
