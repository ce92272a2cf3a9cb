// A NoOp that groups several nodes runs where the program has placed it, often on the task that builds the graph. If
// only nodes of another task wait for it, and it waits for nodes of that task, it moves there. Otherwise the control
// edges would cross to this task and back.
#include <set>

#include "runtime/partition.h"
#include "runtime/passes/passes.h"

namespace weir {

namespace {

// A brief op without inputs, outputs and state can do nothing but order other nodes.
bool IsGroup(const OpDef& op) {
  return op.inputs.empty() && op.outputs.empty() && op.traits.brief && !op.stateful && !op.is_function;
}

}  // namespace

void MoveGroups(PlanGraph& graph) {
  for (const PlanGraph::Node& node : graph.nodes) {
    if (IsFlow(node.op().traits.kind)) return;  // dead inputs must reach the group on its own task
  }
  const Consumers consumers = FindConsumers(graph);
  const auto num_elsewhere = [&](const PlanGraph::Node& node, const std::string& task) {
    int count = 0;
    for (int32_t n : node.control_inputs) count += TaskOfDevice(graph.nodes[n].placed->name()) == task ? 0 : 1;
    return count;
  };
  // In reverse order: consumers of a group are created after it, so they have moved already.
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    PlanGraph::Node& node = graph.nodes[n];
    if (!IsGroup(node.op())) continue;
    std::set<const Device*> waiting;
    for (int32_t consumer : consumers.of(static_cast<int32_t>(n))) waiting.insert(graph.nodes[consumer].placed);
    if (waiting.size() != 1) continue;
    const std::string own_task = TaskOfDevice(node.placed->name());
    const std::string other_task = TaskOfDevice((*waiting.begin())->name());
    if (own_task != other_task && num_elsewhere(node, other_task) <= num_elsewhere(node, own_task) + 1)
      node.placed = *waiting.begin();
  }
}

}  // namespace weir
