#include "train/moving_averages.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/compose/variable_scope.h"
#include "graph/compose/weights.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {

Result<Node*> ExponentialMovingAverage::Apply(Graph& graph, std::vector<VariablePtr> vars) {
  if (vars.empty()) vars = TrainableVariables(graph);
  std::vector<Key> keys;
  for (const VariablePtr& var : vars) {
    if (var == nullptr) return InvalidArgument("{}: there is no variable at position {}", options_.name, keys.size());
    if (!IsFloating(var->dtype()))
      return MarkTypeError(
          InvalidArgument("the variable '{}' is {}: only floating types can be averaged", var->name(), var->dtype()));
    const Key key = {graph.uid(), var->op_name()};
    if (shadows_.contains(key)) return InvalidArgument("a moving average of '{}' exists already", var->name());
    ControlDependencies cleared = ControlDependencies::Cleared(graph);
    ColocationScope colocated(graph, var->handle().node);
    VariableOptions how;
    how.name = AverageName(var->op_name()) + "/";
    how.dtype = var->dtype();
    how.trainable = false;
    how.use_resource = var->is_resource();
    // Starts at the variable's value, so no debiasing is needed.
    WEIR_ASSIGN(VariablePtr average, Variable::MakeWith(
                                         graph, [&] { return var->InitializedValue(); }, how));
    if (var->slice.has_value()) {
      average->slice = var->slice;
      average->slice->full_name = AverageName(var->slice->full_name);
    }
    graph.collections().Add(graph_keys::kMovingAverageVariables, var);
    shadows_[key] = {.average = average, .value = var->AsInput()};
    keys.push_back(key);
  }
  return UpdateAll(graph, keys);
}

Result<Node*> ExponentialMovingAverage::ApplyTensor(Output value) {
  if (value.has_graph()) WEIR_TRY(value.graph().TakeError());
  if (!value.valid()) return InvalidArgument("{}: the value to average is not a tensor", options_.name);
  Graph& graph = value.graph();
  const Key key = {graph.uid(), value.node->name()};
  if (!IsFloating(value.base_dtype()))
    return MarkTypeError(
        InvalidArgument("'{}' is {}: only floating types can be averaged", value.name(), value.base_dtype()));
  if (shadows_.contains(key)) return InvalidArgument("a moving average of '{}' exists already", value.name());
  if (!value.shape().fully_defined())
    return InvalidArgument("a moving average of '{}' needs its static shape, which is {}", value.name(), value.shape());
  ControlDependencies cleared = ControlDependencies::Cleared(graph);
  VariableOptions how;
  how.name = AverageName(key.second) + "/";
  how.dtype = value.base_dtype();
  how.trainable = false;
  const PartialShape shape = value.shape();
  WEIR_ASSIGN(VariablePtr average, Variable::MakeWith(
                                       graph,
                                       [&]() -> Result<Output> {
                                         WEIR_ASSIGN(Tensor zero, Tensor::Zeros(how.dtype, Shape{}));
                                         return Fill(graph,
                                                     std::vector<int64_t>(shape.dims().begin(), shape.dims().end()),
                                                     zero, {.name = "zeros"});
                                       },
                                       how));
  shadows_[key] = {.average = average, .value = value, .debias = options_.zero_debias};
  return UpdateAll(graph, {key});
}

namespace {

// A zero-initialized variable of the scope `below`, which is named like the average. As in TensorFlow, this scope is
// inside the current one, whose reuse decides whether a variable is shared.
Result<VariablePtr> ZeroVariable(Graph& graph, const VariableScope& below, const Variable& average,
                                 const std::string& name, const PartialShape& shape) {
  ControlDependencies cleared = ControlDependencies::Cleared(graph);
  VariableRequest request;
  request.name = name;
  const std::shared_ptr<VariableStore> store = VariableStore::Of(graph);
  for (int i = 1; below.reuse != Reuse::kYes && store->Find(below.name + "/" + request.name) != nullptr; ++i)
    request.name = fmt::format("{}_{}", name, i);
  request.shape = shape;
  request.dtype = average.dtype();
  request.initializer = std::make_shared<const ScopedInitializer>(ZerosInitializer());
  request.trainable = false;
  request.use_resource = average.is_resource();
  WEIR_ASSIGN(const FoundVariable found, VariableScopeStack(graph).GetBelow(below, std::move(request)));
  if (found.whole == nullptr)
    return InvalidArgument("'{}/{}' must be a single variable, to average without a bias", below.name, name);
  return found.whole;
}

}  // namespace

