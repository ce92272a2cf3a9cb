// Instantiates a function body as a graph. The node definitions are rewritten as a GraphDef and imported: arguments and
// results become nodes, "node:result:index" becomes "node:index", and placeholders are replaced by their values.
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "graph/attr_proto.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"

namespace weir {
namespace {

using ProtoAttrs = std::map<std::string, tensorflow::AttrValue, std::less<>>;

Status FillPlaceholders(const ProtoAttrs& values, tensorflow::AttrValue* value);

Status FillPlaceholders(const ProtoAttrs& values, tensorflow::NameAttrList* function) {
  for (auto& [name, attr] : *function->mutable_attr()) WEIR_TRY(FillPlaceholders(values, &attr));
  return OkStatus();
}

Status FillPlaceholders(const ProtoAttrs& values, tensorflow::AttrValue* value) {
  if (value->value_case() == tensorflow::AttrValue::kPlaceholder) {
    auto it = values.find(value->placeholder());
    if (it == values.end())
      return InvalidArgument("the function has no value for its attribute '{}'", value->placeholder());
    *value = tensorflow::AttrValue(it->second);
  } else if (value->has_func()) {
    WEIR_TRY(FillPlaceholders(values, value->mutable_func()));
  } else if (value->has_list()) {
    for (auto& function : *value->mutable_list()->mutable_func()) WEIR_TRY(FillPlaceholders(values, &function));
  }
  return OkStatus();
}

class BodyBuilder final {
 public:
  BodyBuilder(const FunctionLibrary& library, const OpRegistry& registry, const tensorflow::FunctionDef& function,
              const OpDef& signature, const AttrMap& attrs)
      : library_(library), registry_(registry), function_(function), signature_(signature), attrs_(attrs) {}

  Result<FunctionBody> Build() {
    WEIR_TRY(CompleteAttrs());
    WEIR_TRY(AddArgs());
    for (const tensorflow::NodeDef& node : function_.node_def()) {
      if (Status status = AddNode(node); !status.ok())
        return WithContext(status, fmt::format("node '{}'", node.name()));
    }
    for (int i = 0; i < function_.node_def_size(); ++i) {
      const tensorflow::NodeDef& node = function_.node_def(i);
      if (Status status = AddInputs(node, def_.mutable_node(first_body_node_ + i)); !status.ok()) {
        return WithContext(status, fmt::format("node '{}'", node.name()));
      }
    }
    WEIR_TRY(AddResults());
    return Import();
  }

 private:
  // A range of consecutive outputs of one node of def_, or of several nodes with one output each (node_each).
  struct Range {
    int node = 0;   // index in def_
    int first = 0;  // first output; 0 if node_each
    int count = 1;
    bool node_each = false;
  };

  // Drops the attributes of the call that the signature does not have: they belong to the calling op.
  Status CompleteAttrs() {
    for (auto it = attrs_.begin(); it != attrs_.end();) {
      it = signature_.FindAttr(it->first) == nullptr ? attrs_.erase(it) : std::next(it);
    }
    WEIR_TRY(CheckAndCompleteAttrs(signature_, &attrs_));
    for (const auto& [name, value] : attrs_) ToProto(value, &proto_attrs_[name]);
    for (const tensorflow::NodeDef& node : function_.node_def()) names_.insert(node.name());
    return OkStatus();
  }

