// One class per update rule: its slots and its update node. Resource variables use the same rules with a "Resource"
// prefix, so nodes are built by op name with the arguments in TensorFlow's order.
#include "train/optimizers.h"

#include "base/check.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"
#include "train/optimizer_nodes.h"

namespace weir {
namespace {

Initializer Filled(double value) {
  return [value](Graph& graph, const PartialShape& shape, DType dtype) -> Result<Output> {
    if (!shape.fully_defined())
      return InvalidArgument("the optimizer's slots need a fully defined variable shape, not {}", shape);
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    Output scalar = dtype == kDouble ? Constant(graph, Tensor::Scalar(value), "value")
                                     : Constant(graph, Tensor::Scalar(static_cast<float>(value)), "value");
    if (dtype != kFloat && dtype != kDouble) scalar = Cast(scalar, dtype);
    return Fill(graph, dims, scalar, {.name = "Const"});
  };
}

Status CheckPositive(const char* name, double value) {
  return value > 0 ? OkStatus() : InvalidArgument("{} must be positive: {}", name, value);
}

}  // namespace

Status HyperOptimizer::Prepare(Graph& graph) {
  for (Entry& entry : hypers_) {
    WEIR_ASSIGN(entry.output, entry.value.ToOutput(graph, entry.name));
  }
  return OkStatus();
}

std::vector<std::string> HyperOptimizer::HyperNames() const {
  std::vector<std::string> names;
  for (const Entry& entry : hypers_) names.push_back(entry.name);
  return names;
}

const HyperOptimizer::Entry& HyperOptimizer::EntryOf(std::string_view name) const {
  for (const Entry& entry : hypers_)
    if (entry.name == name) return entry;
  WEIR_CHECK(false, name);
  return hypers_.front();
}

Output HyperOptimizer::Get(std::string_view name, const VariablePtr& var) const {
  const Output& tensor = EntryOf(name).output;
  return !tensor.valid() || tensor.base_dtype() == var->dtype() ? tensor : Cast(tensor, var->dtype());
}

// --- GradientDescent: var -= lr * grad ---
GradientDescentOptimizer::GradientDescentOptimizer(HyperParam learning_rate, const OptimizerOptions& options)
    : HyperOptimizer("GradientDescent", options) {
  Declare("learning_rate", std::move(learning_rate));
}
Result<Node*> GradientDescentOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyGradientDescent", var, {}, {Get("learning_rate", var), grad});
}
Result<Node*> GradientDescentOptimizer::ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) {
  Output delta = grad.values * Get("learning_rate", var);
  if (var->is_resource())
    return NodeBuilder(var->graph(), "ResourceScatterAdd").In(var->handle()).In(grad.indices).In(-delta).Build();
  return NodeBuilder(var->graph(), "ScatterSub")
      .In(var->handle())
      .In(grad.indices)
      .In(delta)
      .Attr("use_locking", use_locking())
      .Build();
}

// --- Momentum: accum = momentum * accum + grad; var -= lr * accum ---
MomentumOptimizer::MomentumOptimizer(HyperParam learning_rate, HyperParam momentum, bool use_nesterov,
                                     const OptimizerOptions& options)
    : HyperOptimizer("Momentum", options), use_nesterov_(use_nesterov) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("momentum", std::move(momentum));
}
Status MomentumOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) WEIR_TRY(ZerosSlot(var, "momentum", name()).status());
  return OkStatus();
}
Result<Node*> MomentumOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyMomentum", var, {GetSlot(var, "momentum")},
                    {Get("learning_rate", var), grad, Get("momentum", var)}, {{"use_nesterov", use_nesterov_}});
}
Result<Node*> MomentumOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyMomentum", var, {GetSlot(var, "momentum")},
                    {Get("learning_rate", var), grad.values, grad.indices, Get("momentum", var)},
                    {{"use_nesterov", use_nesterov_}});
}

// --- Adagrad: accum += grad^2; var -= lr * grad / sqrt(accum) ---
AdagradOptimizer::AdagradOptimizer(HyperParam learning_rate, double initial_accumulator_value,
                                   const OptimizerOptions& options)
    : HyperOptimizer("Adagrad", options), initial_(initial_accumulator_value) {
  Declare("learning_rate", std::move(learning_rate));
}
Status AdagradOptimizer::Check() const { return CheckPositive("initial_accumulator_value", initial_); }
Status AdagradOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) WEIR_TRY(SlotWith(var, "accumulator", name(), Filled(initial_)).status());
  return OkStatus();
}
Result<Node*> AdagradOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyAdagrad", var, {GetSlot(var, "accumulator")}, {Get("learning_rate", var), grad});
}
Result<Node*> AdagradOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyAdagrad", var, {GetSlot(var, "accumulator")},
                    {Get("learning_rate", var), grad.values, grad.indices});
}

