#include "graph/node_builder.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/process_memory.h"
#include "graph/flow_context.h"
#include "graph/literal_error.h"

namespace weir {
namespace {

// The types that a type attribute allows, for error messages.
std::string AllowedTypes(const OpDef& op, const std::string& attr) {
  std::string text;
  if (const AttrDef* def = op.FindAttr(attr))
    for (DType t : def->allowed_types) text += (text.empty() ? "" : ", ") + DTypeName(t);
  return text;
}

std::vector<std::string> ColocationGroups(const Node& node) {
  std::vector<std::string> groups;
  if (const AttrValue* value = node.FindAttr("_class"))
    if (const auto* names = value->As<std::vector<std::string>>())
      for (const std::string& name : *names)
        if (name.starts_with("loc:@")) groups.push_back(name);
  if (groups.empty()) groups.push_back("loc:@" + node.name());
  return groups;
}

// Resolves the arguments of one op to outputs, and infers type, number and type-list attributes.
class ArgResolver {
 public:
  // `args(i)` returns the inputs of the op's argument i, for error messages.
  ArgResolver(Graph& graph, const OpDef& op, AttrMap& attrs, std::function<const InputList&(size_t)> args)
      : graph_(graph), op_(op), attrs_(attrs), args_(std::move(args)) {}

  Status Prepare(const ArgDef& arg, const InputList& inputs) {
    for (const Input& input : inputs) {
      if (input.failed() && &input.output().graph() == &graph_)
        return Aborted("input '{}' of op {} could not be built", arg.name, op_.name);
      if (input.absent()) return MarkTypeError(InvalidArgument("input '{}' of op {} is missing", arg.name, op_.name));
      if (input.is_output() && &input.output().graph() != &graph_)
        return InvalidArgument("{} (input '{}' of op {}) must be from the same graph as the other inputs",
                               input.output().name(), arg.name, op_.name);
    }
    if (!arg.number_attr.empty()) {
      const int64_t count = static_cast<int64_t>(inputs.size());
      auto [it, added] = attrs_.try_emplace(arg.number_attr, AttrValue(count));
      const int64_t* given = it->second.As<int64_t>();
      if (!added && (given == nullptr || *given != count))
        return InvalidArgument("list '{}' of op {} has {} elements, but attribute {} is {}", arg.name, op_.name, count,
                               arg.number_attr, it->second.ToString());
    }
    if (!arg.type_attr.empty() && !attrs_.contains(arg.type_attr))
      for (const Input& input : inputs)
        if (input.is_output()) {
          attrs_[arg.type_attr] = BaseType(input.output().dtype());
          break;
        }
    return OkStatus();
  }

  Status Resolve(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
    if (!arg.type_list_attr.empty()) return ResolveTypeList(arg, inputs, out);
    for (size_t i = 0; i < inputs.size(); ++i) {
      DType wanted = arg.type;
      if (!arg.type_attr.empty()) {
        auto it = attrs_.find(arg.type_attr);
        if (it != attrs_.end()) {
          const DType* t = it->second.As<DType>();
          if (t == nullptr) return WrongAttrKind(arg.type_attr, it->second, "type");
          wanted = *t;
        }
      }
      const Input& input = inputs[i];
      Output value;
      if (input.is_output()) {
        value = input.output();
      } else {
        const std::string name =
            inputs.size() == 1 && arg.number_attr.empty() ? arg.name : fmt::format("{}_{}", arg.name, i);
        auto made = input.literal()->ToOutput(graph_, PreferredType(arg, input, wanted), name);
        if (!made.ok()) return LiteralError(arg, wanted, made.status());
        value = *made;
      }
      WEIR_TRY(CheckType(arg, value, wanted));
      if (!arg.type_attr.empty()) attrs_.try_emplace(arg.type_attr, AttrValue(BaseType(value.dtype())));
      out->push_back(value);
    }
    return OkStatus();
  }

  // Checks the types of resolved inputs against the schema.
  Status CheckInputTypes(const std::vector<Output>& inputs) const {
    size_t at = 0;
    for (size_t i = 0; i < op_.inputs.size(); ++i)
      for (size_t count = args_(i).size(); count > 0; --count) WEIR_TRY(CheckAllowed(op_.inputs[i], inputs[at++]));
    return OkStatus();
  }

