#include "bind/optimizer_steps.h"

#include "bind/dtype.h"
#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/sparse.h"
#include "bind/variables.h"
#include "graph/build/state_ops.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

constexpr const char* kHyperAttributes = "_hyperparameters";  // a tuple of (name, argument, value, tensor) of a class

// The method of the object, unless it is that of the bound class.
template <class Bound>
py::object OverrideOf(const py::object& self, const char* name) {
  py::object method = self.attr(name);
  const py::object bound = py::type::of<Bound>().attr(name);
  if (PyMethod_Check(method.ptr()) && PyMethod_GET_FUNCTION(method.ptr()) == bound.ptr()) return py::object();
  return method;
}

// Calls `body` with the method of the Python object, or `fallback` if the object has no other than the C++ class's.
template <class Body, class Fallback>
auto CallStep(const py::object& self, const char* name, Body&& body, Fallback&& fallback) -> decltype(fallback()) {
  return CatchExceptions([&]() -> decltype(fallback()) {
    const py::object method = OverrideOf<Optimizer>(self, name);
    if (!method) return fallback();
    return body(method);
  });
}

// Calls `visit(name, value attribute, tensor attribute)` for each hyperparameter.
template <class F>
void ForEachHyper(const py::object& self, F&& visit) {
  const py::object table = py::getattr(self, kHyperAttributes, py::tuple());
  for (py::handle row : table) {
    const auto field = [&](int i) { return py::cast<std::string>(row[py::int_(i)]); };
    visit(field(0), field(2), field(3));
  }
}

py::list ToList(const std::vector<VariablePtr>& vars) {
  py::list list;
  for (const VariablePtr& v : vars) list.append(py::cast(v));
  return list;
}

}  // namespace

Status OptimizerSteps::OwnCreateSlots(const std::vector<VariablePtr>& vars) {
  if (vars.empty()) return OkStatus();
  WEIR_TRY(CppCreateSlots(vars));
  for (const VariablePtr& var : vars) have_slots_.insert({var->graph().uid(), var->op_name()});
  return OkStatus();
}

Status OptimizerSteps::OwnPrepare(Graph& graph) {
  HyperOptimizer* hypers = Hypers();
  if (hypers == nullptr) return CppPrepare(graph);
  return CatchExceptions([&]() -> Status {
    const py::object self = Self();
    ForEachHyper(self, [&](const std::string& name, const std::string& value, const std::string&) {
      if (!value.empty() && py::hasattr(self, value.c_str()))
        hypers->SetHyper(name, HyperParamFrom(self.attr(value.c_str())));
    });
    WEIR_TRY(CppPrepare(graph));
    ForEachHyper(self, [&](const std::string& name, const std::string&, const std::string& tensor) {
      if (!tensor.empty()) self.attr(tensor.c_str()) = Wrap(hypers->HyperTensor(name));
    });
    return OkStatus();
  });
}

Status OptimizerSteps::BeforeUpdate(const VariablePtr& var) {
  Graph& graph = var->graph();
  if (HyperOptimizer* hypers = Hypers()) {
    WEIR_TRY(CatchExceptions([&]() -> Status {
      const py::object self = Self();
      std::string missing;
      ForEachHyper(self, [&](const std::string& name, const std::string&, const std::string& tensor) {
        if (tensor.empty() || !py::hasattr(self, tensor.c_str())) return;
        const py::object given = self.attr(tensor.c_str());
        if (given.is_none())
          missing = tensor;
        else
          hypers->SetHyperTensor(name, Take(ToOutput(graph, InputFrom(given), kInvalidType, name)));
      });
      if (!missing.empty())
        return FailedPrecondition("{} is None: an override of _prepare must call super()._prepare() or set it",
                                  missing);
      for (const std::string& name : hypers->HyperNames()) {
        if (!hypers->HyperTensor(name).valid())
          return FailedPrecondition("hyperparameter '{}' is no tensor yet: _prepare was not called", name);
      }
      return OkStatus();
    }));
  }
  // An override of _create_slots may not have created all slots that the update needs.
  if (have_slots_.contains({graph.uid(), var->op_name()})) return OkStatus();
  const ControlDependencies cleared = ControlDependencies::Cleared(graph);
  return OwnCreateSlots({var});
}

