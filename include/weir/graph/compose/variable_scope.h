// Variable scopes: names, sharing and defaults of the variables that GetVariable creates. A graph has one VariableStore
// (its variables by full name) and a current VariableScope per thread. Thread-safe, like graph construction.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weir/graph/compose/initializers.h"
#include "weir/graph/compose/variable.h"

namespace weir {

enum class Reuse { kNo, kYes, kAuto };

// Builds the initial value of a variable or a partition; `partition` is null for whole variables. If the shape is not
// fully defined, the initializer chooses shape and type, and dtype is kInvalidType.
using ScopedInitializer =
    std::function<Result<Output>(Graph&, const PartialShape&, DType, const PartitionInfo* partition)>;
// The penalty for a variable's value. An invalid output means none.
using Regularizer = std::function<Result<Output>(Output value)>;
// Returns the number of partitions along each axis.
using Partitioner = std::function<Result<std::vector<int>>(const PartialShape& shape, DType dtype)>;

// The result of a request: a whole variable, a partitioned one, or a value from a custom getter.
struct FoundVariable {
  VariablePtr whole;
  std::shared_ptr<PartitionedVariable> pieces;
  Output value;
};
struct VariableRequest;
using VariableGetter = std::function<Result<FoundVariable>(const VariableRequest&)>;
// Called instead of creating a variable. `getter` creates it as TensorFlow would.
using CustomGetter = std::function<Result<FoundVariable>(const VariableGetter& getter, const VariableRequest& request)>;

// Defaults for variables created in a scope. Unset fields are inherited.
struct VariableScopeSettings {
  std::shared_ptr<const ScopedInitializer> initializer;
  std::shared_ptr<const Regularizer> regularizer;
  std::shared_ptr<const DeviceRequest> caching_device;
  std::shared_ptr<const Partitioner> partitioner;
  std::shared_ptr<const CustomGetter> custom_getter;
  std::optional<DType> dtype;
  std::optional<bool> use_resource;
  Constraint constraint;
};

// A value type: can be stored and entered again.
struct VariableScope {
  std::string name;                 // "tower/fc1"
  std::string original_name_scope;  // "tower_1/fc1/"
  Reuse reuse = Reuse::kNo;
  VariableScopeSettings settings;
};

struct VariableRequest {
  std::string name;
  std::optional<PartialShape> shape;
  DType dtype = kInvalidType;                            // default: the scope's, else float32
  std::shared_ptr<const ScopedInitializer> initializer;  // null: the scope's, else the default for the type
  std::optional<Input> initial_value;                    // a value instead of an initializer; determines the shape
  std::shared_ptr<const Regularizer> regularizer;
  std::optional<bool> trainable;
  std::vector<std::string> collections;
  std::shared_ptr<const DeviceRequest> caching_device;
  std::shared_ptr<const Partitioner> partitioner;
  bool validate_shape = true;
  std::optional<bool> use_resource;
  std::shared_ptr<const CustomGetter> custom_getter;
  std::optional<Reuse> reuse;
  Constraint constraint;
};

class VariableStore final {
 public:
  // Whether variables are resources where neither the call nor a scope says.
  std::atomic<bool> resource_by_default{false};

  // The store of a graph, created on first use.
  static std::shared_ptr<VariableStore> Of(Graph& graph);

  VariablePtr Find(const std::string& full_name) const;
  std::shared_ptr<PartitionedVariable> FindPartitioned(const std::string& full_name) const;

 private:
  friend class VariableScopeStack;
  mutable std::mutex mu_;
  std::map<std::string, VariablePtr> variables_;
  std::map<std::string, std::shared_ptr<PartitionedVariable>> partitioned_;
  std::map<std::string, int> scope_counts_;
  std::map<std::thread::id, std::vector<VariableScope>> stacks_;
};

// Operations on the variable scopes of one graph.
class VariableScopeStack final {
 public:
  explicit VariableScopeStack(Graph& graph) : graph_(graph), store_(VariableStore::Of(graph)) {}

  VariableScope Current() const;
  // The scope to push for a new name, or for an existing scope. Without `reuse`, inherits it. Increments the scope's
  // count.
  VariableScope Opened(const std::string& name, std::optional<Reuse> reuse,
                       const VariableScopeSettings& settings) const;
  VariableScope Reopened(const VariableScope& scope, std::optional<Reuse> reuse,
                         const VariableScopeSettings& settings) const;
  // An unused scope name below the current scope: default_name, default_name_1, ...
  std::string UniqueScopeName(const std::string& default_name) const;
  void Push(VariableScope scope);
  void Pop();
  void SetCurrent(const VariableScope& scope);  // replaces the innermost scope (reuse_variables, set_initializer, ...)

  // Gets or creates a whole variable, as the scope's reuse says.
  Result<VariablePtr> Get(VariableRequest request);
  // Like Get, but also returns partitioned variables and values of custom getters.
  Result<FoundVariable> GetAny(VariableRequest request) { return GetBelow(Current(), std::move(request)); }
  Result<FoundVariable> GetBelow(const VariableScope& scope, VariableRequest request);

 private:
  Result<FoundVariable> GetOrMake(const VariableRequest& request, Reuse reuse);
  Result<VariablePtr> GetSingle(const VariableRequest& request, Reuse reuse, const PartitionInfo* partition);
  Result<std::shared_ptr<PartitionedVariable>> GetPartitioned(const VariableRequest& request, Reuse reuse);
  Result<std::shared_ptr<PartitionedVariable>> MakePartitioned(const VariableRequest& request, Reuse reuse,
                                                               const PartialShape& shape,
                                                               const std::vector<int>& counts);
  Result<VariablePtr> MakeSingle(const VariableRequest& request, const PartitionInfo* partition);
  Status Regularize(const VariableRequest& request, const VariablePtr& variable);

  Graph& graph_;
  std::shared_ptr<VariableStore> store_;
};

// Enters a variable scope and its name scope for its lifetime.
class VariableScopeGuard final {
 public:
  VariableScopeGuard(Graph& graph, const std::string& name, std::optional<Reuse> reuse = {},
                     const VariableScopeSettings& settings = {});
  VariableScopeGuard(Graph& graph, const VariableScope& scope, std::optional<Reuse> reuse = {},
                     const VariableScopeSettings& settings = {});
  ~VariableScopeGuard();
  VariableScopeGuard(const VariableScopeGuard&) = delete;
  VariableScopeGuard& operator=(const VariableScopeGuard&) = delete;
  VariableScope scope() const { return VariableScopeStack(graph_).Current(); }

 private:
  Graph& graph_;
  std::unique_ptr<NameScope> names_;
};

// Gets or creates a variable by name in the current scope.
Result<VariablePtr> GetVariable(Graph& graph, const std::string& name, const PartialShape& shape, DType dtype = kFloat);

}  // namespace weir
