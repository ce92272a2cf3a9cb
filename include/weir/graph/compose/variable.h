// Variable: the nodes that hold, initialize and read a variable (VariableV2, or VarHandleOp for resource variables).
// Shared by pointer. Immutable except for `slice`, which only the creator sets. The graph must outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// The position of a partition in the whole variable.
struct SaveSlice {
  std::string full_name;
  std::vector<int64_t> full_shape;
  std::vector<int64_t> offset;
  std::vector<int64_t> shape;
};

// Builds an initial value of this shape and type. Called inside the variable's name scope.
using Initializer = std::function<Result<Output>(Graph&, const PartialShape& shape, DType dtype)>;

class Variable;
// Returns the value to assign to the variable after an update. Built after the update.
using Constraint = std::function<Result<Output>(const std::shared_ptr<Variable>& variable)>;

struct VariableOptions {
  std::string name = "";       // default: "Variable"
  DType dtype = kInvalidType;  // default: type of the initial value
  bool trainable = true;
  std::vector<std::string> collections = {};  // default: "variables", if use_default_collections
  bool use_default_collections = true;
  bool validate_shape = true;
  bool use_resource = false;
  DeviceRequest* caching_device = nullptr;
  std::optional<PartialShape> expected_shape = {};
  std::optional<PartialShape> shape = {};  // that of the initial value when not given
  Constraint constraint = {};
};

class Variable final {
 public:
  // Creates a variable from a value or a literal. The shape of a reference variable must be known unless validate_shape
  // is false.
  static Result<std::shared_ptr<Variable>> Make(Graph& graph, const Input& initial_value,
                                                const VariableOptions& options = {});
  // Creates a variable from a function that builds the initial value. Its nodes are named "<name>/Initializer/…" and
  // colocated with the variable.
  static Result<std::shared_ptr<Variable>> MakeWith(Graph& graph, std::function<Result<Output>()> initial_value,
                                                    const VariableOptions& options = {});
  // Wraps existing nodes (a VariableDef of a MetaGraph).
  static Result<std::shared_ptr<Variable>> FromNodes(Graph& graph, std::string variable, std::string initializer,
                                                     std::string snapshot, std::string initial_value, bool trainable,
                                                     bool is_resource);

  Graph& graph() const { return handle_.graph(); }
  const std::string& op_name() const { return handle_.node->name(); }  // "fc1/w"
  std::string name() const { return op_name() + ":0"; }
  DType dtype() const { return dtype_; }  // base type
  PartialShape shape() const;
  bool trainable() const { return trainable_; }
  bool is_resource() const { return is_resource_; }
  bool is_cached() const { return is_cached_; }
  const Constraint& constraint() const { return constraint_; }  // empty if there is none
  const std::string& device() const { return handle_.node->device(); }

  Output handle() const { return handle_; }   // the reference, or the resource handle
  Output value() const { return snapshot_; }  // "fc1/w/read:0"
  Node* initializer() const { return initializer_; }
  Output initial_value() const { return initial_value_; }
  // The value that the initializer assigns: the initial value, guarded if it depends on other variables.
  Output assigned_initial_value() const {
    return initializer_->num_inputs() == 2 ? initializer_->input(1) : initial_value_;
  }
  // The value for ops that use this variable as an input: the reference's snapshot, or a new read of the resource. With
  // a caching device all consumers share one read.
  Output AsInput() const;
  // A read ordered by the current control dependencies.
  Output ReadValue() const;

  // Update operations return the updated reference or, for resources, a read after the update. The update node is
  // `.node`.
  Output Assign(const Input& value, bool use_locking = false, bool validate_shape = true, std::string name = "") const;
  Output AssignAdd(const Input& delta, bool use_locking = false, std::string name = "") const;
  Output AssignSub(const Input& delta, bool use_locking = false, std::string name = "") const;
  Output ScatterSub(const IndexedSlices& slices, bool use_locking = false, std::string name = "") const;
  // The same variable with another output as its handle, e.g. inside of a function that has captured the handle.
  std::shared_ptr<Variable> WithHandle(Output handle) const;
  // A bool scalar: whether the variable has a value.
  Output IsInitialized() const;
  // The value, or the initial value if the variable is not initialized. Use it to initialize one variable from another.
  Output InitializedValue() const;

  std::optional<SaveSlice> slice;  // set for a partition of a larger variable, under whose name it is saved

 private:
  Variable() = default;
  static Result<std::shared_ptr<Variable>> Finish(Graph& graph, std::shared_ptr<Variable> variable,
                                                  const std::string& name, const VariableOptions& options);
  Output ReadAfter(Node* update) const;
  Output ReadResource() const;
  Output handle_;
  Output snapshot_;
  Output initial_value_;
  Node* initializer_ = nullptr;
  DType dtype_ = kInvalidType;
  bool trainable_ = true;
  bool is_resource_ = false;
  bool validate_shape_ = true;
  bool is_cached_ = false;  // resource variable whose snapshot_ is a copy on the caching device
  Constraint constraint_;
};
using VariablePtr = std::shared_ptr<Variable>;

// A variable that is partitioned along one axis.
struct PartitionedVariable {
  std::string name;
  PartialShape shape;
  DType dtype = kInvalidType;
  std::vector<VariablePtr> parts;
  std::vector<int> partitions;  // number of partitions per axis
  // The whole value (a concatenation of reads).
  Output AsInput() const;
  int axis() const;
};

// --- All variables of a graph ---
std::vector<VariablePtr> GlobalVariables(Graph& graph);
std::vector<VariablePtr> LocalVariables(Graph& graph);
std::vector<VariablePtr> TrainableVariables(Graph& graph);
Node* InitializeVariables(Graph& graph, const std::vector<VariablePtr>& variables, std::string name = "init");
// A value that can only be computed when all of the (at least one) variables have been initialized.
Output AssertInitialized(Graph& graph, const std::vector<VariablePtr>& variables);
// The names of the uninitialized variables, as a string vector.
Output ReportUninitialized(Graph& graph, const std::vector<VariablePtr>& variables,
                           std::string name = "report_uninitialized_variables");
// One node that runs after all of `nodes`, with a group per device, as in TensorFlow.
Node* Group(Graph& graph, const std::vector<Node*>& nodes, std::string name = "group_deps");

}  // namespace weir