  std::string Unique(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 0; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  tensorflow::NodeDef* AddEdgeNode(const std::string& name, const char* op, DType type, int index) {
    tensorflow::NodeDef* node = def_.add_node();
    node->set_name(Unique(name));
    node->set_op(op);
    ToProto(AttrValue(BaseType(type)), &(*node->mutable_attr())["T"]);
    ToProto(AttrValue(index), &(*node->mutable_attr())["index"]);
    return node;
  }

  Status AddArgs() {
    WEIR_ASSIGN(std::vector<DType> types, ArgTypes(signature_.inputs, attrs_));
    int index = 0;
    for (size_t a = 0; a < signature_.inputs.size(); ++a) {
      const ArgDef& arg = signature_.inputs[a];
      WEIR_ASSIGN(int count, ArgCount(arg, attrs_));
      args_[arg.name] = Range{.node = def_.node_size(), .count = count, .node_each = true};
      for (int i = 0; i < count; ++i, ++index) {
        tensorflow::NodeDef* node =
            AddEdgeNode(count == 1 ? arg.name : fmt::format("{}_{}", arg.name, i), "_Arg", types[index], index);
        auto extra = function_.arg_attr().find(static_cast<uint32_t>(a));
        if (extra == function_.arg_attr().end()) continue;
        for (const auto& [name, value] : extra->second.attr()) {
          if (!name.empty() && name[0] == '_') (*node->mutable_attr())[name] = value;
        }
      }
    }
    num_args_ = index;
    first_body_node_ = def_.node_size();
    return OkStatus();
  }

  // Copies a node without its inputs, and records the ranges of its results.
  Status AddNode(const tensorflow::NodeDef& node) {
    const OpDef* op = registry_.Find(node.op());
    if (op == nullptr) op = library_.FindOp(node.op());
    if (op == nullptr) return NotFound("Op type not registered '{}'", node.op());
    const int id = def_.node_size();
    tensorflow::NodeDef* copy = def_.add_node();
    *copy = node;
    copy->clear_input();
    AttrMap attrs;
    for (auto& [name, value] : *copy->mutable_attr()) {
      WEIR_TRY(FillPlaceholders(proto_attrs_, &value));
      // Only attributes that determine the number of results are needed here. The import checks the others.
      const AttrDef* def = op->FindAttr(name);
      if (def == nullptr || (def->type != "int" && def->type != "list(type)")) continue;
      WEIR_ASSIGN(attrs[name], FromProto(value));
    }
    for (const AttrDef& def : op->attrs) {
      if (def.default_value) attrs.try_emplace(def.name, *def.default_value);
    }
    if (!nodes_.emplace(node.name(), id).second) return InvalidArgument("the name is not unique");
    int first = 0;
    for (const ArgDef& result : op->outputs) {
      WEIR_ASSIGN(int count, ArgCount(result, attrs));
      results_[{id, result.name}] = Range{.node = id, .first = first, .count = count};
      first += count;
    }
    return OkStatus();
  }

  // Accepts "arg", "arg:i", "node:result" and "node:result:i". A list without an index means all of its elements.
  Result<Range> Resolve(const std::string& text) const {
    std::vector<std::string> parts = absl::StrSplit(text, ':');
    Range range;
    size_t used = 1;
    if (auto arg = args_.find(parts[0]); arg != args_.end()) {
      range = arg->second;
    } else {
      auto node = nodes_.find(parts[0]);
      if (node == nodes_.end())
        return InvalidArgument("input '{}' is neither an argument nor a node of the function", text);
      if (parts.size() < 2)
        return InvalidArgument("input '{}' must name a result of the node: 'node:result:index'", text);
      auto result = results_.find({node->second, parts[1]});
      if (result == results_.end()) return InvalidArgument("input '{}': the node has no result '{}'", text, parts[1]);
      range = result->second;
      used = 2;
    }
    if (parts.size() == used) return range;
    int index = 0;
    if (parts.size() > used + 1 || !absl::SimpleAtoi(parts[used], &index)) {
      return InvalidArgument("input '{}' is not of the form 'argument', 'argument:index' or 'node:result:index'", text);
    }
    if (index < 0 || index >= range.count) {
      return InvalidArgument("input '{}': index {} is out of range, the list has {} tensors", text, index, range.count);
    }
    (range.node_each ? range.node : range.first) += index;
    range.count = 1;
    return range;
  }

  std::string InputText(const Range& range, int i) const {
    const std::string& node = def_.node(range.node_each ? range.node + i : range.node).name();
    return range.node_each ? node : fmt::format("{}:{}", node, range.first + i);
  }

  Status AddInputs(const tensorflow::NodeDef& from, tensorflow::NodeDef* to) {
    for (const std::string& input : from.input()) {
      if (!input.empty() && input[0] == '^') {
        // Arguments are available before the body runs, so there is nothing to wait for.
        if (!args_.contains(std::string_view(input).substr(1))) to->add_input(input);
        continue;
      }
      WEIR_ASSIGN(Range range, Resolve(input));
      if (static_cast<int64_t>(to->input_size()) + range.count > kMaxInputs)
        return InvalidArgument("there are too many inputs");
      for (int i = 0; i < range.count; ++i) to->add_input(InputText(range, i));
    }
    return OkStatus();
  }

  Status AddResults() {
    first_result_ = def_.node_size();
    WEIR_ASSIGN(std::vector<DType> types, ArgTypes(signature_.outputs, attrs_));
    int index = 0;
    for (const ArgDef& result : signature_.outputs) {
      auto ret = function_.ret().find(result.name);
      if (ret == function_.ret().end()) return InvalidArgument("nothing is returned for the result '{}'", result.name);
      WEIR_ASSIGN(Range range, Resolve(ret->second));
      WEIR_ASSIGN(int count, ArgCount(result, attrs_));
      if (range.count != count) {
        return InvalidArgument("result '{}' has {} tensors, but '{}' gives {}", result.name, count, ret->second,
                               range.count);
      }
      for (int i = 0; i < count; ++i, ++index) {
        std::string name = count == 1 ? result.name : fmt::format("{}_{}", result.name, i);
        AddEdgeNode(name + "_RetVal", "_Retval", types[index], index)->add_input(InputText(range, i));
      }
    }
    return OkStatus();
  }

  Result<FunctionBody> Import() {
    FunctionBody body;
    body.graph = std::make_unique<Graph>(registry_);
    body.graph->functions().SetBase(&library_);
    def_.mutable_versions()->set_producer(body.graph->versions().producer);
    ImportOptions options;
    options.validate_colocation = false;
    WEIR_ASSIGN(ImportResult imported, ImportGraphDef(*body.graph, def_, options));
    const auto begin = imported.nodes.begin();
    body.args.assign(begin, begin + num_args_);
    body.results.assign(begin + first_result_, imported.nodes.end());
    WEIR_TRY(AddControlResults(imported, &body));
    return body;
  }

  Status AddControlResults(const ImportResult& imported, FunctionBody* body) const {
    std::set<std::string> names;
    for (const auto& [name, node] : function_.control_ret()) names.insert(node);
    for (const std::string& name : names) {
      auto it = nodes_.find(name);
      if (it == nodes_.end()) return InvalidArgument("the control result '{}' is not a node of the function", name);
      body->control_results.push_back(imported.nodes[it->second]);
    }
    return OkStatus();
  }

  static constexpr int64_t kMaxInputs = int64_t{1} << 20;

  const FunctionLibrary& library_;
  const OpRegistry& registry_;
  const tensorflow::FunctionDef& function_;
  const OpDef& signature_;
  AttrMap attrs_;
  ProtoAttrs proto_attrs_;
  tensorflow::GraphDef def_;
  std::set<std::string> names_;
  std::map<std::string, Range, std::less<>> args_;
  std::map<std::string, int, std::less<>> nodes_;
  std::map<std::pair<int, std::string>, Range> results_;
  int num_args_ = 0;
  int first_body_node_ = 0;
  int first_result_ = 0;
};

}  // namespace

Result<FunctionBody> InstantiateFunction(const FunctionLibrary& library, const OpRegistry& registry,
                                         std::string_view name, const AttrMap& attrs) {
  std::shared_ptr<const tensorflow::FunctionDef> function = library.Find(name);
  const OpDef* signature = library.FindOp(name);
  if (function == nullptr || signature == nullptr) return NotFound("there is no function '{}' in the library", name);
  Result<FunctionBody> body = BodyBuilder(library, registry, *function, *signature, attrs).Build();
  if (!body.ok()) return WithContext(body.status(), fmt::format("function '{}'", name));
  return body;
}

}  // namespace weir
