#include "graph/compose/variable.h"

#include <map>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/state_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/initial_value.h"
#include "graph/compose/names.h"
#include "graph/graph_keys.h"

namespace weir {
namespace {

// Builds the nodes of a variable outside of the current branch or loop.
class InitScope {
 public:
  explicit InitScope(Graph& graph) : cleared_(ControlDependencies::Cleared(graph)) {}

 private:
  ControlDependencies cleared_;
};

// Adds an attribute to every node built during its lifetime.
class AttrScope {
 public:
  AttrScope(Graph& graph, std::string name, AttrValue value) : graph_(graph) {
    graph.build().attrs.emplace_back(std::move(name), std::move(value));
  }
  ~AttrScope() { graph_.build().attrs.pop_back(); }
  AttrScope(const AttrScope&) = delete;
  AttrScope& operator=(const AttrScope&) = delete;

 private:
  Graph& graph_;
};

// Hides the attributes of outer scopes from nodes built during its lifetime.
class NoAttrs {
 public:
  explicit NoAttrs(Graph& graph) : graph_(graph), outer_(std::exchange(graph.build().attrs, {})) {}
  ~NoAttrs() { graph_.build().attrs = std::move(outer_); }
  NoAttrs(const NoAttrs&) = delete;
  NoAttrs& operator=(const NoAttrs&) = delete;

