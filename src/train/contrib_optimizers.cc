#include "train/contrib_optimizers.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/state_ops.h"
#include "graph/compose/clip.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"
#include "train/optimizer_nodes.h"

namespace weir {

// --- AdaMax: v = max(beta2 * v, |g|); var -= lr / (1 - beta1^t) * m / (v + epsilon) ---
AdaMaxOptimizer::AdaMaxOptimizer(HyperParam learning_rate, float beta1, HyperParam beta2, HyperParam epsilon,
                                 const OptimizerOptions& options)
    : HyperOptimizer("AdaMax", options), beta1_(beta1) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("beta1", beta1);
  Declare("beta2", std::move(beta2));
  Declare("epsilon", std::move(epsilon));
}
Status AdaMaxOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  WEIR_TRY(NonSlot("beta1_power", beta1_, FirstByName(vars)).status());
  for (const VariablePtr& var : vars) {
    WEIR_TRY(ZerosSlot(var, "m", name()).status());
    WEIR_TRY(ZerosSlot(var, "v", name()).status());
  }
  return OkStatus();
}
Result<Node*> AdaMaxOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyAdaMax", var, {GetSlot(var, "m"), GetSlot(var, "v")},
                    {PowerFor(*this, var, "beta1_power"), Get("learning_rate", var), Get("beta1", var),
                     Get("beta2", var), Get("epsilon", var), grad});
}
Result<Node*> AdaMaxOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  Graph& graph = var->graph();
  const VariablePtr m = GetSlot(var, "m"), v = GetSlot(var, "v");
  const Output beta1 = Get("beta1", var), g = grad.values;
  const Output rows_m = GatherV2(m->AsInput(), grad.indices, 0) * beta1 + g * (1.0f - beta1);
  const Output rows_v = Maximum(GatherV2(v->AsInput(), grad.indices, 0) * Get("beta2", var), Abs(g));
  const Output new_m = ScatterRows(m, grad.indices, rows_m, /*add=*/false, use_locking());
  const Output new_v = ScatterRows(v, grad.indices, rows_v, /*add=*/false, use_locking());
  const Output power = PowerFor(*this, var, "beta1_power");
  const Output step = -Get("learning_rate", var) / (1.0f - power) * (rows_m / (rows_v + Get("epsilon", var)));
  const Output updated = ScatterRows(var, grad.indices, step, /*add=*/true, use_locking());
  WEIR_TRY(graph.TakeError());
  return Group(graph, {updated.node, new_m.node, new_v.node});
}
Result<Node*> AdaMaxOptimizer::Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) {
  WEIR_ASSIGN(const std::vector<Node*> all, NextPowers(*this, graph, updates, {{"beta1_power", beta1_}}));
  return Optimizer::Finish(graph, all, name);
}

