#include "graph/loop_gradient.h"

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/state_ops.h"
#include "graph/cond_context.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

// Returns the error that a building function recorded in the graph, if any.
Result<Output> Checked(Graph& graph, Output value) {
  WEIR_TRY(graph.TakeError());
  if (!value.valid()) return Internal("internal error: a gradient node could not be built");
  return value;
}

// The innermost cond branch that contains `context`, inside `loop`.
CondContext* BranchBelow(const WhileContext& loop, FlowContext* context) {
  for (FlowContext* c = context; c != nullptr && c != &loop; c = c->outer())
    if (CondContext* cond = c->AsCond()) return cond;
  return nullptr;
}

bool IsConstant(const Node& node) { return node.op().traits.kind == NodeKind::kConst; }

PartialShape KnownShape(Output value, Output grad) {
  if (value.base_dtype() == kResource) return grad.shape();
  Result<PartialShape> merged = value.shape().Merge(grad.shape());
  return merged.ok() ? *std::move(merged) : grad.shape();
}

}  // namespace

Node* InvariantEnter(Output value) {
  Node* node = value.node;
  while (IsSwitch(*node) || IsAlias(node->op().traits)) node = node->input(0).node;
  return IsConstantEnter(*node) && node->flow_context() != nullptr ? node : nullptr;
}

Result<Tensor> ZeroScalar(DType dtype) { return Tensor::Zeros(dtype, Shape()); }

Output ShapeOrVariableShape(Output value, DType out_type) {
  return value.base_dtype() == kResource ? VariableShape(value, {.out_type = out_type})
                                         : ShapeOf(value, {.out_type = out_type});
}

Result<Output> ZerosWithShapeOf(Graph& graph, Output like, DType dtype, const std::string& name) {
  WEIR_ASSIGN(const Tensor zero, ZeroScalar(dtype));
  return Checked(graph, Fill(graph, ShapeOrVariableShape(like, kInt32), zero, {.name = name}));
}

LoopGradient::LoopGradient(WhileContext& forward, LoopGradient* outer, FlowContext* base)
    : graph_(forward.graph()), forward_(forward), outer_(outer) {
  if (outer != nullptr) {
    stack_context_ = outer->stack_context_;
  } else {
    stack_context_ = forward.outer() == nullptr ? nullptr : forward.outer()->EnclosingWhile();
  }
}

LoopGradient::~LoopGradient() {
  if (backward_ != nullptr) backward_->clear_gradient();
}

Result<std::unique_ptr<LoopGradient>> LoopGradient::Make(WhileContext& forward, LoopGradient* outer,
                                                         FlowContext* base) {
  std::unique_ptr<LoopGradient> made(new LoopGradient(forward, outer, base));
  made->exits = forward.exits();
  made->pending_exits = static_cast<int>(made->exits.size());
  WEIR_TRY(made->AddForwardCounter());
  WEIR_TRY(made->AddBackwardCounter(base));
  return made;
}

Status LoopGradient::AddForwardCounter() {
  FlowScopeWithoutControls scope(graph_, forward_.outer());
  NodeBuilder zero(graph_, "Const", "f_count");
  zero.Attr("dtype", kInt32).Attr("value", Tensor::Scalar(int32_t{0}));
  // Executions of an inner loop share its stacks, so they must not overlap.
  if (outer_ != nullptr) zero.ControlInput(outer_->forward_count_);
  WEIR_ASSIGN(Node * start, zero.Build());
  WEIR_ASSIGN(WhileContext::Variable counter,
              forward_.AddVariable(Output(start, 0), PartialShape::Scalar(), {.enter = "f_count"}));
  WEIR_TRY(forward_.AddSwitchFor(&counter));
  {
    FlowScope inside(graph_, &forward_);
    WEIR_ASSIGN(Output count,
                Checked(graph_, AddV2(graph_, counter.in_body, Tensor::Scalar(int32_t{1}), {.name = "Add"})));
    forward_count_ = count.node;
  }
  WEIR_ASSIGN(Output next, forward_.SetNext(counter, Output(forward_count_, 0)));
  forward_next_ = next.node;
  WEIR_ASSIGN(count_, forward_.AddExit(counter, "f_count"));
  return OkStatus();
}

