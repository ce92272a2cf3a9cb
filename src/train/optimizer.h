// Optimizer: turns a loss into nodes that improve it. The base class finds gradients, makes slots and orders updates; a
// derived class says which slots there are and which node updates one variable. TensorFlow users derive from it, so do
// Python classes. Not thread-safe; one optimizer serves one graph.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/compose/variable.h"
#include "graph/gradients.h"

namespace weir {

// A hyperparameter: a number, a tensor of the graph, or a function asked when updates are built.
class Hyper {
 public:
  Hyper(float v) : value_(v) {}
  Hyper(double v) : value_(v) {}
  Hyper(int v) : value_(static_cast<double>(v)) {}
  Hyper(Output v) : value_(v) {}
  Hyper(Input v) : value_(std::move(v)) {}
  Hyper(std::function<Result<Input>()> fn) : fn_(std::move(fn)) {}
  // As a float32 (or the tensor's own type) value of `graph`.
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

  // ComputeGradients followed by ApplyGradients. The node to run for one step.
  Result<Node*> Minimize(Output loss, const MinimizeOptions& options = {});
  virtual Result<std::vector<GradAndVar>> ComputeGradients(Output loss, const MinimizeOptions& options = {});
  virtual Result<Node*> ApplyGradients(const std::vector<GradAndVar>& grads_and_vars, VariablePtr global_step = nullptr,
                                       std::string name = "");

  // Null when the variable has no such slot.
  virtual VariablePtr GetSlot(const VariablePtr& var, const std::string& slot_name) const;
  virtual std::vector<std::string> SlotNames() const;
  // Slots and other variables that the optimizer made, in all graphs, in the order of their names.
  virtual std::vector<VariablePtr> Variables() const;

  // --- what a derived class gives ---
  // The error of settings that are out of range, which a constructor cannot return. Asked before anything is built.
  virtual Status Check() const { return OkStatus(); }
  virtual Status CreateSlots(const std::vector<VariablePtr>& vars) { return OkStatus(); }
  virtual Status Prepare(Graph& graph) { return OkStatus(); }
  virtual Result<Node*> ApplyDense(Output grad, const VariablePtr& var) = 0;
  // Rows with unique indices, unless the class takes duplicates itself (see ApplySparseDuplicates).
  virtual Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var);
  // Rows as they come; adds up those with the same index and calls ApplySparse.
  virtual Result<Node*> ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var);
  virtual Result<Node*> Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name);

  // --- for derived classes ---
  // The slot, made with `initial` on first use; `op_name` names its variable below the primary's ("w/Adagrad").
  Result<VariablePtr> SlotWith(const VariablePtr& var, const std::string& slot_name, const std::string& op_name,
                               const Initializer& initial);
  Result<VariablePtr> ZerosSlot(const VariablePtr& var, const std::string& slot_name, const std::string& op_name);
  // A scalar beside the slots ("beta1_power"), on the device of `colocate_with`.
  Result<VariablePtr> NonSlot(const std::string& name, float initial, const VariablePtr& colocate_with);
  VariablePtr FindNonSlot(const Graph& graph, const std::string& name) const;

 private:
  // An optimizer may train several graphs: a name counts within one of them, by Graph::uid.
  using NameInGraph = std::pair<int64_t, std::string>;
  const std::string name_;
  const bool use_locking_;
  std::map<std::string, std::map<NameInGraph, VariablePtr>> slots_;  // slot name -> op name of primary -> slot
  std::map<NameInGraph, VariablePtr> non_slots_;
};

// Rows of a gradient with the same index added up.
IndexedSlices AddUpDuplicates(const IndexedSlices& slices);

}  // namespace weir
