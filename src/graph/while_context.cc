#include "graph/while_context.h"

#include <algorithm>

#include "graph/loop_gradient.h"
#include "graph/node_builder.h"

namespace weir {

WhileContext::WhileContext(Graph& graph, std::string name, FlowContext* outer, Options options)
    : FlowContext(graph, std::move(name), outer), options_(options) {}

Result<Output> WhileContext::Capture(Output value) {
  if (Contains(OutputContext(*value.node))) return value;
  if (auto it = captured_.find(value); it != captured_.end()) return it->second;
  if (gradient_ != nullptr && gradient_->IsForward(value)) {
    WEIR_ASSIGN(Output popped, gradient_->InBackward(value));
    captured_.emplace(value, popped);
    return popped;
  }
  Output outside = value;
  if (outer_ != nullptr) {
    WEIR_ASSIGN(outside, outer_->Capture(value));
  }
  FlowScopeWithoutControls scope(graph_, nullptr);
  WEIR_ASSIGN(Output inside, AddEnter(outside, /*is_constant=*/true, "Enter"));
  captured_.emplace(value, inside);
  captured_.emplace(outside, inside);
  return inside;
}

Result<Node*> WhileContext::CaptureShape(Output value, DType out_type) {
  if (gradient_ == nullptr || !gradient_->IsForward(value)) return nullptr;
  return gradient_->ShapeInBackward(value, out_type);
}

// A node whose inputs are all loop invariants would not run once per iteration without a control edge.
Status WhileContext::NodeAdded(Node* node) {
  if (pivot() == nullptr || !node->control_inputs().empty()) return OkStatus();
  const auto& inputs = node->inputs();
  if (IsFunctionCall(*node) ||
      std::all_of(inputs.begin(), inputs.end(), [](const Output& in) { return IsConstantEnter(*in.node); }))
    graph_.AddControlInput(node, pivot());
  return OkStatus();
}

Result<Output> WhileContext::AddEnter(Output outside, bool is_constant, const std::string& name) {
  WEIR_ASSIGN(Node * node, NodeBuilder(graph_, IsRef(outside.dtype()) ? "RefEnter" : "Enter", name)
                               .In(outside)
                               .Attr("frame_name", name_)
                               .Attr("is_constant", is_constant)
                               .Attr("parallel_iterations", options_.parallel_iterations)
                               .Build());
  graph_.SetFlowContext(node, this);
  if (!is_constant) enters_.push_back(Output(node, 0));
  return Output(node, 0);
}

Result<Output> WhileContext::AddExitOf(Output inside, const std::string& name) {
  FlowScope scope(graph_, this);
  WEIR_ASSIGN(Node * node, NodeBuilder(graph_, IsRef(inside.dtype()) ? "RefExit" : "Exit", name).In(inside).Build());
  exits_.push_back(Output(node, 0));
  return Output(node, 0);
}

Result<WhileContext::Variable> WhileContext::AddVariable(Output initial, const PartialShape& shape,
                                                         const Names& names) {
  Variable variable;
  {
    FlowScope scope(graph_, outer_);
    WEIR_ASSIGN(variable.enter, AddEnter(initial, /*is_constant=*/false, names.enter));
    WEIR_TRY(graph_.SetShape(variable.enter, shape));
  }
  FlowScope scope(graph_, this);
  // SetNext replaces the second input with the back edge.
  WEIR_ASSIGN(Node * merge, AddMerge(graph_, {variable.enter, variable.enter}, names.merge));
  variable.merge = Output(merge, 0);
  return variable;
}

Status WhileContext::SetCondition(Output condition, const std::string& name) {
  FlowScope scope(graph_, this);
  WEIR_ASSIGN(Node * node, NodeBuilder(graph_, "LoopCond", name).In(condition).Build());
  condition_ = Output(node, 0);
  return OkStatus();
}

Status WhileContext::AddSwitchFor(Variable* variable) {
  FlowScope scope(graph_, this);
  WEIR_ASSIGN(Node * node, AddSwitch(graph_, variable->merge, condition_));
  variable->when_done = Output(node, 0);
  variable->in_body = Output(node, 1);
  return OkStatus();
}

Result<Output> WhileContext::SetNext(const Variable& variable, Output next) {
  FlowScope scope(graph_, this);
  const bool is_ref = IsRef(variable.merge.dtype());
  WEIR_ASSIGN(Node * node,
              NodeBuilder(graph_, is_ref ? "RefNextIteration" : "NextIteration", "NextIteration").In(next).Build());
  WEIR_TRY(graph_.UpdateInput(variable.merge.node, 1, Output(node, 0)));
  return Output(node, 0);
}

void WhileContext::Restore(Output condition, Node* condition_pivot, Node* body_pivot, std::vector<Output> enters,
                           std::vector<Output> exits) {
  condition_ = condition;
  condition_pivot_ = condition_pivot;
  body_pivot_ = body_pivot;
  enters_ = std::move(enters);
  exits_ = std::move(exits);
}

Result<Output> WhileContext::AddExit(const Variable& variable, const std::string& name) {
  return AddExitOf(variable.when_done, name);
}

}  // namespace weir
