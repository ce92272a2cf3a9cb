#include "graph/flow_gradients.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/cond_context.h"
#include "graph/loop_gradient.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

using Grads = std::vector<Grad>;

WhileContext* LoopOf(const Node& node) {
  return node.flow_context() == nullptr ? nullptr : node.flow_context()->EnclosingWhile();
}

// The gradient of the loop in whose backward loop nodes are being built; null outside of backward loops.
LoopGradient* CurrentLoop(Graph& graph) {
  FlowContext* flow = graph.build().flow;
  WhileContext* loop = flow == nullptr ? nullptr : flow->EnclosingWhile();
  return loop == nullptr ? nullptr : loop->gradient();
}

// CurrentLoop if `node` belongs to its forward loop, else null.
LoopGradient* CurrentLoopOf(const Node& node) {
  LoopGradient* current = CurrentLoop(node.graph());
  return current != nullptr && LoopOf(node) == &current->forward() ? current : nullptr;
}

class FlowGradientsImpl final : public FlowGradients {
 public:
  explicit FlowGradientsImpl(Graph& graph) : graph_(graph), base_(graph.build().flow) {}
  ~FlowGradientsImpl() override {
    while (!loops_.empty()) loops_.pop_back();  // inner loops were added last
  }

  // Makes the gradient of `loop`, after that of the enclosing loop.
  Status Add(WhileContext* loop, const std::unordered_set<WhileContext*>& differentiated) {
    if (by_loop_.contains(loop)) return OkStatus();
    WhileContext* around = loop->outer() == nullptr ? nullptr : loop->outer()->EnclosingWhile();
    LoopGradient* outer = nullptr;
    if (around != nullptr && differentiated.contains(around)) {
      WEIR_TRY(Add(around, differentiated));
      outer = by_loop_.at(around);
    }
    WEIR_ASSIGN(std::unique_ptr<LoopGradient> made, LoopGradient::Make(*loop, outer, base_));
    by_loop_.emplace(loop, made.get());
    loops_.push_back(std::move(made));
    return OkStatus();
  }

  const std::vector<std::unique_ptr<LoopGradient>>& loops() const { return loops_; }

  std::vector<Node*> UnusedExits(const std::unordered_map<Node*, int>& pending,
                                 const std::unordered_set<Node*>& targets) override {
    std::vector<Node*> ready;
    for (const auto& loop : loops_) {
      for (const Output& exit : loop->exits) {
        if (auto it = pending.find(exit.node); it != pending.end() && it->second > 0) continue;
        --loop->pending_exits;
        if (!targets.contains(exit.node)) loop->unused_exits.push_back(exit.node);
      }
      if (loop->pending_exits > 0) continue;
      for (Node* exit : loop->unused_exits)
        if (IsTrainable(exit->output_type(0))) ready.push_back(exit);
    }
    return ready;
  }

  FlowContext* ContextFor(Node* node, bool before) override {
    FlowContext* context = before ? OutputContext(*node) : node->flow_context();
    WhileContext* loop = context == nullptr ? nullptr : context->EnclosingWhile();
    auto it = by_loop_.find(loop);
    return it == by_loop_.end() ? base_ : &it->second->backward();
  }

  std::vector<Node*> ExitReached(Node* exit) override {
    auto it = by_loop_.find(LoopOf(*exit));
    if (it == by_loop_.end()) return {exit};
    LoopGradient& loop = *it->second;
    loop.deferred_exits.push_back(exit);
    if (--loop.pending_exits > 0) return {};
    std::vector<Node*> ready = loop.deferred_exits;
    ready.insert(ready.end(), loop.unused_exits.begin(), loop.unused_exits.end());
    return ready;
  }

  Result<Output> ZerosForExit(Node* exit) override {
    FlowScope scope(graph_, ContextFor(exit, /*before=*/true));
    return ZerosWithShapeOf(graph_, Output(exit, 0), BaseType(exit->output_type(0)));
  }

  // The Merges that still lack a back edge belong to loop variables whose next value does not depend on the last one.
  // Earlier iterations get a zero gradient.
  Status Finish() override {
    for (const auto& loop : loops_) {
      for (auto& [node, variable] : loop->variables) {
        Node* merge = variable.merge.node;
        if (!(merge->input(0) == merge->input(1))) continue;
        if (variable.enter.node->op().traits.kind != NodeKind::kEnter)
          return Internal("internal error: '{}' is not an Enter node of the backward loop", variable.enter.name());
        Output zeros;
        {
          FlowScopeWithoutControls scope(graph_, loop->backward().outer());
          WEIR_ASSIGN(zeros, ZerosWithShapeOf(graph_, variable.enter.node->input(0), variable.enter.base_dtype()));
        }
        FlowScopeWithoutControls scope(graph_, &loop->backward());
        WEIR_TRY(loop->backward().SetNext(variable, zeros).status());
      }
    }
    return OkStatus();
  }