 private:
  // A literal whose type nothing else determines takes the default of the type attribute if its own type is not
  // allowed, and if both are integer types or the literal is empty.
  DType PreferredType(const ArgDef& arg, const Input& input, DType wanted) const {
    if (wanted != kInvalidType || arg.type_attr.empty()) return wanted;
    const AttrDef* def = op_.FindAttr(arg.type_attr);
    const DType natural = input.literal()->NaturalType();
    if (def == nullptr || !def->default_value.has_value()) return kInvalidType;
    const DType fallback = *def->default_value->As<DType>();
    if (natural == kInvalidType || natural == fallback) return kInvalidType;
    const bool allowed =
        std::find(def->allowed_types.begin(), def->allowed_types.end(), natural) != def->allowed_types.end();
    if (allowed) return kInvalidType;
    if (IsInteger(natural) && IsInteger(fallback)) return fallback;
    const std::optional<Tensor> value = input.literal()->Value(fallback);
    return value.has_value() && value->num_elements() == 0 ? fallback : kInvalidType;
  }

  // The error for a literal that does not convert to the input, in TensorFlow's words.
  Status LiteralError(const ArgDef& arg, DType wanted, const Status& status) const {
    const std::optional<std::string> shown = LiteralOf(status);
    if (!shown.has_value()) return WithContext(status, fmt::format("input '{}' of op {}", arg.name, op_.name));
    if (!IsTypeError(status))
      return InvalidArgument("Tried to convert '{}' to a tensor and failed. Error: {}", arg.name,
                             std::string(status.message()));
    if (wanted == kInvalidType) return status;
    return MarkTypeError(InvalidArgument("Expected {} passed to parameter '{}' of op '{}', got {} instead. Error: {}",
                                         BaseType(wanted), arg.name, op_.name, *shown, std::string(status.message())));
  }

  Status CheckType(const ArgDef& arg, Output value, DType wanted) const {
    if (arg.is_ref && !IsRef(value.dtype()))
      return MarkTypeError(
          InvalidArgument("op {} requires that input '{}' be a mutable tensor (such as a variable); '{}' is {}",
                          op_.name, arg.name, value.name(), value.dtype()));
    const DType given = BaseType(value.dtype());
    if (wanted != kInvalidType && given != BaseType(wanted)) {
      const auto [type, from] = WhoWants(arg, BaseType(wanted));
      return MarkTypeError(
          InvalidArgument("Input '{}' of '{}' Op has type {} that does not match {}. ('{}' of type {}{})", arg.name,
                          op_.name, given, type, value.name(), given, from));
    }
    return wanted == kInvalidType ? CheckAllowed(arg, value) : OkStatus();
  }

  Status CheckAllowed(const ArgDef& arg, Output value) const {
    const std::string& attr = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
    const AttrDef* def = attr.empty() ? nullptr : op_.FindAttr(attr);
    const DType given = value.base_dtype();
    if (def == nullptr || def->allowed_types.empty() ||
        std::find(def->allowed_types.begin(), def->allowed_types.end(), given) != def->allowed_types.end())
      return OkStatus();
    return MarkTypeError(InvalidArgument(
        "Value passed to parameter '{}' has DataType {} not in list of allowed values: {} ('{}' of type {}, op {})",
        arg.name, given, AllowedTypes(op_, attr), value.name(), given, op_.name));
  }

