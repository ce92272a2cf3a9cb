// Folds a bias, and the activation after it, into the preceding product or convolution. The new node replaces the last
// of them, with its name and all their control inputs. The intermediate values disappear, so they must have no other
// consumers (except Shape nodes, because the result has the same shape) and no control outputs. Errors still name the
// original node, because the kernel knows the names.
#include <algorithm>

#include "op/hidden_attrs.h"
#include "op/kernel.h"
#include "runtime/kernel_cache.h"
#include "runtime/passes/passes.h"

namespace weir {
namespace {

constexpr int32_t kNoNode = -1;

class Folder {
 public:
  Folder(PlanGraph& graph, const OpRegistry& registry, PassReport& report)
      : graph_(graph),
        registry_(registry),
        report_(report),
        consumers_(graph.nodes.size(), kNoNode),
        free_(graph.nodes.size(), true) {
    for (int32_t n = 0; n < static_cast<int32_t>(graph_.nodes.size()); ++n) {
      updates_ = updates_ || Updates(graph_.nodes[n]);
      for (PlanValue input : graph_.nodes[n].inputs) {
        if (!input.fed()) AddConsumer(input.node, n);
      }
      for (int32_t control : graph_.nodes[n].control_inputs) free_[control] = false;
    }
    for (const PlanGraph::Fetch& fetch : graph_.fetches) {
      if (!fetch.value.fed()) free_[fetch.value.node] = false;
    }
    for (int32_t target : graph_.targets) free_[target] = false;
  }

  void Run() {
    for (int32_t n = 0; n < static_cast<int32_t>(graph_.nodes.size()); ++n) {
      const OpTraits& traits = graph_.nodes[n].op().traits;
      if (traits.fold != FoldStage::kProduct) continue;
      if (const OpDef* op = registry_.Find(traits.folded_op)) Fold(n, *op);
    }
    if (!moved_.empty()) MoveShapes();
  }

 private:
  // Shape nodes do not count as consumers.
  void AddConsumer(int32_t n, int32_t taker) {
    if (IsShapeNode(graph_.nodes[taker])) return;
    if (consumers_[n] != kNoNode) free_[n] = false;
    consumers_[n] = taker;
  }

  // The only consumer of `n`, if it uses the value as its first input and may be folded into `n`; else kNone.
  int32_t FoldableConsumer(int32_t n) const {
    const int32_t taker = consumers_[n];
    if (!free_[n] || taker == kNoNode) return kNoNode;
    const PlanGraph::Node& node = graph_.nodes[n];
    const PlanGraph::Node& next = graph_.nodes[taker];
    if (!(next.inputs[0] == PlanValue{n, 0}) || next.placed != node.placed || !IsPure(graph_, next)) return kNoNode;
    const bool waits_alike = std::all_of(next.control_inputs.begin(), next.control_inputs.end(), [&](int32_t control) {
      const auto& own = node.control_inputs;
      return std::find(own.begin(), own.end(), control) != own.end();
    });
    return waits_alike ? taker : kNoNode;
  }

  static bool Updates(const PlanGraph::Node& node) {
    for (DType type : node.props->input_types) {
      if (IsRef(type) || (type == kResource && node.op().stateful && node.op().traits.state != StateRole::kReads))
        return true;
    }
    return false;
  }

  // Whether the value is available from the start or is a plain read. After folding, the product waits for the bias.
  // Its other inputs may alias a variable; if the bias depended on an update of that variable, the product would see
  // the new value.
  bool IsAvailableEarly(PlanValue value) const {
    while (!value.fed()) {
      const PlanGraph::Node& node = graph_.nodes[value.node];
      if (!node.control_inputs.empty()) return false;
      const OpTraits& traits = node.op().traits;
      if (traits.kind == NodeKind::kConst || traits.kind == NodeKind::kTransfer ||
          traits.state == StateRole::kVariable || traits.state == StateRole::kVariableHandle)
        return true;
      if (!IsAlias(traits) && traits.value_use != ValueUse::kGives) return false;
      value = node.inputs[0];
    }
    return true;
  }

  PartialShape ShapeOf(PlanValue value) const {
    if (value.fed()) return graph_.feeds[value.output].shape;
    return value.output == 0 ? graph_.nodes[value.node].shape : PartialShape();
  }

  static bool ChannelsLast(const PlanGraph::Node& node) {
    Result<std::string> format = GetAttr<std::string>(*node.props->attrs, "data_format");
    return !format.ok() || *format == "NHWC";
  }