// --- AdagradDA: dual averaging with the sums of gradients and squared gradients ---
AdagradDAOptimizer::AdagradDAOptimizer(HyperParam learning_rate, VariablePtr global_step, double initial_value,
                                       float l1, float l2, const OptimizerOptions& options)
    : HyperOptimizer("AdagradDA", options), global_step_(std::move(global_step)), initial_(initial_value) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("l1", l1);
  Declare("l2", l2);
}
Status AdagradDAOptimizer::Check() const {
  if (global_step_ == nullptr) return InvalidArgument("{} needs a global_step", name());
  return CheckPositive("initial_gradient_squared_accumulator_value", initial_);
}
Status AdagradDAOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) {
    WEIR_TRY(ZerosSlot(var, "gradient_accumulator", name()).status());
    WEIR_TRY(SlotWith(var, "gradient_squared_accumulator", name(), Filled(initial_)).status());
  }
  return OkStatus();
}
Output AdagradDAOptimizer::Step() const {
  // The number of the step that the update makes, starting at 1.
  Output step = global_step_->AsInput() + 1;
  return step.base_dtype() == kInt64 ? step : Cast(step, kInt64);
}
Result<Node*> AdagradDAOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyAdagradDA", var,
                    {GetSlot(var, "gradient_accumulator"), GetSlot(var, "gradient_squared_accumulator")},
                    {grad, Get("learning_rate", var), Get("l1", var), Get("l2", var), Step()});
}
Result<Node*> AdagradDAOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyAdagradDA", var,
                    {GetSlot(var, "gradient_accumulator"), GetSlot(var, "gradient_squared_accumulator")},
                    {grad.values, grad.indices, Get("learning_rate", var), Get("l1", var), Get("l2", var), Step()});
}

// --- Adadelta ---
AdadeltaOptimizer::AdadeltaOptimizer(HyperParam learning_rate, HyperParam rho, HyperParam epsilon,
                                     const OptimizerOptions& options)
    : HyperOptimizer("Adadelta", options) {
  Declare("lr", std::move(learning_rate));
  Declare("rho", std::move(rho));
  Declare("epsilon", std::move(epsilon));
}
Status AdadeltaOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) {
    WEIR_TRY(ZerosSlot(var, "accum", name()).status());
    WEIR_TRY(ZerosSlot(var, "accum_update", name()).status());
  }
  return OkStatus();
}
Result<Node*> AdadeltaOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyAdadelta", var, {GetSlot(var, "accum"), GetSlot(var, "accum_update")},
                    {Get("lr", var), Get("rho", var), Get("epsilon", var), grad});
}
Result<Node*> AdadeltaOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyAdadelta", var, {GetSlot(var, "accum"), GetSlot(var, "accum_update")},
                    {Get("lr", var), Get("rho", var), Get("epsilon", var), grad.values, grad.indices});
}

