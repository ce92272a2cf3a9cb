#include "graph/flow_context.h"

#include <algorithm>

#include "graph/cond_context.h"
#include "graph/node_builder.h"
#include "graph/while_context.h"

namespace weir {

FlowScope::FlowScope(Graph& graph, FlowContext* context) : graph_(graph), saved_(graph.build().flow) {
  graph.build().flow = context;
}
FlowScope::~FlowScope() { graph_.build().flow = saved_; }

WhileContext* FlowContext::EnclosingWhile() {
  for (FlowContext* c = this; c != nullptr; c = c->outer())
    if (WhileContext* loop = c->AsWhile()) return loop;
  return nullptr;
}

bool FlowContext::Contains(const FlowContext* inner) const {
  for (const FlowContext* c = inner; c != nullptr; c = c->outer())
    if (c == this) return true;
  return false;
}

Result<Node*> FlowContext::CaptureShape(Output, DType) { return nullptr; }

Result<Node*> FlowContext::CaptureControl(Node* node) {
  WhileContext* loop = EnclosingWhile();
  if (loop == nullptr) return node;
  FlowContext* at = OutputContext(*node);
  if (at != nullptr && at->EnclosingWhile() == loop) return node;
  if (auto it = captured_controls_.find(node); it != captured_controls_.end()) return it->second;
  // Only values can enter a loop, so a constant with a control edge from the node represents it.
  Output signal;
  {
    FlowScopeWithoutControls scope(graph_, at);
    WEIR_ASSIGN(Node * made, NodeBuilder(graph_, "Const", "control_signal")
                                 .Attr("dtype", kBool)
                                 .Attr("value", Tensor::Scalar(true))
                                 .ControlInput(node)
                                 .Build());
    signal = Output(made, 0);
  }
  FlowScopeWithoutControls scope(graph_, this);
  WEIR_ASSIGN(Node * inside, NodeBuilder(graph_, "Identity", "control_signal").In(signal).Build());
  captured_controls_.emplace(node, inside);
  return inside;
}

FlowContext* OutputContext(const Node& node) {
  FlowContext* context = node.flow_context();
  return context != nullptr && IsLoopExit(node) ? context->outer() : context;
}

bool IsLoopExit(const Node& node) { return node.op().traits.kind == NodeKind::kExit; }
bool IsSwitch(const Node& node) { return node.op().traits.kind == NodeKind::kSwitch; }

bool IsLoopSwitch(const Node& node) {
  FlowContext* context = node.flow_context();
  return IsSwitch(node) && context != nullptr && context->AsWhile() != nullptr;
}

bool IsConstantEnter(const Node& node) {
  return node.op().traits.kind == NodeKind::kEnter && node.Attr<bool>("is_constant").value_or(false);
}

bool IsFunctionCall(const Node& node) { return node.op().is_function || node.op().traits.calls_gradient_of_f; }

Status CheckInputContext(const FlowContext* here, NodeKind kind, std::string_view name, Output input) {
  FlowContext* at = OutputContext(*input.node);
  if (at == nullptr) return OkStatus();
  const WhileContext* loop = at->EnclosingWhile();
  if (loop == nullptr || loop->Contains(here)) return OkStatus();
  // Enter and Switch bring a value into another context, which checks it (Capture).
  if (kind == NodeKind::kEnter || kind == NodeKind::kSwitch) return OkStatus();
  return InvalidArgument("Cannot use '{}' as input to '{}' because '{}' is in a while loop.", input.node->name(), name,
                         input.node->name());
}

namespace {
// Colocates the node with its data: a value that is not forwarded should not cross devices.
Result<Node*> AddColocatedWithData(Graph& graph, const char* plain, const char* ref, bool is_ref, Output data,
                                   const InputList& inputs, bool as_list, const std::string& name) {
  ColocationScope colocation(graph, data.node, /*ignore_existing=*/true);
  NodeBuilder builder(graph, is_ref ? ref : plain, name.empty() ? std::string(plain) : name);
  if (as_list) {
    builder.In(inputs);
  } else {
    for (const Input& input : inputs) builder.In(input);
  }
  return builder.Build();
}
}  // namespace

Result<Node*> AddSwitch(Graph& graph, Output data, Output pred, const std::string& name) {
  return AddColocatedWithData(graph, "Switch", "RefSwitch", IsRef(data.dtype()), data, {data, pred}, false, name);
}

Result<Node*> AddMerge(Graph& graph, const OutputList& inputs, const std::string& name) {
  const bool is_ref = std::all_of(inputs.begin(), inputs.end(), [](const Output& o) { return IsRef(o.dtype()); });
  NodeBuilder builder(graph, is_ref ? "RefMerge" : "Merge", name.empty() ? "Merge" : name);
  return builder.In(inputs).Build();
}

}  // namespace weir