 private:
  Graph& graph_;
  std::vector<std::pair<std::string, AttrValue>> outer_;
};

void AddToCollections(Graph& graph, const VariablePtr& variable, const VariableOptions& options) {
  std::vector<std::string> collections = options.collections;
  if (options.use_default_collections && collections.empty()) collections = {graph_keys::kGlobalVariables};
  if (options.trainable &&
      std::find(collections.begin(), collections.end(), graph_keys::kTrainableVariables) == collections.end())
    collections.emplace_back(graph_keys::kTrainableVariables);
  for (const std::string& name : collections) graph.collections().Add(name, variable);
}

Status CheckInitialShape(Output initial, const VariableOptions& options) {
  if (options.expected_shape.has_value() && !initial.shape().CompatibleWith(*options.expected_shape))
    return InvalidArgument("the initial value '{}' has shape {}, which is not the expected shape {}", initial.name(),
                           initial.shape(), *options.expected_shape);
  if (options.use_resource && options.shape.has_value() && !initial.shape().CompatibleWith(*options.shape))
    return InvalidArgument(
        "In this `tf.Variable` creation, the initial value's shape ({}) is not compatible with the explicitly supplied "
        "`shape` argument ({}).",
        TupleText(initial.shape()), *options.shape);
  if (options.validate_shape && !options.use_resource && !initial.shape().fully_defined())
    return InvalidArgument(
        "the initial value of a variable must have a known shape, but '{}' has {}; give a shape or "
        "set validate_shape to false",
        initial.name(), initial.shape());
  return OkStatus();
}

}  // namespace

Result<VariablePtr> Variable::Make(Graph& graph, const Input& initial_value, const VariableOptions& options) {
  InitScope init(graph);
  NameScope scope(graph, NameOrDefault(options.name, "Variable"));
  VariablePtr v(new Variable);
  WEIR_ASSIGN(v->initial_value_, ToOutput(graph, initial_value, options.dtype, "initial_value"));
  WEIR_TRY(CheckInitialShape(v->initial_value_, options));
  return Finish(graph, std::move(v), scope.name(), options);
}

Result<VariablePtr> Variable::MakeWith(Graph& graph, std::function<Result<Output>()> initial_value,
                                       const VariableOptions& options) {
  InitScope init(graph);
  NameScope scope(graph, NameOrDefault(options.name, "Variable"));
  VariablePtr v(new Variable);
  AttrScope with_variable(graph, "_class", std::vector<std::string>{"loc:@" + scope.name()});
  {
    NameScope initializer(graph, "Initializer");
    DeviceScope anywhere(graph, DeviceRequest{.ignore_outer = true});
    WEIR_ASSIGN(v->initial_value_, initial_value());
    if (!v->initial_value_.valid()) {
      WEIR_TRY(graph.TakeError());
      return InvalidArgument("the initializer of variable '{}' gave no value", scope.name());
    }
  }
  if (options.dtype != kInvalidType && v->initial_value_.base_dtype() != BaseType(options.dtype))
    return MarkTypeError(InvalidArgument("the initializer of variable '{}' gave {}, not {}", scope.name(),
                                         v->initial_value_.base_dtype(), BaseType(options.dtype)));
  WEIR_TRY(CheckInitialShape(v->initial_value_, options));
  return Finish(graph, std::move(v), scope.name(), options);
}

Result<VariablePtr> Variable::Finish(Graph& graph, VariablePtr v, const std::string& name,
                                     const VariableOptions& options) {
  v->dtype_ = v->initial_value_.base_dtype();
  v->trainable_ = options.trainable;
  v->is_resource_ = options.use_resource;
  v->validate_shape_ = options.validate_shape;
  v->constraint_ = options.constraint;
  // The initial value may have any shape where a reference variable does not validate it.
  const bool any = !options.validate_shape && !options.use_resource;
  const PartialShape shape = options.shape.value_or(any ? PartialShape() : v->initial_value_.shape());
  if (options.use_resource) {
    v->handle_ = VarHandleOp(graph, v->dtype_, shape, {.shared_name = name, .name = name + "/"});
  } else {
    v->handle_ = VariableV2(graph, shape, v->dtype_, {.name = name + "/"});
  }
  WEIR_TRY(graph.TakeError());
  // The following nodes are placed with the variable, but must not have the colocation attribute of the initializer.
  const NoAttrs plain(graph);
  if (options.use_resource) {
    VarIsInitializedOp(v->handle_, {.name = "IsInitialized/VarIsInitializedOp"});
    WEIR_ASSIGN(const Output initial, GuardedInitialValue(graph, v->initial_value_, name));
    // Place both on the handle's device, even if device functions treat nodes other than variables differently.
    {
      ColocationScope alone(graph, nullptr, /*ignore_existing=*/true);
      DeviceScope with_handle(graph, v->handle_.node->device());
      v->initializer_ = AssignVariableOp(v->handle_, initial, {.name = "Assign"});
    }
    {
      DeviceScope with_handle(graph, v->handle_.node->device());
      v->snapshot_ = ReadVariableOp(v->handle_, v->dtype_, {.name = "Read/ReadVariableOp"});
    }
    if (v->snapshot_.valid()) graph.RecordError(graph.SetShape(v->snapshot_, shape));
    if (options.caching_device != nullptr && v->snapshot_.valid()) {
      ColocationScope alone(graph, nullptr, /*ignore_existing=*/true);
      DeviceScope cached(graph, *options.caching_device);
      v->snapshot_ = Identity(v->snapshot_, {.name = "Read/Identity"});
      v->is_cached_ = true;
    }
  } else {
    WEIR_ASSIGN(const Output initial, GuardedInitialValue(graph, v->initial_value_, name));
    Output assigned = weir::Assign(v->handle_, initial, {.validate_shape = options.validate_shape, .name = "Assign"});
    v->initializer_ = assigned.node;
    if (options.caching_device != nullptr) {
      DeviceScope cached(graph, *options.caching_device);
      v->snapshot_ = Identity(v->handle_, {.name = "read"});
    } else if (v->handle_.valid()) {
      ColocationScope colocated(graph, v->handle_.node);
      v->snapshot_ = Identity(v->handle_, {.name = "read"});
    }
  }
  WEIR_TRY(graph.TakeError());
  AddToCollections(graph, v, options);
  return v;
}

Result<VariablePtr> Variable::FromNodes(Graph& graph, std::string variable, std::string initializer,
                                        std::string snapshot, std::string initial_value, bool trainable,
                                        bool is_resource) {
  VariablePtr v(new Variable);
  WEIR_ASSIGN(v->handle_, graph.FindOutput(variable));
  v->initializer_ = graph.FindNode(initializer);
  if (v->initializer_ == nullptr)
    return NotFound("variable '{}': there is no initializer node '{}'", variable, initializer);
  WEIR_ASSIGN(v->snapshot_, graph.FindOutput(snapshot));
  if (!initial_value.empty()) {
    WEIR_ASSIGN(v->initial_value_, graph.FindOutput(initial_value));
  }
  v->dtype_ = v->snapshot_.base_dtype();
  v->trainable_ = trainable;
  v->is_resource_ = is_resource;
  v->is_cached_ = is_resource && IsAlias(v->snapshot_.node->op().traits);
  return v;
}

PartialShape Variable::shape() const { return is_resource_ ? snapshot_.shape() : handle_.shape(); }

// An implicit read runs on the device of the variable, not of its consumer.
Output Variable::AsInput() const {
  if (!is_resource_ || is_cached_) return snapshot_;
  ColocationScope without_others(graph(), nullptr);
  DeviceScope anywhere(graph(), DeviceRequest{.ignore_outer = true});
  return ReadValue();
}

Output Variable::ReadValue() const {
  if (!is_resource_) return Identity(handle_, {.name = "read"});
  return ReadResource();
}

// Sets the shape, which a captured handle does not have.
Output Variable::ReadResource() const {
  const Output value = ReadVariableOp(handle_, dtype_);
  if (value.valid() && !value.shape().fully_defined()) graph().RecordError(graph().SetShape(value, shape()));
  return value;
}

namespace {

// Converts a literal to the variable's type: resource ops take their dtype from the value.
Input OfType(Graph& graph, const Input& value, DType dtype) {
  if (value.is_output() || value.absent()) return value;
  Result<Output> converted = ToOutput(graph, value, dtype, "Const");
  if (converted.ok()) return *converted;
  graph.RecordError(converted.status());
  return value;
}

}  // namespace

Output Variable::Assign(const Input& value, bool use_locking, bool validate_shape, std::string name) const {
  if (!is_resource_)
    return weir::Assign(handle_, value,
                        {.validate_shape = validate_shape, .use_locking = use_locking, .name = std::move(name)});
  // As in TensorFlow, the options of the variable decide, not the argument.
  const bool validate = validate_shape_ && shape().fully_defined();
  Node* node =
      AssignVariableOp(handle_, OfType(graph(), value, dtype_), {.validate_shape = validate, .name = std::move(name)});
  return ReadAfter(node);
}
Output Variable::AssignAdd(const Input& delta, bool use_locking, std::string name) const {
  if (!is_resource_) return weir::AssignAdd(handle_, delta, {.use_locking = use_locking, .name = std::move(name)});
  return ReadAfter(AssignAddVariableOp(handle_, OfType(graph(), delta, dtype_), {.name = std::move(name)}));
}
Output Variable::AssignSub(const Input& delta, bool use_locking, std::string name) const {
  if (!is_resource_) return weir::AssignSub(handle_, delta, {.use_locking = use_locking, .name = std::move(name)});
  return ReadAfter(AssignSubVariableOp(handle_, OfType(graph(), delta, dtype_), {.name = std::move(name)}));
}
Output Variable::ScatterSub(const IndexedSlices& slices, bool use_locking, std::string name) const {
  if (!is_resource_)
    return weir::ScatterSub(handle_, slices.indices, slices.values,
                            {.use_locking = use_locking, .name = std::move(name)});
  return ReadAfter(ResourceScatterSub(handle_, slices.indices, slices.values, {.name = std::move(name)}));
}

Output Variable::ReadAfter(Node* update) const {
  if (update == nullptr) return Output();
  ControlDependencies after(graph(), {update});
  return ReadResource();
}

std::shared_ptr<Variable> Variable::WithHandle(Output handle) const {
  VariablePtr seen(new Variable(*this));
  seen->handle_ = handle;
  return seen;
}

Output Variable::IsInitialized() const {
  return is_resource_ ? VarIsInitializedOp(handle_) : IsVariableInitialized(handle_);
}

Output Variable::InitializedValue() const {
  Graph& g = graph();
  InitScope init(g);
  Result<OutputList> value = Cond(
      g, IsInitialized(), [this]() -> Result<OutputList> { return OutputList{ReadValue()}; },
      [this]() -> Result<OutputList> { return OutputList{assigned_initial_value()}; });
  if (!value.ok()) return FailedOutput(g, value.status());
  return (*value)[0];
}

int PartitionedVariable::axis() const {
  for (size_t i = 0; i < partitions.size(); ++i)
    if (partitions[i] > 1) return static_cast<int>(i);
  return 0;
}

Output PartitionedVariable::AsInput() const {
  if (parts.empty()) return Output();
  if (parts.size() == 1) return Identity(parts[0]->AsInput(), {.name = name});
  InputList values;
  for (const VariablePtr& part : parts) values.push_back(part->AsInput());
  Graph& graph = parts[0]->graph();
  Output joined;
  {
    NameScope scope(graph, name + "/ConcatPartitions/");
    joined = ConcatV2(graph, values, axis(), {.name = "concat"});
  }
  if (!joined.valid()) return joined;
  NameScope root(graph, "");
  return Identity(joined, {.name = name});
}

std::vector<VariablePtr> GlobalVariables(Graph& graph) {
  return graph.collections().Of<VariablePtr>(graph_keys::kGlobalVariables);
}
std::vector<VariablePtr> LocalVariables(Graph& graph) {
  return graph.collections().Of<VariablePtr>(graph_keys::kLocalVariables);
}
std::vector<VariablePtr> TrainableVariables(Graph& graph) {
  return graph.collections().Of<VariablePtr>(graph_keys::kTrainableVariables);
}

Node* InitializeVariables(Graph& graph, const std::vector<VariablePtr>& variables, std::string name) {
  if (variables.empty()) return NoOp(graph, {.name = std::move(name)});
  std::vector<Node*> initializers;
  for (const VariablePtr& v : variables) initializers.push_back(v->initializer());
  return Group(graph, initializers, std::move(name));
}

Output ReportUninitialized(Graph& graph, const std::vector<VariablePtr>& variables, std::string name) {
  NameScope scope(graph, name);
  DeviceScope on_cpu(graph, "/cpu:0");
  if (variables.empty()) return Constant(graph, Tensor::Vector<std::string>({}));
  InputList flags;
  std::vector<std::string> names;
  for (const VariablePtr& v : variables) {
    flags.push_back(v->IsInitialized());
    names.push_back(v->op_name());
  }
  Output missing = LogicalNot(Pack(graph, flags, {.name = "stack"}));
  Output all = Constant(graph, Tensor::Vector<std::string>(absl::MakeConstSpan(names)));
  return BooleanMask(graph, all, missing);
}

Output AssertInitialized(Graph& graph, const std::vector<VariablePtr>& variables) {
  InputList ranks;
  for (const VariablePtr& v : variables) {
    ColocationScope colocated(graph, v->handle().node);
    ranks.push_back(v->is_resource() ? Rank(v->AsInput()) : Rank(v->handle()));
  }
  if (ranks.size() == 1) return ranks[0].output();
  return Pack(graph, ranks, {.name = "stack"});
}

Node* Group(Graph& graph, const std::vector<Node*>& nodes, std::string name) {
  std::map<std::string, std::vector<Node*>> by_device;
  for (Node* node : nodes)
    if (node != nullptr) by_device[node->device()].push_back(node);
  NameScope scope(graph, NameOrDefault(name, "group_deps"));
  const auto no_op_after = [&graph](const std::string& device, std::vector<Node*> after, std::string as) {
    ControlDependencies wait(graph, std::move(after));
    std::optional<DeviceScope> on;
    if (!device.empty()) on.emplace(graph, device);
    return NoOp(graph, {.name = std::move(as)});
  };
  if (by_device.size() <= 1) {
    return by_device.empty() ? NoOp(graph, {.name = ExactScopeName(scope)})
                             : no_op_after(by_device.begin()->first, by_device.begin()->second, ExactScopeName(scope));
  }
  std::vector<Node*> all;
  for (const auto& [device, group] : by_device) all.push_back(no_op_after(device, group, "NoOp"));
  return no_op_after("", all, ExactScopeName(scope));
}

}  // namespace weir