// --- Variants of Adam ---
AdamVariantOptimizer::AdamVariantOptimizer(AdamKind kind, HyperParam learning_rate, float beta1, float beta2,
                                           HyperParam epsilon, const OptimizerOptions& options)
    : HyperOptimizer("Adam", options), kind_(kind), beta1_(beta1), beta2_(beta2) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("beta1", beta1);
  Declare("beta2", beta2);
  Declare("epsilon", std::move(epsilon));
}
Status AdamVariantOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  WEIR_TRY(MakeAdamSlots(*this, vars, beta1_, beta2_));
  if (kind_ == AdamKind::kAmsgrad) {
    for (const VariablePtr& var : vars) WEIR_TRY(ZerosSlot(var, "vhat", name()).status());
  }
  return OkStatus();
}
Output AdamVariantOptimizer::Rate(const VariablePtr& var) const {
  return Get("learning_rate", var) * Sqrt(1.0f - PowerFor(*this, var, "beta2_power")) /
         (1.0f - PowerFor(*this, var, "beta1_power"));
}
Result<Node*> AdamVariantOptimizer::Amsgrad(Output mean, Output square, const VariablePtr& var) {
  const VariablePtr largest = GetSlot(var, "vhat");
  const Output bound = largest->Assign(Maximum(largest->AsInput(), square), use_locking());
  const Output step = Rate(var) * mean / (Sqrt(bound) + Get("epsilon", var));
  const Output updated = var->AssignSub(step, use_locking());
  WEIR_TRY(var->graph().TakeError());
  return Group(var->graph(), {updated.node, mean.node, square.node, bound.node});
}
Result<Node*> AdamVariantOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  if (kind_ == AdamKind::kAmsgrad && var->is_resource())
    return UpdateNode(*this, "ApplyAdamWithAmsgrad", var, {GetSlot(var, "m"), GetSlot(var, "v"), GetSlot(var, "vhat")},
                      {PowerFor(*this, var, "beta1_power"), PowerFor(*this, var, "beta2_power"),
                       Get("learning_rate", var), Get("beta1", var), Get("beta2", var), Get("epsilon", var), grad});
  if (kind_ == AdamKind::kAmsgrad) {  // there is no op for reference variables
    const VariablePtr m = GetSlot(var, "m"), v = GetSlot(var, "v");
    const auto move = [&](const VariablePtr& slot, Output to, Output beta) {
      return slot->Assign(slot->AsInput() * beta + to * (1.0f - beta), use_locking());
    };
    return Amsgrad(move(m, grad, Get("beta1", var)), move(v, grad * grad, Get("beta2", var)), var);
  }
  return UpdateNode(*this, "ApplyAdam", var, {GetSlot(var, "m"), GetSlot(var, "v")},
                    {PowerFor(*this, var, "beta1_power"), PowerFor(*this, var, "beta2_power"),
                     Get("learning_rate", var), Get("beta1", var), Get("beta2", var), Get("epsilon", var), grad},
                    {{"use_nesterov", kind_ == AdamKind::kNesterov}});
}
Result<Node*> AdamVariantOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  Graph& graph = var->graph();
  const Output beta1 = Get("beta1", var), beta2 = Get("beta2", var), g = grad.values, at = grad.indices;
  const Output rate = kind_ == AdamKind::kAmsgrad ? Output() : Rate(var);
  const VariablePtr m = GetSlot(var, "m"), v = GetSlot(var, "v");
  const Output scaled = g * (1.0f - beta1), squares = g * g * (1.0f - beta2);
  Output new_m, new_v, step;
  if (kind_ == AdamKind::kLazy) {
    const Output rows_m = GatherV2(m->AsInput(), at, 0) * beta1 + scaled;
    const Output rows_v = GatherV2(v->AsInput(), at, 0) * beta2 + squares;
    new_m = ScatterRows(m, at, rows_m, /*add=*/false, use_locking());
    new_v = ScatterRows(v, at, rows_v, /*add=*/false, use_locking());
    step = rate * rows_m / (Sqrt(rows_v) + Get("epsilon", var));
  } else {  // all rows decay
    new_m = DecayAndAddRows(m, beta1, at, scaled, use_locking());
    new_v = DecayAndAddRows(v, beta2, at, squares, use_locking());
    if (kind_ == AdamKind::kAmsgrad) return Amsgrad(new_m, new_v, var);
    const Output mean = scaled + beta1 * GatherV2(new_m, at, 0);
    step = rate * mean / (GatherV2(Sqrt(new_v), at, 0) + Get("epsilon", var));
  }
  const Output updated = ScatterRows(var, at, -step, /*add=*/true, use_locking());
  WEIR_TRY(graph.TakeError());
  return Group(graph, {updated.node, new_m.node, new_v.node});
}
Result<Node*> AdamVariantOptimizer::Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) {
  WEIR_ASSIGN(const std::vector<Node*> all,
              NextPowers(*this, graph, updates, {{"beta1_power", beta1_}, {"beta2_power", beta2_}}));
  return Optimizer::Finish(graph, all, name);
}

// --- AddSign and PowerSign ---
SignOptimizer::SignOptimizer(SignKind kind, HyperParam learning_rate, HyperParam amount, HyperParam beta,
                             HyperParam sign_decay, const OptimizerOptions& options)
    : HyperOptimizer(kind == SignKind::kAdd ? "AddSignOptimizer" : "PowerSignOptimizer", options), kind_(kind) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("amount", std::move(amount));
  Declare("beta", std::move(beta));
  Declare("sign_decay", std::move(sign_decay));
}
Status SignOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) WEIR_TRY(ZerosSlot(var, "m", name()).status());
  return OkStatus();
}
Output SignOptimizer::Step(Output grad, Output mean, const VariablePtr& var) const {
  const Output agreement = Get("sign_decay", var) * Sign(grad) * Sign(mean);
  const Output amount = Get("amount", var);
  return Get("learning_rate", var) * (kind_ == SignKind::kAdd ? amount + agreement : Exp(amount * agreement)) * grad;
}
Result<Node*> SignOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  Graph& graph = var->graph();
  const VariablePtr m = GetSlot(var, "m");
  if (!var->is_resource())
    return UpdateNode(*this, kind_ == SignKind::kAdd ? "ApplyAddSign" : "ApplyPowerSign", var, {m},
                      {Get("learning_rate", var), Get("amount", var), Get("sign_decay", var), Get("beta", var), grad});
  const Output beta = Get("beta", var);
  const Output mean = m->Assign(m->AsInput() * beta + grad * (1.0f - beta), use_locking());
  const Output updated = var->AssignSub(Step(grad, mean, var), use_locking());
  WEIR_TRY(graph.TakeError());
  return Group(graph, {updated.node, mean.node});
}
Result<Node*> SignOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  Graph& graph = var->graph();
  const VariablePtr m = GetSlot(var, "m");
  const Output beta = Get("beta", var);
  // All rows of the mean decay.
  const Output decayed = m->Assign(m->AsInput() * beta, use_locking());
  WEIR_TRY(graph.TakeError());
  Output mean;
  {
    ControlDependencies after(graph, {decayed.node});
    mean = ScatterRows(m, grad.indices, grad.values * (1.0f - beta), /*add=*/true, use_locking());
  }
  const Output step = Step(grad.values, GatherV2(mean, grad.indices, 0), var);
  const Output updated = ScatterRows(var, grad.indices, -step, /*add=*/true, use_locking());
  WEIR_TRY(graph.TakeError());
  return Group(graph, {updated.node, mean.node});
}

