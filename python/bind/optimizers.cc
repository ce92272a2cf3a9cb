// Binds the optimizers. Python classes may derive from tf.train.Optimizer: where a C++ class would override a method,
// the Python method with an underscore is called. The defaults are implemented in C++.
#include "train/optimizers.h"

#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/literal.h"
#include "bind/objects.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/sparse.h"
#include "bind/train.h"
#include "bind/variables.h"
#include "graph/node_builder.h"
#include "train/sync_replicas.h"

namespace weir::python {
namespace {

// Converts a number, a tensor, or a function without arguments. Does not own the function: the optimizer keeps it alive
// (KeepArgumentsAlive), because such functions often refer to the optimizer and the garbage collector must see the
// cycle.
HyperParam HyperParamFrom(py::object value) {
  if (PyUnicode_Check(value.ptr()) != 0 || PyBytes_Check(value.ptr()) != 0)
    RaiseType(
        fmt::format("a hyperparameter of an optimizer must be a number, a tensor or a callable, got {}", Repr(value)));
  if (PyCallable_Check(value.ptr()) != 0 && !IsTensor(value) && !IsVariable(value)) {
    return HyperParam(std::function<Result<Input>()>([function = py::handle(value)]() -> Result<Input> {
      py::gil_scoped_acquire gil;
      return CatchExceptions([&]() -> Result<Input> { return InputFrom(function()); });
    }));
  }
  return HyperParam(InputFrom(value));
}

OptimizerOptions Options(bool use_locking, const std::string& name) {
  return {.use_locking = use_locking, .name = name};
}

py::list PairsToPython(const std::vector<GradAndVar>& pairs) {
  py::list result;
  for (const GradAndVar& item : pairs) result.append(py::make_tuple(Wrap(item.grad), py::cast(item.var)));
  return result;
}

std::vector<GradAndVar> PairsFrom(py::handle pairs) {
  std::vector<GradAndVar> result;
  for (py::handle pair : pairs) {
    py::object grad = pair[py::int_(0)];
    const VariablePtr var = VariableFrom(pair[py::int_(1)]);
    if (grad.is_none() || IsSlices(grad) || IsTensor(grad)) {
      result.push_back({GradFrom(grad), var});
    } else {
      result.push_back({Take(ToOutput(var->graph(), InputFrom(grad), var->dtype(), "grad")), var});
    }
  }
  return result;
}

// An optimizer written in Python: calls the Python object's method, by TensorFlow's name, for each step of the base
// class.
class PyOptimizer final : public Optimizer {
 public:
  PyOptimizer(bool use_locking, std::string name) : Optimizer(std::move(name), use_locking) {}

  Status CreateSlots(const std::vector<VariablePtr>& vars) override {
    return CallMethod([&](py::object self) -> Status {
      py::list list;
      for (const VariablePtr& v : vars) list.append(py::cast(v));
      self.attr("_create_slots")(list);
      return OkStatus();
    });
  }
  Status Prepare(Graph&) override {
    return CallMethod([&](py::object self) -> Status {
      self.attr("_prepare")();
      return OkStatus();
    });
  }
  Result<Node*> ApplyDense(Output grad, const VariablePtr& var) override {
    return CallMethod([&](py::object self) -> Result<Node*> {
      if (var->is_resource()) return NodeFrom(self.attr("_resource_apply_dense")(Wrap(grad), py::cast(var)));
      return NodeFrom(self.attr("_apply_dense")(Wrap(grad), py::cast(var)));
    });
  }
  Result<Node*> ApplySparse(const IndexedSlices& grad, const VariablePtr& var) override {
    return CallMethod([&](py::object self) -> Result<Node*> {
      if (var->is_resource())
        return NodeFrom(self.attr("_resource_apply_sparse")(Wrap(grad.values), py::cast(var), Wrap(grad.indices)));
      return NodeFrom(self.attr("_apply_sparse")(Wrap(grad), py::cast(var)));
    });
  }
  Result<Node*> ApplySparseDuplicates(const IndexedSlices& grad, const VariablePtr& var) override {
    if (var->is_resource()) return Optimizer::ApplySparseDuplicates(grad, var);
    return CallMethod([&](py::object self) -> Result<Node*> {
      return NodeFrom(self.attr("_apply_sparse_duplicate_indices")(Wrap(grad), py::cast(var)));
    });
  }
  Result<Node*> Finish(Graph&, const std::vector<Node*>& updates, const std::string& name) override {
    return CallMethod([&](py::object self) -> Result<Node*> {
      py::list list;
      for (Node* node : updates) list.append(Wrap(node));
      return NodeFrom(self.attr("_finish")(list, name));
    });
  }

