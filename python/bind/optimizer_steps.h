// The steps of optimizers that Python classes override under TensorFlow's names (_apply_dense, _prepare, ...). Each
// optimizer that Python creates is a WithOverrides<T>. Its virtual functions call the Python method if the object has
// one of its own, else T's. Hyperparameters are attributes of the Python object (_lr), as are their tensors (_lr_t):
// a step of T reads both, because programs assign to them.
#pragma once

#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bind/ownership.h"
#include "bind/train.h"
#include "train/optimizers.h"

namespace weir::python {

class OptimizerSteps {
 public:
  virtual ~OptimizerSteps() = default;

  // The steps of the C++ class, for super()._apply_dense(...). REQUIRES: the GIL is held.
  Status OwnCreateSlots(const std::vector<VariablePtr>& vars);
  Status OwnPrepare(Graph& graph);
  Result<Node*> OwnApplyDense(Output grad, const VariablePtr& var);
  Result<Node*> OwnApplySparse(const IndexedSlices& grad, const VariablePtr& var);
  Result<Node*> OwnApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var);
  virtual Result<Node*> OwnFinish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) = 0;
  // Prepares C++ for an update of the variable: tensors of hyperparameters that Python has set, slots.
  Status BeforeUpdate(const VariablePtr& var);

 protected:
  // The steps of the Python object, or of the C++ class if it has no other.
  Status RunCreateSlots(const std::vector<VariablePtr>& vars);
  Status RunPrepare(Graph& graph);
  Result<Node*> RunApplyDense(Output grad, const VariablePtr& var);
  Result<Node*> RunApplySparse(const IndexedSlices& grad, const VariablePtr& var);
  Result<Node*> RunApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var);
  Result<Node*> RunFinish(Graph& graph, const std::vector<Node*>& updates, const std::string& name);
  bool RunAcceptsType(DType dtype) const;

 private:
  virtual py::object Self() const = 0;
  virtual HyperOptimizer* Hypers() = 0;  // null if the class declares no hyperparameters
  virtual Status CppCreateSlots(const std::vector<VariablePtr>& vars) = 0;
  virtual Status CppPrepare(Graph& graph) = 0;
  virtual Result<Node*> CppApplyDense(Output grad, const VariablePtr& var) = 0;
  virtual Result<Node*> CppApplySparse(const IndexedSlices& grad, const VariablePtr& var) = 0;
  virtual Result<Node*> CppApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) = 0;

  std::set<std::pair<int64_t, std::string>> have_slots_;  // graph and op name of the variables, if C++ created them
};

// The update of Adam for sparse gradients, which calls _apply_sparse_shared of the Python object.
Result<Node*> ApplyAdamSparse(py::object self, AdamOptimizer& adam, const IndexedSlices& grad, const VariablePtr& var);

template <class T>
class WithOverrides final : public T, public OptimizerSteps {
 public:
  using T::T;

  Status CreateSlots(const std::vector<VariablePtr>& vars) override { return RunCreateSlots(vars); }
  Status Prepare(Graph& graph) override { return RunPrepare(graph); }
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override { return RunApplyDense(grad, var); }
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override {
    return RunApplySparse(grad, var);
  }
  Result<Node*> ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) override {
    return RunApplySparseDuplicates(grad, var);
  }
  Result<Node*> Finish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) override {
    return RunFinish(graph, updates, name);
  }
  bool AcceptsType(DType dtype) const override { return RunAcceptsType(dtype); }
  Result<Node*> OwnFinish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) override {
    return T::Finish(graph, updates, name);
  }

 private:
  py::object Self() const override { return py::cast(this, py::return_value_policy::reference); }
  HyperOptimizer* Hypers() override {
    if constexpr (std::is_base_of_v<HyperOptimizer, T>) return this;
    return nullptr;
  }
  Status CppCreateSlots(const std::vector<VariablePtr>& vars) override { return T::CreateSlots(vars); }
  Status CppPrepare(Graph& graph) override { return T::Prepare(graph); }
  Result<Node*> CppApplyDense(Output grad, const VariablePtr& var) override {
    if constexpr (std::is_abstract_v<T>) {
      return Unimplemented("{} has no update for dense gradients (variable '{}')", T::name(), var->name());
    } else {
      return T::ApplyDense(grad, var);
    }
  }
  Result<Node*> CppApplySparse(const IndexedSlices& grad, const VariablePtr& var) override {
    if constexpr (std::is_same_v<T, AdamOptimizer>) return ApplyAdamSparse(Self(), *this, grad, var);
    return T::ApplySparse(grad, var);
  }
  Result<Node*> CppApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) override {
    return T::ApplySparseDuplicates(grad, var);
  }
};

// Where Python finds a hyperparameter: `name` in C++, the argument of the constructor, and the attributes with its
// value and its tensor. An attribute that is empty does not exist.
struct HyperAttribute {
  const char* name;
  const char* argument;
  const char* value;
  const char* tensor;
};

void SetHyperAttributes(py::handle cls, std::initializer_list<HyperAttribute> attributes);

// Binds a class. Its constructors must create objects with MakeOptimizer, and add KeepArgumentsAlive (rates may be
// tensors) and StoreArguments.
template <class T>
py::class_<T, WithOverrides<T>, Optimizer, std::shared_ptr<T>> BindOptimizer(
    py::module_& m, const char* name, std::initializer_list<HyperAttribute> attributes) {
  py::class_<T, WithOverrides<T>, Optimizer, std::shared_ptr<T>> cls(m, name, GarbageCollected<T>());
  SetHyperAttributes(cls, attributes);
  return cls;
}

template <class T, class... Args>
std::shared_ptr<T> MakeOptimizer(Args&&... args) {
  return std::make_shared<WithOverrides<T>>(std::forward<Args>(args)...);
}

// For a constructor: stores its arguments in the attributes of the Python object that TensorFlow has.
struct StoreArguments {};
void StoreArgumentsOf(py::detail::function_call& call);

void BindOverridableSteps(py::class_<Optimizer, WithOverrides<Optimizer>, std::shared_ptr<Optimizer>>& cls);
void BindAdamSteps(
    py::class_<AdamOptimizer, WithOverrides<AdamOptimizer>, Optimizer, std::shared_ptr<AdamOptimizer>>& cls);

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct process_attribute<weir::python::StoreArguments> : process_attribute_default<weir::python::StoreArguments> {
  static void precall(function_call&) {}
  static void postcall(function_call& call, handle) { weir::python::StoreArgumentsOf(call); }
};

}  // namespace pybind11::detail