 private:
  Graph& graph_;
  FlowContext* const base_;
  std::vector<std::unique_ptr<LoopGradient>> loops_;
  std::unordered_map<WhileContext*, LoopGradient*> by_loop_;
};

Output Invalid(Graph& graph, const Status& status) {
  graph.RecordError(status);
  return Output();
}

// Output `side` of Switch(value, pred).
Output Guarded(Graph& graph, Output value, Output pred, int side, const std::string& name = "") {
  if (!value.valid()) return Output();
  Result<Node*> node = AddSwitch(graph, value, pred, name);
  return node.ok() ? Output(*node, side) : Invalid(graph, node.status());
}

// Both outputs of a Switch of a gradient.
std::pair<Grad, Grad> SwitchGradient(Graph& graph, const Grad& grad, Output pred, const std::string& name) {
  const auto both = [&](Output value) -> std::pair<Output, Output> {
    Output off = Guarded(graph, value, pred, 0, name);
    return {off, off.valid() ? Output(off.node, 1) : Output()};
  };
  if (const Output* dense = std::get_if<Output>(&grad)) return both(*dense);
  const IndexedSlices& rows = std::get<IndexedSlices>(grad);
  const auto values = both(rows.values);
  const auto indices = both(rows.indices);
  const auto shape = both(rows.dense_shape);
  return {IndexedSlices{values.first, indices.first, shape.first},
          IndexedSlices{values.second, indices.second, shape.second}};
}

Output MergeOutputs(Graph& graph, Output a, Output b, const std::string& name) {
  if (!a.valid() || !b.valid()) return Output();
  Result<Node*> node = AddMerge(graph, {a, b}, name);
  return node.ok() ? Output(*node, 0) : Invalid(graph, node.status());
}

Grad MergeGradients(Graph& graph, const Grad& a, const Grad& b, const std::string& name) {
  if (std::holds_alternative<Output>(a) && std::holds_alternative<Output>(b))
    return MergeOutputs(graph, std::get<Output>(a), std::get<Output>(b), name);
  const IndexedSlices x = GradAsRows(a);
  const IndexedSlices y = GradAsRows(b);
  const auto wide = [](Output indices, DType as) { return indices.base_dtype() == as ? indices : Cast(indices, as); };
  const DType type = x.indices.base_dtype() == y.indices.base_dtype() ? x.indices.base_dtype() : kInt64;
  IndexedSlices merged;
  merged.values = MergeOutputs(graph, x.values, y.values, name);
  merged.indices = MergeOutputs(graph, wide(x.indices, type), wide(y.indices, type), name);
  if (x.dense_shape.valid() && y.dense_shape.valid()) {
    const DType shape_type =
        x.dense_shape.base_dtype() == y.dense_shape.base_dtype() ? x.dense_shape.base_dtype() : kInt64;
    merged.dense_shape = MergeOutputs(graph, wide(x.dense_shape, shape_type), wide(y.dense_shape, shape_type), name);
  }
  return merged;
}

// The shape of the data input of a branch's Switch, alive only if its output `side` is.
Output GuardedShape(Node* node, const CondContext& branch, int side, DType out_type) {
  Graph& graph = node->graph();
  const Output data = node->input(0);
  if (CurrentLoopOf(*node) != nullptr) return Guarded(graph, ShapeOrVariableShape(data, out_type), branch.pred(), side);
  return ShapeOrVariableShape(Guarded(graph, data, branch.pred(), side), out_type);
}

Output GuardedZeros(Node* node, const CondContext& branch, int side, DType dtype) {
  Graph& graph = node->graph();
  Result<Tensor> zero = ZeroScalar(dtype);
  if (!zero.ok()) return Invalid(graph, zero.status());
  return Fill(graph, GuardedShape(node, branch, side, kInt32), *zero, {.name = "zeros"});
}

// A gradient without rows, alive only if output `side` is.
IndexedSlices GuardedNoRows(Node* node, const CondContext& branch, int side, const IndexedSlices& like) {
  Graph& graph = node->graph();
  const DType shape_type = like.dense_shape.valid() ? like.dense_shape.base_dtype() : kInt32;
  IndexedSlices none;
  none.dense_shape = GuardedShape(node, branch, side, shape_type);
  Output row_shape = StridedSlice(none.dense_shape, {1}, {0}, {1}, {.end_mask = 1});
  Result<Tensor> zero = ZeroScalar(like.values.base_dtype());
  Result<Tensor> no_indices = Tensor::Allocate(like.indices.base_dtype(), Shape{0});
  if (!zero.ok() || !no_indices.ok()) return none;
  none.values = Fill(graph, ConcatV2(graph, {Input({0}), row_shape}, 0), *zero, {.name = "no_rows"});
  none.indices = Guarded(graph, Constant(graph, *no_indices, "no_rows"), branch.pred(), side);
  if (!like.dense_shape.valid()) none.dense_shape = Output();
  return none;
}

