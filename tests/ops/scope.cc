#include "tests/ops/scope.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_replace.h"
#include "graph/function_library.h"
#include "graph/gradients.h"
#include "runtime/constant_evaluator.h"

namespace weir::optest {

Scope::Scope(const OpRegistry& registry, const RunMode& mode, bool feeds_literals)
    : mode_(mode), feeds_literals_(feeds_literals), graph_(std::make_shared<Graph>(registry)) {
  graph_->set_constant_evaluator(MakeLocalConstantEvaluator(RealEnv()));
}

Scope::~Scope() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Status Scope::AddFunction(const Function& function) {
  Scope body(graph_->registry(), mode_, /*feeds_literals=*/false);
  WEIR_TRY(body.graph().functions().AddAll(graph_->functions()));
  std::vector<Output> inputs;
  for (const auto& [name, literal] : function.args) {
    WEIR_TRY(body.AddPlaceholder(name, literal));
    WEIR_ASSIGN(Output input, body.Raw({name}));
    inputs.push_back(input);
  }
  for (const Statement& statement : function.statements) {
    if (statement.kind == Kind::kLiteral) {
      WEIR_TRY(body.AddLiteral(statement.names[0], statement.literal));
    } else if (statement.kind == Kind::kNode) {
      WEIR_TRY(body.AddNode(statement).status());
    } else {
      return InvalidArgument("line {}: a function holds nodes and literals only", statement.line);
    }
  }
  std::vector<Output> outputs;
  for (const Ref& result : function.results) {
    WEIR_ASSIGN(Output output, body.Raw(result));
    outputs.push_back(output);
  }
  WEIR_ASSIGN(const tensorflow::FunctionDef def,
              GraphToFunction(body.graph(), function.name, inputs, outputs, {}, {}, ""));
  return graph_->functions().Add(def);
}

Status Scope::Bind(const std::string& name, Bound bound) {
  if (name == "_") return OkStatus();
  if (!names_.emplace(name, bound).second) return InvalidArgument("'{}' stands for something already", name);
  return OkStatus();
}

std::string Scope::InFolder(std::string text) const {
  return folder_.empty() ? text : absl::StrReplaceAll(text, {{"$dir", folder_}});
}

// Nodes in a function body have no device: they run where the function is called.
std::string Scope::Device() const { return mode_.device && feeds_literals_ ? mode_.device(nodes_) : ""; }

Status Scope::AddPlaceholder(const std::string& name, const Literal& literal) {
  const Output made = NodeBuilder(*graph_, "Placeholder", name)
                          .Attr("dtype", literal.dtype)
                          .Attr("shape", mode_.known_shapes ? literal.shape : PartialShape())
                          .BuildOutput();
  WEIR_TRY(graph_->TakeError());
  return Bind(name, {.output = made, .whole_node = true});
}

Result<Output> Scope::MakeVariable(const std::string& name, const Literal& literal) {
  const bool resource = literal.role == Role::kResource;
  const DeviceScope device(*graph_, Device());
  const Output made = NodeBuilder(*graph_, resource ? "VarHandleOp" : "VariableV2", name)
                          .Attr("dtype", literal.dtype)
                          .Attr("shape", literal.shape)
                          .BuildOutput();
  WEIR_TRY(graph_->TakeError());
  NodeBuilder assign(*graph_, resource ? "AssignVariableOp" : "Assign", made.node->name() + "_init");
  assign.In(made).In(Constant(*graph_, literal.value));
  WEIR_ASSIGN(Node * node, assign.Build());
  initializers_.push_back(node);
  return made;
}

Result<Output> Scope::MakeLiteral(const std::string& name, const Literal& literal) {
  if (!literal.value.valid()) return InvalidArgument("a literal without values");
  if (literal.role == Role::kVariable || literal.role == Role::kResource) return MakeVariable(name, literal);
  Tensor value = literal.value;
  if (value.dtype() == kString && !folder_.empty()) {
    WEIR_ASSIGN(value, value.Clone());
    for (std::string& text : value.flat<std::string>()) text = InFolder(text);
  }
  Output made;
  if (literal.role == Role::kConst || !feeds_literals_) {
    made = Constant(*graph_, value, name);
  } else {
    const PartialShape shape = mode_.known_shapes ? literal.shape : PartialShape();
    made = NodeBuilder(*graph_, "Placeholder", name).Attr("dtype", value.dtype()).Attr("shape", shape).BuildOutput();
  }
  WEIR_TRY(graph_->TakeError());
  if (literal.role == Role::kFed && feeds_literals_) feeds_.push_back({made, std::move(value)});
  return made;
}

Status Scope::AddLiteral(const std::string& name, const Literal& literal) {
  WEIR_ASSIGN(const Output made, MakeLiteral(name, literal));
  return Bind(
      name,
      {.output = made, .whole_node = true, .variable = literal.role == Role::kResource ? literal.dtype : kInvalidType});
}

Status Scope::AddFile(const std::string& name, const std::string& content) {
  if (folder_.empty()) {
    static std::atomic<int> count{0};
    folder_ = fmt::format("{}/weir_optest_{}_{}", std::filesystem::temp_directory_path().string(), getpid(), ++count);
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder_ + "/" + name).parent_path(), error);
  std::ofstream out(folder_ + "/" + name, std::ios::binary);
  out << content;
  return out.good() ? OkStatus() : Internal("cannot write '{}/{}'", folder_, name);
}

