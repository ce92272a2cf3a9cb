// Variable scopes: names, sharing and defaults of the variables that GetVariable makes. A graph has one VariableStore
// (its variables by full name) and, per thread, a current VariableScope. Thread-safe as graph building is.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/compose/initializers.h"
#include "graph/compose/variable.h"

namespace weir {

enum class Reuse { kNo, kYes, kAuto };

// Makes a (piece of a) variable's initial value; partition is null for whole variables. Where the shape is not fully
// defined, the initializer decides on shape and type, and gets kInvalidType.
using ScopedInitializer =
    std::function<Result<Output>(Graph&, const PartialShape&, DType, const PartitionInfo* partition)>;
// The penalty for a variable's value; an invalid output for none.
using Regularizer = std::function<Result<Output>(Output value)>;
// How many pieces along each axis.
using Partitioner = std::function<Result<std::vector<int>>(const PartialShape& shape, DType dtype)>;

// What asking for a variable gives: a whole one, one in pieces, or whatever value a custom getter made of it.
struct FoundVariable {
  VariablePtr whole;
  std::shared_ptr<PartitionedVariable> pieces;
  Output value;
};
struct VariableRequest;
using VariableGetter = std::function<Result<FoundVariable>(const VariableRequest&)>;
// Called instead of making a variable; gets the way to make it as TensorFlow would.
using CustomGetter = std::function<Result<FoundVariable>(const VariableGetter& getter, const VariableRequest& request)>;

// What a scope says about variables made inside. Unset fields are inherited.
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

// A scope: a value that can be kept and entered again.
struct VariableScope {
  std::string name;                 // "tower/fc1"
  std::string original_name_scope;  // "tower_1/fc1/"
  Reuse reuse = Reuse::kNo;
  VariableScopeSettings settings;
};

struct VariableRequest {
  std::string name;
  std::optional<PartialShape> shape;
  DType dtype = kInvalidType;                            // the scope's, float32 by default
  std::shared_ptr<const ScopedInitializer> initializer;  // null: the scope's, else the default for the type
  std::optional<Input> initial_value;                    // a value instead of an initializer: gives the shape
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
  // The store of a graph, made on first use.
  static std::shared_ptr<VariableStore> Of(Graph& graph);

  VariablePtr Find(const std::string& full_name) const;
  std::shared_ptr<PartitionedVariable> FindPartitioned(const std::string& full_name) const;

 private:
  friend class VariableScopes;
  mutable std::mutex mu_;
  std::map<std::string, VariablePtr> variables_;
  std::map<std::string, std::shared_ptr<PartitionedVariable>> partitioned_;
  std::map<std::string, int> scope_counts_;
  std::map<std::thread::id, std::vector<VariableScope>> stacks_;
};

// The operations on scopes of one graph.
class VariableScopes final {
 public:
  explicit VariableScopes(Graph& graph) : graph_(graph), store_(VariableStore::Of(graph)) {}

  VariableScope Current() const;
  // The scope to enter for a new name, or for an existing scope; `reuse` none inherits. Counts the opening.
  VariableScope Opened(const std::string& name, std::optional<Reuse> reuse,
                       const VariableScopeSettings& settings) const;
  VariableScope Reopened(const VariableScope& scope, std::optional<Reuse> reuse,
                         const VariableScopeSettings& settings) const;
  // A name below the current scope that no scope has used: default_name, default_name_1, ...
  std::string UniqueScopeName(const std::string& default_name) const;
  void Push(VariableScope scope);
  void Pop();
  void SetCurrent(const VariableScope& scope);  // changes the innermost (reuse_variables, set_initializer, ...)

  // A whole variable, made or shared as the scope says.
  Result<VariablePtr> Get(VariableRequest request);
  // The same, also in pieces or as a custom getter's value.
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

// Enters a scope (and its name scope) for its lifetime.
class VariableScopeGuard final {
 public:
  VariableScopeGuard(Graph& graph, const std::string& name, std::optional<Reuse> reuse = {},
                     const VariableScopeSettings& settings = {});
  VariableScopeGuard(Graph& graph, const VariableScope& scope, std::optional<Reuse> reuse = {},
                     const VariableScopeSettings& settings = {});
  ~VariableScopeGuard();
  VariableScopeGuard(const VariableScopeGuard&) = delete;
  VariableScopeGuard& operator=(const VariableScopeGuard&) = delete;
  VariableScope scope() const { return VariableScopes(graph_).Current(); }

 private:
  Graph& graph_;
  std::unique_ptr<NameScope> names_;
};

// The common case: a variable by name in the current scope.
Result<VariablePtr> GetVariable(Graph& graph, const std::string& name, const PartialShape& shape, DType dtype = kFloat);

}  // namespace weir