 private:
  // Calls a method of this optimizer's Python object, which is alive while one of its methods runs.
  template <class F>
  auto CallMethod(F&& question) -> decltype(question(py::object())) {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&] { return question(py::cast(this, py::return_value_policy::reference)); });
  }
};

MinimizeOptions MinimizeFrom(py::object global_step, py::object var_list, int gate_gradients, py::object aggregation,
                             bool colocate, const Name& name, py::object grad_loss, Output loss) {
  MinimizeOptions options;
  options.global_step = OptionalVariableFrom(global_step);
  if (!var_list.is_none()) options.var_list = VariablesFrom(var_list);
  if (gate_gradients < 0 || gate_gradients > 2)
    RaiseValue(fmt::format(
        "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH. Not {}",
        gate_gradients));
  options.gate_gradients = static_cast<GateGradients>(gate_gradients);
  if (!aggregation.is_none() && py::cast<int>(aggregation) == 1) options.aggregation = AggregationMethod::kTree;
  options.colocate_gradients_with_ops = colocate;
  options.name = name.text;
  if (!grad_loss.is_none())
    options.grad_loss = IsSlices(grad_loss)
                            ? GradFrom(grad_loss)
                            : Grad(Take(ToOutput(loss.graph(), InputFrom(grad_loss), loss.base_dtype(), "grad_loss")));
  options.custom_gradient = RegisteredGradient;
  return options;
}

Output LossFrom(py::object loss) {
  if (PyCallable_Check(loss.ptr()) != 0 && !IsTensor(loss)) loss = loss();
  const Input input = InputFrom(loss);
  if (input.absent()) RaiseValue("loss must not be None");
  return input.is_output() ? input.output() : Take(ToOutput(DefaultGraphRef(), input));
}

// Calls compute_gradients and apply_gradients on the Python object, because a derived class may override them.
py::object Minimize(py::object self, py::object loss, py::object global_step, py::object var_list, int gate_gradients,
                    py::object aggregation, bool colocate, const Name& name, py::object grad_loss) {
  py::object pairs = self.attr("compute_gradients")(
      loss, py::arg("var_list") = var_list, py::arg("gate_gradients") = gate_gradients,
      py::arg("aggregation_method") = aggregation, py::arg("colocate_gradients_with_ops") = colocate,
      py::arg("grad_loss") = grad_loss);
  bool any = false;
  for (py::handle pair : pairs) any |= !pair[py::int_(0)].is_none();
  if (!any) {
    std::string names;
    for (py::handle pair : pairs) names += (names.empty() ? "" : ", ") + Str(pair[py::int_(1)].attr("name"));
    RaiseValue(
        fmt::format("No gradients provided for any variable, check your graph for ops that do not support gradients, "
                    "between variables [{}] and loss {}.",
                    names, Str(loss)));
  }
  return self.attr("apply_gradients")(pairs, py::arg("global_step") = global_step,
                                      py::arg("name") = name.given() ? py::object(py::str(name.text)) : py::none());
}

using Base = std::shared_ptr<Optimizer>;

// Constructors must add KeepArgumentsAlive: rates may be tensors.
template <class T>
py::class_<T, Optimizer, std::shared_ptr<T>> BindOptimizer(py::module_& m, const char* name) {
  return {m, name, GarbageCollected<T>()};
}

// Call when the optimizer, and one that it wraps, has variables in that graph.
void HoldGraphOfOptimizer(const py::object& self, const Graph& graph) {
  HoldGraph(self, graph);
  if (py::isinstance<SyncReplicasOptimizer>(self))
    HoldGraphOfOptimizer(py::cast(self.cast<const SyncReplicasOptimizer&>().optimizer()), graph);
}

}  // namespace

