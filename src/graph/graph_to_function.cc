// Converts a graph to a FunctionDef. Names follow TensorFlow: results keep their names; arguments, then nodes, get a
// suffix on a conflict ("x_0"). Inputs in the body are written as "argument" or "node:result:index".
#include <algorithm>
#include <set>
#include <unordered_map>

#include "graph/attr_proto.h"
#include "graph/colocation.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"

namespace weir {
namespace {

// "Scope/My-Name" -> "scope_my_name": a valid argument name.
std::string ArgName(std::string_view name) {
  std::string result;
  for (char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool letter = upper || (c >= 'a' && c <= 'z');
    const bool digit = c >= '0' && c <= '9';
    if (result.empty() && !letter) continue;
    result += letter || digit ? static_cast<char>(upper ? c - 'A' + 'a' : c) : '_';
  }
  return result.empty() ? "unknown" : result;
}

class FunctionWriter final {
 public:
  FunctionWriter(const Graph& graph, const std::string& name, const std::vector<Output>& inputs,
                 const std::vector<Output>& outputs, const std::vector<Node*>& control_outputs)
      : graph_(graph), name_(name), inputs_(inputs), outputs_(outputs), control_outputs_(control_outputs) {}

  Result<tensorflow::FunctionDef> Write(const std::vector<std::string>& output_names, const std::string& description) {
    const Graph::NodesLock lock = graph_.LockNodes();
    WEIR_TRY(CheckArguments());
    signature().set_name(name_);
    signature().set_description(description);
    WEIR_TRY(NameResults(output_names));
    NameArgs();
    FindBody();
    for (const Node* node : body_) body_names_[node] = Unique(node->name());
    for (const Node* node : body_) WEIR_TRY(WriteNode(*node));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      WEIR_ASSIGN((*def_.mutable_ret())[signature().output_arg(static_cast<int>(i)).name()], InputText(outputs_[i]));
    }
    for (const Node* node : control_outputs_) {
      const std::string& name = body_names_.at(node);
      if (!def_.mutable_control_ret()->insert({name, name}).second) continue;
      signature().add_control_output(name);
    }
    return std::move(def_);
  }

 private:
  tensorflow::OpDef& signature() { return *def_.mutable_signature(); }

  Status CheckOutput(const Output& output, std::string_view what) const {
    if (output.valid() && &output.graph() == &graph_ && output.index >= 0 &&
        output.index < output.node->num_outputs()) {
      return OkStatus();
    }
    return InvalidArgument("function '{}': {} is not a tensor of the graph of its body", name_, what);
  }

  Status CheckArguments() {
    if (name_.empty()) return InvalidArgument("a function needs a name");
    for (size_t i = 0; i < inputs_.size(); ++i) {
      WEIR_TRY(CheckOutput(inputs_[i], fmt::format("input {}", i)));
      if (!arg_of_.emplace(inputs_[i], static_cast<int>(i)).second) {
        return InvalidArgument("function '{}': '{}' is an input twice", name_, inputs_[i].name());
      }
    }
    for (size_t i = 0; i < outputs_.size(); ++i) WEIR_TRY(CheckOutput(outputs_[i], fmt::format("output {}", i)));
    for (const Node* node : control_outputs_) {
      if (node == nullptr || &node->graph() != &graph_) {
        return InvalidArgument("function '{}': a control output is not a node of the graph of its body", name_);
      }
    }
    return OkStatus();
  }

  std::string Unique(const std::string& wanted) {
    std::string name = wanted;
    for (int& i = next_suffix_[wanted]; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  Status NameResults(const std::vector<std::string>& output_names) {
    if (!output_names.empty() && output_names.size() != outputs_.size()) {
      return InvalidArgument("function '{}' has {} outputs, but {} names for them", name_, outputs_.size(),
                             output_names.size());
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      tensorflow::OpDef::ArgDef* arg = signature().add_output_arg();
      arg->set_type(static_cast<tensorflow::DataType>(static_cast<int>(outputs_[i].base_dtype())));
      if (output_names.empty()) {
        arg->set_name(Unique(ArgName(outputs_[i].node->name())));
      } else if (output_names[i].empty() || !names_.insert(output_names[i]).second) {
        return InvalidArgument("function '{}': '{}' cannot be the name of output {}: it is {}", name_, output_names[i],
                               i, output_names[i].empty() ? "empty" : "taken");
      } else {
        arg->set_name(output_names[i]);
      }
    }
    return OkStatus();
  }

  void NameArgs() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      tensorflow::OpDef::ArgDef* arg = signature().add_input_arg();
      arg->set_name(Unique(ArgName(inputs_[i].node->name())));
      arg->set_type(static_cast<tensorflow::DataType>(static_cast<int>(inputs_[i].base_dtype())));
      PartialShape shape = inputs_[i].shape();
      if (!shape.known_rank()) continue;
      auto& attrs = *(*def_.mutable_arg_attr())[static_cast<uint32_t>(i)].mutable_attr();
      ToProto(AttrValue(std::vector<PartialShape>{shape}), &attrs["_output_shapes"]);
    }
  }