// --- LARS ---
LarsOptimizer::LarsOptimizer(HyperParam learning_rate, LarsSettings settings, const OptimizerOptions& options)
    : HyperOptimizer("LARSOptimizer", options), settings_(std::move(settings)) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("momentum", settings_.momentum);
}
Status LarsOptimizer::Check() const {
  return settings_.momentum >= 0 ? OkStatus() : InvalidArgument("momentum should be positive: {}", settings_.momentum);
}
Status LarsOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) WEIR_TRY(ZerosSlot(var, "momentum", name()).status());
  return OkStatus();
}
Result<Node*> LarsOptimizer::Momentum(Output rate, Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyMomentum", var, {GetSlot(var, "momentum")}, {rate, grad, Get("momentum", var)},
                    {{"use_nesterov", settings_.use_nesterov}});
}
Result<Node*> LarsOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  Graph& graph = var->graph();
  const Output rate = Get("learning_rate", var);
  for (const std::string& part : settings_.skip_list)
    if (var->name().find(part) != std::string::npos) return Momentum(rate, grad, var);
  const auto norm = [](Output x) { return Sqrt(ReduceSum(x * x)); };
  const Output value = var->AsInput();
  const Output w = norm(value), g = norm(grad);
  const Output ratio = settings_.eeta * w / (g + settings_.weight_decay * w + settings_.epsilon);
  const Output one = OnesLike(w);
  const Output trust = Select(LogicalAnd(Greater(w, 0.0f), Greater(g, 0.0f)), ratio, one);
  const Output scaled_rate = rate * trust;
  const Output with_decay = grad + settings_.weight_decay * value;
  WEIR_TRY(graph.TakeError());
  return Momentum(scaled_rate, with_decay, var);
}
Result<Node*> LarsOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyMomentum", var, {GetSlot(var, "momentum")},
                    {Get("learning_rate", var), grad.values, grad.indices, Get("momentum", var)},
                    {{"use_nesterov", settings_.use_nesterov}});
}

// --- Adagrad without updates of the accumulators ---
RegAdagradOptimizer::RegAdagradOptimizer(HyperParam learning_rate, double initial_accumulator_value,
                                         const OptimizerOptions& options)
    : HyperOptimizer("RegAdagrad", options), initial_(initial_accumulator_value) {
  Declare("learning_rate", std::move(learning_rate));
}
Status RegAdagradOptimizer::Check() const {
  return initial_ > 0 ? OkStatus() : InvalidArgument("initial_accumulator_value must be positive: {}", initial_);
}
Status RegAdagradOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  const Initializer filled = [this](Graph& graph, const PartialShape& shape, DType dtype) -> Result<Output> {
    if (!shape.fully_defined()) return InvalidArgument("the slots need a known variable shape, not {}", shape);
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    return Fill(graph, dims, ValueOf(graph, initial_, dtype), {.name = "Const"});
  };
  for (const VariablePtr& var : vars) WEIR_TRY(SlotWith(var, "accumulator", name(), filled).status());
  return OkStatus();
}
Result<Node*> RegAdagradOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyAdagrad", var, {GetSlot(var, "accumulator")}, {Get("learning_rate", var), grad},
                    {{"update_slots", update_slots_}});
}
Result<Node*> RegAdagradOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyAdagrad", var, {GetSlot(var, "accumulator")},
                    {Get("learning_rate", var), grad.values, grad.indices}, {{"update_slots", update_slots_}});
}