Result<Node*> OptimizerSteps::OwnApplyDense(Output grad, const VariablePtr& var) {
  WEIR_TRY(BeforeUpdate(var));
  return CppApplyDense(grad, var);
}

Result<Node*> OptimizerSteps::OwnApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  WEIR_TRY(BeforeUpdate(var));
  return CppApplySparse(grad, var);
}

Result<Node*> OptimizerSteps::OwnApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) {
  WEIR_TRY(BeforeUpdate(var));
  return CppApplySparseDuplicates(grad, var);
}

Status OptimizerSteps::RunCreateSlots(const std::vector<VariablePtr>& vars) {
  const py::gil_scoped_acquire gil;
  return CallStep(
      Self(), "_create_slots",
      [&](const py::object& method) {
        method(ToList(vars));
        return OkStatus();
      },
      [&] { return OwnCreateSlots(vars); });
}

Status OptimizerSteps::RunPrepare(Graph& graph) {
  const py::gil_scoped_acquire gil;
  return CallStep(
      Self(), "_prepare",
      [&](const py::object& method) {
        method();
        return OkStatus();
      },
      [&] { return OwnPrepare(graph); });
}

Result<Node*> OptimizerSteps::RunApplyDense(Output grad, const VariablePtr& var) {
  const py::gil_scoped_acquire gil;
  return CallStep(
      Self(), var->is_resource() ? "_resource_apply_dense" : "_apply_dense",
      [&](const py::object& method) { return NodeFrom(method(Wrap(grad), py::cast(var))); },
      [&] { return OwnApplyDense(grad, var); });
}

Result<Node*> OptimizerSteps::RunApplySparse(const IndexedSlices& grad, const VariablePtr& var) {
  const py::gil_scoped_acquire gil;
  return CallStep(
      Self(), var->is_resource() ? "_resource_apply_sparse" : "_apply_sparse",
      [&](const py::object& method) {
        if (!var->is_resource()) return NodeFrom(method(Wrap(grad), py::cast(var)));
        return NodeFrom(method(Wrap(grad.values), py::cast(var), Wrap(grad.indices)));
      },
      [&] { return OwnApplySparse(grad, var); });
}

Result<Node*> OptimizerSteps::RunApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) {
  const py::gil_scoped_acquire gil;
  return CallStep(
      Self(), var->is_resource() ? "_resource_apply_sparse_duplicate_indices" : "_apply_sparse_duplicate_indices",
      [&](const py::object& method) {
        if (!var->is_resource()) return NodeFrom(method(Wrap(grad), py::cast(var)));
        return NodeFrom(method(Wrap(grad.values), py::cast(var), Wrap(grad.indices)));
      },
      [&] { return OwnApplySparseDuplicates(grad, var); });
}

Result<Node*> OptimizerSteps::RunFinish(Graph& graph, const std::vector<Node*>& updates, const std::string& name) {
  const py::gil_scoped_acquire gil;
  return CallStep(
      Self(), "_finish",
      [&](const py::object& method) {
        py::list list;
        for (Node* node : updates) list.append(Wrap(node));
        return NodeFrom(method(list, name));
      },
      [&] { return OwnFinish(graph, updates, name); });
}

bool OptimizerSteps::RunAcceptsType(DType dtype) const {
  const py::gil_scoped_acquire gil;
  const py::object method = OverrideOf<Optimizer>(Self(), "_valid_dtypes");
  if (!method) return IsFloating(dtype);
  const py::object types = method();
  return types.contains(py::cast(dtype));
}

void SetHyperAttributes(py::handle cls, std::initializer_list<HyperAttribute> attributes) {
  py::list rows;
  for (const HyperAttribute& a : attributes) rows.append(py::make_tuple(a.name, a.argument, a.value, a.tensor));
  cls.attr(kHyperAttributes) = py::tuple(rows);
}

