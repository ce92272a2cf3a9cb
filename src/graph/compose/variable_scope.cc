#include "graph/compose/variable_scope.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/compose/dims.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

constexpr char kStoreCollection[] = "__weir_variable_store";

template <class T>
void Inherit(std::shared_ptr<const T>& own, const std::shared_ptr<const T>& outer) {
  if (own == nullptr) own = outer;
}

VariableScopeSettings Merged(VariableScopeSettings inner, const VariableScopeSettings& outer) {
  Inherit(inner.initializer, outer.initializer);
  Inherit(inner.regularizer, outer.regularizer);
  Inherit(inner.caching_device, outer.caching_device);
  Inherit(inner.partitioner, outer.partitioner);
  if (!inner.constraint) inner.constraint = outer.constraint;
  if (inner.custom_getter == nullptr) {
    inner.custom_getter = outer.custom_getter;
  } else if (outer.custom_getter != nullptr) {
    // Both apply: the inner getter is called first, and its `getter` argument calls the outer one.
    auto chained = [own = inner.custom_getter, next = outer.custom_getter](const VariableGetter& getter,
                                                                           const VariableRequest& request) {
      return (*own)([getter, next](const VariableRequest& r) { return (*next)(getter, r); }, request);
    };
    inner.custom_getter = std::make_shared<const CustomGetter>(chained);
  }
  if (!inner.dtype.has_value()) inner.dtype = outer.dtype;
  if (!inner.use_resource.has_value()) inner.use_resource = outer.use_resource;
  return inner;
}

// A list in Python notation.
template <class T>
std::string ListText(const std::vector<T>& list) {
  return fmt::format("[{}]", fmt::join(list, ", "));
}

DType TypeOf(const Input& value) {
  if (value.is_output()) return value.output().base_dtype();
  return value.literal() == nullptr ? kInvalidType : value.literal()->NaturalType();
}

Status NeedsShape() {
  return InvalidArgument(
      "The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
      "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined.");
}

// Checks whether a request matches an existing partitioned variable. `counts` is empty if the request has no
// partitioner.
Status CheckShared(const PartitionedVariable& known, const VariableRequest& request, const PartialShape& shape,
                   const std::vector<int>& counts) {
  if (!shape.CompatibleWith(known.shape))
    return InvalidArgument("Trying to reuse partitioned variable {}, but specified shape {} and found shape {}.",
                           request.name, TupleText(shape), TupleText(known.shape));
  if (request.dtype != known.dtype)
    return InvalidArgument("Trying to reuse partitioned variable {}, but specified dtype {} and found dtype {}.",
                           request.name, DTypeName(request.dtype), DTypeName(known.dtype));
  if (!counts.empty() && counts != known.partitions)
    return InvalidArgument(
        "Trying to reuse partitioned variable {}, but specified partitions {} and found partitions {}.", request.name,
        ListText(counts), ListText(known.partitions));
  return OkStatus();
}

// Calls the partitioner: the number of partitions per axis.
Result<std::vector<int>> PartitionsOf(const VariableRequest& request, const PartialShape& shape) {
  if (!shape.fully_defined())
    return InvalidArgument("Shape of a new partitioned variable must be fully defined, but instead was {}.",
                           TupleText(shape));
  if (shape.rank() < 1)
    return InvalidArgument("A partitioned Variable must have rank at least 1, shape: {}", TupleText(shape));
  WEIR_ASSIGN(std::vector<int> counts, (*request.partitioner)(shape, request.dtype));
  if (static_cast<int>(counts.size()) != shape.rank())
    return InvalidArgument("Partitioner returned a partition list that does not match the Variable's rank: {} vs. {}",
                           ListText(counts), TupleText(shape));
  if (std::any_of(counts.begin(), counts.end(), [](int count) { return count < 1; }))
    return InvalidArgument("Partitioner returned zero partitions for some axes: {}", ListText(counts));
  if (std::count_if(counts.begin(), counts.end(), [](int count) { return count > 1; }) > 1)
    return InvalidArgument("Can only slice a variable along one dimension: shape: {}, partitioning: {}",
                           TupleText(shape), ListText(counts));
  return counts;
}

