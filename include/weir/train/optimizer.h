// Optimizer: builds the nodes that minimize a loss. The base class computes gradients, creates slots and orders
// updates. A derived class defines its slots and the update node of a variable. C++ and Python users may derive from
// it. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weir/graph/compose/variable.h"
#include "weir/graph/gradients.h"

namespace weir {

// A hyperparameter: a number, a tensor of the graph, or a function called when updates are built.
class HyperParam {
 public:
  HyperParam(float v) : value_(v) {}
  HyperParam(double v) : value_(v) {}
  HyperParam(int v) : value_(static_cast<double>(v)) {}
  HyperParam(Output v) : value_(v) {}
  HyperParam(Input v) : value_(std::move(v)) {}
  HyperParam(std::function<Result<Input>()> fn) : fn_(std::move(fn)) {}
  // Converts it to an output of `graph`: float32, or the tensor's own type.
  Result<Output> ToOutput(Graph& graph, const std::string& name) const;

 private:
  Input value_;
  std::function<Result<Input>()> fn_;
};

struct GradAndVar {
  Grad grad;
  VariablePtr var;
};

enum class GateGradients { kNone = 0, kOp = 1, kGraph = 2 };

struct MinimizeOptions {
  VariablePtr global_step = nullptr;
  std::vector<VariablePtr> var_list = {};  // empty: the trainable variables of the loss's graph
  GateGradients gate_gradients = GateGradients::kOp;
  AggregationMethod aggregation = AggregationMethod::kAddN;
  bool colocate_gradients_with_ops = false;
  std::string name = "";
  Grad grad_loss = {};
  std::function<const GradientFn*(std::string_view)> custom_gradient = {};
};

class Optimizer {
 public:
  Optimizer(std::string name, bool use_locking) : name_(std::move(name)), use_locking_(use_locking) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  const std::string& name() const { return name_; }
  bool use_locking() const { return use_locking_; }
  // For what is built from now on.
  void set_name(std::string name) { name_ = std::move(name); }
  void set_use_locking(bool use_locking) { use_locking_ = use_locking; }

  // ComputeGradients followed by ApplyGradients. Returns the node that runs one training step.
  Result<Node*> Minimize(Output loss, const MinimizeOptions& options = {});
  virtual Result<std::vector<GradAndVar>> ComputeGradients(Output loss, const MinimizeOptions& options = {});
  virtual Result<Node*> ApplyGradients(const std::vector<GradAndVar>& grads_and_vars, VariablePtr global_step = nullptr,
                                       std::string name = "");

  // Null if the variable has no such slot.
  virtual VariablePtr GetSlot(const VariablePtr& var, const std::string& slot_name) const;
  virtual std::vector<std::string> SlotNames() const;
  // Slots and other variables that the optimizer created, in all graphs, sorted by name.
  virtual std::vector<VariablePtr> Variables() const;

  // --- Implemented by derived classes ---
  // Checks the settings, since a constructor cannot return an error. Called before anything is built.
  virtual Status Check() const { return OkStatus(); }
  // Whether losses and trained variables may have this type.
  virtual bool AcceptsType(DType dtype) const { return IsFloating(dtype); }
  virtual Status CreateSlots(const std::vector<VariablePtr>& vars) { return OkStatus(); }
  virtual Status Prepare(Graph& graph) { return OkStatus(); }
  virtual Result<Node*> ApplyDense(Output grad, const VariablePtr& var) = 0;
  // Applies rows with unique indices, unless the class overrides ApplySparseDuplicates.
  virtual Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var);
  // Applies rows that may have duplicate indices. By default sums duplicates and calls ApplySparse.
  virtual Result<Node*> ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var);
  virtual Result<Node*> Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name);

  // --- For derived classes ---
  // The slot of a variable, created with `initial` on first use. `op_name` names its variable below the primary's
  // ("w/Adagrad").
  Result<VariablePtr> SlotWith(const VariablePtr& var, const std::string& slot_name, const std::string& op_name,
                               const Initializer& initial);
  Result<VariablePtr> ZerosSlot(const VariablePtr& var, const std::string& slot_name, const std::string& op_name);
  // A scalar shared by all variables ("beta1_power"), on the device of `colocate_with`.
  Result<VariablePtr> NonSlot(const std::string& name, float initial, const VariablePtr& colocate_with);
  VariablePtr FindNonSlot(const Graph& graph, const std::string& name) const;

 private:
  // An optimizer may train several graphs, so names are qualified by Graph::uid.
  using NameInGraph = std::pair<int64_t, std::string>;
  std::string name_;
  bool use_locking_;
  std::map<std::string, std::map<NameInGraph, VariablePtr>> slots_;  // slot name -> op name of primary -> slot
  std::map<NameInGraph, VariablePtr> non_slots_;
};

// Sums rows with equal indices.
IndexedSlices SumDuplicateIndices(const IndexedSlices& slices);

}  // namespace weir
