#include "graph/subgraph.h"

#include <unordered_map>

#include "graph/graph_def.h"
#include "tensor/tensor_proto.h"

namespace weir {
namespace {

using tensorflow::GraphDef;
using tensorflow::NodeDef;

std::string SourceOf(std::string_view input) { return std::string(ParseInputName(input).node); }
bool IsControl(std::string_view input) { return input.starts_with("^"); }

const tensorflow::AttrValue* FindAttr(const NodeDef& node, const char* name) {
  const auto found = node.attr().find(name);
  return found == node.attr().end() ? nullptr : &found->second;
}

// The traits of an unknown op are the default ones.
const OpTraits& TraitsOf(const OpRegistry& registry, const NodeDef& node) {
  static constexpr OpTraits kUnknown;
  const OpDef* op = registry.Find(node.op());
  return op == nullptr ? kUnknown : op->traits;
}

// Whether the node may pass on the handle of a variable.
bool PassesHandle(const OpTraits& traits) {
  return IsAlias(traits) || traits.kind == NodeKind::kEnter || traits.kind == NodeKind::kSwitch;
}

// The variable that a handle originates from.
std::string HandleSource(const OpRegistry& registry, const std::unordered_map<std::string, const NodeDef*>& nodes,
                         const NodeDef& reader) {
  const NodeDef* node = &reader;
  for (size_t hops = 0; hops <= nodes.size() && node->input_size() > 0; ++hops) {
    const auto found = nodes.find(SourceOf(node->input(0)));
    if (found == nodes.end()) return "";
    node = found->second;
    const OpTraits& traits = TraitsOf(registry, *node);
    if (traits.state == StateRole::kVariableHandle) return node->name();
    if (!PassesHandle(traits)) return "";
  }
  return "";
}

std::unordered_map<std::string, const NodeDef*> ByName(const GraphDef& def) {
  std::unordered_map<std::string, const NodeDef*> nodes;
  for (const NodeDef& node : def.node()) nodes[node.name()] = &node;
  return nodes;
}

void CopyRest(const GraphDef& from, GraphDef* to) {
  if (from.has_library()) *to->mutable_library() = from.library();
  if (from.has_versions()) *to->mutable_versions() = from.versions();
}

// Turns a read of a resource variable into a read of a plain value.
void ReplaceVariableRead(NodeDef* node, bool gathers) {
  tensorflow::AttrValue type;
  if (const tensorflow::AttrValue* dtype = FindAttr(*node, "dtype")) type = *dtype;
  if (!gathers) {
    node->set_op("Identity");
    node->clear_attr();
    (*node->mutable_attr())["T"] = type;
    return;
  }
  tensorflow::AttrValue index_type;
  if (const tensorflow::AttrValue* indices = FindAttr(*node, "Tindices")) index_type = *indices;
  node->set_op("GatherV2");
  node->clear_attr();
  (*node->mutable_attr())["Tparams"] = type;
  (*node->mutable_attr())["Tindices"] = index_type;
  (*node->mutable_attr())["Taxis"].set_type(tensorflow::DT_INT32);
}

}  // namespace

Result<GraphDef> ExtractSubgraph(const GraphDef& def, const std::vector<std::string>& wanted) {
  const std::unordered_map<std::string, const NodeDef*> nodes = ByName(def);
  std::set<std::string> kept;
  std::vector<std::string> open;
  for (const std::string& name : wanted) {
    if (!nodes.contains(name)) return NotFound("{} is not in graph", name);
    open.push_back(name);
  }
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto found = nodes.find(name);
    if (found == nodes.end()) return NotFound("{} is not in graph", name);
    if (!kept.insert(name).second) continue;
    for (const std::string& input : found->second->input()) open.push_back(SourceOf(input));
  }
  GraphDef out;
  for (const NodeDef& node : def.node())
    if (kept.contains(node.name())) *out.add_node() = node;
  CopyRest(def, &out);
  return out;
}

