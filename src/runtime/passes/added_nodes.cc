#include "runtime/passes/added_nodes.h"

namespace weir {

std::string AddedNodes::NewName(const std::string& base, std::string_view suffix) {
  if (names_.empty()) {
    for (const PlanGraph::Node& node : graph_.nodes) names_.insert(node.name());
  }
  std::string name = fmt::format("{}/_{}", base, suffix);
  for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}/_{}_{}", base, suffix, i);
  return name;
}

Result<int32_t> AddedNodes::Add(const std::string& base, std::string_view suffix, const std::string& op_name,
                                AttrMap attrs, const PlanGraph::Node& near) {
  const OpDef* op = registry_.Find(op_name);
  if (op == nullptr) return Internal("there is no op {}", op_name);
  auto props = std::make_shared<NodeProps>();
  props->name = NewName(base, suffix);
  props->op = op;
  WEIR_TRY(CheckAndCompleteAttrs(*op, &attrs));
  WEIR_ASSIGN(props->input_types, ArgTypes(op->inputs, attrs));
  WEIR_ASSIGN(props->output_types, ArgTypes(op->outputs, attrs));
  props->attrs = std::make_shared<AttrMap>(std::move(attrs));
  PlanGraph::Node node;
  node.props = std::move(props);
  node.device = near.device;
  node.placed = near.placed;
  graph_.nodes.push_back(std::move(node));
  return static_cast<int32_t>(graph_.nodes.size()) - 1;
}

Result<int32_t> AddedNodes::AddConsumer(PlanValue value, const std::string& op_name, std::string_view suffix) {
  AttrMap attrs;
  attrs.emplace("T", AttrValue(BaseType(graph_.type_of(value))));
  const PlanGraph::Node near = graph_.nodes[value.node];
  WEIR_ASSIGN(const int32_t added, Add(near.name(), suffix, op_name, std::move(attrs), near));
  graph_.nodes[added].inputs.push_back(value);
  if (value.output == 0) graph_.nodes[added].shape = graph_.nodes[value.node].shape;
  return added;
}

}  // namespace weir
