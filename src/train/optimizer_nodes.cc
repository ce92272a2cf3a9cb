#include "train/optimizer_nodes.h"

#include <algorithm>

#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/state_ops.h"
#include "graph/node_builder.h"

namespace weir {

Result<Node*> UpdateNode(const Optimizer& optimizer, const std::string& rule, const VariablePtr& var,
                         const std::vector<VariablePtr>& slots, const InputList& values,
                         const std::vector<std::pair<std::string, AttrValue>>& attrs) {
  NodeBuilder node(var->graph(), (var->is_resource() ? "Resource" : "") + rule);
  node.In(var->handle());
  for (const VariablePtr& slot : slots) node.In(slot->handle());
  for (const Input& value : values) node.In(value);
  node.Attr("use_locking", optimizer.use_locking());
  for (const auto& [name, value] : attrs) node.Attr(name, value);
  return node.Build();
}

Output ScatterRows(const VariablePtr& var, Output indices, Output rows, bool add, bool locking) {
  Graph& graph = var->graph();
  if (!var->is_resource())
    return add ? ScatterAdd(var->handle(), indices, rows, {.use_locking = locking})
               : ScatterUpdate(var->handle(), indices, rows, {.use_locking = locking});
  Node* done =
      add ? ResourceScatterAdd(var->handle(), indices, rows) : ResourceScatterUpdate(var->handle(), indices, rows);
  if (done == nullptr) return Output::Failed(graph);
  ControlDependencies after(graph, {done});
  return ReadVariableOp(var->handle(), var->dtype());
}

Output DecayAndAddRows(const VariablePtr& slot, Output decay, Output indices, Output rows, bool locking) {
  const Output decayed = slot->Assign(slot->AsInput() * decay, locking);
  if (!decayed.valid()) return decayed;
  ControlDependencies after(slot->graph(), {decayed.node});
  return ScatterRows(slot, indices, rows, /*add=*/true, locking);
}

Output InTypeOf(const VariablePtr& var, Output value) {
  return value.base_dtype() == var->dtype() ? value : Cast(value, var->dtype());
}

VariablePtr FirstByName(const std::vector<VariablePtr>& vars) {
  return *std::min_element(vars.begin(), vars.end(),
                           [](const VariablePtr& a, const VariablePtr& b) { return a->name() < b->name(); });
}

Status MakeAdamSlots(Optimizer& optimizer, const std::vector<VariablePtr>& vars, float beta1, float beta2) {
  const VariablePtr first = FirstByName(vars);
  WEIR_TRY(optimizer.NonSlot("beta1_power", beta1, first).status());
  WEIR_TRY(optimizer.NonSlot("beta2_power", beta2, first).status());
  for (const VariablePtr& var : vars) {
    WEIR_TRY(optimizer.ZerosSlot(var, "m", optimizer.name()).status());
    WEIR_TRY(optimizer.ZerosSlot(var, "v", optimizer.name()).status());
  }
  return OkStatus();
}

Output PowerFor(const Optimizer& optimizer, const VariablePtr& var, const char* name) {
  return InTypeOf(var, optimizer.FindNonSlot(var->graph(), name)->AsInput());
}

Result<std::vector<Node*>> NextPowers(const Optimizer& optimizer, Graph& graph, std::vector<Node*> updates,
                                      const std::vector<std::pair<std::string, float>>& powers) {
  for (const auto& [name, base] : powers) {
    if (optimizer.FindNonSlot(graph, name) == nullptr)
      return FailedPrecondition("{} has no powers of beta ({}): CreateSlots was not called", optimizer.name(), name);
  }
  ControlDependencies after(graph, updates);
  ColocationScope colocated(graph, optimizer.FindNonSlot(graph, powers[0].first)->handle().node);
  for (const auto& [name, base] : powers) {
    const VariablePtr power = optimizer.FindNonSlot(graph, name);
    const Output next = power->Assign(power->AsInput() * base, optimizer.use_locking());
    WEIR_TRY(graph.TakeError());
    updates.push_back(next.node);
  }
  return updates;
}

}  // namespace weir