// --- For programs that alternate between several losses ---
namespace {

// Runs the update unless all elements of the gradient are zero.
Result<Node*> UnlessZero(Output elements, const std::function<Result<Node*>()>& update) {
  Graph& graph = elements.graph();
  const Output zero = ReduceAll(Equal(elements, ValueOf(graph, 0, elements.base_dtype())));
  WEIR_TRY(graph.TakeError());
  const auto nothing = [&]() -> Result<OutputList> {
    return OutputList{NodeAsOutput(NodeBuilder(graph, "NoOp").BuildNode())};
  };
  const auto apply = [&]() -> Result<OutputList> {
    WEIR_ASSIGN(Node * node, update());
    return OutputList{NodeAsOutput(node->num_outputs() == 0 ? node : Group(graph, {node}))};
  };
  WEIR_ASSIGN(const OutputList done, Cond(graph, zero, nothing, apply));
  return done[0].node;
}

Output ValuesOfGrad(const Grad& grad) {
  if (const Output* dense = std::get_if<Output>(&grad)) return *dense;
  const IndexedSlices* slices = std::get_if<IndexedSlices>(&grad);
  return slices == nullptr ? Output() : slices->values;
}

}  // namespace

Result<Node*> MultitaskOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UnlessZero(grad, [&] { return optimizer_->ApplyDense(grad, var); });
}
Result<Node*> MultitaskOptimizer::ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) {
  return UnlessZero(grad.values, [&] { return optimizer_->ApplySparseDuplicates(grad, var); });
}

Result<ClippedGradients> ClipGradientsByGlobalNorm(const GradientList& list, const Input& clip_norm) {
  std::vector<Grad> grads;
  for (const GradAndVar& item : list) grads.push_back(item.grad);
  const Output norm = GlobalNorm(grads);
  if (!norm.valid()) return InvalidArgument("there are no gradients to clip");
  const ClippedByGlobalNorm clipped = ClipByGlobalNorm(grads, clip_norm, norm);
  WEIR_TRY(norm.graph().TakeError());
  ClippedGradients result{list, norm};
  for (size_t i = 0; i < list.size(); ++i) result.list[i].grad = clipped.list[i];
  return result;
}

// --- Weight decay and clipping of variables ---
Result<std::vector<Node*>> DecayWeights(const GradientList& list, const Input& weight_decay,
                                        const std::vector<std::string>& only, bool use_locking) {
  std::vector<Node*> computed, decays;
  for (const GradAndVar& item : list)
    if (const Output elements = ValuesOfGrad(item.grad); elements.valid()) computed.push_back(elements.node);
  for (const GradAndVar& item : list) {
    const VariablePtr& var = item.var;
    if (!HasGrad(item.grad)) continue;
    if (!only.empty() && std::find(only.begin(), only.end(), var->op_name()) == only.end()) continue;
    Graph& graph = var->graph();
    ControlDependencies after(graph, computed);
    ColocationScope colocated(graph, var->handle().node);
    const Output decay = ValueOf(graph, weight_decay, var->dtype(), "weight_decay");
    Output decayed;
    if (const IndexedSlices* slices = std::get_if<IndexedSlices>(&item.grad)) {
      const Output rows = Unique(slices->indices).y;
      decayed = ScatterRows(var, rows, -decay * GatherV2(var->ReadValue(), rows, 0), /*add=*/true, use_locking);
    } else {
      decayed = var->AssignSub(decay * var->ReadValue(), use_locking);
    }
    WEIR_TRY(graph.TakeError());
    decays.push_back(decayed.node);
  }
  return decays;
}

Result<Node*> ClipVariable(const GradAndVar& item, const std::vector<int64_t>& clip_axes, const Input& max_norm,
                           bool use_locking) {
  const VariablePtr& var = item.var;
  Graph& graph = var->graph();
  Output clipped;
  const IndexedSlices* slices = std::get_if<IndexedSlices>(&item.grad);
  if (slices != nullptr && (clip_axes.empty() || std::find(clip_axes.begin(), clip_axes.end(), 0) == clip_axes.end())) {
    const Output rows = GatherV2(var->ReadValue(), slices->indices, 0);
    clipped = ScatterRows(var, slices->indices, ClipByNorm(rows, max_norm, clip_axes), /*add=*/false, use_locking);
  } else {
    clipped = var->Assign(ClipByNorm(var->ReadValue(), max_norm, clip_axes), use_locking);
  }
  WEIR_TRY(graph.TakeError());
  return clipped.node;
}

}  // namespace weir