Status LoopGradient::AddBackwardCounter(FlowContext* base) {
  FlowContext* around = outer_ == nullptr ? base : outer_->backward_;
  Output count = count_;
  if (outer_ != nullptr) {
    WEIR_ASSIGN(count, outer_->InBackward(count_));
  }
  auto owned = std::make_unique<WhileContext>(graph_, graph_.UniqueName(forward_.name()), around, forward_.options());
  backward_ = owned.get();
  backward_->set_gradient(this);
  graph_.AddFlowContext(std::move(owned));

  FlowScopeWithoutControls scope(graph_, around);
  WEIR_ASSIGN(Output one, Checked(graph_, Constant(graph_, Tensor::Scalar(int32_t{1}), "b_count")));
  WEIR_ASSIGN(WhileContext::Variable counter,
              backward_->AddVariable(count, PartialShape::Scalar(), {.enter = "b_count"}));
  backward_->set_condition_pivot(counter.merge.node);
  {
    FlowScope inside(graph_, backward_);
    WEIR_ASSIGN(Output more, Checked(graph_, GreaterEqual(counter.merge, one)));
    WEIR_TRY(backward_->SetCondition(more, "b_count"));
  }
  WEIR_TRY(backward_->AddSwitchFor(&counter));
  {
    FlowScope inside(graph_, backward_);
    WEIR_ASSIGN(Output index, Checked(graph_, Sub(counter.in_body, one)));
    backward_->set_body_pivot(index.node);
    WEIR_ASSIGN(Output next, backward_->SetNext(counter, index));
    backward_next_ = next.node;
  }
  WEIR_ASSIGN(Output done, backward_->AddExit(counter, "b_count"));
  if (outer_ != nullptr) {
    WEIR_ASSIGN(Node * sync, outer_->BackwardSync());
    graph_.AddControlInput(sync, done.node);
  }
  return OkStatus();
}

Result<Node*> LoopGradient::ForwardSync() {
  if (forward_sync_ == nullptr) {
    FlowScopeWithoutControls scope(graph_, &forward_);
    WEIR_ASSIGN(forward_sync_, NodeBuilder(graph_, "ControlTrigger", "f_sync").Build());
    graph_.AddControlInput(forward_next_, forward_sync_);
  }
  return forward_sync_;
}

Result<Node*> LoopGradient::BackwardSync() {
  if (backward_sync_ == nullptr) {
    FlowScopeWithoutControls scope(graph_, backward_);
    WEIR_ASSIGN(backward_sync_, NodeBuilder(graph_, "ControlTrigger", "b_sync").Build());
    graph_.AddControlInput(backward_next_, backward_sync_);
  }
  return backward_sync_;
}

bool LoopGradient::IsForward(Output value) const {
  FlowContext* context = OutputContext(*value.node);
  return context != nullptr && context->EnclosingWhile() == &forward_;
}

Result<Output> LoopGradient::InBackward(Output value) {
  if (auto it = history_.find(value); it != history_.end()) return it->second;
  Output at = value;
  LoopGradient* loop = this;
  Output result;
  while (!result.valid()) {
    if (Node* enter = InvariantEnter(at)) {
      // A loop invariant: use the value outside of the loop.
      at = enter->input(0);
      loop = loop->outer_;
      if (loop == nullptr) {
        WEIR_ASSIGN(result, backward_->Capture(at));
      } else if (!loop->IsForward(at)) {
        WEIR_ASSIGN(result, loop->backward_->Capture(at));
        WEIR_ASSIGN(result, backward_->Capture(result));
      }
    } else if (IsConstant(*at.node)) {
      FlowScopeWithoutControls scope(graph_, backward_);
      WEIR_ASSIGN(
          Node * copy,
          NodeBuilder(graph_, "Const").Attr("dtype", at.dtype()).Attr("value", *at.node->FindAttr("value")).Build());
      result = copy->output(0);
    } else {
      WEIR_ASSIGN(result, loop->ThroughStack(at));
      if (loop != this) {
        WEIR_ASSIGN(result, backward_->Capture(result));
      }
    }
  }
  history_.emplace(value, result);
  return result;
}

