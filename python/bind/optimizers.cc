// Binds the optimizers. optimizer_steps.h calls the methods that Python classes derived from them override.
#include "train/optimizers.h"

#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/literal.h"
#include "bind/objects.h"
#include "bind/optimizer_steps.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/sparse.h"
#include "bind/train.h"
#include "bind/variables.h"
#include "graph/node_builder.h"
#include "train/contrib_optimizers.h"
#include "train/sync_replicas.h"

namespace weir::python {

// Does not own the function: functions often refer to the optimizer, and the garbage collector must see the cycle.
HyperParam HyperParamFrom(py::object value) {
  if (PyCallable_Check(value.ptr()) != 0 && !IsTensor(value) && !IsVariable(value)) {
    return HyperParam(std::function<Result<Input>()>([function = py::handle(value)]() -> Result<Input> {
      py::gil_scoped_acquire gil;
      return CatchExceptions([&]() -> Result<Input> { return InputFrom(function()); });
    }));
  }
  return HyperParam(InputFrom(value));
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

namespace {

OptimizerOptions Options(bool use_locking, const std::string& name) {
  return {.use_locking = use_locking, .name = name};
}

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
  if (!py::hasattr(loss, "dtype")) RaiseMissingAttribute(loss, "dtype");
  const Input input = InputFrom(loss);
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

// Call when the optimizer, and one that it wraps, has variables in that graph.
void HoldGraphOfOptimizer(const py::object& self, const Graph& graph) {
  HoldGraph(self, graph);
  if (py::isinstance<SyncReplicasOptimizer>(self))
    HoldGraphOfOptimizer(py::cast(self.cast<const SyncReplicasOptimizer&>().optimizer()), graph);
  if (py::isinstance<MultitaskOptimizer>(self))
    HoldGraphOfOptimizer(py::cast(self.cast<const MultitaskOptimizer&>().optimizer()), graph);
}

}  // namespace

namespace {
using OptimizerClass = py::class_<Optimizer, WithOverrides<Optimizer>, Base>;

// Attributes that a Python class may set before it calls the constructor of the base class, which overwrites them.
bool IsConstructed(const py::object& self) {
  return reinterpret_cast<py::detail::instance*>(self.ptr())->get_value_and_holder().holder_constructed();
}
const Optimizer& Constructed(const py::object& self) {
  if (IsConstructed(self)) return self.cast<const Optimizer&>();
  PyErr_SetString(PyExc_AttributeError, "the constructor of the optimizer's base class was not called");
  throw py::error_already_set();
}

void BindMethods(OptimizerClass& cls) {
  cls.def(py::init([](bool use_locking, std::string name) {
            return MakeOptimizer<Optimizer>(std::move(name), use_locking);
          }),
          py::arg("use_locking"), py::arg("name"))
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
      .def_property(
          "_name", [](const py::object& self) { return Constructed(self).name(); },
          [](const py::object& self, std::string name) {
            if (IsConstructed(self)) self.cast<Optimizer&>().set_name(std::move(name));
          })
      .def_property(
          "_use_locking", [](const py::object& self) { return Constructed(self).use_locking(); },
          [](const py::object& self, bool use_locking) {
            if (IsConstructed(self)) self.cast<Optimizer&>().set_use_locking(use_locking);
          })
      .def(
          "get_slot",
          [](const Optimizer& self, py::object var, const std::string& name) {
            const bool is_variable = IsVariable(var) || py::hasattr(var, "_variable_object");
            return is_variable ? self.GetSlot(VariableFrom(var), name) : nullptr;
          },
          py::arg("var"), py::arg("name"))
      .def("get_slot_names", [](const Optimizer& self) { return self.SlotNames(); })
      .def("variables", [](const Optimizer& self) {
        std::vector<VariablePtr> variables = self.Variables();
        std::erase_if(variables, [](const VariablePtr& v) { return &v->graph() != &DefaultGraphRef(); });
        return variables;
      });
}

// Methods that a derived class may call.
void BindSlots(OptimizerClass& cls) {
  cls.def("_zeros_slot",
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
      .def("_get_or_make_slot_with_initializer",
           [](py::object self, py::object var, py::object initializer, py::object shape, py::object dtype,
              const std::string& slot, const std::string& op) {
             const VariablePtr primary = VariableFrom(var);
             HoldGraph(self, primary->graph());
             return Take(self.cast<Optimizer&>().SlotWith(
                 primary, slot, op, [&](Graph& graph, const PartialShape&, DType slot_type) {
                   return CatchExceptions([&]() -> Result<Output> {
                     const py::object value = initializer(shape, py::arg("dtype") = dtype);
                     return ToOutput(graph, InputFrom(value), slot_type, "initial_value");
                   });
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
}

void BindMomentumOptimizers(py::module_& m) {
  const py::arg_v locking = py::arg("use_locking") = false;
  BindOptimizer<GradientDescentOptimizer>(
      m, "GradientDescentOptimizer", {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"}})
      .def(py::init([](py::object rate, bool use_locking, const std::string& name) {
             return MakeOptimizer<GradientDescentOptimizer>(HyperParamFrom(rate), Options(use_locking, name));
           }),
           py::arg("learning_rate"), locking, py::arg("name") = "GradientDescent", KeepArgumentsAlive(),
           StoreArguments());
  BindOptimizer<MomentumOptimizer>(m, "MomentumOptimizer",
                                   {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"},
                                    {"momentum", "momentum", "_momentum", "_momentum_tensor"}})
      .def(py::init([](py::object rate, py::object momentum, bool use_locking, const std::string& name, bool nesterov) {
             return MakeOptimizer<MomentumOptimizer>(HyperParamFrom(rate), HyperParamFrom(momentum), nesterov,
                                                     Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("momentum"), locking, py::arg("name") = "Momentum",
           py::arg("use_nesterov") = false, KeepArgumentsAlive(), StoreArguments());
  BindOptimizer<AdadeltaOptimizer>(m, "AdadeltaOptimizer",
                                   {{"lr", "learning_rate", "_lr", "_lr_t"},
                                    {"rho", "rho", "_rho", "_rho_t"},
                                    {"epsilon", "epsilon", "_epsilon", "_epsilon_t"}})
      .def(py::init([](py::object rate, py::object rho, py::object epsilon, bool use_locking, const std::string& name) {
             return MakeOptimizer<AdadeltaOptimizer>(HyperParamFrom(rate), HyperParamFrom(rho), HyperParamFrom(epsilon),
                                                     Options(use_locking, name));
           }),
           py::arg("learning_rate") = 0.001, py::arg("rho") = 0.95, py::arg("epsilon") = 1e-8, locking,
           py::arg("name") = "Adadelta", KeepArgumentsAlive(), StoreArguments());
  py::class_<AdamOptimizer, WithOverrides<AdamOptimizer>, Optimizer, std::shared_ptr<AdamOptimizer>> adam =
      BindOptimizer<AdamOptimizer>(m, "AdamOptimizer",
                                   {{"learning_rate", "learning_rate", "_lr", "_lr_t"},
                                    {"beta1", "beta1", "_beta1", "_beta1_t"},
                                    {"beta2", "beta2", "_beta2", "_beta2_t"},
                                    {"epsilon", "epsilon", "_epsilon", "_epsilon_t"}});
  BindAdamSteps(adam);
  adam.def(py::init([](py::object rate, float beta1, float beta2, py::object epsilon, bool use_locking,
                       const std::string& name) {
             return MakeOptimizer<AdamOptimizer>(HyperParamFrom(rate), beta1, beta2, HyperParamFrom(epsilon),
                                                 Options(use_locking, name));
           }),
           py::arg("learning_rate") = 0.001, py::arg("beta1") = 0.9f, py::arg("beta2") = 0.999f,
           py::arg("epsilon") = 1e-8, locking, py::arg("name") = "Adam", KeepArgumentsAlive(), StoreArguments());
  BindOptimizer<RMSPropOptimizer>(m, "RMSPropOptimizer",
                                  {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"},
                                   {"decay", "decay", "_decay", "_decay_tensor"},
                                   {"momentum", "momentum", "_momentum", "_momentum_tensor"},
                                   {"epsilon", "epsilon", "_epsilon", "_epsilon_tensor"}})
      .def(py::init([](py::object rate, py::object decay, py::object momentum, py::object epsilon, bool use_locking,
                       bool centered, const std::string& name) {
             return MakeOptimizer<RMSPropOptimizer>(HyperParamFrom(rate), HyperParamFrom(decay),
                                                    HyperParamFrom(momentum), HyperParamFrom(epsilon), centered,
                                                    Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("decay") = 0.9, py::arg("momentum") = 0.0, py::arg("epsilon") = 1e-10,
           locking, py::arg("centered") = false, py::arg("name") = "RMSProp", KeepArgumentsAlive(), StoreArguments());
}

void BindAdagradOptimizers(py::module_& m) {
  const py::arg_v locking = py::arg("use_locking") = false;
  BindOptimizer<AdagradOptimizer>(m, "AdagradOptimizer",
                                  {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"}})
      .def(py::init([](py::object rate, double initial, bool use_locking, const std::string& name) {
             if (!(initial > 0)) RaiseValue(fmt::format("initial_accumulator_value must be positive: {}", initial));
             return MakeOptimizer<AdagradOptimizer>(HyperParamFrom(rate), initial, Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("initial_accumulator_value") = 0.1, locking, py::arg("name") = "Adagrad",
           KeepArgumentsAlive(), StoreArguments());
  BindOptimizer<AdagradDAOptimizer>(m, "AdagradDAOptimizer",
                                    {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"},
                                     {"l1", "l1_regularization_strength", "_l1_regularization_strength", ""},
                                     {"l2", "l2_regularization_strength", "_l2_regularization_strength", ""}})
      .def(py::init([](py::object rate, py::object step, double initial, float l1, float l2, bool use_locking,
                       const std::string& name) {
             if (!(initial > 0)) RaiseValue("initial_gradient_squared_accumulator_value must be positive");
             return MakeOptimizer<AdagradDAOptimizer>(HyperParamFrom(rate), VariableFrom(step), initial, l1, l2,
                                                      Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("global_step"),
           py::arg("initial_gradient_squared_accumulator_value") = 0.1, py::arg("l1_regularization_strength") = 0.0f,
           py::arg("l2_regularization_strength") = 0.0f, locking, py::arg("name") = "AdagradDA", KeepArgumentsAlive(),
           StoreArguments());
  BindOptimizer<FtrlOptimizer>(
      m, "FtrlOptimizer",
      {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"},
       {"l1_regularization_strength", "l1_regularization_strength", "_l1_regularization_strength",
        "_l1_regularization_strength_tensor"},
       {"l2_regularization_strength", "l2_regularization_strength", "_l2_regularization_strength",
        "_l2_regularization_strength_tensor"},
       {"l2_shrinkage_regularization_strength", "l2_shrinkage_regularization_strength",
        "_l2_shrinkage_regularization_strength", "_l2_shrinkage_regularization_strength_tensor"},
       {"learning_rate_power", "learning_rate_power", "_learning_rate_power", "_learning_rate_power_tensor"}})
      .def(py::init([](py::object rate, float power, double initial, float l1, float l2, bool use_locking,
                       const std::string& name, py::object accum_name, py::object linear_name, float shrinkage) {
             FtrlOptions ftrl{power,
                              initial,
                              l1,
                              l2,
                              accum_name.is_none() ? "" : py::cast<std::string>(accum_name),
                              linear_name.is_none() ? "" : py::cast<std::string>(linear_name),
                              shrinkage};
             auto made = MakeOptimizer<FtrlOptimizer>(HyperParamFrom(rate), ftrl, Options(use_locking, name));
             Check(made->Check());
             return made;
           }),
           py::arg("learning_rate"), py::arg("learning_rate_power") = -0.5f, py::arg("initial_accumulator_value") = 0.1,
           py::arg("l1_regularization_strength") = 0.0f, py::arg("l2_regularization_strength") = 0.0f, locking,
           py::arg("name") = "Ftrl", py::arg("accum_name") = py::none(), py::arg("linear_name") = py::none(),
           py::arg("l2_shrinkage_regularization_strength") = 0.0f, KeepArgumentsAlive(), StoreArguments());
  BindOptimizer<ProximalGradientDescentOptimizer>(
      m, "ProximalGradientDescentOptimizer",
      {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"},
       {"l1", "l1_regularization_strength", "_l1_regularization_strength", "_l1_regularization_strength_tensor"},
       {"l2", "l2_regularization_strength", "_l2_regularization_strength", "_l2_regularization_strength_tensor"}})
      .def(py::init([](py::object rate, float l1, float l2, bool use_locking, const std::string& name) {
             return MakeOptimizer<ProximalGradientDescentOptimizer>(HyperParamFrom(rate), l1, l2,
                                                                    Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("l1_regularization_strength") = 0.0f,
           py::arg("l2_regularization_strength") = 0.0f, locking, py::arg("name") = "ProximalGradientDescent",
           KeepArgumentsAlive(), StoreArguments());
  BindOptimizer<ProximalAdagradOptimizer>(
      m, "ProximalAdagradOptimizer",
      {{"learning_rate", "learning_rate", "_learning_rate", "_learning_rate_tensor"},
       {"l1", "l1_regularization_strength", "_l1_regularization_strength", "_l1_regularization_strength_tensor"},
       {"l2", "l2_regularization_strength", "_l2_regularization_strength", "_l2_regularization_strength_tensor"}})
      .def(py::init([](py::object rate, double initial, float l1, float l2, bool use_locking, const std::string& name) {
             if (!(initial > 0)) RaiseValue(fmt::format("initial_accumulator_value must be positive: {}", initial));
             return MakeOptimizer<ProximalAdagradOptimizer>(HyperParamFrom(rate), initial, l1, l2,
                                                            Options(use_locking, name));
           }),
           py::arg("learning_rate"), py::arg("initial_accumulator_value") = 0.1,
           py::arg("l1_regularization_strength") = 0.0f, py::arg("l2_regularization_strength") = 0.0f, locking,
           py::arg("name") = "ProximalAdagrad", KeepArgumentsAlive(), StoreArguments());
}
}  // namespace

void BindOptimizers(py::module_& m) {
  OptimizerClass cls(m, "Optimizer", py::dynamic_attr(), GarbageCollected<Optimizer>());
  BindMethods(cls);
  BindOverridableSteps(cls);
  BindSlots(cls);
  cls.attr("GATE_NONE") = 0;
  cls.attr("GATE_OP") = 1;
  cls.attr("GATE_GRAPH") = 2;
  BindMomentumOptimizers(m);
  BindAdagradOptimizers(m);
}

}  // namespace weir::python
