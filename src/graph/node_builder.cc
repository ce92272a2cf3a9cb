#include "graph/node_builder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/process_memory.h"
#include "graph/flow_context.h"
#include "graph/literal_error.h"
#include "graph/texts.h"
#include "graph/types_in_order.h"

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

// Turns the arguments of one op into outputs, inferring type, number and type-list attributes on the way. Errors are in
// TensorFlow's words.
class ArgResolver {
 public:
  // `args` gives the inputs of the op's argument i. In order: an argument has a say in a type attribute only after
  // those before it, literals too; otherwise the first tensor decides.
  ArgResolver(Graph& graph, const OpDef& op, AttrMap& attrs, bool in_order,
              std::function<const InputList&(size_t)> args)
      : graph_(graph), op_(op), attrs_(attrs), in_order_(in_order), args_(std::move(args)) {}

  // Before any argument is resolved.
  Status Prepare() {
    WEIR_TRY(CheckGraphs());
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const ArgDef& arg = op_.inputs[i];
      for (const Input& input : args_(i))
        if (input.failed() && &input.output().graph() == &graph_)
          return Aborted("input '{}' of op {} could not be built", arg.name, op_.name);
      if (in_order_ || arg.type_attr.empty() || attrs_.contains(arg.type_attr)) continue;
      for (const Input& input : args_(i)) {
        if (!input.is_output()) continue;
        attrs_[arg.type_attr] = BaseType(input.output().dtype());
        inferred_from_[arg.type_attr] = arg.name;
        break;
      }
    }
    return OkStatus();
  }

  Status Resolve(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
    const size_t first = out->size();
    if (!arg.type_list_attr.empty()) {
      WEIR_TRY(ResolveTypeList(arg, inputs, out));
    } else if (!arg.number_attr.empty()) {
      WEIR_TRY(ResolveNumbered(arg, inputs, out));
    } else {
      WEIR_TRY(ResolveSingle(arg, inputs[0], out));
    }
    for (size_t i = first; arg.is_ref && i < out->size(); ++i) {
      const Output& value = (*out)[i];
      if (!IsRef(value.dtype()))
        return MarkTypeError(
            InvalidArgument("'{}' Op requires that input '{}' be a mutable tensor (e.g.: a tf.Variable); '{}' is {}",
                            op_.name, arg.name, value.name(), value.dtype()));
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
  Status CheckGraphs() const {
    const Input* other = nullptr;
    const Input* own = nullptr;
    const ArgDef* arg = nullptr;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      for (const Input& input : args_(i)) {
        if (!input.is_output()) continue;
        if (&input.output().graph() == &graph_) {
          if (own == nullptr) own = &input;
        } else if (other == nullptr) {
          other = &input;
          arg = &op_.inputs[i];
        }
      }
    }
    if (other == nullptr) return OkStatus();
    if (own == nullptr)
      return InvalidArgument("{} (input '{}' of op {}) is of another graph than the one that is being built",
                             PythonText(other->output()), arg->name, op_.name);
    return InvalidArgument("{} must be from the same graph as {} (input '{}' of op {})", PythonText(other->output()),
                           PythonText(own->output()), arg->name, op_.name);
  }

  // The type that the argument must have; kInvalidType when that is open.
  Result<DType> Wanted(const ArgDef& arg) const {
    if (arg.type_attr.empty()) return arg.type;
    const auto it = attrs_.find(arg.type_attr);
    if (it == attrs_.end()) return kInvalidType;
    const DType* type = it->second.As<DType>();
    if (type == nullptr) return WrongAttrKind(arg.type_attr, it->second, "type");
    return BaseType(*type);
  }

  void SetType(const ArgDef& arg, DType type) {
    if (arg.type_attr.empty()) return;
    if (attrs_.try_emplace(arg.type_attr, AttrValue(type)).second) inferred_from_[arg.type_attr] = arg.name;
  }

  Status ResolveSingle(const ArgDef& arg, const Input& input, std::vector<Output>* out) {
    WEIR_ASSIGN(const DType wanted, Wanted(arg));
    Output value;
    if (input.absent()) {
      return InvalidArgument("Tried to convert '{}' to a tensor and failed. Error: None values not supported.",
                             arg.name);
    }
    if (input.is_output()) {
      value = input.output();
    } else {
      auto made = input.literal()->ToOutput(graph_, PreferredType(arg, input, wanted), arg.name);
      if (!made.ok()) return LiteralError(arg, wanted, made.status());
      value = *made;
    }
    const DType given = value.base_dtype();
    if (wanted != kInvalidType && given != wanted) {
      const auto [type, from] = ExpectedTypeText(arg, wanted);
      return MarkTypeError(
          InvalidArgument("Input '{}' of '{}' Op has type {} that does not match {}. ('{}' of type {}{})", arg.name,
                          op_.name, arg.is_ref ? value.dtype() : given, type, value.name(), given, from));
    }
    if (wanted == kInvalidType) WEIR_TRY(CheckAllowed(arg, value));
    SetType(arg, given);
    out->push_back(value);
    return OkStatus();
  }

  // N tensors of one type.
  Status ResolveNumbered(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
    const auto from = inferred_from_.find(arg.type_attr);
    const bool inferred_here = from != inferred_from_.end() && from->second == arg.name;
    const bool inferred_before = !arg.type_attr.empty() && attrs_.contains(arg.type_attr) && !inferred_here;
    WEIR_ASSIGN(DType wanted, Wanted(arg));
    for (size_t i = 0; i < inputs.size() && wanted == kInvalidType; ++i)
      if (inputs[i].is_output()) wanted = inputs[i].output().base_dtype();
    std::vector<Output> values;
    bool match = true;
    for (size_t i = 0; i < inputs.size() && match; ++i) {
      const Input& input = inputs[i];
      if (input.is_output()) {
        values.push_back(input.output());
      } else if (input.absent()) {
        match = false;
        break;
      } else {
        auto made =
            input.literal()->ToOutput(graph_, PreferredType(arg, input, wanted), fmt::format("{}_{}", arg.name, i));
        match = made.ok();
        if (!match && !LiteralOf(made.status()).has_value())
          return WithContext(made.status(), fmt::format("input '{}' of op {}", arg.name, op_.name));
        if (match) values.push_back(*made);
      }
      if (match && wanted == kInvalidType && !in_order_) wanted = values.back().base_dtype();
      match = match && values.back().base_dtype() == (wanted == kInvalidType ? values[0].base_dtype() : wanted);
    }
    if (!match) {
      const bool fixed = arg.type_attr.empty();
      return MarkTypeError(InvalidArgument(
          "Tensors in list passed to '{}' of '{}' Op have types [{}] {}.{}", arg.name, op_.name, ObservedTypes(inputs),
          fixed             ? fmt::format("that do not match expected type {}", wanted)
          : inferred_before ? fmt::format("that do not match type {} inferred from earlier arguments", wanted)
                            : "that don't all match",
          NamedTensors(inputs)));
    }
    WEIR_TRY(SetNumber(arg, static_cast<int64_t>(inputs.size())));
    if (!values.empty()) {
      if (wanted == kInvalidType || !inferred_before) WEIR_TRY(CheckAllowed(arg, values[0]));
      SetType(arg, values[0].base_dtype());
    } else if (!arg.type_attr.empty() && !inferred_before && !HasDefault(arg.type_attr)) {
      return MarkTypeError(InvalidArgument(
          "Don't know how to infer type variable from empty input list passed to input '{}' of '{}' Op.", arg.name,
          op_.name));
    }
    out->insert(out->end(), values.begin(), values.end());
    return OkStatus();
  }

  bool HasDefault(const std::string& attr) const {
    const AttrDef* def = op_.FindAttr(attr);
    return def != nullptr && def->default_value.has_value();
  }

  Status SetNumber(const ArgDef& arg, int64_t count) {
    auto [it, added] = attrs_.try_emplace(arg.number_attr, AttrValue(count));
    if (!added) {
      const int64_t* given = it->second.As<int64_t>();
      if (given != nullptr && *given == count) return OkStatus();
      const auto from = inferred_from_.find(arg.number_attr);
      return InvalidArgument("List argument '{}' to '{}' Op with length {} must match length {} of argument '{}'.",
                             arg.name, op_.name, count, it->second.ToString(),
                             from == inferred_from_.end() ? arg.number_attr : from->second);
    }
    inferred_from_[arg.number_attr] = arg.name;
    const AttrDef* def = op_.FindAttr(arg.number_attr);
    if (def != nullptr && def->minimum.has_value() && count < *def->minimum)
      return InvalidArgument("List argument '{}' to '{}' Op with length {} shorter than minimum length {}.", arg.name,
                             op_.name, count, *def->minimum);
    return OkStatus();
  }

  // What the elements of a list are by themselves, for messages.
  static std::string ObservedTypes(const InputList& inputs) {
    std::string text;
    for (const Input& input : inputs) {
      if (!text.empty()) text += ", ";
      std::optional<Tensor> value;
      if (!input.is_output() && !input.absent()) value = input.literal()->Value(kInvalidType);
      text += input.is_output()   ? DTypeName(input.output().base_dtype())
              : value.has_value() ? DTypeName(value->dtype())
                                  : "<NOT CONVERTIBLE TO TENSOR>";
    }
    return text;
  }

  // " ('a:0' of type float32, 'b:0' of type int32)": the tensors of a list, for messages.
  static std::string NamedTensors(const InputList& inputs) {
    std::string text;
    for (const Input& input : inputs)
      if (input.is_output())
        text += fmt::format("{}'{}' of type {}", text.empty() ? " (" : ", ", input.output().name(),
                            input.output().base_dtype());
    return text.empty() ? text : text + ")";
  }

  // A literal that nothing else gives a type takes the attribute's default where its own type is not allowed and the
  // default can hold it.
  DType PreferredType(const ArgDef& arg, const Input& input, DType wanted) const {
    if (wanted != kInvalidType || arg.type_attr.empty()) return wanted;
    const AttrDef* def = op_.FindAttr(arg.type_attr);
    if (def == nullptr || !def->default_value.has_value()) return kInvalidType;
    const DType fallback = *def->default_value->As<DType>();
    if (input.literal()->NaturalType() == fallback) return kInvalidType;
    const std::optional<Tensor> natural = input.literal()->Value(kInvalidType);
    if (!natural.has_value() || natural->dtype() == fallback) return kInvalidType;
    if (std::find(def->allowed_types.begin(), def->allowed_types.end(), natural->dtype()) != def->allowed_types.end())
      return kInvalidType;
    return input.literal()->Value(fallback).has_value() ? fallback : kInvalidType;
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
  std::pair<std::string, std::string> ExpectedTypeText(const ArgDef& arg, DType wanted) const {
    if (arg.type_attr.empty()) return {fmt::format("expected type of {}", wanted), ""};
    const auto from = inferred_from_.find(arg.type_attr);
    const std::string name = from == inferred_from_.end() ? arg.type_attr : from->second;
    const std::string type = fmt::format("type {} of argument '{}'", wanted, name);
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      if (op_.inputs[i].name != name) continue;
      for (const Input& input : args_(i))
        if (input.is_output()) return {type, fmt::format(", '{}' of type {}", input.output().name(), wanted)};
    }
    return {type, ""};
  }

  Status ResolveTypeList(const ArgDef& arg, const InputList& inputs, std::vector<Output>* out) {
    std::optional<std::vector<DType>> wanted;
    if (auto it = attrs_.find(arg.type_list_attr); it != attrs_.end()) {
      const auto* types = it->second.As<std::vector<DType>>();
      if (types == nullptr) return WrongAttrKind(arg.type_list_attr, it->second, "list(type)");
      wanted = *types;
    }
    std::vector<DType> types;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const DType t = wanted.has_value() && i < wanted->size() ? (*wanted)[i] : kInvalidType;
      Output value;
      if (inputs[i].is_output()) {
        value = inputs[i].output();
      } else {
        if (inputs[i].absent()) return InvalidTypeList(arg, inputs);
        auto made =
            inputs[i].literal()->ToOutput(graph_, in_order_ ? kInvalidType : t, fmt::format("{}_{}", arg.name, i));
        if (!made.ok() && !LiteralOf(made.status()).has_value())
          return WithContext(made.status(), fmt::format("input '{}' of op {}", arg.name, op_.name));
        if (!made.ok()) return t == kInvalidType ? InvalidTypeList(arg, inputs) : LiteralError(arg, t, made.status());
        value = *made;
      }
      if (!wanted.has_value()) WEIR_TRY(CheckAllowed(arg, value));
      types.push_back(value.base_dtype());
      out->push_back(value);
    }
    if (wanted.has_value() && *wanted != types) {
      const auto from = inferred_from_.find(arg.type_list_attr);
      return MarkTypeError(InvalidArgument(
          "Input '{}' of '{}' Op has type list of {} that does not match type list {} of argument '{}'.", arg.name,
          op_.name, fmt::join(types, ", "), fmt::join(*wanted, ", "),
          from == inferred_from_.end() ? arg.type_list_attr : from->second));
    }
    if (!wanted.has_value()) inferred_from_[arg.type_list_attr] = arg.name;
    attrs_[arg.type_list_attr] = std::move(types);
    return OkStatus();
  }

  Status InvalidTypeList(const ArgDef& arg, const InputList& inputs) const {
    return MarkTypeError(InvalidArgument("Tensors in list passed to '{}' of '{}' Op have types [{}] that are invalid.",
                                         arg.name, op_.name, ObservedTypes(inputs)));
  }

  Graph& graph_;
  const OpDef& op_;
  AttrMap& attrs_;
  const bool in_order_;
  std::function<const InputList&(size_t)> args_;
  std::map<std::string, std::string> inferred_from_;  // attribute: the argument that decided it
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