Result<Output> LoopGradient::ThroughStack(Output value) {
  if (auto it = history_.find(value); it != history_.end()) return it->second;
  const DType dtype = value.base_dtype();
  FlowContext* context = OutputContext(*value.node);
  Output stack;
  {
    FlowScopeWithoutControls scope(graph_, stack_context_);
    ColocationScope colocation(graph_, value.node);
    WEIR_ASSIGN(stack, Checked(graph_, StackV2(graph_, Constant(graph_, Tensor::Scalar(int32_t{-1})), dtype,
                                               {.name = "f_acc"})));
  }
  {
    FlowScopeWithoutControls scope(graph_, context);
    ColocationScope colocation(graph_, stack.node);
    WEIR_ASSIGN(Node * push, NodeBuilder(graph_, "StackPushV2")
                                 .In(stack)
                                 .In(value)
                                 .Attr("swap_memory", forward_.options().swap_memory)
                                 .ControlInput(forward_count_)
                                 .Build());
    if (context == &forward_) {
      graph_.AddControlInput(forward_next_, push);
    } else {
      WEIR_ASSIGN(Node * sync, ForwardSync());
      graph_.AddControlInput(sync, push);
    }
  }
  Output handle = stack;
  if (CondContext* branch = BranchBelow(forward_, context)) {
    WEIR_ASSIGN(Output pred, InBackward(branch->pred()));
    FlowScopeWithoutControls scope(graph_, backward_);
    WEIR_ASSIGN(Node * guard, AddSwitch(graph_, stack, pred));
    handle = Output(guard, branch->branch());
  }
  FlowScopeWithoutControls scope(graph_, backward_);
  ColocationScope colocation(graph_, stack.node);
  WEIR_ASSIGN(Output popped, Checked(graph_, StackPopV2(handle, dtype)));
  WEIR_TRY(graph_.SetShape(popped, value.shape()));
  WEIR_ASSIGN(Node * sync, BackwardSync());
  graph_.AddControlInput(sync, popped.node);
  history_.emplace(value, popped);
  return popped;
}

Result<Node*> LoopGradient::ShapeInBackward(Output value, DType out_type) {
  if (InvariantEnter(value) != nullptr || IsConstant(*value.node) || value.base_dtype() == kResource) return nullptr;
  auto& known = shapes_[out_type == kInt64 ? 1 : 0];
  if (auto it = known.find(value); it != known.end()) return it->second.node;
  Output shape;
  const PartialShape known_shape = value.shape();
  if (known_shape.fully_defined()) {
    const DimVector& dims = known_shape.dims();
    Tensor constant;
    if (out_type == kInt64) {
      constant = Tensor::Vector<int64_t>(absl::MakeConstSpan(dims.data(), dims.size()));
    } else {
      const std::vector<int32_t> narrow(dims.begin(), dims.end());
      constant = Tensor::Vector<int32_t>(absl::MakeConstSpan(narrow));
    }
    FlowScopeWithoutControls scope(graph_, backward_);
    WEIR_ASSIGN(shape, Checked(graph_, Constant(graph_, constant, "Shape")));
  } else {
    Output forward_shape;
    {
      FlowScopeWithoutControls scope(graph_, OutputContext(*value.node));
      WEIR_ASSIGN(forward_shape, Checked(graph_, ShapeOf(value, {.out_type = out_type})));
    }
    WEIR_ASSIGN(shape, InBackward(forward_shape));
  }
  known.emplace(value, shape);
  return shape.node;
}

