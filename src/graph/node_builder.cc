#include "graph/node_builder.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/process_memory.h"
#include "graph/arg_resolver.h"
#include "graph/colocation.h"
#include "graph/flow_context.h"
#include "graph/texts.h"

namespace weir {

// Distinct nodes in insertion order. Switches to a hash set beyond kFew nodes, so large groups stay linear.
class NodeBuilder::DistinctNodes final {
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

namespace {

bool GivesShapeOfInput(const OpDef& op) {
  return op.traits.shape_value == ShapeValue::kShape && !op.inputs[0].is_list();
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

NodeBuilder& NodeBuilder::TypesInOrder() {
  types_in_order_ = true;
  return *this;
}

Result<Node*> NodeBuilder::Build() {
  if (graph_.finalized())
    return FailedPrecondition("the graph is finalized and cannot be modified: op {} was not added", op_);
  WEIR_TRY(ProcessMemory::Get().ReserveKept(kGraphNodeBytes));
  const OpDef* op = graph_.FindOp(op_);
  if (op == nullptr) return NotFound("op type '{}' is not registered", op_);
  WEIR_TRY(CheckArgs(*op));
  std::string name = name_.empty() ? op_ : name_;
  ArgResolver resolver(graph_, *op, attrs_, types_in_order_,
                       [this](size_t i) -> const InputList& { return args_[i].inputs; });
  std::vector<Output> inputs;
  WEIR_TRY(ResolveArgs(*op, resolver, &name, &inputs));

  BuildState& state = graph_.build();
  AddScopedAttrs(*op, state);
  const Colocation colocation = Colocate(*op, inputs, state);
  DistinctNodes controls = ScopedControlInputs(state, inputs);
  for (Node* control : control_inputs_) controls.Add(control);
  if (state.flow != nullptr && GivesShapeOfInput(*op)) {
    const DType* out_type = attrs_.contains("out_type") ? attrs_.at("out_type").As<DType>() : nullptr;
    WEIR_ASSIGN(Node * shape, state.flow->CaptureShape(inputs[0], out_type == nullptr ? kInt32 : *out_type));
    if (shape != nullptr) return shape;
  }
  if (state.flow != nullptr) WEIR_TRY(CaptureInputs(*state.flow, &name, &inputs, &controls));
  for (const Output& input : inputs) WEIR_TRY(CheckInputContext(state.flow, op->traits.kind, name, input));

  std::unique_ptr<Node> node(new Node(graph_));
  WEIR_ASSIGN(std::shared_ptr<NodeProps> props, MakeProps(*op, resolver, name, inputs));
  WEIR_ASSIGN(node->output_shapes_, graph_.InferShapes(*props, inputs));
  props->name = FinalName(name);
  node->props_ = std::move(props);
  node->inputs_ = std::move(inputs);
  node->control_inputs_ = controls.Take();
  node->flow_context_ = state.flow;
  if (Status status = ChooseDevice(colocation, state, node.get()); !status.ok()) {
    graph_.Abandon(std::move(node));
    return status;
  }

  Node* made = nullptr;
  {
    const Graph::NodesLock lock = graph_.LockNodes();
    // An import on another thread, or by the device function, may have taken the name meanwhile.
    if (graph_.FindNode(node->name()) != nullptr) {
      auto renamed = std::make_shared<NodeProps>(*node->props_);
      renamed->name = FinalName(name);
      node->props_ = std::move(renamed);
    }
    made = graph_.Adopt(std::move(node));
  }
  // Scopes outside of a clearing one do not see the node.
  std::vector<BuildState::ControlFrame>& frames = graph_.build().control;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    frame->made_inside.insert(made);
    if (frame->clears) break;
  }
  if (made->flow_context_ != nullptr) WEIR_TRY(made->flow_context_->NodeAdded(made));
  return made;
}

Status NodeBuilder::CheckArgs(const OpDef& op) const {
  if (args_.size() != op.inputs.size())
    return MarkTypeError(InvalidArgument("op {} takes {} inputs, {} were given", op_, op.inputs.size(), args_.size()));
  for (size_t i = 0; i < args_.size(); ++i)
    if (args_[i].is_list != op.inputs[i].is_list())
      return MarkTypeError(InvalidArgument("input '{}' of op {} must {}be a list", op.inputs[i].name, op_,
                                           op.inputs[i].is_list() ? "" : "not "));
  return OkStatus();
}

Status NodeBuilder::ResolveArgs(const OpDef& op, ArgResolver& resolver, std::string* name,
                                std::vector<Output>* inputs) {
  WEIR_TRY(resolver.Prepare());
  WEIR_TRY(CheckNodeName(graph_, *name));
  bool has_literals = false;
  for (const Arg& arg : args_)
    for (const Input& input : arg.inputs) has_literals |= input.literal() != nullptr;
  std::optional<NameScope> scope;
  if (has_literals) {
    scope.emplace(graph_, *name);
    *name = scope->name() + "/";
  }
  for (size_t i = 0; i < args_.size(); ++i) WEIR_TRY(resolver.Resolve(op.inputs[i], args_[i].inputs, inputs));
  return OkStatus();
}

void NodeBuilder::AddScopedAttrs(const OpDef& op, const BuildState& state) {
  for (const auto& [attr, value] : state.attrs) attrs_.try_emplace(attr, value);
  for (auto it = state.gradient_map.rbegin(); it != state.gradient_map.rend(); ++it)
    if (it->first == op_ && !attrs_.contains("_gradient_op_type")) attrs_["_gradient_op_type"] = it->second;
  if (!state.container.empty() && op.stateful && op.FindAttr("container") != nullptr) {
    AttrValue& container = attrs_["container"];
    if (const std::string* given = container.As<std::string>(); given == nullptr || given->empty())
      container = state.container;
  }
}

NodeBuilder::Colocation NodeBuilder::Colocate(const OpDef& op, const std::vector<Output>& inputs,
                                              const BuildState& state) {
  // A node that updates a reference is colocated with the owner of the reference.
  std::vector<Node*> colocate;
  for (size_t i = 0, k = 0; i < args_.size(); ++i)
    for (size_t j = 0; j < args_[i].inputs.size(); ++j, ++k)
      if (op.inputs[i].is_ref) colocate.push_back(inputs[k].node);
  Colocation result;
  result.by_ref = !colocate.empty();
  for (const std::vector<Node*>& group : state.colocation) colocate.insert(colocate.end(), group.begin(), group.end());
  if (colocate.empty()) return result;
  std::set<std::string> groups;
  for (Node* with : colocate) {
    for (std::string& group : ColocationGroups(*with)) groups.insert(std::move(group));
    if (!with->device().empty()) result.device = with->device();
  }
  attrs_["_class"] = std::vector<std::string>(groups.begin(), groups.end());
  return result;
}

NodeBuilder::DistinctNodes NodeBuilder::ScopedControlInputs(const BuildState& state,
                                                            const std::vector<Output>& inputs) {
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

Status NodeBuilder::CaptureInputs(FlowContext& flow, std::string* name, std::vector<Output>* inputs,
                                  DistinctNodes* controls) {
  if (name->back() != '/') *name = graph_.UniqueName(*name) + "/";
  NameScope scope(graph_, *name);
  for (Output& input : *inputs) {
    WEIR_ASSIGN(input, flow.Capture(input));
  }
  DistinctNodes inside;
  for (Node* control : controls->nodes()) {
    WEIR_ASSIGN(Node * seen, flow.CaptureControl(control));
    inside.Add(seen);
  }
  *controls = std::move(inside);
  return OkStatus();
}

Result<std::shared_ptr<NodeProps>> NodeBuilder::MakeProps(const OpDef& op, const ArgResolver& resolver,
                                                          const std::string& name, const std::vector<Output>& inputs) {
  auto props = std::make_shared<NodeProps>();
  props->op = &op;
  if (Status status = CheckAndCompleteAttrs(op, &attrs_); !status.ok()) {
    WEIR_TRY(resolver.CheckInputTypes(inputs));  // a more specific error
    return status;
  }
  props->attrs = std::make_shared<const AttrMap>(std::move(attrs_));
  WEIR_ASSIGN(props->input_types, ArgTypes(op.inputs, *props->attrs));
  WEIR_ASSIGN(props->output_types, ArgTypes(op.outputs, *props->attrs));
  props->name = name.back() == '/' ? name.substr(0, name.size() - 1) : name;
  return props;
}

std::string NodeBuilder::FinalName(const std::string& name) {
  std::string result = name.back() == '/' ? name.substr(0, name.size() - 1) : graph_.UniqueName(name);
  if (graph_.FindNode(result) == nullptr) return result;
  // The exact name is taken: make it unique, as TensorFlow does on import and when a scope is re-entered.
  NameScope root(graph_, "");
  return graph_.UniqueName(result);
}

Status NodeBuilder::ChooseDevice(const Colocation& colocation, const BuildState& state, Node* node) const {
  node->device_ = graph_.DeviceNamed(device_.empty() ? colocation.device : device_);
  if (colocation.by_ref || !node->device().empty()) return OkStatus();
  // Innermost first: a device function sees the device that inner scopes chose. No lock is held, since it may be
  // Python.
  const std::vector<DeviceRequest> requests = state.devices;
  for (auto request = requests.rbegin(); request != requests.rend(); ++request) {
    if (request->ignore_outer) break;
    if (request->choose) {
      WEIR_ASSIGN(const std::string chosen, request->choose(*node));
      node->device_ = graph_.DeviceNamed(chosen);
    } else {
      WEIR_ASSIGN(const DeviceName outer, DeviceName::Parse(request->name));
      WEIR_ASSIGN(const DeviceName inner, DeviceName::Parse(node->device()));
      node->device_ = graph_.DeviceNamed(outer.MergedWith(inner).ToString());
    }
  }
  return OkStatus();
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
