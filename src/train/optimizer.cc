#include "train/optimizer.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/state_ops.h"
#include "graph/compose/names.h"
#include "graph/compose/variable_scope.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

std::string DescribeVariables(const std::vector<GradAndVar>& list) {
  std::string text;
  for (const GradAndVar& item : list) text += (text.empty() ? "" : ", ") + item.var->name();
  return text;
}

// The current variable scope as a prefix of names.
std::string ScopePrefix(Graph& graph) {
  const std::string scope = VariableScopeStack(graph).Current().name;
  return scope.empty() ? "" : scope + "/";
}

// Slots are named below their primary, in the current variable scope, with a suffix if the name is taken.
std::string FreeNodeName(Graph& graph, const std::string& base) {
  std::string name = base;
  for (int i = 1; graph.FindNode(name) != nullptr; ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

}  // namespace

Result<Output> HyperParam::ToOutput(Graph& graph, const std::string& name) const {
  if (!fn_) return weir::ToOutput(graph, value_, kInvalidType, name);
  WEIR_ASSIGN(Input value, fn_());
  return weir::ToOutput(graph, value, kInvalidType, name);
}

Result<Node*> Optimizer::Minimize(Output loss, const MinimizeOptions& options) {
  WEIR_ASSIGN(std::vector<GradAndVar> grads, ComputeGradients(loss, options));
  const bool any = std::any_of(grads.begin(), grads.end(), [](const GradAndVar& g) { return HasGrad(g.grad); });
  if (!any)
    return InvalidArgument(
        "no gradients provided for any variable: check that the ops between the variables ({}) and the loss '{}' "
        "support gradients",
        DescribeVariables(grads), loss.name());
  return ApplyGradients(grads, options.global_step, options.name);
}

Result<std::vector<GradAndVar>> Optimizer::ComputeGradients(Output loss, const MinimizeOptions& options) {
  if (loss.has_graph()) WEIR_TRY(loss.graph().TakeError());
  if (!loss.valid()) return InvalidArgument("{}: the loss to minimize is not a tensor", name_);
  WEIR_TRY(Check());
  Graph& graph = loss.graph();
  if (!AcceptsType(loss.base_dtype()))
    return InvalidArgument("invalid type {} for the loss '{}': expected a floating type", loss.base_dtype(),
                           loss.name());
  const std::vector<VariablePtr> vars = options.var_list.empty() ? TrainableVariables(graph) : options.var_list;
  if (vars.empty()) return InvalidArgument("no variables to optimize");
  std::vector<Output> xs;
  for (const VariablePtr& var : vars) {
    if (var == nullptr) return InvalidArgument("{}: there is no variable at position {} of var_list", name_, xs.size());
    xs.push_back(var->handle());
  }
  GradientOptions how;
  how.gate_gradients = options.gate_gradients == GateGradients::kOp;
  how.aggregation = options.aggregation;
  how.colocate_with_ops = options.colocate_gradients_with_ops;
  how.custom_gradient = options.custom_gradient;
  if (HasGrad(options.grad_loss)) how.grad_ys = {options.grad_loss};
  WEIR_ASSIGN(std::vector<Grad> grads, AddGradients(graph, {loss}, xs, how));
  if (options.gate_gradients == GateGradients::kGraph) {
    std::vector<Node*> all;
    for (const Grad& g : grads)
      if (const Output* dense = std::get_if<Output>(&g)) all.push_back(dense->node);
    ControlDependencies after(graph, all);
    for (Grad& g : grads)
      if (const Output* dense = std::get_if<Output>(&g)) g = Identity(*dense);
  }
  std::vector<GradAndVar> result;
  for (size_t i = 0; i < vars.size(); ++i) {
    if (HasGrad(grads[i]) && !AcceptsType(vars[i]->dtype()))
      return InvalidArgument("invalid type {} for the variable '{}': expected a floating type", vars[i]->dtype(),
                             vars[i]->name());
    result.push_back({grads[i], vars[i]});
  }
  WEIR_TRY(graph.TakeError());
  return result;
}

Result<Node*> Optimizer::ApplyGradients(const std::vector<GradAndVar>& grads_and_vars, VariablePtr global_step,
                                        std::string name) {
  if (grads_and_vars.empty()) return InvalidArgument("no variables provided to {}", name_);
  WEIR_TRY(Check());
  std::vector<VariablePtr> vars;
  for (const GradAndVar& item : grads_and_vars) {
    if (item.var == nullptr) return InvalidArgument("{}: a (gradient, variable) pair has no variable", name_);
    if (HasGrad(item.grad)) vars.push_back(item.var);
  }
  if (vars.empty())
    return InvalidArgument("no gradients provided for any variable: {}", DescribeVariables(grads_and_vars));
  Graph& graph = vars[0]->graph();
  {
    ControlDependencies cleared = ControlDependencies::Cleared(graph);
    WEIR_TRY(CreateSlots(vars));
  }
  NameScope scope(graph, NameOrDefault(name, name_));
  WEIR_TRY(Prepare(graph));
  std::vector<Node*> updates;
  for (const GradAndVar& item : grads_and_vars) {
    if (!HasGrad(item.grad)) continue;
    NameScope update(graph, "update_" + item.var->op_name());
    ColocationScope colocated(graph, item.var->handle().node);
    if (item.var->constraint() && !std::holds_alternative<Output>(item.grad))
      return FailedPrecondition("Cannot use a constraint function on a sparse variable: {}", item.var->name());
    Result<Node*> node = std::holds_alternative<Output>(item.grad)
                             ? ApplyDense(std::get<Output>(item.grad), item.var)
                             : ApplySparseDuplicates(std::get<IndexedSlices>(item.grad), item.var);
    if (!node.ok()) return WithContext(node.status(), fmt::format("{}: update of '{}'", name_, item.var->name()));
    WEIR_TRY(graph.TakeError());
    if (item.var->constraint()) {
      ControlDependencies after(graph, {*node});
      WEIR_ASSIGN(const Output allowed, item.var->constraint()(item.var));
      node = item.var->Assign(allowed, use_locking_).node;
      WEIR_TRY(graph.TakeError());
    }
    updates.push_back(*node);
  }
  Node* result = nullptr;
  if (global_step == nullptr) {
    WEIR_ASSIGN(result, Finish(graph, updates, scope.name() + "/"));
  } else {
    WEIR_ASSIGN(Node * finished, Finish(graph, updates, "update"));
    ControlDependencies after(graph, {finished});
    ColocationScope colocated(graph, global_step->handle().node);
    if (global_step->is_resource()) {
      WEIR_ASSIGN(const Output one, weir::ToOutput(graph, 1, global_step->dtype(), "value"));
      result = AssignAddVariableOp(global_step->handle(), one, {.name = scope.name() + "/"});
    } else {
      result = global_step->AssignAdd(1, /*use_locking=*/false, scope.name() + "/").node;
    }
    WEIR_TRY(graph.TakeError());
  }
  std::vector<Node*> known = graph.collections().Of<Node*>(graph_keys::kTrainOp);
  if (std::find(known.begin(), known.end(), result) == known.end())
    graph.collections().Add(graph_keys::kTrainOp, result);
  return result;
}

VariablePtr Optimizer::GetSlot(const VariablePtr& var, const std::string& slot_name) const {
  auto named = slots_.find(slot_name);
  if (named == slots_.end()) return nullptr;
  auto slot = named->second.find({var->graph().uid(), var->op_name()});
  return slot == named->second.end() ? nullptr : slot->second;
}

std::vector<std::string> Optimizer::SlotNames() const {
  std::vector<std::string> names;
  for (const auto& [name, slots] : slots_) names.push_back(name);
  return names;
}

std::vector<VariablePtr> Optimizer::Variables() const {
  std::vector<VariablePtr> result;
  for (const auto& [name, var] : non_slots_) result.push_back(var);
  for (const auto& [name, slots] : slots_)
    for (const auto& [primary, slot] : slots) result.push_back(slot);
  std::sort(result.begin(), result.end(),
            [](const VariablePtr& a, const VariablePtr& b) { return a->name() < b->name(); });
  return result;
}

Result<Node*> Optimizer::ApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  return Unimplemented("{} has no update for sparse gradients (variable '{}')", name_, var->name());
}