Status CheckNodeName(Graph& graph, std::string_view name) {
  if (name.back() == '/') name.remove_suffix(1);
  if (IsValidNodeName(name)) return OkStatus();
  return CheckScopeName(name, /*at_root=*/graph.build().name_scope.empty());
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
  // Literals become nodes named below this one: "mul/y".
  std::vector<Output> inputs;
  ArgResolver resolver(graph_, *op, attrs_, attrs_.erase(kTypesInOrderAttr) > 0,
                       [this](size_t i) -> const InputList& { return args_[i].inputs; });
  bool has_literals = false;
  for (size_t i = 0; i < args_.size(); ++i) {
    if (args_[i].is_list != op->inputs[i].is_list())
      return MarkTypeError(InvalidArgument("input '{}' of op {} must {}be a list", op->inputs[i].name, op_,
                                           op->inputs[i].is_list() ? "" : "not "));
    for (const Input& input : args_[i].inputs) has_literals |= input.literal() != nullptr;
  }
  WEIR_TRY(resolver.Prepare());
  WEIR_TRY(CheckNodeName(graph_, name));
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
  std::unique_ptr<Node> node(new Node(graph_));
  node->props_ = std::move(props);
  node->inputs_ = std::move(inputs);
  node->control_inputs_ = controls.Take();
  node->output_shapes_ = std::move(shapes);
  node->flow_context_ = state.flow;
  if (!device_.empty()) {
    node->device_ = graph_.DeviceNamed(device_);
  } else if (colocated_by_ref || !colocated_device.empty()) {
    node->device_ = graph_.DeviceNamed(colocated_device);
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
        if (chosen.ok()) node->device_ = graph_.DeviceNamed(*chosen);
      } else {
        Result<DeviceName> outer = DeviceName::Parse(request->name);
        Result<DeviceName> inner = DeviceName::Parse(node->device());
        if (outer.ok() && inner.ok()) node->device_ = graph_.DeviceNamed(outer->MergedWith(*inner).ToString());
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
    return InvalidArgument(
        "{}Tensor conversion requested dtype {} for Tensor with dtype {}: <tf.Tensor '{}' shape={} dtype={}>",
        name == "Const" ? "" : name + ": ", BaseType(wanted), x.output().base_dtype(), x.output().name(),
        PythonText(x.output().shape()), x.output().base_dtype());
  return x.output();
}

Output Constant(Graph& graph, const Tensor& value, std::string name) {
  return NodeBuilder(graph, "Const", std::move(name)).Attr("dtype", value.dtype()).Attr("value", value).BuildOutput();
}

}  // namespace weir
