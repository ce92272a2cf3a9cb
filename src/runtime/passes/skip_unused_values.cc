// Does not compute nodes that have only control outputs: their consumers wait for the inputs of the node instead. The
// gates that optimizers put between gradients leave many such nodes, e.g. the gradient of the images of the first
// convolution.
#include <algorithm>

#include "runtime/passes/passes.h"

namespace weir {
namespace {

// Replacing one control edge by many does not pay.
constexpr size_t kMaxEdges = 8;

// A node that consumes the output of a Switch or another control flow node may be dead while that node is live, so it
// must stay.
bool MaySkip(const PlanGraph& graph, const PlanGraph::Node& node) {
  // Nodes without outputs exist for their control edges. EnsureShape and placeholders that are not fed must fail.
  if (!IsPure(graph, node) || node.props->output_types.empty() || node.inputs.empty()) return false;
  if (node.op().traits.checks) return false;
  if (node.inputs.size() + node.control_inputs.size() > kMaxEdges) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](PlanValue input) {
    if (input.fed()) return true;
    const NodeKind kind = graph.nodes[input.node].op().traits.kind;
    return kind == NodeKind::kKernel || kind == NodeKind::kConst;
  });
}

}  // namespace

Status SkipUnusedValues(PlanGraph& graph, PassReport& report) {
  WEIR_ASSIGN(const std::vector<int32_t> order, TopologicalOrder(graph, FindConsumers(graph)));
  std::vector<int32_t> uses(graph.nodes.size(), 0);
  for (const PlanGraph::Node& node : graph.nodes) {
    for (PlanValue input : node.inputs) {
      if (!input.fed()) ++uses[input.node];
    }
  }
  for (const PlanGraph::Fetch& fetch : graph.fetches) {
    if (!fetch.value.fed()) ++uses[fetch.value.node];
  }
  for (int32_t target : graph.targets) ++uses[target];

  std::vector<bool> skipped(graph.nodes.size(), false);
  for (auto n = order.rbegin(); n != order.rend(); ++n) {
    const PlanGraph::Node& node = graph.nodes[*n];
    if (uses[*n] > 0 || !MaySkip(graph, node)) continue;
    skipped[*n] = true;
    for (PlanValue input : node.inputs) {
      if (!input.fed()) --uses[input.node];
    }
  }
  std::vector<bool> waited_for(graph.nodes.size(), false);
  for (int32_t n : order) {
    PlanGraph::Node& node = graph.nodes[n];
    absl::InlinedVector<int32_t, 1> waits;
    auto wait_for = [&](int32_t other) {
      if (skipped[other]) {
        waited_for[other] = true;
        const auto& instead = graph.nodes[other].control_inputs;
        waits.insert(waits.end(), instead.begin(), instead.end());
      } else {
        waits.push_back(other);
      }
    };
    for (int32_t control : node.control_inputs) wait_for(control);
    if (skipped[n]) {
      for (PlanValue input : node.inputs) {
        if (!input.fed()) wait_for(input.node);
      }
      node.inputs.clear();
    }
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    node.control_inputs = std::move(waits);
  }
  report.skipped += std::count(waited_for.begin(), waited_for.end(), true);
  return OkStatus();
}

}  // namespace weir