Result<Node*> Optimizer::ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) {
  return ApplySparse(SumDuplicateIndices(grad), var);
}

Result<Node*> Optimizer::Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) {
  Node* node = Group(graph, updates, name);
  WEIR_TRY(graph.TakeError());
  return node;
}

Result<VariablePtr> Optimizer::SlotWith(const VariablePtr& var, const std::string& slot_name,
                                        const std::string& op_name, const Initializer& initial) {
  if (VariablePtr known = GetSlot(var, slot_name)) return known;
  Graph& graph = var->graph();
  VariableOptions options;
  const std::string primary = ScopePrefix(graph) + var->op_name();
  options.name = FreeNodeName(graph, primary + "/" + op_name) + "/";
  options.dtype = var->dtype();
  options.trainable = false;
  options.use_resource = var->is_resource();
  ColocationScope colocated(graph, var->handle().node);
  const PartialShape shape = var->shape();
  WEIR_ASSIGN(VariablePtr slot, Variable::MakeWith(
                                    graph, [&] { return initial(graph, shape, var->dtype()); }, options));
  if (var->slice.has_value()) {
    slot->slice = var->slice;
    slot->slice->full_name += slot->op_name().substr(primary.size());
  }
  slots_[slot_name][{graph.uid(), var->op_name()}] = slot;
  return slot;
}