std::vector<VariableNode> VariablesOf(const OpRegistry& registry, const GraphDef& def) {
  std::vector<VariableNode> found;
  for (const NodeDef& node : def.node()) {
    const StateRole role = TraitsOf(registry, node).state;
    if (role == StateRole::kVariable) found.push_back({node.name(), node.name() + ":0"});
    if (role == StateRole::kVariableHandle) found.push_back({node.name(), node.name() + "/Read/ReadVariableOp:0"});
  }
  return found;
}

Result<GraphDef> VariablesToConstants(const OpRegistry& registry, const GraphDef& def,
                                      const std::map<std::string, Tensor>& values) {
  const std::unordered_map<std::string, const NodeDef*> nodes = ByName(def);
  GraphDef out;
  for (const NodeDef& node : def.node()) {
    NodeDef* made = out.add_node();
    if (const auto value = values.find(node.name()); value != values.end()) {
      made->set_op("Const");
      made->set_name(node.name());
      made->set_device(node.device());
      const tensorflow::AttrValue* dtype = FindAttr(node, "dtype");
      if (dtype == nullptr) return InvalidArgument("the variable '{}' has no attribute dtype", node.name());
      (*made->mutable_attr())["dtype"] = *dtype;
      ToProto(value->second, (*made->mutable_attr())["value"].mutable_tensor());
      continue;
    }
    *made = node;
    const OpTraits& traits = TraitsOf(registry, node);
    const bool gathers = node.op() == "ResourceGather";
    if (traits.value_use != ValueUse::kGives && !gathers) {
      // Nodes that forwarded a handle now forward the value.
      if (PassesHandle(traits)) {
        const std::string source = HandleSource(registry, nodes, node);
        if (values.contains(source)) (*made->mutable_attr())["T"] = *FindAttr(*nodes.at(source), "dtype");
      }
      continue;
    }
    if (!values.contains(HandleSource(registry, nodes, node))) continue;
    ReplaceVariableRead(made, gathers);
    if (gathers) {  // GatherV2 takes its axis as an input
      NodeDef axis;
      axis.set_op("Const");
      axis.set_name(node.name() + "/axis");
      (*axis.mutable_attr())["dtype"].set_type(tensorflow::DT_INT32);
      ToProto(Tensor::Scalar(int32_t{0}), (*axis.mutable_attr())["value"].mutable_tensor());
      made->add_input(axis.name());
      *out.add_node() = std::move(axis);
    }
  }
  CopyRest(def, &out);
  return out;
}

GraphDef WithoutTrainingNodes(const GraphDef& def, const std::set<std::string>& keep) {
  std::set<std::string> checks;
  for (const NodeDef& node : def.node())
    if (node.op() == "CheckNumerics" && !keep.contains(node.name())) checks.insert(node.name());
  // Consumers of a checked value use the input of the check. Control edges from a check are dropped.
  std::unordered_map<std::string, std::string> replaced;
  std::set<std::string> has_control_input, is_control_input;
  for (const NodeDef& node : def.node()) {
    if (checks.contains(node.name())) {
      if (node.input_size() > 0) replaced[node.name()] = node.input(0);
      continue;
    }
    for (const std::string& input : node.input()) {
      if (!IsControl(input) || checks.contains(SourceOf(input))) continue;
      has_control_input.insert(node.name());
      is_control_input.insert(SourceOf(input));
    }
  }
  for (const NodeDef& node : def.node())
    if (node.op() == "Identity" && !keep.contains(node.name()) && !has_control_input.contains(node.name()) &&
        !is_control_input.contains(node.name()) && node.input_size() > 0)
      replaced[node.name()] = node.input(0);
  GraphDef out;
  for (const NodeDef& node : def.node()) {
    if (replaced.contains(node.name())) continue;
    NodeDef* made = out.add_node();
    *made = node;
    made->clear_input();
    for (std::string input : node.input()) {
      if (IsControl(input)) {
        if (!checks.contains(SourceOf(input))) made->add_input(input);
        continue;
      }
      for (size_t hops = 0; hops <= replaced.size(); ++hops) {
        const auto found = replaced.find(SourceOf(input));
        if (found == replaced.end()) break;
        input = found->second;
      }
      made->add_input(input);
    }
  }
  CopyRest(def, &out);
  return out;
}

}  // namespace weir