Result<ScopedInitializer> DefaultInitializer(const std::string& name, DType dtype) {
  if (IsFloating(dtype))
    return ScopedInitializer([](Graph& g, const PartialShape& shape, DType t, const PartitionInfo* p) {
      return GlorotUniformInitial(g, shape, t, {}, p);
    });
  if (IsInteger(dtype) || dtype == kBool || dtype == kString)
    return ScopedInitializer(
        [](Graph& g, const PartialShape& shape, DType t, const PartitionInfo*) { return ZerosInitial(g, shape, t); });
  return InvalidArgument("An initializer for variable {} of {} is required", name, DTypeName(dtype));
}

}  // namespace

std::shared_ptr<VariableStore> VariableStore::Of(Graph& graph) {
  return graph.collections().FirstOrAdd<std::shared_ptr<VariableStore>>(
      kStoreCollection, [] { return std::make_shared<VariableStore>(); });
}

VariablePtr VariableStore::Find(const std::string& full_name) const {
  std::lock_guard<std::mutex> lock(mu_);
  auto it = variables_.find(full_name);
  return it == variables_.end() ? nullptr : it->second;
}

std::shared_ptr<PartitionedVariable> VariableStore::FindPartitioned(const std::string& full_name) const {
  std::lock_guard<std::mutex> lock(mu_);
  auto it = partitioned_.find(full_name);
  return it == partitioned_.end() ? nullptr : it->second;
}

VariableScope VariableScopeStack::Current() const {
  std::lock_guard<std::mutex> lock(store_->mu_);
  const std::vector<VariableScope>& stack = store_->stacks_[std::this_thread::get_id()];
  return stack.empty() ? VariableScope() : stack.back();
}

VariableScope VariableScopeStack::Opened(const std::string& name, std::optional<Reuse> reuse,
                                         const VariableScopeSettings& settings) const {
  const VariableScope outer = Current();
  VariableScope scope;
  scope.name = outer.name.empty() ? name : outer.name + "/" + name;
  // Reuse is inherited and cannot be turned off in inner scopes.
  scope.reuse = outer.reuse == Reuse::kYes || !reuse.has_value() || *reuse == Reuse::kNo ? outer.reuse : *reuse;
  scope.settings = Merged(settings, outer.settings);
  std::lock_guard<std::mutex> lock(store_->mu_);
  ++store_->scope_counts_[scope.name];
  return scope;
}

VariableScope VariableScopeStack::Reopened(const VariableScope& given, std::optional<Reuse> reuse,
                                           const VariableScopeSettings& settings) const {
  VariableScope scope = given;
  const Reuse outer = Current().reuse;
  if (reuse.has_value() && *reuse != Reuse::kNo) scope.reuse = *reuse;
  if (scope.reuse == Reuse::kNo) scope.reuse = outer;
  scope.settings = Merged(settings, given.settings);
  std::lock_guard<std::mutex> lock(store_->mu_);
  ++store_->scope_counts_[scope.name];
  return scope;
}

std::string VariableScopeStack::UniqueScopeName(const std::string& default_name) const {
  const VariableScope outer = Current();
  std::lock_guard<std::mutex> lock(store_->mu_);
  const auto used = [&](const std::string& name) {
    auto it = store_->scope_counts_.find(outer.name.empty() ? name : outer.name + "/" + name);
    return it != store_->scope_counts_.end() && it->second > 0;
  };
  std::string name = default_name;
  for (int i = 1; used(name); ++i) name = fmt::format("{}_{}", default_name, i);
  return name;
}

void VariableScopeStack::Push(VariableScope scope) {
  std::lock_guard<std::mutex> lock(store_->mu_);
  store_->stacks_[std::this_thread::get_id()].push_back(std::move(scope));
}

void VariableScopeStack::Pop() {
  std::lock_guard<std::mutex> lock(store_->mu_);
  std::vector<VariableScope>& stack = store_->stacks_[std::this_thread::get_id()];
  if (stack.empty()) return;
  // Inner scopes may reuse their default names after the outer scope is closed.
  const std::string prefix = stack.back().name + "/";
  for (auto it = store_->scope_counts_.lower_bound(prefix);
       it != store_->scope_counts_.end() && it->first.starts_with(prefix); ++it)
    it->second = 0;
  stack.pop_back();
}

