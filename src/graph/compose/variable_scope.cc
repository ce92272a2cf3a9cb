#include "graph/compose/variable_scope.h"

#include <algorithm>

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
    // Both apply, the inner one first: its getter goes through the outer one.
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

Result<ScopedInitializer> DefaultInitializer(const std::string& name, DType dtype) {
  if (IsFloating(dtype))
    return ScopedInitializer([](Graph& g, const PartialShape& shape, DType t, const PartitionInfo* p) {
      return GlorotUniformInitial(g, shape, t, {}, p);
    });
  if (IsInteger(dtype) || dtype == kBool || dtype == kString)
    return ScopedInitializer(
        [](Graph& g, const PartialShape& shape, DType t, const PartitionInfo*) { return ZerosInitial(g, shape, t); });
  return InvalidArgument("an initializer for variable '{}' of type {} is required", name, dtype);
}

}  // namespace

std::shared_ptr<VariableStore> VariableStore::Of(Graph& graph) {
  std::lock_guard<std::recursive_mutex> lock(graph.mu());
  auto stores = graph.CollectionOf<std::shared_ptr<VariableStore>>(kStoreCollection);
  if (!stores.empty()) return stores[0];
  auto store = std::make_shared<VariableStore>();
  graph.SetCollection(kStoreCollection, {std::any(store)});
  return store;
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

VariableScope VariableScopes::Current() const {
  std::lock_guard<std::mutex> lock(store_->mu_);
  const std::vector<VariableScope>& stack = store_->stacks_[std::this_thread::get_id()];
  return stack.empty() ? VariableScope() : stack.back();
}

VariableScope VariableScopes::Opened(const std::string& name, std::optional<Reuse> reuse,
                                     const VariableScopeSettings& settings) const {
  const VariableScope outer = Current();
  VariableScope scope;
  scope.name = outer.name.empty() ? name : outer.name + "/" + name;
  // Reuse is inherited and cannot be switched off below.
  scope.reuse = outer.reuse == Reuse::kYes || !reuse.has_value() || *reuse == Reuse::kNo ? outer.reuse : *reuse;
  scope.settings = Merged(settings, outer.settings);
  std::lock_guard<std::mutex> lock(store_->mu_);
  ++store_->scope_counts_[scope.name];
  return scope;
}

VariableScope VariableScopes::Reopened(const VariableScope& given, std::optional<Reuse> reuse,
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

std::string VariableScopes::UniqueScopeName(const std::string& default_name) const {
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

void VariableScopes::Push(VariableScope scope) {
  std::lock_guard<std::mutex> lock(store_->mu_);
  store_->stacks_[std::this_thread::get_id()].push_back(std::move(scope));
}

void VariableScopes::Pop() {
  std::lock_guard<std::mutex> lock(store_->mu_);
  std::vector<VariableScope>& stack = store_->stacks_[std::this_thread::get_id()];
  if (stack.empty()) return;
  // Scopes below the one that ends may be opened again under the same default names.
  const std::string prefix = stack.back().name + "/";
  for (auto it = store_->scope_counts_.lower_bound(prefix);
       it != store_->scope_counts_.end() && it->first.starts_with(prefix); ++it)
    it->second = 0;
  stack.pop_back();
}

void VariableScopes::SetCurrent(const VariableScope& scope) {
  std::lock_guard<std::mutex> lock(store_->mu_);
  std::vector<VariableScope>& stack = store_->stacks_[std::this_thread::get_id()];
  if (stack.empty()) {
    stack.push_back(scope);
  } else {
    stack.back() = scope;
  }
}

Result<VariablePtr> VariableScopes::Get(VariableRequest request) {
  const std::string name = request.name;
  WEIR_ASSIGN(FoundVariable found, GetAny(std::move(request)));
  if (found.whole == nullptr)
    return InvalidArgument(
        "'{}' is not a whole variable: it is partitioned, or a custom getter made something else of it", name);
  return found.whole;
}

Result<FoundVariable> VariableScopes::GetBelow(const VariableScope& scope, VariableRequest request) {
  const VariableScopeSettings& s = scope.settings;
  if (request.name.empty()) return InvalidArgument("a variable needs a name");
  request.name = scope.name.empty() ? request.name : scope.name + "/" + request.name;
  if (!request.initial_value.has_value()) Inherit(request.initializer, s.initializer);
  Inherit(request.regularizer, s.regularizer);
  Inherit(request.caching_device, s.caching_device);
  Inherit(request.partitioner, s.partitioner);
  Inherit(request.custom_getter, s.custom_getter);
  if (!request.constraint) request.constraint = s.constraint;
  if (request.dtype == kInvalidType) request.dtype = s.dtype.value_or(kFloat);
  request.dtype = BaseType(request.dtype);
  if (!request.use_resource.has_value()) request.use_resource = s.use_resource.value_or(false);
  const Reuse reuse = request.reuse.value_or(Reuse::kNo) != Reuse::kNo ? *request.reuse : scope.reuse;

  NameScope root(graph_, "");
  if (request.custom_getter == nullptr) return GetOrMake(request, reuse);
  // A custom getter may keep it for longer than this call.
  const VariableGetter plain = [scopes = *this, reuse](const VariableRequest& r) mutable {
    return scopes.GetOrMake(r, r.reuse.value_or(reuse));
  };
  request.reuse = reuse;
  return (*request.custom_getter)(plain, request);
}

Result<FoundVariable> VariableScopes::GetOrMake(const VariableRequest& request, Reuse reuse) {
  if (request.partitioner != nullptr && request.shape.has_value() && request.shape->fully_defined() &&
      request.shape->rank() > 0) {
    WEIR_ASSIGN(std::shared_ptr<PartitionedVariable> pieces, GetPartitioned(request, reuse));
    return FoundVariable{nullptr, pieces, Output()};
  }
  WEIR_ASSIGN(VariablePtr whole, GetSingle(request, reuse, nullptr));
  return FoundVariable{whole, nullptr, Output()};
}

Result<VariablePtr> VariableScopes::GetSingle(const VariableRequest& request, Reuse reuse,
                                              const PartitionInfo* partition) {
  if (VariablePtr known = store_->Find(request.name)) {
    if (reuse == Reuse::kNo)
      return InvalidArgument(
          "variable {} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in the "
          "variable scope?",
          request.name);
    if (request.shape.has_value() && !request.shape->CompatibleWith(known->shape()))
      return InvalidArgument("trying to share variable {}, but specified shape {} and found shape {}", request.name,
                             *request.shape, known->shape());
    if (request.dtype != known->dtype())
      return InvalidArgument("trying to share variable {}, but specified dtype {} and found dtype {}", request.name,
                             request.dtype, known->dtype());
    return known;
  }
  if (reuse == Reuse::kYes)
    return InvalidArgument(
        "variable {} does not exist, or was not created with tf.get_variable(). Did you mean to set "
        "reuse=tf.AUTO_REUSE in the variable scope?",
        request.name);
  return MakeSingle(request, partition);
}

Result<VariablePtr> VariableScopes::MakeSingle(const VariableRequest& request, const PartitionInfo* partition) {
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
    if (request.shape.has_value())
      return InvalidArgument("variable {}: if the initializer is a constant, do not specify a shape", request.name);
    WEIR_ASSIGN(variable, Variable::Make(graph_, *request.initial_value, options));
  } else {
    ScopedInitializer initializer;
    if (request.initializer != nullptr) {
      initializer = *request.initializer;
    } else {
      WEIR_ASSIGN(initializer, DefaultInitializer(request.name, request.dtype));
    }
    if (!request.shape.has_value() || (!request.shape->fully_defined() && request.validate_shape))
      return InvalidArgument("the shape of a new variable ({}) must be fully defined, but instead was {}", request.name,
                             request.shape.has_value() ? request.shape->ToString() : std::string("not given"));
    WEIR_ASSIGN(variable,
                Variable::MakeWith(
                    graph_, [&] { return initializer(graph_, *request.shape, request.dtype, partition); }, options));
  }
  {
    std::lock_guard<std::mutex> lock(store_->mu_);
    store_->variables_[request.name] = variable;
  }
  WEIR_TRY(Regularize(request, variable));
  return variable;
}

Status VariableScopes::Regularize(const VariableRequest& request, const VariablePtr& variable) {
  if (request.regularizer == nullptr) return OkStatus();
  ColocationScope colocated(graph_, variable->handle().node);
  NameScope scope(graph_, request.name + "/Regularizer/");
  ControlDependencies cleared = ControlDependencies::Cleared(graph_);
  WEIR_ASSIGN(Output loss, (*request.regularizer)(variable->AsInput()));
  WEIR_TRY(graph_.TakeError());
  if (loss.valid()) graph_.AddToCollection(graph_keys::kRegularizationLosses, loss);
  return OkStatus();
}

Result<std::shared_ptr<PartitionedVariable>> VariableScopes::GetPartitioned(const VariableRequest& request,
                                                                            Reuse reuse) {
  if (auto known = store_->FindPartitioned(request.name)) {
    if (reuse == Reuse::kNo)
      return InvalidArgument(
          "partitioned variable {} already exists. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in the "
          "variable scope?",
          request.name);
    if (!request.shape->CompatibleWith(known->shape))
      return InvalidArgument("trying to reuse partitioned variable {}, but specified shape {} and found shape {}",
                             request.name, *request.shape, known->shape);
    return known;
  }
  if (reuse == Reuse::kYes)
    return InvalidArgument("partitioned variable {} does not exist, or was not created with tf.get_variable()",
                           request.name);
  WEIR_ASSIGN(std::vector<int> counts, (*request.partitioner)(*request.shape, request.dtype));
  if (static_cast<int>(counts.size()) != request.shape->rank())
    return InvalidArgument("the partitioner of {} gave {} counts for shape {}", request.name, counts.size(),
                           *request.shape);
  int axis = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 1)
      return InvalidArgument("the partitioner of {} asked for {} pieces along axis {}", request.name, counts[i], i);
    if (counts[i] > 1) {
      if (counts[axis] > 1 && axis != static_cast<int>(i))
        return InvalidArgument("the partitioner of {} splits more than one axis: only one is supported", request.name);
      axis = static_cast<int>(i);
    }
  }
  const Shape full = request.shape->ToShape();
  const int pieces = counts[axis];
  if (pieces > full[axis])
    return InvalidArgument("the partitioner of {} asked for {} pieces of an axis of size {}", request.name, pieces,
                           full[axis]);
  auto result = std::make_shared<PartitionedVariable>();
  result->name = request.name;
  result->shape = *request.shape;
  result->dtype = request.dtype;
  result->partitions = counts;
  // Sizes differ by at most one, larger pieces first.
  int64_t offset = 0;
  for (int i = 0; i < pieces; ++i) {
    Shape part = full;
    WEIR_TRY(part.SetDim(axis, full[axis] / pieces + (i < full[axis] % pieces ? 1 : 0)));
    VariableRequest one = request;
    one.name = fmt::format("{}/part_{}", request.name, i);
    one.shape = PartialShape(part);
    PartitionInfo info{{full.begin(), full.end()}, std::vector<int64_t>(full.rank(), 0)};
    info.offset[axis] = offset;
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
  VariableScopes scopes(graph);
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
  VariableScopes scopes(graph);
  scopes.Push(scopes.Reopened(existing, reuse, settings));
}

VariableScopeGuard::~VariableScopeGuard() { VariableScopes(graph_).Pop(); }

Result<VariablePtr> GetVariable(Graph& graph, const std::string& name, const PartialShape& shape, DType dtype) {
  VariableRequest request;
  request.name = name;
  request.shape = shape;
  request.dtype = dtype;
  return VariableScopes(graph).Get(std::move(request));
}

}  // namespace weir