Result<VariablePtr> Optimizer::ZerosSlot(const VariablePtr& var, const std::string& slot_name,
                                         const std::string& op_name) {
  const Output like = var->value();
  return SlotWith(var, slot_name, op_name,
                  [like](Graph& graph, const PartialShape& shape, DType dtype) -> Result<Output> {
                    if (!shape.fully_defined()) return ZerosLike(like, {.name = "zeros"});
                    WEIR_ASSIGN(Tensor zero, Tensor::Zeros(dtype, Shape{}));
                    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
                    return Fill(graph, dims, zero, {.name = "zeros"});
                  });
}

Result<VariablePtr> Optimizer::NonSlot(const std::string& name, float initial, const VariablePtr& colocate_with) {
  Graph& graph = colocate_with->graph();
  if (VariablePtr known = FindNonSlot(graph, name)) return known;
  ColocationScope colocated(graph, colocate_with->handle().node);
  VariableOptions options;
  options.name = name;
  options.trainable = false;
  options.use_resource = colocate_with->is_resource();
  WEIR_ASSIGN(VariablePtr made, Variable::Make(graph, initial, options));
  non_slots_[{graph.uid(), name}] = made;
  return made;
}

VariablePtr Optimizer::FindNonSlot(const Graph& graph, const std::string& name) const {
  auto it = non_slots_.find({graph.uid(), name});
  return it == non_slots_.end() ? nullptr : it->second;
}

IndexedSlices SumDuplicateIndices(const IndexedSlices& slices) {
  const Node* from = slices.indices.node;
  if (from != nullptr && from->op().traits.unique_indices && slices.values.node == from) return slices;
  UniqueResult unique = Unique(slices.indices);
  Output count = StridedSlice(ShapeOf(unique.y), {0}, {1}, {1}, {.shrink_axis_mask = 1});
  return {UnsortedSegmentSum(slices.values, unique.idx, count), unique.y, slices.dense_shape};
}

}  // namespace weir
