#include "runtime/passes/awaited_nodes.h"

namespace weir {

Result<AwaitedNodes> AwaitedNodes::Make(const PlanGraph& graph, const Consumers& consumers) {
  WEIR_ASSIGN(std::vector<int32_t> order, TopologicalOrder(graph, consumers));
  return AwaitedNodes(graph, std::move(order));
}

std::vector<uint64_t> AwaitedNodes::Spread(std::vector<uint64_t> bits) const {
  const std::vector<uint64_t> own = bits;
  bits.assign(own.size(), ~uint64_t{0});
  // Greatest fixed point: loop variables start with all bits, and each round removes the bits that they do not wait
  // for.
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t n : order_) {
      const PlanGraph::Node& node = graph_->nodes[n];
      const bool is_merge = node.op().traits.kind == NodeKind::kMerge;
      uint64_t inputs = is_merge && !node.inputs.empty() ? ~uint64_t{0} : 0;
      for (PlanValue input : node.inputs) {
        const uint64_t of_input = input.fed() ? 0 : bits[input.node];
        inputs = is_merge ? inputs & of_input : inputs | of_input;
      }
      for (int32_t control : node.control_inputs) inputs |= bits[control];
      const uint64_t all = own[n] | inputs;
      changed = changed || all != bits[n];
      bits[n] = all;
    }
  }
  return bits;
}

}  // namespace weir