Output DenseOf(const Grad& grad, Output like) {
  if (const Output* dense = std::get_if<Output>(&grad)) return *dense;
  return RowsAsDense(std::get<IndexedSlices>(grad), like);
}

// --- Gradients of the ops ---
Result<Grads> LoopSwitchGrad(Node* node, const Grads& d) {
  Graph& graph = node->graph();
  LoopGradient* loop = CurrentLoopOf(*node);
  if (loop == nullptr)
    return InvalidArgument(
        "Cannot compute gradient inside while loop with respect to op '{}'. We do not support taking the gradient wrt "
        "or "
        "through the initial value of a loop variable. Gradients can be computed through loop invariants or wrt the "
        "input "
        "parameters to the loop body.",
        node->name());
  auto known =
      std::find_if(loop->variables.begin(), loop->variables.end(), [node](const auto& v) { return v.first == node; });
  if (known == loop->variables.end()) {
    // First visit, from the Exit. The gradient from the body is merged in on the second visit.
    if (!HasGrad(d[0])) return Grads(2);
    const Output exit_grad = DenseOf(d[0], Output(node, 0));
    WhileContext::Variable variable;
    variable.enter = exit_grad;
    WEIR_ASSIGN(Node * merge, AddMerge(graph, {exit_grad, exit_grad}, "b_switch"));
    variable.merge = Output(merge, 0);
    loop->variables.emplace_back(node, variable);
    return Grads{variable.merge, std::monostate{}};
  }
  if (HasGrad(d[1])) {
    const Output next = DenseOf(d[1], Output(node, 1));
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(loop->backward().SetNext(known->second, next).status());
  }
  return Grads(2);
}

Result<Grads> BranchSwitchGrad(Node* node, const CondContext& branch, const Grads& d) {
  Graph& graph = node->graph();
  Grad sides[2] = {d[0], d[1]};
  for (int side = 0; side < 2; ++side) {
    if (HasGrad(sides[side])) continue;
    const Grad& other = sides[1 - side];
    if (const IndexedSlices* rows = std::get_if<IndexedSlices>(&other)) {
      sides[side] = GuardedNoRows(node, branch, side, *rows);
    } else {
      sides[side] = GuardedZeros(node, branch, side, std::get<Output>(other).base_dtype());
    }
  }
  return Grads{MergeGradients(graph, sides[0], sides[1], "cond_grad"), std::monostate{}};
}

Result<Grads> SwitchGrad(Node* node, const Grads& d) {
  if (IsLoopSwitch(*node)) return LoopSwitchGrad(node, d);
  FlowContext* context = node->flow_context();
  if (CondContext* branch = context == nullptr ? nullptr : context->AsCond()) return BranchSwitchGrad(node, *branch, d);
  Graph& graph = node->graph();
  Grad sides[2];
  for (int side = 0; side < 2; ++side) {
    const Grad full = HasGrad(d[side]) ? d[side] : Grad(ZerosLike(Output(node, side)));
    auto [off, on] = SwitchGradient(graph, full, node->input(1), "");
    sides[side] = side == 0 ? off : on;
  }
  return Grads{MergeGradients(graph, sides[0], sides[1], ""), std::monostate{}};
}

Result<Grads> MergeGrad(Node* node, const Grads& d) {
  Graph& graph = node->graph();
  Grads result(node->num_inputs());
  FlowContext* context = OutputContext(*node->input(0).node);
  if (!HasGrad(d[0])) return result;
  if (context != nullptr && context->AsWhile() != nullptr && CurrentLoopOf(*node) != nullptr) {
    std::tie(result[0], result[1]) = SwitchGradient(graph, d[0], CurrentLoopOf(*node)->backward().condition(), "");
  } else if (CondContext* branch = context == nullptr ? nullptr : context->AsCond();
             branch != nullptr && node->num_inputs() == 2) {
    std::tie(result[0], result[1]) = SwitchGradient(graph, d[0], branch->pred(), "cond_grad");
  } else {
    for (int i = 0; i < node->num_inputs(); ++i)
      result[i] = SwitchGradient(graph, d[0], Equal(Output(node, 1), Tensor::Scalar(int32_t{i})), "").second;
  }
  return result;
}