  // Whether `node` adds a vector with one number per column, or per channel, of the product.
  bool IsBias(const PlanGraph::Node& product, const PlanGraph::Node& node) const {
    const FoldStage stage = node.op().traits.fold;
    if (stage == FoldStage::kBias) return ChannelsLast(product) && ChannelsLast(node);
    if (stage != FoldStage::kSum || !ChannelsLast(product)) return false;
    const PartialShape added = ShapeOf(node.inputs[1]);
    const PartialShape weights = ShapeOf(product.inputs[1]);
    if (added.rank() != 1 || weights.rank() < 2) return false;
    Result<bool> transposed = GetAttr<bool>(*product.props->attrs, "transpose_b");
    const int64_t columns = weights[transposed.ok() && *transposed ? 0 : weights.rank() - 1];
    return columns >= 0 && columns == added[0];
  }

  void Fold(int32_t n, const OpDef& op) {
    const PlanGraph::Node& product = graph_.nodes[n];
    if (!IsPure(graph_, product)) return;
    const int32_t bias = FoldableConsumer(n);
    if (bias == kNoNode || !IsBias(product, graph_.nodes[bias])) return;
    if (updates_ && !IsAvailableEarly(graph_.nodes[bias].inputs[1])) return;
    const int32_t activation = FoldableConsumer(bias);
    const bool activates = activation != kNoNode && graph_.nodes[activation].op().traits.fold == FoldStage::kActivation;
    std::vector<int32_t> parts = {n, bias};
    if (activates) parts.push_back(activation);
    PassReport::Fusion fusion{.kind = op.name, .end = graph_.nodes[parts.back()].name()};
    for (const int32_t part : parts) fusion.ops.push_back(graph_.nodes[part].op().name);
    std::shared_ptr<const NodeProps> props = PropsOf(op, parts);
    if (props == nullptr) return;
    report_.fused.push_back(std::move(fusion));
    PlanGraph::Node& last = graph_.nodes[parts.back()];
    const PlanValue taken[] = {product.inputs[0], product.inputs[1], graph_.nodes[bias].inputs[1]};
    last.props = std::move(props);
    last.inputs.assign(std::begin(taken), std::end(taken));
    last.control_inputs = product.control_inputs;
    for (size_t i = 0; i + 1 < parts.size(); ++i) moved_.emplace_back(parts[i], parts.back());
  }

  // Null if there is no kernel for the folded node.
  std::shared_ptr<const NodeProps> PropsOf(const OpDef& op, const std::vector<int32_t>& parts) const {
    const PlanGraph::Node& product = graph_.nodes[parts[0]];
    auto props = std::make_shared<NodeProps>();
    props->name = graph_.nodes[parts.back()].name();
    props->op = &op;
    AttrMap attrs;
    for (const auto& [name, value] : *product.props->attrs) {
      if (op.FindAttr(name) != nullptr) attrs.emplace(name, value);
    }
    std::vector<std::string> names, fused;
    for (const int32_t part : parts) {
      names.push_back(graph_.nodes[part].name());
      if (part != parts[0]) fused.push_back(graph_.nodes[part].op().name);
    }
    attrs.insert_or_assign("num_args", AttrValue(int64_t{1}));
    attrs.insert_or_assign("fused_ops", AttrValue(std::move(fused)));
    attrs.insert_or_assign(kFoldedNodesAttr, AttrValue(std::move(names)));
    const DType type = product.props->output_types[0];
    if (op.FindAttr("TArgs") != nullptr) attrs.insert_or_assign("TArgs", AttrValue(std::vector<DType>{type}));
    if (!CheckAndCompleteAttrs(op, &attrs).ok()) return nullptr;
    props->attrs = std::make_shared<AttrMap>(std::move(attrs));
    props->input_types = {type, type, type};
    props->output_types = {type};
    const NodeInfo info = MakeNodeInfo(*props, product.placed->name());
    return FindKernel(info, product.placed->kind()).ok() ? props : nullptr;
  }

  // Redirects Shape nodes of intermediate values to the results that replace them.
  void MoveShapes() {
    std::vector<int32_t> instead(graph_.nodes.size(), kNoNode);
    for (const auto& [from, to] : moved_) instead[from] = to;
    for (PlanGraph::Node& node : graph_.nodes) {
      if (!IsShapeNode(node) || node.inputs[0].fed()) continue;
      if (const int32_t to = instead[node.inputs[0].node]; to != kNoNode) node.inputs[0].node = to;
    }
  }

  PlanGraph& graph_;
  const OpRegistry& registry_;
  PassReport& report_;
  std::vector<int32_t> consumers_;  // indexed by node: its consumer, the last one if there are several
  std::vector<bool> free_;          // indexed by node: at most one consumer, not fetched, no control outputs
  bool updates_ = false;            // some node updates a variable
  std::vector<std::pair<int32_t, int32_t>> moved_;  // folded node -> the node that replaces it
};

}  // namespace

void FoldActivations(PlanGraph& graph, const OpRegistry& registry, PassReport& report) {
  Folder(graph, registry, report).Run();
}

}  // namespace weir