Result<Output> LoopGradient::Sum(Node* enter, Output grad) {
  const Output value = enter->input(0);
  const PartialShape shape = KnownShape(value, grad);
  Output zeros;
  {
    FlowScopeWithoutControls scope(graph_, backward_->outer());
    if (shape.fully_defined()) {
      WEIR_ASSIGN(const Tensor zero, ZeroScalar(grad.base_dtype()));
      const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
      WEIR_ASSIGN(zeros, Checked(graph_, Fill(graph_, Input(dims), zero, {.name = "b_acc"})));
    } else {
      WEIR_ASSIGN(zeros, ZerosWithShapeOf(graph_, value, grad.base_dtype(), "b_acc"));
    }
  }
  FlowScopeWithoutControls scope(graph_, backward_);
  WEIR_ASSIGN(WhileContext::Variable sum, backward_->AddVariable(zeros, shape, {.enter = "b_acc", .merge = "b_acc"}));
  WEIR_TRY(backward_->AddSwitchFor(&sum));
  WEIR_ASSIGN(Output next, Checked(graph_, AddV2(sum.in_body, grad, {.name = "Add"})));
  WEIR_TRY(backward_->SetNext(sum, next).status());
  return backward_->AddExit(sum, "b_acc");
}

Result<IndexedSlices> LoopGradient::Collect(Node* enter, const IndexedSlices& grad) {
  const Output value = enter->input(0);
  PartialShape rows = grad.values.shape();
  if (rows.known_rank() && rows.rank() > 0) rows.SetDim(0, 0);
  if (value.base_dtype() != kResource && value.shape().rank() > 0) {
    PartialShape of_value = value.shape();
    of_value.SetDim(0, 0);
    if (Result<PartialShape> merged = rows.Merge(of_value); merged.ok()) rows = *std::move(merged);
  }
  Output no_values;
  Output no_indices;
  IndexedSlices result;
  {
    FlowScopeWithoutControls scope(graph_, backward_->outer());
    WEIR_ASSIGN(const Tensor zero, ZeroScalar(grad.values.base_dtype()));
    if (rows.fully_defined()) {
      const std::vector<int64_t> dims(rows.dims().begin(), rows.dims().end());
      no_values = Fill(graph_, Input(dims), zero, {.name = "b_acc"});
    } else {
      Output row_shape = StridedSlice(ShapeOrVariableShape(value, kInt32), {1}, {0}, {1}, {.end_mask = 1});
      no_values = Fill(graph_, ConcatV2(graph_, {Input({0}), row_shape}, 0), zero, {.name = "b_acc"});
    }
    WEIR_ASSIGN(Tensor empty, Tensor::Allocate(grad.indices.base_dtype(), Shape{0}));
    no_indices = Constant(graph_, empty, "b_acc");
    if (grad.dense_shape.valid()) result.dense_shape = ShapeOrVariableShape(value, grad.dense_shape.base_dtype());
    WEIR_TRY(graph_.TakeError());
  }
  if (rows.known_rank() && rows.rank() > 0) rows.SetDim(0, kUnknownDim);
  FlowScopeWithoutControls scope(graph_, backward_);
  const auto collect = [&](Output start, const PartialShape& shape, Output more) -> Result<Output> {
    WEIR_ASSIGN(WhileContext::Variable all, backward_->AddVariable(start, shape, {.enter = "b_acc", .merge = "b_acc"}));
    WEIR_TRY(backward_->AddSwitchFor(&all));
    WEIR_ASSIGN(Output next, Checked(graph_, ConcatV2(graph_, {all.in_body, more}, 0)));
    WEIR_TRY(backward_->SetNext(all, next).status());
    return backward_->AddExit(all, "b_acc");
  };
  WEIR_ASSIGN(result.values, collect(no_values, rows, grad.values));
  WEIR_ASSIGN(result.indices, collect(no_indices, PartialShape{kUnknownDim}, grad.indices));
  return result;
}

}  // namespace weir
