// Constant folding. Nodes with control inputs stay, because they may be dead or wait for a side effect.
#include "op/element_loop.h"
#include "runtime/passes/passes.h"

namespace weir {
namespace {

constexpr size_t kMaxFoldedBytes = 1 << 20;
// Folding does not observe the deadline of the step. Kernels whose time may grow faster than their inputs are run on
// few elements only.
constexpr int64_t kMaxElements = 1 << 14;

bool TakesShort(const OpDef& op, const std::vector<Tensor>& inputs) {
  if (op.traits.brief || (!op.kernels.empty() && LoopOf(op.kernels.front()) != nullptr)) return true;
  int64_t elements = 0;
  for (const Tensor& input : inputs) elements += input.num_elements();
  return elements <= kMaxElements;
}

// A Const that replaces `node`, with its name. `like` is any Const; its op is used.
std::shared_ptr<const NodeProps> MakeConst(const PlanGraph::Node& node, const NodeProps& like, Tensor value) {
  auto props = std::make_shared<NodeProps>();
  props->name = node.name();
  props->op = like.op;
  props->output_types = {value.dtype()};
  AttrMap attrs;
  attrs.emplace("dtype", AttrValue(value.dtype()));
  attrs.emplace("value", AttrValue(std::move(value)));
  props->attrs = std::make_shared<AttrMap>(std::move(attrs));
  return props;
}

}  // namespace

Status FoldConstants(PlanGraph& graph, ConstantEvaluator& evaluator, PassReport& report) {
  WEIR_ASSIGN(std::vector<int32_t> order, TopologicalOrder(graph, FindConsumers(graph)));
  for (int32_t n : order) {
    PlanGraph::Node& node = graph.nodes[n];
    if (node.inputs.empty() || !node.control_inputs.empty() || node.props->output_types.size() != 1) continue;
    std::vector<Tensor> inputs;
    for (PlanValue input : node.inputs) {
      const Tensor* constant = ConstantOf(graph, input);
      if (constant == nullptr) break;
      inputs.push_back(*constant);
    }
    if (inputs.size() != node.inputs.size() || !IsPure(graph, node)) continue;
    if (!TakesShort(*node.props->op, inputs)) continue;
    Result<std::vector<Tensor>> values = evaluator.Evaluate(*node.props, inputs);
    if (!values.ok() || (*values)[0].num_bytes() > kMaxFoldedBytes) continue;
    node.props = MakeConst(node, *graph.nodes[node.inputs[0].node].props, std::move((*values)[0]));
    node.inputs.clear();
    ++report.folded;
  }
  return OkStatus();
}

}  // namespace weir