Result<Output> AssignMovingAverage(const Variable& average, const Output& value, const Output& decay, bool zero_debias,
                                   const std::string& name) {
  Graph& graph = average.graph();
  ColocationScope colocated(graph, average.handle().node);
  NameScope update(graph, name);
  Output rate = 1.0f - decay;
  if (rate.valid() && rate.base_dtype() != average.dtype()) rate = Cast(rate, average.dtype());
  Output changed;
  if (!zero_debias) {
    changed = average.AssignSub((average.AsInput() - value) * rate, false, update.name() + "/");
  } else {
    // The biased average starts at zero; dividing by 1 - decay^steps removes the bias.
    const VariableScope below = VariableScopeStack(graph).Opened(average.op_name(), {}, {});
    WEIR_ASSIGN(VariablePtr biased, ZeroVariable(graph, below, average, "biased", average.shape()));
    WEIR_ASSIGN(VariablePtr step, ZeroVariable(graph, below, average, "local_step", PartialShape::Scalar()));
    Output next_biased = biased->AssignSub((biased->AsInput() - value) * rate);
    Output next_step = step->AssignAdd(1);
    WEIR_TRY(graph.TakeError());
    Output factor = 1.0f - Pow(graph, 1.0f - rate, next_step);
    changed = average.Assign(next_biased / factor, false, true, update.name() + "/");
  }
  WEIR_TRY(graph.TakeError());
  return changed;
}

Result<Node*> ExponentialMovingAverage::UpdateAll(Graph& graph, const std::vector<Key>& keys) {
  NameScope scope(graph, options_.name);
  WEIR_ASSIGN(Output decay, ToOutput(graph, decay_, kInvalidType, "decay"));
  if (options_.num_updates.valid()) {
    Output n = Cast(options_.num_updates, kFloat, {.name = "num_updates"});
    decay = Minimum(decay, (1.0f + n) / (10.0f + n));
  }
  std::vector<Node*> updates;
  for (const Key& key : keys) {
    const Shadow& shadow = shadows_.at(key);
    WEIR_ASSIGN(Output changed, AssignMovingAverage(*shadow.average, shadow.value, decay, shadow.debias));
    updates.push_back(changed.node);
  }
  Node* all = Group(graph, updates, scope.name() + "/");
  WEIR_TRY(graph.TakeError());
  return all;
}

VariablePtr ExponentialMovingAverage::Average(const VariablePtr& var) const {
  auto it = shadows_.find({var->graph().uid(), var->op_name()});
  return it == shadows_.end() ? nullptr : it->second.average;
}

VariablePtr ExponentialMovingAverage::Average(Output value) const {
  auto it = shadows_.find({value.graph().uid(), value.node->name()});
  return it == shadows_.end() ? nullptr : it->second.average;
}

std::map<std::string, VariablePtr> ExponentialMovingAverage::VariablesToRestore(
    Graph& graph, const std::vector<VariablePtr>& moving) const {
  std::vector<VariablePtr> averaged = moving;
  if (averaged.empty()) {
    averaged = TrainableVariables(graph);
    for (const VariablePtr& v : graph.collections().Of<VariablePtr>(graph_keys::kMovingAverageVariables))
      averaged.push_back(v);
  }
  std::map<std::string, VariablePtr> result;
  std::map<std::string, bool> done;
  for (const VariablePtr& v : averaged) {
    result[AverageName(v->op_name())] = v;
    done[v->op_name()] = true;
  }
  for (const VariablePtr& v : GlobalVariables(graph))
    if (!done.contains(v->op_name()) && !result.contains(v->op_name())) result[v->op_name()] = v;
  return result;
}

}  // namespace weir