// --- Adam ---
AdamOptimizer::AdamOptimizer(HyperParam learning_rate, float beta1, float beta2, HyperParam epsilon,
                             const OptimizerOptions& options)
    : HyperOptimizer("Adam", options), beta1_(beta1), beta2_(beta2) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("beta1", beta1);
  Declare("beta2", beta2);
  Declare("epsilon", std::move(epsilon));
}
Status AdamOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  return MakeAdamSlots(*this, vars, beta1_, beta2_);
}
Result<Node*> AdamOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyAdam", var, {GetSlot(var, "m"), GetSlot(var, "v")},
                    {PowerFor(*this, var, "beta1_power"), PowerFor(*this, var, "beta2_power"),
                     Get("learning_rate", var), Get("beta1", var), Get("beta2", var), Get("epsilon", var), grad});
}
Result<Output> AdamOptimizer::ScatterAddRows(const VariablePtr& slot, Output indices, Output rows) const {
  const Output added = ScatterRows(slot, indices, rows, /*add=*/true, use_locking());
  WEIR_TRY(slot->graph().TakeError());
  return added;
}
Result<Node*> AdamOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return ApplySparseWith(grad, var, [this](const VariablePtr& slot, Output indices, Output rows) {
    return ScatterAddRows(slot, indices, rows);
  });
}
Result<Node*> AdamOptimizer::ApplySparseWith(const IndexedSlices& grad, const VariablePtr& var, const AddRows& add) {
  // All rows of m and v decay, as in TensorFlow; only the gradient's rows get its contribution.
  Graph& graph = var->graph();
  Output beta1_power = PowerFor(*this, var, "beta1_power");
  Output beta2_power = PowerFor(*this, var, "beta2_power");
  Output beta1 = Get("beta1", var);
  Output beta2 = Get("beta2", var);
  Output lr = Get("learning_rate", var) * Sqrt(1.0f - beta2_power) / (1.0f - beta1_power);
  const auto decay_and_add = [&](const VariablePtr& slot, Output beta, Output rows) -> Result<Output> {
    Output decayed = slot->Assign(slot->AsInput() * beta, use_locking());
    WEIR_TRY(graph.TakeError());
    ControlDependencies after(graph, {decayed.node});
    return add(slot, grad.indices, rows);
  };
  WEIR_ASSIGN(const Output m, decay_and_add(GetSlot(var, "m"), beta1, grad.values * (1.0f - beta1)));
  WEIR_ASSIGN(const Output v, decay_and_add(GetSlot(var, "v"), beta2, (grad.values * grad.values) * (1.0f - beta2)));
  Output updated = var->AssignSub(lr * m / (Sqrt(v) + Get("epsilon", var)), use_locking());
  WEIR_TRY(graph.TakeError());
  return Group(graph, {updated.node, m.node, v.node});
}
Result<Node*> AdamOptimizer::Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) {
  WEIR_ASSIGN(const std::vector<Node*> all,
              NextPowers(*this, graph, updates, {{"beta1_power", beta1_}, {"beta2_power", beta2_}}));
  return Optimizer::Finish(graph, all, name);
}

// --- RMSProp ---
RMSPropOptimizer::RMSPropOptimizer(HyperParam learning_rate, HyperParam decay, HyperParam momentum, HyperParam epsilon,
                                   bool centered, const OptimizerOptions& options)
    : HyperOptimizer("RMSProp", options), centered_(centered) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("decay", std::move(decay));
  Declare("momentum", std::move(momentum));
  Declare("epsilon", std::move(epsilon));
}
Status RMSPropOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) {
    WEIR_TRY(SlotWith(var, "rms", name(), Filled(1.0f)).status());
    if (centered_) WEIR_TRY(ZerosSlot(var, "mg", name()).status());
    WEIR_TRY(ZerosSlot(var, "momentum", name()).status());
  }
  return OkStatus();
}
Result<Node*> RMSPropOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  std::vector<VariablePtr> slots = {GetSlot(var, "rms"), GetSlot(var, "momentum")};
  if (centered_) slots.insert(slots.begin(), GetSlot(var, "mg"));
  return UpdateNode(*this, centered_ ? "ApplyCenteredRMSProp" : "ApplyRMSProp", var, slots,
                    {Get("learning_rate", var), Get("decay", var), Get("momentum", var), Get("epsilon", var), grad});
}
Result<Node*> RMSPropOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  std::vector<VariablePtr> slots = {GetSlot(var, "rms"), GetSlot(var, "momentum")};
  if (centered_) slots.insert(slots.begin(), GetSlot(var, "mg"));
  return UpdateNode(*this, centered_ ? "SparseApplyCenteredRMSProp" : "SparseApplyRMSProp", var, slots,
                    {Get("learning_rate", var), Get("decay", var), Get("momentum", var), Get("epsilon", var),
                     grad.values, grad.indices});
}