void VariableScopeStack::SetCurrent(const VariableScope& scope) {
  std::lock_guard<std::mutex> lock(store_->mu_);
  std::vector<VariableScope>& stack = store_->stacks_[std::this_thread::get_id()];
  if (stack.empty()) {
    stack.push_back(scope);
  } else {
    stack.back() = scope;
  }
}

Result<VariablePtr> VariableScopeStack::Get(VariableRequest request) {
  const std::string name = request.name;
  WEIR_ASSIGN(FoundVariable found, GetAny(std::move(request)));
  if (found.whole == nullptr)
    return InvalidArgument(
        "'{}' is not a single variable: it is partitioned, or a custom getter returned another value", name);
  return found.whole;
}

Result<FoundVariable> VariableScopeStack::GetBelow(const VariableScope& scope, VariableRequest request) {
  const VariableScopeSettings& s = scope.settings;
  if (request.name.empty()) return InvalidArgument("a variable needs a name");
  request.name = scope.name.empty() ? request.name : scope.name + "/" + request.name;
  if (!request.initial_value.has_value()) Inherit(request.initializer, s.initializer);
  Inherit(request.regularizer, s.regularizer);
  Inherit(request.caching_device, s.caching_device);
  Inherit(request.partitioner, s.partitioner);
  Inherit(request.custom_getter, s.custom_getter);
  if (!request.constraint) request.constraint = s.constraint;
  if (request.initial_value.has_value()) {
    const DType type = TypeOf(*request.initial_value);
    // A partitioned literal gets the dtype of the scope, like the result of an initializer.
    const bool decides = request.initial_value->is_output() || request.partitioner == nullptr;
    if (request.dtype == kInvalidType) {
      if (decides) request.dtype = type;
    } else if (type != kInvalidType && type != BaseType(request.dtype)) {
      return InvalidArgument("Initializer type '<dtype: '{}'>' and explicit dtype '<dtype: '{}'>' don't match.",
                             DTypeName(type), DTypeName(BaseType(request.dtype)));
    }
  }
  if (request.dtype == kInvalidType) request.dtype = s.dtype.value_or(kFloat);
  request.dtype = BaseType(request.dtype);
  if (!request.use_resource.has_value()) request.use_resource = s.use_resource.value_or(store_->resource_by_default);
  const Reuse reuse = request.reuse.value_or(Reuse::kNo) != Reuse::kNo ? *request.reuse : scope.reuse;

  NameScope root(graph_, "");
  if (request.custom_getter == nullptr) return GetOrMake(request, reuse);
  // Captures by value: a custom getter may keep it beyond this call.
  const VariableGetter plain = [scopes = *this, reuse](const VariableRequest& r) mutable {
    return scopes.GetOrMake(r, r.reuse.value_or(reuse));
  };
  request.reuse = reuse;
  return (*request.custom_getter)(plain, request);
}

Result<FoundVariable> VariableScopeStack::GetOrMake(const VariableRequest& request, Reuse reuse) {
  const bool is_scalar = request.shape.has_value() && request.shape->known_rank() && request.shape->rank() == 0;
  // Sharing a partitioned variable does not need the partitioner again.
  const bool shares_pieces = reuse == Reuse::kYes && store_->FindPartitioned(request.name) != nullptr;
  if (request.partitioner != nullptr ? !is_scalar : shares_pieces) {
    WEIR_ASSIGN(std::shared_ptr<PartitionedVariable> pieces, GetPartitioned(request, reuse));
    return FoundVariable{nullptr, pieces, Output()};
  }
  if (store_->Find(request.name + "/part_0") != nullptr)
    return InvalidArgument(
        "No partitioner was provided, but a partitioned version of the variable was found: {}/part_0. Perhaps a "
        "variable of the same name was already created with partitioning?",
        request.name);
  WEIR_ASSIGN(VariablePtr whole, GetSingle(request, reuse, nullptr));
  return FoundVariable{whole, nullptr, Output()};
}