  // The expected type and, as the end of a list, the tensor that determines it (empty if there is none).
  std::pair<std::string, std::string> WhoWants(const ArgDef& arg, DType wanted) const {
    if (arg.type_attr.empty()) return {fmt::format("expected type of {}", wanted), ""};
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i].type_attr != arg.type_attr) continue;
      for (const Input& input : args_(i)) {
        if (input.is_output() && input.output().base_dtype() == wanted)
          return {fmt::format("type {} of argument '{}'", wanted, op_.inputs[i].name),
                  fmt::format(", '{}' of type {}", input.output().name(), wanted)};
      }
    }
    return {fmt::format("type {} of argument '{}'", wanted, arg.type_attr), ""};
  }

  Status ResolveTypeList(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
    std::vector<DType> wanted;
    if (auto it = attrs_.find(arg.type_list_attr); it != attrs_.end()) {
      const auto* types = it->second.As<std::vector<DType>>();
      if (types == nullptr) return WrongAttrKind(arg.type_list_attr, it->second, "list(type)");
      if (types->size() != inputs.size())
        return InvalidArgument("list '{}' of op {} has {} elements, but attribute {} names {} types", arg.name,
                               op_.name, inputs.size(), arg.type_list_attr, types->size());
      wanted = *types;
    }
    std::vector<DType> types;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const DType t = wanted.empty() ? kInvalidType : wanted[i];
      Output value;
      if (inputs[i].is_output()) {
        value = inputs[i].output();
      } else {
        auto made = inputs[i].literal()->ToOutput(graph_, t, fmt::format("{}_{}", arg.name, i));
        if (!made.ok()) return LiteralError(arg, t, made.status());
        value = *made;
      }
      WEIR_TRY(CheckType(arg, value, t));
      types.push_back(BaseType(value.dtype()));
      out->push_back(value);
    }
    attrs_[arg.type_list_attr] = std::move(types);
    return OkStatus();
  }

  Graph& graph_;
  const OpDef& op_;
  AttrMap& attrs_;
  std::function<const InputList&(size_t)> args_;
};

// Distinct nodes in insertion order. Switches to a hash set beyond kFew nodes, so large groups stay linear.
class DistinctNodes {
 public:
  void Add(Node* node) {
    if (seen_.empty() && nodes_.size() == kFew) seen_.insert(nodes_.begin(), nodes_.end());
    const bool fresh =
        seen_.empty() ? std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end() : seen_.insert(node).second;
    if (fresh) nodes_.push_back(node);
  }
  const std::vector<Node*>& nodes() const { return nodes_; }
  std::vector<Node*> Take() { return std::move(nodes_); }

 private:
  static constexpr size_t kFew = 16;
  std::vector<Node*> nodes_;
  std::unordered_set<Node*> seen_;  // used beyond kFew
};

// Control inputs from the thread's scopes. A scope adds none if a data input was built inside of it, since that input
// already depends on them.
DistinctNodes ScopedControlInputs(const BuildState& state, const std::vector<Output>& inputs) {
  size_t first = 0;
  for (size_t i = 0; i < state.control.size(); ++i)
    if (state.control[i].clears) first = i;
  DistinctNodes result;
  for (size_t i = first; i < state.control.size(); ++i) {
    const BuildState::ControlFrame& frame = state.control[i];
    const bool dominated = std::any_of(inputs.begin(), inputs.end(),
                                       [&](const Output& in) { return frame.made_inside.contains(in.node); });
    if (dominated) continue;
    for (Node* control : frame.inputs) {
      const bool is_input =
          std::any_of(inputs.begin(), inputs.end(), [&](const Output& in) { return in.node == control; });
      if (!is_input) result.Add(control);
    }
  }
  return result;
}

}  // namespace

NodeBuilder::NodeBuilder(Graph& graph, std::string_view op, std::string name)
    : graph_(graph), op_(op), name_(std::move(name)) {}

NodeBuilder& NodeBuilder::In(Input input) {
  args_.push_back({{std::move(input)}, false});
  return *this;
}
NodeBuilder& NodeBuilder::In(InputList inputs) {
  args_.push_back({std::move(inputs), true});
  return *this;
}
NodeBuilder& NodeBuilder::Attr(std::string name, AttrValue value) {
  attrs_.insert_or_assign(std::move(name), std::move(value));
  return *this;
}
NodeBuilder& NodeBuilder::ControlInput(Node* node) {
  control_inputs_.push_back(node);
  return *this;
}
NodeBuilder& NodeBuilder::Device(std::string device) {
  device_ = std::move(device);
  return *this;
}