void StoreArgumentsOf(py::detail::function_call& call) {
  const py::handle self = call.init_self;
  const py::object table = self.attr(kHyperAttributes);
  for (size_t i = 1; i < call.args.size(); ++i) {
    const std::string argument = call.func.args[i].name;
    if (argument == "use_locking" || argument == "name") continue;  // properties of the base class
    std::string attribute = "_" + argument;
    for (py::handle row : table) {
      if (py::cast<std::string>(row[py::int_(1)]) != argument) continue;
      attribute = py::cast<std::string>(row[py::int_(2)]);
      if (const auto tensor = py::cast<std::string>(row[py::int_(3)]); !tensor.empty())
        self.attr(tensor.c_str()) = py::none();
    }
    if (!attribute.empty()) self.attr(attribute.c_str()) = call.args[i];
  }
}

Result<Node*> ApplyAdamSparse(py::object self, AdamOptimizer& adam, const IndexedSlices& grad, const VariablePtr& var) {
  return CatchExceptions([&]() -> Result<Node*> {
    const py::object method = OverrideOf<AdamOptimizer>(self, "_apply_sparse_shared");
    const py::object scatter = OverrideOf<AdamOptimizer>(self, "_resource_scatter_add");
    if (!method && !(scatter && var->is_resource())) return adam.AdamOptimizer::ApplySparse(grad, var);
    const py::object add = var->is_resource() ? py::object(self.attr("_resource_scatter_add"))
                                              : py::cpp_function([&adam](py::object x, Output i, Output v) {
                                                  return Take(adam.ScatterAddRows(VariableFrom(x), i, v));
                                                });
    return NodeFrom(self.attr("_apply_sparse_shared")(Wrap(grad.values), py::cast(var), Wrap(grad.indices), add));
  });
}

namespace {

OptimizerSteps* StepsOf(Optimizer& self) { return dynamic_cast<OptimizerSteps*>(&self); }

// A variable that a program passes to a step.
VariablePtr HeldVariable(py::handle self, py::handle object) {
  const VariablePtr var = VariableFrom(object);
  HoldGraph(self, var->graph());
  return var;
}

Output GradientOf(const VariablePtr& var, py::handle grad) {
  return Take(ToOutput(var->graph(), InputFrom(grad), var->dtype(), "grad"));
}

Node* ApplyDenseOf(py::object self, py::object grad, py::object object) {
  Optimizer& optimizer = self.cast<Optimizer&>();
  const VariablePtr var = HeldVariable(self, object);
  const Output values = GradientOf(var, grad);
  OptimizerSteps* steps = StepsOf(optimizer);
  return Take(steps == nullptr ? optimizer.ApplyDense(values, var) : steps->OwnApplyDense(values, var));
}

Node* ApplySparseOf(const py::object& self, const IndexedSlices& grad, const py::object& object) {
  Optimizer& optimizer = self.cast<Optimizer&>();
  const VariablePtr var = HeldVariable(self, object);
  OptimizerSteps* steps = StepsOf(optimizer);
  return Take(steps == nullptr ? optimizer.ApplySparse(grad, var) : steps->OwnApplySparse(grad, var));
}

Node* ApplyDuplicatesOf(const py::object& self, const IndexedSlices& grad, const py::object& object) {
  Optimizer& optimizer = self.cast<Optimizer&>();
  const VariablePtr var = HeldVariable(self, object);
  OptimizerSteps* steps = StepsOf(optimizer);
  return Take(steps == nullptr ? optimizer.ApplySparseDuplicates(grad, var)
                               : steps->OwnApplySparseDuplicates(grad, var));
}

void CheckTypes(py::object self, py::object tensors) {
  const py::object valid = self.attr("_valid_dtypes")();
  for (py::handle tensor : tensors) {
    const py::object dtype = tensor.attr("dtype").attr("base_dtype");
    if (valid.contains(dtype)) continue;
    py::list names;
    for (py::handle v : valid) names.append(v);
    RaiseValue(
        fmt::format("Invalid type {} for {}, expected: {}.", Repr(dtype), Str(tensor.attr("name")), Repr(names)));
  }
}

}  // namespace