Result<Grads> ExitGrad(Node* node, const Grads& d) {
  Graph& graph = node->graph();
  if (node->flow_context() == nullptr || node->flow_context()->AsWhile() == nullptr)
    return Unimplemented("loop exit '{}' was imported without its while context, so there is no gradient through it",
                         node->name());
  WhileContext& forward = *node->flow_context()->AsWhile();
  if (!forward.options().back_prop) return Grads(1);
  if (forward.runs_backwards())
    return MarkTypeError(
        Unimplemented("Second-order gradient for while loops not supported: '{}' ends a loop that computes a gradient",
                      node->name()));
  LoopGradient* loop = CurrentLoopOf(*node);
  if (loop == nullptr) return Internal("internal error: no backward loop exists for the loop of '{}'", node->name());
  WhileContext& backward = loop->backward();
  FlowScope scope(graph, backward.outer());
  const Output dense = DenseOf(d[0], Output(node, 0));
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Output enter, backward.AddEnter(dense, /*is_constant=*/false, "b_exit"));
  WEIR_TRY(graph.SetShape(enter, node->output_shape(0)));
  return Grads{enter};
}

Result<Grads> EnterGrad(Node* node, const Grads& d) {
  LoopGradient* loop = CurrentLoopOf(*node);
  if (loop == nullptr || !loop->forward().options().back_prop) return Grads{d[0]};
  if (IsConstantEnter(*node)) {
    if (const IndexedSlices* rows = std::get_if<IndexedSlices>(&d[0])) {
      WEIR_ASSIGN(IndexedSlices all, loop->Collect(node, *rows));
      return Grads{all};
    }
    WEIR_ASSIGN(Output sum, loop->Sum(node, std::get<Output>(d[0])));
    return Grads{sum};
  }
  WEIR_ASSIGN(Output exit, loop->backward().AddExitOf(DenseOf(d[0], Output(node, 0)), "Exit"));
  return Grads{exit};
}

Result<Grads> NextIterationGrad(Node*, const Grads& d) { return d; }
Result<Grads> LoopCondGrad(Node*, const Grads&) { return Grads(1); }

}  // namespace

Result<std::unique_ptr<FlowGradients>> FlowGradients::Make(Graph& graph, std::vector<Node*>* between,
                                                           std::unordered_set<Node*>* between_set) {
  std::vector<WhileContext*> loops;
  std::unordered_set<WhileContext*> differentiated;
  for (Node* node : *between)
    if (IsLoopExit(*node) && LoopOf(*node) != nullptr && differentiated.insert(LoopOf(*node)).second)
      loops.push_back(LoopOf(*node));
  if (loops.empty()) return nullptr;
  auto made = std::make_unique<FlowGradientsImpl>(graph);
  for (WhileContext* loop : loops) WEIR_TRY(made->Add(loop, differentiated));
  for (const auto& loop : made->loops())
    for (const Output& exit : loop->exits)
      if (between_set->insert(exit.node).second) between->push_back(exit.node);
  return std::unique_ptr<FlowGradients>(std::move(made));
}

FlowGradientFn FindFlowGradient(NodeKind kind) {
  switch (kind) {
    case NodeKind::kSwitch:
      return SwitchGrad;
    case NodeKind::kMerge:
      return MergeGrad;
    case NodeKind::kExit:
      return ExitGrad;
    case NodeKind::kEnter:
      return EnterGrad;
    case NodeKind::kNextIteration:
      return NextIterationGrad;
    case NodeKind::kLoopCond:
      return LoopCondGrad;
    default:
      return nullptr;
  }
}

Result<Output> ZerosForOutput(Node* node, int index) {
  const Output value(node, index);
  if (value.base_dtype() == kResource || value.base_dtype() == kVariant) return Output();
  FlowContext* context = node->flow_context();
  if (CondContext* branch = context == nullptr ? nullptr : context->AsCond(); branch != nullptr && IsSwitch(*node))
    return GuardedZeros(node, *branch, index, value.base_dtype());
  // In a loop, saving the shape is cheaper than saving the value.
  if (CurrentLoopOf(*node) != nullptr) return ZerosWithShapeOf(node->graph(), value, value.base_dtype());
  return ZerosLike(value);
}

IndexedSlices GradAsRows(const Grad& grad) {
  if (const IndexedSlices* rows = std::get_if<IndexedSlices>(&grad)) return *rows;
  const Output dense = std::get<Output>(grad);
  Output shape = ShapeOf(dense, {.out_type = kInt64});
  Output rows = StridedSlice(shape, {0}, {1}, {1}, {.shrink_axis_mask = 1});
  return {dense, Range(dense.graph(), Tensor::Scalar(int64_t{0}), rows, Tensor::Scalar(int64_t{1})), shape};
}

Output RowsAsDense(const IndexedSlices& rows, Output like) {
  Output shape = rows.dense_shape.valid() ? rows.dense_shape : ShapeOf(like);
  Output count = StridedSlice(shape, {0}, {1}, {1}, {.shrink_axis_mask = 1});
  return UnsortedSegmentSum(rows.values, rows.indices, count);
}

}  // namespace weir