Result<Node*> NodeBuilder::Build() {
  if (graph_.finalized())
    return FailedPrecondition("the graph is finalized and cannot be modified: op {} was not added", op_);
  WEIR_TRY(ProcessMemory::Get().ReserveKept(kGraphNodeBytes));
  const OpDef* op = graph_.FindOp(op_);
  if (op == nullptr) return NotFound("op type '{}' is not registered", op_);
  if (args_.size() != op->inputs.size())
    return MarkTypeError(InvalidArgument("op {} takes {} inputs, {} were given", op_, op->inputs.size(), args_.size()));
  std::string name = name_.empty() ? op_ : name_;
  if (!IsValidNodeName(name.back() == '/' ? std::string_view(name).substr(0, name.size() - 1)
                                          : std::string_view(name)) &&
      (graph_.build().name_scope.empty() || !IsValidScopeName(name)))
    return InvalidArgument("'{}' is not a valid operation name", name);

  // Literals become nodes named below this one: "mul/y".
  std::vector<Output> inputs;
  ArgResolver resolver(graph_, *op, attrs_, [this](size_t i) -> const InputList& { return args_[i].inputs; });
  bool has_literals = false;
  for (size_t i = 0; i < args_.size(); ++i) {
    if (args_[i].is_list != op->inputs[i].is_list())
      return MarkTypeError(InvalidArgument("input '{}' of op {} must {}be a list", op->inputs[i].name, op_,
                                           op->inputs[i].is_list() ? "" : "not "));
    WEIR_TRY(resolver.Prepare(op->inputs[i], args_[i].inputs));
    for (const Input& input : args_[i].inputs) has_literals |= input.literal() != nullptr;
  }
  {
    std::optional<NameScope> scope;
    if (has_literals) {
      scope.emplace(graph_, name);
      name = scope->name() + "/";
    }
    for (size_t i = 0; i < args_.size(); ++i) WEIR_TRY(resolver.Resolve(op->inputs[i], args_[i].inputs, &inputs));
  }

  BuildState& state = graph_.build();
  for (const auto& [attr, value] : state.attrs) attrs_.try_emplace(attr, value);
  for (auto it = state.gradient_map.rbegin(); it != state.gradient_map.rend(); ++it)
    if (it->first == op_ && !attrs_.contains("_gradient_op_type")) attrs_["_gradient_op_type"] = it->second;
  if (!state.container.empty() && op->stateful && op->FindAttr("container") != nullptr) {
    AttrValue& container = attrs_["container"];
    if (const std::string* given = container.As<std::string>(); given == nullptr || given->empty())
      container = state.container;
  }
  // A node that updates a reference is colocated with the owner of the reference.
  std::vector<Node*> colocate;
  for (size_t i = 0, k = 0; i < args_.size(); ++i)
    for (size_t j = 0; j < args_[i].inputs.size(); ++j, ++k)
      if (op->inputs[i].is_ref) colocate.push_back(inputs[k].node);
  const bool colocated_by_ref = !colocate.empty();
  for (const std::vector<Node*>& group : state.colocation) colocate.insert(colocate.end(), group.begin(), group.end());
  std::string colocated_device;
  if (!colocate.empty()) {
    std::set<std::string> groups;
    for (Node* with : colocate) {
      for (std::string& group : ColocationGroups(*with)) groups.insert(std::move(group));
      if (!with->device().empty()) colocated_device = with->device();
    }
    attrs_["_class"] = std::vector<std::string>(groups.begin(), groups.end());
  }

  DistinctNodes controls = ScopedControlInputs(state, inputs);
  for (Node* control : control_inputs_) controls.Add(control);
  // Values from outside of a branch or loop enter it here. The nodes that capture them are named below this one.
  if (state.flow != nullptr) {
    if (op_ == "Shape") {
      const DType* out_type = attrs_.contains("out_type") ? attrs_.at("out_type").As<DType>() : nullptr;
      WEIR_ASSIGN(Node * shape, state.flow->CaptureShape(inputs[0], out_type == nullptr ? kInt32 : *out_type));
      if (shape != nullptr) return shape;
    }
    if (name.back() != '/') name = graph_.UniqueName(name) + "/";
    NameScope scope(graph_, name);
    for (Output& input : inputs) {
      WEIR_ASSIGN(input, state.flow->Capture(input));
    }
    DistinctNodes inside;
    for (Node* control : controls.nodes()) {
      WEIR_ASSIGN(Node * seen, state.flow->CaptureControl(control));
      inside.Add(seen);
    }
    controls = std::move(inside);
  }
  for (const Output& input : inputs) WEIR_TRY(CheckInputContext(state.flow, op->traits.kind, name, input));
  const std::string shown = name.back() == '/' ? name.substr(0, name.size() - 1) : name;  // for error messages
  auto props = std::make_shared<NodeProps>();
  props->op = op;
  if (Status status = CheckAndCompleteAttrs(*op, &attrs_); !status.ok()) {
    WEIR_TRY(resolver.CheckInputTypes(inputs));  // a more specific error
    return status;
  }
  props->attrs = std::make_shared<const AttrMap>(std::move(attrs_));
  WEIR_ASSIGN(props->input_types, ArgTypes(op->inputs, *props->attrs));
  WEIR_ASSIGN(props->output_types, ArgTypes(op->outputs, *props->attrs));
  props->name = shown;
  WEIR_ASSIGN(std::vector<PartialShape> shapes, graph_.InferShapes(*props, inputs));

  if (name.back() != '/') props->name = graph_.UniqueName(name);
  if (graph_.FindNode(props->name) != nullptr) {
    // The exact name is taken: make it unique, as TensorFlow does on import and when a scope is re-entered.
    NameScope root(graph_, "");
    props->name = graph_.UniqueName(props->name);
  }
  std::unique_ptr<Node> node(new Node);
  node->graph_ = &graph_;
  node->props_ = std::move(props);
  node->inputs_ = std::move(inputs);
  node->control_inputs_ = controls.Take();
  node->output_shapes_ = std::move(shapes);
  node->flow_context_ = state.flow;
  if (!device_.empty()) {
    node->device_ = device_;
  } else if (colocated_by_ref || !colocated_device.empty()) {
    node->device_ = colocated_device;
  }
  if (!colocated_by_ref && device_.empty() && colocated_device.empty()) {
    // Innermost first: a device function sees the device that inner scopes chose. No lock is held, since it may be
    // Python.
    const std::vector<DeviceRequest> requests = state.devices;
    for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
      if (request->ignore_outer) break;
      Status status;
      if (request->choose) {
        Result<std::string> chosen = request->choose(*node);
        status = chosen.status();
        if (chosen.ok()) node->device_ = *std::move(chosen);
      } else {
        Result<DeviceName> outer = DeviceName::Parse(request->name);
        Result<DeviceName> inner = DeviceName::Parse(node->device_);
        if (outer.ok() && inner.ok()) node->device_ = outer->MergedWith(*inner).ToString();
        status = outer.ok() ? inner.status() : outer.status();
      }
      if (!status.ok()) {
        graph_.Abandon(std::move(node));
        return status;
      }
    }
  }

  Node* made = graph_.Adopt(std::move(node));
  // Scopes outside of a clearing one do not see the node.
  std::vector<BuildState::ControlFrame>& frames = graph_.build().control;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    frame->made_inside.insert(made);
    if (frame->clears) break;
  }
  if (made->flow_context_ != nullptr) WEIR_TRY(made->flow_context_->NodeAdded(made));
  return made;
}