  // Collects the nodes that the results need, and all stateful nodes, which run for their side effects.
  void FindBody() {
    std::set<const Node*> input_nodes;
    for (const Output& input : inputs_) input_nodes.insert(input.node);
    std::vector<const Node*> pending;
    auto need = [&](const Node* node) {
      if (in_body_.insert(node).second) pending.push_back(node);
    };
    for (const Output& output : outputs_) {
      if (!arg_of_.contains(output)) need(output.node);
    }
    for (const Node* node : control_outputs_) need(node);
    graph_.ForEachNode([&](Node* node) {
      if (node->op().stateful && !input_nodes.contains(node)) need(node);
    });
    while (!pending.empty()) {
      const Node* node = pending.back();
      pending.pop_back();
      for (const Output& input : node->inputs()) {
        if (input.valid() && !arg_of_.contains(input)) need(input.node);
      }
      for (const Node* control : node->control_inputs()) {
        if (!input_nodes.contains(control)) need(control);
      }
    }
    body_.assign(in_body_.begin(), in_body_.end());
    std::sort(body_.begin(), body_.end(), [](const Node* a, const Node* b) { return a->id() < b->id(); });
    for (const Node* node : body_) {
      if (node->op().stateful) signature().set_is_stateful(true);
    }
  }

  Result<std::string> InputText(const Output& output) const {
    if (auto arg = arg_of_.find(output); arg != arg_of_.end()) return def_.signature().input_arg(arg->second).name();
    int first = 0;
    for (const ArgDef& result : output.node->op().outputs) {
      WEIR_ASSIGN(int count, ArgCount(result, output.node->attrs()));
      if (output.index < first + count) {
        return fmt::format("{}:{}:{}", body_names_.at(output.node), result.name, output.index - first);
      }
      first += count;
    }
    return Internal("'{}' is not an output of op {}", output.name(), output.node->type());
  }

  Status WriteNode(const Node& node) {
    tensorflow::NodeDef* to = def_.add_node_def();
    ExportNodeDef(node, to);
    to->set_name(body_names_.at(&node));
    to->clear_input();
    for (const Output& input : node.inputs()) {
      if (!input.valid())
        return FailedPrecondition("function '{}': an input of node '{}' is not set", name_, node.name());
      WEIR_ASSIGN(*to->add_input(), InputText(input));
    }
    for (const Node* control : node.control_inputs()) {
      if (auto it = body_names_.find(control); it != body_names_.end()) to->add_input("^" + it->second);
    }
    if (node.FindAttr("_class") != nullptr) WriteColocation(node, to);
    return OkStatus();
  }

  // Drops colocation with nodes outside of the body.
  void WriteColocation(const Node& node, tensorflow::NodeDef* to) const {
    std::vector<std::string> kept;
    if (const auto* groups = node.FindAttr("_class")->As<std::vector<std::string>>()) {
      for (const std::string& group : *groups) {
        if (!group.starts_with(kColocationPrefix)) {
          kept.push_back(group);
          continue;
        }
        const Node* with = graph_.FindNode(std::string_view(group).substr(kColocationPrefix.size()));
        auto it = body_names_.find(with);
        if (it != body_names_.end()) kept.push_back(std::string(kColocationPrefix) + it->second);
      }
    }
    if (kept.empty()) {
      to->mutable_attr()->erase("_class");
    } else {
      ToProto(AttrValue(std::move(kept)), &(*to->mutable_attr())["_class"]);
    }
  }

  const Graph& graph_;
  const std::string& name_;
  const std::vector<Output>& inputs_;
  const std::vector<Output>& outputs_;
  const std::vector<Node*>& control_outputs_;
  tensorflow::FunctionDef def_;
  std::unordered_map<Output, int, OutputHash> arg_of_;
  std::set<const Node*> in_body_;
  std::vector<const Node*> body_;
  std::unordered_map<const Node*, std::string> body_names_;
  std::set<std::string> names_;
  std::unordered_map<std::string, int> next_suffix_;
};

}  // namespace

Result<tensorflow::FunctionDef> GraphToFunction(const Graph& graph, const std::string& name,
                                                const std::vector<Output>& inputs, const std::vector<Output>& outputs,
                                                const std::vector<std::string>& output_names,
                                                const std::vector<Node*>& control_outputs,
                                                const std::string& description) {
  return FunctionWriter(graph, name, inputs, outputs, control_outputs).Write(output_names, description);
}

}  // namespace weir
