// Variable: what a program trains. A handle on the nodes that hold, initialize and read one (VariableV2, or VarHandleOp
// for resource variables). Shared by pointer; only `slice` is set after it is made, by whoever makes it. The graph must
// outlive it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// Where a partition lies in the whole variable.
struct SaveSlice {
  std::string full_name;
  std::vector<int64_t> full_shape;
  std::vector<int64_t> offset;
  std::vector<int64_t> shape;
};

// Makes an initial value of that shape and type. Called inside the variable's name scope.
using Initializer = std::function<Result<Output>(Graph&, const PartialShape& shape, DType dtype)>;

class Variable;
// What an update may make of the variable: the value to assign after it. Built after the update.
using Constraint = std::function<Result<Output>(const std::shared_ptr<Variable>& variable)>;

struct VariableOptions {
  std::string name = "";       // "Variable" when empty
  DType dtype = kInvalidType;  // of the initial value when not given
  bool trainable = true;
  std::vector<std::string> collections = {};  // "variables" when empty (and use_default_collections)
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
  // From a value or a literal; for a reference variable its shape must be known unless validate_shape is false.
  static Result<std::shared_ptr<Variable>> Make(Graph& graph, const Input& initial_value,
                                                const VariableOptions& options = {});
  // From a function that makes the initial value: nodes are named "<name>/Initializer/…" and placed with the variable.
  static Result<std::shared_ptr<Variable>> MakeWith(Graph& graph, std::function<Result<Output>()> initial_value,
                                                    const VariableOptions& options = {});
  // Over nodes that exist already (a MetaGraph's VariableDef).
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
  const Constraint& constraint() const { return constraint_; }  // empty: none
  const std::string& device() const { return handle_.node->device(); }

  Output handle() const { return handle_; }   // the reference, or the resource handle
  Output value() const { return snapshot_; }  // "fc1/w/read:0"
  Node* initializer() const { return initializer_; }
  Output initial_value() const { return initial_value_; }
  // What the initializer assigns: the initial value, guarded where it is made of other variables.
  Output assigned_initial_value() const {
    return initializer_->num_inputs() == 2 ? initializer_->input(1) : initial_value_;
  }
  // What ops that take this variable as an input see: the reference itself, or a read of the resource, which is the
  // same for all where the variable has a caching device.
  Output AsInput() const;
  // A read ordered by the control dependencies in force now.
  Output ReadValue() const;

  // The changed reference, or for resources a read after the change; ops through .node.
  Output Assign(const Input& value, bool use_locking = false, bool validate_shape = true, std::string name = "") const;
  Output AssignAdd(const Input& delta, bool use_locking = false, std::string name = "") const;
  Output AssignSub(const Input& delta, bool use_locking = false, std::string name = "") const;
  Output ScatterSub(const IndexedSlices& slices, bool use_locking = false, std::string name = "") const;
  // The same variable with another output as its handle: what a function sees of it that has captured the handle.
  std::shared_ptr<Variable> Behind(Output handle) const;
  // True-valued scalar once it has a value.
  Output IsInitialized() const;
  // The value, or the initial value while it has none: for initializing one variable from another.
  Output InitializedValue() const;

  std::optional<SaveSlice>
      slice;  // set when this is a partition of a larger variable, which is saved under that one's name

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
  bool is_cached_ = false;  // a resource variable whose snapshot_ is a copy on the caching device
  Constraint constraint_;
};
using VariablePtr = std::shared_ptr<Variable>;

// A variable in pieces along one axis.
struct PartitionedVariable {
  std::string name;
  PartialShape shape;
  DType dtype = kInvalidType;
  std::vector<VariablePtr> parts;
  std::vector<int> partitions;  // pieces per axis
  // The whole value (a concat of reads).
  Output AsInput() const;
  int axis() const;
};

// --- over all variables of a graph
// --------------------------------------------------------------------------------------
std::vector<VariablePtr> GlobalVariables(Graph& graph);
std::vector<VariablePtr> LocalVariables(Graph& graph);
std::vector<VariablePtr> TrainableVariables(Graph& graph);
Node* InitializeVariables(Graph& graph, const std::vector<VariablePtr>& variables, std::string name = "init");
// The names of those that have no value yet (a string vector).
Output ReportUninitialized(Graph& graph, const std::vector<VariablePtr>& variables,
                           std::string name = "report_uninitialized_variables");
// A group of nodes as one, device by device as TensorFlow does.
Node* Group(Graph& graph, const std::vector<Node*>& nodes, std::string name = "group_deps");

}  // namespace weir