Output NodeBuilder::BuildOutput() {
  Node* node = BuildNode();
  return node == nullptr || node->num_outputs() == 0 ? Output::Failed(graph_) : Output(node, 0);
}

Node* NodeBuilder::BuildNode() {
  Result<Node*> node = Build();
  if (node.ok()) return *node;
  graph_.RecordError(node.status());
  return nullptr;
}

OutputList NodeBuilder::BuildOutputs(size_t on_error) {
  Node* node = BuildNode();
  OutputList outputs;
  if (node == nullptr)
    outputs.assign(on_error, Output::Failed(graph_));
  else
    for (int i = 0; i < node->num_outputs(); ++i) outputs.emplace_back(node, i);
  return outputs;
}

Result<Output> ToOutput(Graph& graph, const Input& x, DType wanted, const std::string& name) {
  if (x.failed()) return Aborted("the value for '{}' could not be built", name);
  if (x.absent())
    return InvalidArgument("None values not supported.{}",
                           name == "Const" ? "" : fmt::format(" ('{}' has no value)", name));
  if (!x.is_output()) return x.literal()->ToOutput(graph, wanted, name);
  if (wanted != kInvalidType && BaseType(wanted) != x.output().base_dtype())
    return InvalidArgument("{}'{}' has type {}, where {} is expected", name == "Const" ? "" : name + ": ",
                           x.output().name(), x.output().base_dtype(), BaseType(wanted));
  return x.output();
}

Output Constant(Graph& graph, const Tensor& value, std::string name) {
  return NodeBuilder(graph, "Const", std::move(name)).Attr("dtype", value.dtype()).Attr("value", value).BuildOutput();
}

}  // namespace weir