// --- Ftrl ---
FtrlOptimizer::FtrlOptimizer(HyperParam learning_rate, const FtrlOptions& ftrl, const OptimizerOptions& options)
    : HyperOptimizer("Ftrl", options), ftrl_(ftrl) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("l1_regularization_strength", ftrl.l1_regularization_strength);
  Declare("l2_regularization_strength", ftrl.l2_regularization_strength);
  Declare("l2_shrinkage_regularization_strength", ftrl.l2_shrinkage_regularization_strength);
  Declare("learning_rate_power", ftrl.learning_rate_power);
}
Status FtrlOptimizer::Check() const {
  if (!(ftrl_.initial_accumulator_value >= 0))
    return InvalidArgument("initial_accumulator_value {} must not be negative", ftrl_.initial_accumulator_value);
  if (!(ftrl_.learning_rate_power <= 0))
    return InvalidArgument("learning_rate_power {} must not be positive", ftrl_.learning_rate_power);
  const std::pair<const char*, float> strengths[] = {
      {"l1_regularization_strength", ftrl_.l1_regularization_strength},
      {"l2_regularization_strength", ftrl_.l2_regularization_strength},
      {"l2_shrinkage_regularization_strength", ftrl_.l2_shrinkage_regularization_strength}};
  for (const auto& [name, strength] : strengths)
    if (!(strength >= 0)) return InvalidArgument("{} {} must not be negative", name, strength);
  return OkStatus();
}
Status FtrlOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) {
    WEIR_TRY(SlotWith(var, "accum", ftrl_.accum_name.empty() ? name() : ftrl_.accum_name,
                      Filled(ftrl_.initial_accumulator_value))
                 .status());
    WEIR_TRY(ZerosSlot(var, "linear", ftrl_.linear_name.empty() ? name() : ftrl_.linear_name).status());
  }
  return OkStatus();
}
Result<Node*> FtrlOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  InputList values = {grad, Get("learning_rate", var), Get("l1_regularization_strength", var),
                      Get("l2_regularization_strength", var)};
  const bool shrinks = ftrl_.l2_shrinkage_regularization_strength > 0;
  if (shrinks) values.push_back(Get("l2_shrinkage_regularization_strength", var));
  values.push_back(Get("learning_rate_power", var));
  return UpdateNode(*this, shrinks ? "ApplyFtrlV2" : "ApplyFtrl", var, {GetSlot(var, "accum"), GetSlot(var, "linear")},
                    values);
}
Result<Node*> FtrlOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  InputList values = {grad.values, grad.indices, Get("learning_rate", var), Get("l1_regularization_strength", var),
                      Get("l2_regularization_strength", var)};
  const bool shrinks = ftrl_.l2_shrinkage_regularization_strength > 0;
  if (shrinks) values.push_back(Get("l2_shrinkage_regularization_strength", var));
  values.push_back(Get("learning_rate_power", var));
  return UpdateNode(*this, shrinks ? "SparseApplyFtrlV2" : "SparseApplyFtrl", var,
                    {GetSlot(var, "accum"), GetSlot(var, "linear")}, values);
}

// --- Proximal variants ---
ProximalGradientDescentOptimizer::ProximalGradientDescentOptimizer(HyperParam learning_rate, float l1, float l2,
                                                                   const OptimizerOptions& options)
    : HyperOptimizer("ProximalGradientDescent", options) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("l1", l1);
  Declare("l2", l2);
}
Result<Node*> ProximalGradientDescentOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyProximalGradientDescent", var, {},
                    {Get("learning_rate", var), Get("l1", var), Get("l2", var), grad});
}
Result<Node*> ProximalGradientDescentOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyProximalGradientDescent", var, {},
                    {Get("learning_rate", var), Get("l1", var), Get("l2", var), grad.values, grad.indices});
}

ProximalAdagradOptimizer::ProximalAdagradOptimizer(HyperParam learning_rate, double initial_value, float l1, float l2,
                                                   const OptimizerOptions& options)
    : HyperOptimizer("ProximalAdagrad", options), initial_(initial_value) {
  Declare("learning_rate", std::move(learning_rate));
  Declare("l1", l1);
  Declare("l2", l2);
}
Status ProximalAdagradOptimizer::Check() const { return CheckPositive("initial_accumulator_value", initial_); }
Status ProximalAdagradOptimizer::CreateSlots(const std::vector<VariablePtr>& vars) {
  for (const VariablePtr& var : vars) WEIR_TRY(SlotWith(var, "accumulator", name(), Filled(initial_)).status());
  return OkStatus();
}
Result<Node*> ProximalAdagradOptimizer::ApplyDense(Output grad, const VariablePtr& var) {
  return UpdateNode(*this, "ApplyProximalAdagrad", var, {GetSlot(var, "accumulator")},
                    {Get("learning_rate", var), Get("l1", var), Get("l2", var), grad});
}
Result<Node*> ProximalAdagradOptimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return UpdateNode(*this, "SparseApplyProximalAdagrad", var, {GetSlot(var, "accumulator")},
                    {Get("learning_rate", var), Get("l1", var), Get("l2", var), grad.values, grad.indices});
}

}  // namespace weir