void BindOptimizers(py::module_& m) {
  py::class_<Optimizer, PyOptimizer, Base> cls(m, "Optimizer", py::dynamic_attr(), GarbageCollected<Optimizer>());
  cls.def(py::init_alias<bool, std::string>(), py::arg("use_locking"), py::arg("name"))
      .def("minimize", Minimize, py::arg("loss"), py::arg("global_step") = py::none(), py::arg("var_list") = py::none(),
           py::arg("gate_gradients") = 1, py::arg("aggregation_method") = py::none(),
           py::arg("colocate_gradients_with_ops") = false, py::arg("name") = py::none(),
           py::arg("grad_loss") = py::none())
      .def(
          "compute_gradients",
          [](Optimizer& self, py::object loss, py::object var_list, int gate_gradients, py::object aggregation,
             bool colocate, py::object grad_loss) {
            const Output value = LossFrom(std::move(loss));
            MinimizeOptions options =
                MinimizeFrom(py::none(), std::move(var_list), gate_gradients, std::move(aggregation), colocate, Name{},
                             std::move(grad_loss), value);
            return PairsToPython(TakeGradients(self.ComputeGradients(value, options)));
          },
          py::arg("loss"), py::arg("var_list") = py::none(), py::arg("gate_gradients") = 1,
          py::arg("aggregation_method") = py::none(), py::arg("colocate_gradients_with_ops") = false,
          py::arg("grad_loss") = py::none())
      .def(
          "apply_gradients",
          [](py::object self, py::object pairs, py::object global_step, const Name& name) {
            const std::vector<GradAndVar> list = PairsFrom(pairs);
            for (const GradAndVar& item : list) HoldGraphOfOptimizer(self, item.var->graph());
            return Take(self.cast<Optimizer&>().ApplyGradients(list, OptionalVariableFrom(global_step), name.text));
          },
          py::arg("grads_and_vars"), py::arg("global_step") = py::none(), py::arg("name") = py::none())
      .def("get_name", [](const Optimizer& self) { return self.name(); })
      .def_property_readonly("_name", [](const Optimizer& self) { return self.name(); })
      .def_property_readonly("_use_locking", [](const Optimizer& self) { return self.use_locking(); })
      .def(
          "get_slot",
          [](const Optimizer& self, py::object var, const std::string& name) {
            return self.GetSlot(VariableFrom(var), name);
          },
          py::arg("var"), py::arg("name"))
      .def("get_slot_names", [](const Optimizer& self) { return self.SlotNames(); })
      .def("variables",
           [](const Optimizer& self) {
             std::vector<VariablePtr> variables = self.Variables();
             std::erase_if(variables, [](const VariablePtr& v) { return &v->graph() != &DefaultGraphRef(); });
             return variables;
           })
      // Methods that a derived class may call or override.
      .def("_create_slots", [](Optimizer&, py::object) {})
      .def("_prepare", [](Optimizer&) {})
      .def("_apply_dense",
           [](Optimizer&, py::object, py::object) {
             PyErr_SetNone(PyExc_NotImplementedError);
             throw py::error_already_set();
           })
      .def("_resource_apply_dense",
           [](Optimizer&, py::object, py::object) {
             PyErr_SetNone(PyExc_NotImplementedError);
             throw py::error_already_set();
           })
      .def("_apply_sparse",
           [](Optimizer&, py::object, py::object) {
             PyErr_SetNone(PyExc_NotImplementedError);
             throw py::error_already_set();
           })
      .def("_resource_apply_sparse",
           [](Optimizer&, py::object, py::object, py::object) {
             PyErr_SetNone(PyExc_NotImplementedError);
             throw py::error_already_set();
           })
      .def("_apply_sparse_duplicate_indices",
           [](py::object self, py::object grad, py::object var) {
             const IndexedSlices summed = SumDuplicateIndices(SlicesOf(grad));
             return self.attr("_apply_sparse")(Wrap(summed), var);
           })
      .def("_finish",
           [](Optimizer& self, py::object updates, const std::string& name) {
             std::vector<Node*> nodes;
             for (py::handle item : updates) nodes.push_back(NodeFrom(item));
             Graph& graph = nodes.empty() ? DefaultGraphRef() : nodes[0]->graph();
             return Take(self.Optimizer::Finish(graph, nodes, name));
           })
      .def("_zeros_slot",
           [](py::object self, py::object var, const std::string& slot, const std::string& op) {
             const VariablePtr primary = VariableFrom(var);
             HoldGraph(self, primary->graph());
             return Take(self.cast<Optimizer&>().ZerosSlot(primary, slot, op));
           })
      .def("_get_or_make_slot",
           [](py::object self, py::object var, py::object value, const std::string& slot, const std::string& op) {
             const VariablePtr primary = VariableFrom(var);
             HoldGraph(self, primary->graph());
             return Take(self.cast<Optimizer&>().SlotWith(
                 primary, slot, op, [&](Graph& graph, const PartialShape&, DType dtype) {
                   return ToOutput(graph, InputFrom(value), dtype, "initial_value");
                 }));
           })
      .def(
          "_create_non_slot_variable",
          [](py::object self, float initial, const std::string& name, py::object with) {
            const VariablePtr beside = VariableFrom(with);
            HoldGraph(self, beside->graph());
            return Take(self.cast<Optimizer&>().NonSlot(name, initial, beside));
          },
          py::arg("initial_value"), py::arg("name"), py::arg("colocate_with"))
      .def(
          "_get_non_slot_variable",
          [](const Optimizer& self, const std::string& name, py::object graph) {
            if (graph.is_none()) graph = DefaultGraph();
            return self.FindNonSlot(*GraphObjectOf(graph).graph, name);
          },
          py::arg("name"), py::arg("graph") = py::none());
  cls.attr("GATE_NONE") = 0;
  cls.attr("GATE_OP") = 1;
  cls.attr("GATE_GRAPH") = 2;

  const py::arg_v locking = py::arg("use_locking") = false;
  BindOptimizer<GradientDescentOptimizer>(m, "GradientDescentOptimizer")
      .def(py::init([](py::object rate, bool use_locking, const std::string& name) {
             return std::make_shared<GradientDescentOptimizer>(HyperParamFrom(rate), Options(use_locking, name));
           }),
           py::arg("learning_rate"), locking, py::arg("name") = "GradientDescent", KeepArgumentsAlive());
  BindOptimizer<MomentumOptimizer>(m, "MomentumOptimizer")
      .def(py::init([](py::object rate, py::object momentum, bool use_locking, const std::string& name, bool nesterov) {
             return std::make_shared<MomentumOptimizer>(HyperParamFrom(rate), HyperParamFrom(momentum), nesterov,
                                                        Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("momentum"), locking, py::arg("name") = "Momentum",
           py::arg("use_nesterov") = false, KeepArgumentsAlive());
  BindOptimizer<AdagradOptimizer>(m, "AdagradOptimizer")
      .def(py::init([](py::object rate, double initial, bool use_locking, const std::string& name) {
             if (!(initial > 0)) RaiseValue(fmt::format("initial_accumulator_value must be positive: {}", initial));
             return std::make_shared<AdagradOptimizer>(HyperParamFrom(rate), initial, Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("initial_accumulator_value") = 0.1, locking, py::arg("name") = "Adagrad",
           KeepArgumentsAlive());
  BindOptimizer<AdagradDAOptimizer>(m, "AdagradDAOptimizer")
      .def(py::init([](py::object rate, py::object step, double initial, float l1, float l2, bool use_locking,
                       const std::string& name) {
             if (!(initial > 0)) RaiseValue("initial_gradient_squared_accumulator_value must be positive");
             return std::make_shared<AdagradDAOptimizer>(HyperParamFrom(rate), VariableFrom(step), initial, l1, l2,
                                                         Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("global_step"),
           py::arg("initial_gradient_squared_accumulator_value") = 0.1, py::arg("l1_regularization_strength") = 0.0f,
           py::arg("l2_regularization_strength") = 0.0f, locking, py::arg("name") = "AdagradDA", KeepArgumentsAlive());
  BindOptimizer<AdadeltaOptimizer>(m, "AdadeltaOptimizer")
      .def(py::init([](py::object rate, py::object rho, py::object epsilon, bool use_locking, const std::string& name) {
             return std::make_shared<AdadeltaOptimizer>(HyperParamFrom(rate), HyperParamFrom(rho),
                                                        HyperParamFrom(epsilon), Options(use_locking, name));
           }),
           py::arg("learning_rate") = 0.001, py::arg("rho") = 0.95, py::arg("epsilon") = 1e-8, locking,
           py::arg("name") = "Adadelta", KeepArgumentsAlive());
  BindOptimizer<AdamOptimizer>(m, "AdamOptimizer")
      .def(py::init([](py::object rate, float beta1, float beta2, py::object epsilon, bool use_locking,
                       const std::string& name) {
             return std::make_shared<AdamOptimizer>(HyperParamFrom(rate), beta1, beta2, HyperParamFrom(epsilon),
                                                    Options(use_locking, name));
           }),
           py::arg("learning_rate") = 0.001, py::arg("beta1") = 0.9f, py::arg("beta2") = 0.999f,
           py::arg("epsilon") = 1e-8, locking, py::arg("name") = "Adam", KeepArgumentsAlive());
  BindOptimizer<RMSPropOptimizer>(m, "RMSPropOptimizer")
      .def(py::init([](py::object rate, py::object decay, py::object momentum, py::object epsilon, bool use_locking,
                       bool centered, const std::string& name) {
             return std::make_shared<RMSPropOptimizer>(HyperParamFrom(rate), HyperParamFrom(decay),
                                                       HyperParamFrom(momentum), HyperParamFrom(epsilon), centered,
                                                       Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("decay") = 0.9, py::arg("momentum") = 0.0, py::arg("epsilon") = 1e-10,
           locking, py::arg("centered") = false, py::arg("name") = "RMSProp", KeepArgumentsAlive());
  BindOptimizer<FtrlOptimizer>(m, "FtrlOptimizer")
      .def(py::init([](py::object rate, float power, double initial, float l1, float l2, bool use_locking,
                       const std::string& name, py::object accum_name, py::object linear_name, float shrinkage) {
             FtrlOptions ftrl{power,
                              initial,
                              l1,
                              l2,
                              accum_name.is_none() ? "" : py::cast<std::string>(accum_name),
                              linear_name.is_none() ? "" : py::cast<std::string>(linear_name),
                              shrinkage};
             auto made = std::make_shared<FtrlOptimizer>(HyperParamFrom(rate), ftrl, Options(use_locking, name));
             Check(made->Check());
             return made;
           }),
           py::arg("learning_rate"), py::arg("learning_rate_power") = -0.5f, py::arg("initial_accumulator_value") = 0.1,
           py::arg("l1_regularization_strength") = 0.0f, py::arg("l2_regularization_strength") = 0.0f, locking,
           py::arg("name") = "Ftrl", py::arg("accum_name") = py::none(), py::arg("linear_name") = py::none(),
           py::arg("l2_shrinkage_regularization_strength") = 0.0f, KeepArgumentsAlive());
  BindOptimizer<ProximalGradientDescentOptimizer>(m, "ProximalGradientDescentOptimizer")
      .def(py::init([](py::object rate, float l1, float l2, bool use_locking, const std::string& name) {
             return std::make_shared<ProximalGradientDescentOptimizer>(HyperParamFrom(rate), l1, l2,
                                                                       Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("l1_regularization_strength") = 0.0f,
           py::arg("l2_regularization_strength") = 0.0f, locking, py::arg("name") = "ProximalGradientDescent",
           KeepArgumentsAlive());
  BindOptimizer<ProximalAdagradOptimizer>(m, "ProximalAdagradOptimizer")
      .def(py::init([](py::object rate, double initial, float l1, float l2, bool use_locking, const std::string& name) {
             if (!(initial > 0)) RaiseValue(fmt::format("initial_accumulator_value must be positive: {}", initial));
             return std::make_shared<ProximalAdagradOptimizer>(HyperParamFrom(rate), initial, l1, l2,
                                                               Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("initial_accumulator_value") = 0.1,
           py::arg("l1_regularization_strength") = 0.0f, py::arg("l2_regularization_strength") = 0.0f, locking,
           py::arg("name") = "ProximalAdagrad", KeepArgumentsAlive());
}

}  // namespace weir::python