Result<VariablePtr> VariableScopeStack::GetSingle(const VariableRequest& request, Reuse reuse,
                                                  const PartitionInfo* partition) {
  if (VariablePtr known = store_->Find(request.name)) {
    if (reuse == Reuse::kNo)
      return InvalidArgument(
          "Variable {} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?",
          request.name);
    if (request.shape.has_value() && !request.shape->CompatibleWith(known->shape()))
      return InvalidArgument("Trying to share variable {}, but specified shape {} and found shape {}.", request.name,
                             TupleText(*request.shape), TupleText(known->shape()));
    if (request.dtype != known->dtype())
      return InvalidArgument("Trying to share variable {}, but specified dtype {} and found dtype {}.", request.name,
                             DTypeName(request.dtype),
                             DTypeName(known->is_resource() ? known->dtype() : RefType(known->dtype())));
    return known;
  }
  if (reuse == Reuse::kYes)
    return InvalidArgument(
        "Variable {} does not exist, or was not created with tf.get_variable(). Did you mean to set "
        "reuse=tf.AUTO_REUSE in VarScope?",
        request.name);
  return MakeSingle(request, partition);
}

Result<VariablePtr> VariableScopeStack::MakeSingle(const VariableRequest& request, const PartitionInfo* partition) {
  VariableOptions options;
  options.name = request.name;
  options.dtype = request.dtype;
  options.trainable = request.trainable.value_or(true);
  options.collections = request.collections;
  options.validate_shape = request.validate_shape;
  options.use_resource = *request.use_resource;
  options.constraint = request.constraint;
  DeviceRequest cache;
  if (request.caching_device != nullptr) {
    cache = *request.caching_device;
    options.caching_device = &cache;
  }
  VariablePtr variable;
  if (request.initial_value.has_value()) {
    if (request.shape.has_value()) return InvalidArgument("If initializer is a constant, do not specify shape.");
    WEIR_ASSIGN(variable, Variable::Make(graph_, *request.initial_value, options));
  } else {
    if (request.initializer == nullptr && !request.shape.has_value())
      return InvalidArgument("Variable {} did not get an initializer, so its `shape` argument must be specified.",
                             request.name);
    const PartialShape shape = request.shape.value_or(PartialShape());
    ScopedInitializer initializer;
    if (request.initializer != nullptr) {
      initializer = *request.initializer;
    } else if (!shape.fully_defined()) {
      return NeedsShape();
    } else {
      WEIR_ASSIGN(initializer, DefaultInitializer(request.name, request.dtype));
    }
    // Without a shape, the initializer also chooses the type.
    if (!shape.fully_defined()) options.dtype = kInvalidType;
    WEIR_ASSIGN(variable, Variable::MakeWith(
                              graph_, [&] { return initializer(graph_, shape, options.dtype, partition); }, options));
  }
  {
    std::lock_guard<std::mutex> lock(store_->mu_);
    store_->variables_[request.name] = variable;
  }
  WEIR_TRY(Regularize(request, variable));
  return variable;
}

Status VariableScopeStack::Regularize(const VariableRequest& request, const VariablePtr& variable) {
  if (request.regularizer == nullptr) return OkStatus();
  ColocationScope colocated(graph_, variable->handle().node);
  NameScope scope(graph_, request.name + "/Regularizer/");
  ControlDependencies cleared = ControlDependencies::Cleared(graph_);
  WEIR_ASSIGN(Output loss, (*request.regularizer)(variable->AsInput()));
  WEIR_TRY(graph_.TakeError());
  if (loss.valid()) graph_.collections().Add(graph_keys::kRegularizationLosses, loss);
  return OkStatus();
}

Result<std::shared_ptr<PartitionedVariable>> VariableScopeStack::GetPartitioned(const VariableRequest& request,
                                                                                Reuse reuse) {
  if (store_->Find(request.name) != nullptr)
    return InvalidArgument(
        "A partitioner was provided, but an unpartitioned version of the variable was found: {}.  Perhaps a variable "
        "of the same name was already created without partitioning?",
        request.name);
  PartialShape shape = request.shape.value_or(PartialShape());
  if (request.initial_value.has_value() && request.initial_value->is_output()) {
    WEIR_ASSIGN(shape, shape.Merge(request.initial_value->output().shape()));
  }
  std::vector<int> counts;
  if (request.partitioner != nullptr) {
    WEIR_ASSIGN(counts, PartitionsOf(request, shape));
  }
  if (auto known = store_->FindPartitioned(request.name)) {
    if (reuse == Reuse::kNo)
      return InvalidArgument(
          "Partitioned variable with name {} already exists. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in "
          "VarScope?",
          request.name);
    WEIR_TRY(CheckShared(*known, request, shape, counts));
    return known;
  }
  if (reuse == Reuse::kYes)
    return InvalidArgument(
        "PartitionedVariable {} does not exist, or was not created with tf.get_variable(). Did you mean to set "
        "reuse=False or reuse=tf.AUTO_REUSE in VarScope?",
        request.name);
  return MakePartitioned(request, reuse, shape, counts);
}