Result<Output> Scope::Raw(const Ref& ref) const {
  auto it = names_.find(ref.name);
  if (it == names_.end()) return InvalidArgument("'{}' has not been made", ref.name);
  const Bound& bound = it->second;
  if (ref.index == 0) return bound.output;
  if (!bound.whole_node || ref.index < 0 || ref.index >= bound.output.node->num_outputs()) {
    return InvalidArgument("'{}' has no output {}", ref.name, ref.index);
  }
  return Output(bound.output.node, ref.index);
}

Result<Output> Scope::Value(const Ref& ref) {
  WEIR_ASSIGN(const Output raw, Raw(ref));
  Bound& bound = names_.find(ref.name)->second;
  if (bound.variable == kInvalidType) return raw;
  if (!bound.read.valid()) {
    WEIR_ASSIGN(Node * read, NodeBuilder(*graph_, "ReadVariableOp").In(raw).Attr("dtype", bound.variable).Build());
    bound.read = Output(read, 0);
  }
  return bound.read;
}

Result<Feed*> Scope::FindFeed(const std::string& name) {
  WEIR_ASSIGN(const Output output, Raw({name}));
  for (Feed& feed : feeds_) {
    if (feed.output == output) return &feed;
  }
  if (output.node->type().starts_with("Placeholder")) return &feeds_.emplace_back(Feed{output, Tensor()});
  return InvalidArgument("'{}' is not fed", name);
}

Result<Input> Scope::MakeInput(const Arg& arg) {
  if (const Ref* ref = std::get_if<Ref>(&arg.value)) {
    WEIR_ASSIGN(const Output output, Raw(*ref));
    return Input(output);
  }
  const Literal* literal = std::get_if<Literal>(&arg.value);
  if (literal == nullptr) return InvalidArgument("a list inside a list");
  WEIR_ASSIGN(const Output output, MakeLiteral("in", *literal));
  return Input(output);
}

Result<Node*> Scope::AddNode(const Statement& statement) {
  if (statement.call.op == "gradient") return AddGradientNodes(statement);
  const std::vector<std::string>& names = statement.names;
  NodeBuilder builder(*graph_, statement.call.op, names.empty() || names[0] == "_" ? "" : names[0]);
  for (const Arg& arg : statement.call.args) {
    if (const auto* list = std::get_if<std::vector<Arg>>(&arg.value)) {
      InputList inputs;
      for (const Arg& element : *list) {
        WEIR_ASSIGN(Input input, MakeInput(element));
        inputs.push_back(std::move(input));
      }
      builder.In(std::move(inputs));
    } else {
      WEIR_ASSIGN(Input input, MakeInput(arg));
      builder.In(std::move(input));
    }
  }
  for (const auto& [name, value] : statement.call.attrs) {
    const std::string* text = value.As<std::string>();
    builder.Attr(name, text == nullptr ? value : AttrValue(InFolder(*text)));
  }
  for (const std::string& name : statement.after) {
    WEIR_ASSIGN(const Output output, Raw({name}));
    builder.ControlInput(output.node);
  }
  builder.Device(Device());
  ++nodes_;
  WEIR_ASSIGN(Node * node, builder.Build());
  if (names.size() == 1) {
    WEIR_TRY(Bind(names[0], {.output = Output(node, 0), .whole_node = true}));
  } else if (!names.empty()) {
    if (static_cast<int>(names.size()) != node->num_outputs()) {
      return InvalidArgument("{} names for {} outputs", names.size(), node->num_outputs());
    }
    for (size_t i = 0; i < names.size(); ++i) WEIR_TRY(Bind(names[i], {.output = Output(node, static_cast<int>(i))}));
  }
  return node;
}

// "dx, dw = gradient(y, x, w)": y is one value or a list. A sparse gradient is bound as dx (values) and dx_indices.
Result<Node*> Scope::AddGradientNodes(const Statement& statement) {
  std::vector<Output> ys;
  std::vector<Output> xs;
  for (size_t i = 0; i < statement.call.args.size(); ++i) {
    const auto* list = std::get_if<std::vector<Arg>>(&statement.call.args[i].value);
    for (const Arg& arg : list == nullptr ? std::vector<Arg>{statement.call.args[i]} : *list) {
      const Ref* ref = std::get_if<Ref>(&arg.value);
      if (ref == nullptr) return InvalidArgument("a gradient takes names");
      WEIR_ASSIGN(const Output value, Raw(*ref));
      (i == 0 ? ys : xs).push_back(value);
    }
  }
  if (xs.empty() || xs.size() != statement.names.size()) {
    return InvalidArgument("{} names for {} gradients", statement.names.size(), xs.size());
  }
  WEIR_ASSIGN(const std::vector<Grad> grads, AddGradients(*graph_, ys, xs));
  Node* last = nullptr;
  for (size_t i = 0; i < grads.size(); ++i) {
    const std::string& name = statement.names[i];
    if (const auto* dense = std::get_if<Output>(&grads[i])) {
      WEIR_TRY(Bind(name, {.output = *dense}));
      last = dense->node;
    } else if (const auto* rows = std::get_if<IndexedSlices>(&grads[i])) {
      WEIR_TRY(Bind(name, {.output = rows->values}));
      WEIR_TRY(Bind(name + "_indices", {.output = rows->indices}));
      last = rows->values.node;
    } else {
      return NotFound("gradient '{}': no path leads there", name);
    }
  }
  return last;
}

Status Scope::Link(const Ref& input, const Ref& value) {
  WEIR_ASSIGN(const Output node, Raw({input.name}));
  WEIR_ASSIGN(const Output output, Raw(value));
  return graph_->UpdateInput(node.node, input.index, output);
}

}  // namespace weir::optest