void BindOverridableSteps(py::class_<Optimizer, WithOverrides<Optimizer>, std::shared_ptr<Optimizer>>& cls) {
  cls.def("_create_slots",
          [](py::object self, py::object var_list) {
            Optimizer& optimizer = self.cast<Optimizer&>();
            const std::vector<VariablePtr> vars = VariablesFrom(var_list);
            for (const VariablePtr& var : vars) HoldGraph(self, var->graph());
            OptimizerSteps* steps = StepsOf(optimizer);
            Check(steps == nullptr ? optimizer.CreateSlots(vars) : steps->OwnCreateSlots(vars));
          })
      .def("_prepare",
           [](py::object self) {
             Optimizer& optimizer = self.cast<Optimizer&>();
             Graph& graph = DefaultGraphRef();
             HoldGraph(self, graph);
             OptimizerSteps* steps = StepsOf(optimizer);
             Check(steps == nullptr ? optimizer.Prepare(graph) : steps->OwnPrepare(graph));
           })
      .def("_apply_dense", ApplyDenseOf)
      .def("_resource_apply_dense", ApplyDenseOf)
      .def("_apply_sparse",
           [](py::object self, py::object grad, py::object var) { return ApplySparseOf(self, SlicesOf(grad), var); })
      .def("_resource_apply_sparse",
           [](py::object self, Output grad, py::object var, Output indices) {
             return ApplySparseOf(self, {grad, indices, Output()}, var);
           })
      .def(
          "_apply_sparse_duplicate_indices",
          [](py::object self, py::object grad, py::object var) { return ApplyDuplicatesOf(self, SlicesOf(grad), var); })
      .def("_resource_apply_sparse_duplicate_indices",
           [](py::object self, Output grad, py::object var, Output indices) {
             return ApplyDuplicatesOf(self, {grad, indices, Output()}, var);
           })
      .def("_finish",
           [](Optimizer& self, py::object updates, const std::string& name) {
             std::vector<Node*> nodes;
             for (py::handle item : updates) nodes.push_back(NodeFrom(item));
             Graph& graph = nodes.empty() ? DefaultGraphRef() : nodes[0]->graph();
             OptimizerSteps* steps = StepsOf(self);
             return Take(steps == nullptr ? self.Finish(graph, nodes, name) : steps->OwnFinish(graph, nodes, name));
           })
      .def("_valid_dtypes",
           [](const Optimizer&) {
             py::set types;
             for (DType dtype : {kHalf, kBFloat16, kFloat, kDouble}) types.add(py::cast(dtype));
             return types;
           })
      .def("_assert_valid_dtypes", CheckTypes)
      .def("_call_if_callable", [](const Optimizer&, py::object param) {
        return PyCallable_Check(param.ptr()) != 0 && !IsTensor(param) && !IsVariable(param) ? param() : param;
      });
}

void BindAdamSteps(
    py::class_<AdamOptimizer, WithOverrides<AdamOptimizer>, Optimizer, std::shared_ptr<AdamOptimizer>>& cls) {
  cls.def("_get_beta_accumulators",
          [](const AdamOptimizer& self) {
            const Graph& graph = DefaultGraphRef();
            return py::make_tuple(self.FindNonSlot(graph, "beta1_power"), self.FindNonSlot(graph, "beta2_power"));
          })
      .def("_resource_scatter_add", [](const AdamOptimizer& self, py::object x, Output i,
                                       Output v) { return Take(self.ScatterAddRows(VariableFrom(x), i, v)); })
      .def("_apply_sparse_shared", [](py::object self, Output grad, py::object object, Output indices,
                                      py::object scatter_add) {
        AdamOptimizer& adam = self.cast<AdamOptimizer&>();
        const VariablePtr var = HeldVariable(self, object);
        if (OptimizerSteps* steps = StepsOf(adam)) Check(steps->BeforeUpdate(var));
        return Take(adam.ApplySparseWith(
            {grad, indices, Output()}, var, [&](const VariablePtr& slot, Output rows, Output values) -> Result<Output> {
              return CatchExceptions([&]() -> Result<Output> {
                const py::object added = scatter_add(py::cast(slot), Wrap(rows), Wrap(values));
                return ToOutput(slot->graph(), InputFrom(added), kInvalidType, "added");
              });
            }));
      });
}

}  // namespace weir::python