Result<std::shared_ptr<PartitionedVariable>> VariableScopeStack::MakePartitioned(const VariableRequest& request,
                                                                                 Reuse reuse, const PartialShape& shape,
                                                                                 const std::vector<int>& counts) {
  auto result = std::make_shared<PartitionedVariable>();
  result->name = request.name;
  result->shape = shape;
  result->dtype = request.dtype;
  result->partitions = counts;
  const Shape full = shape.ToShape();
  const int axis = result->axis();
  const int pieces = counts[axis];
  // Sizes differ by at most one; larger partitions come first.
  int64_t offset = 0;
  for (int i = 0; i < pieces; ++i) {
    Shape part = full;
    WEIR_TRY(part.SetDim(axis, full[axis] / pieces + (i < full[axis] % pieces ? 1 : 0)));
    PartitionInfo info{{full.begin(), full.end()}, std::vector<int64_t>(full.rank(), 0)};
    info.offset[axis] = offset;
    if (offset >= full[axis])
      return InvalidArgument(
          "Expected 0 <= offset < shape but found offset={}, shape={} for var_offset={}, full_shape={}", offset,
          full[axis], ListText(info.offset), ListText(info.full_shape));
    VariableRequest one = request;
    one.name = fmt::format("{}/part_{}", request.name, i);
    one.shape = PartialShape(part);
    if (request.initial_value.has_value()) {
      NameScope scope(graph_, one.name + "/PartitionedInitializer");
      WEIR_ASSIGN(const Output whole, ToOutput(graph_, *request.initial_value, request.dtype));
      one.initial_value = Slice(whole, info.offset, std::vector<int64_t>(part.begin(), part.end()));
      WEIR_TRY(graph_.TakeError());
      one.shape.reset();
    }
    WEIR_ASSIGN(VariablePtr variable, GetSingle(one, reuse, &info));
    variable->slice = SaveSlice{request.name, info.full_shape, info.offset, {part.begin(), part.end()}};
    result->parts.push_back(variable);
    offset += part[axis];
  }
  std::lock_guard<std::mutex> lock(store_->mu_);
  store_->partitioned_[request.name] = result;
  return result;
}

VariableScopeGuard::VariableScopeGuard(Graph& graph, const std::string& name, std::optional<Reuse> reuse,
                                       const VariableScopeSettings& settings)
    : graph_(graph), names_(std::make_unique<NameScope>(graph, name)) {
  VariableScopeStack scopes(graph);
  VariableScope scope = scopes.Opened(name, reuse, settings);
  scope.original_name_scope = names_->name() + "/";
  scopes.Push(std::move(scope));
}

VariableScopeGuard::VariableScopeGuard(Graph& graph, const VariableScope& existing, std::optional<Reuse> reuse,
                                       const VariableScopeSettings& settings)
    : graph_(graph) {
  const size_t slash = existing.name.rfind('/');
  const std::string last = slash == std::string::npos ? existing.name : existing.name.substr(slash + 1);
  if (!last.empty()) names_ = std::make_unique<NameScope>(graph, last);
  VariableScopeStack scopes(graph);
  scopes.Push(scopes.Reopened(existing, reuse, settings));
}

VariableScopeGuard::~VariableScopeGuard() { VariableScopeStack(graph_).Pop(); }

Result<VariablePtr> GetVariable(Graph& graph, const std::string& name, const PartialShape& shape, DType dtype) {
  VariableRequest request;
  request.name = name;
  request.shape = shape;
  request.dtype = dtype;
  return VariableScopeStack(graph).Get(std::move(request));
}

}  // namespace weir
