// Learning-rate schedules, the global step, and moving averages.
#include "train/learning_rate.h"

#include "bind/arguments.h"
#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/ownership.h"
#include "bind/train.h"
#include "bind/variables.h"
#include "graph/compose/initializers.h"
#include "graph/compose/random.h"
#include "graph/node_builder.h"
#include "train/moving_averages.h"

namespace weir::python {
namespace {

void BindSchedules(py::module_& m) {
  using Decay = Output (*)(Graph&, const Input&, const Input&, const Input&, const Input&, const DecayOptions&);
  const std::pair<const char*, Decay> decays[] = {{"exponential_decay", ExponentialDecay},
                                                  {"natural_exp_decay", NaturalExpDecay},
                                                  {"inverse_time_decay", InverseTimeDecay}};
  for (const auto& [name, decay] : decays) {
    m.def(name,
          Building([decay = decay](Graph& graph, const Input& rate, const Input& step, const Input& steps,
                                   const Input& factor, bool staircase, const Name& as) {
            return decay(graph, rate, step, steps, factor, {.staircase = staircase, .name = as.text});
          }),
          py::arg("learning_rate"), py::arg("global_step"), py::arg("decay_steps"), py::arg("decay_rate"),
          py::arg("staircase") = false, py::arg("name") = py::none());
  }
  m.def("polynomial_decay",
        Building([](Graph& graph, const Input& rate, const Input& step, const Input& steps, const Input& end,
                    const Input& power, bool cycle, const Name& name) {
          return PolynomialDecay(graph, rate, step, steps, end, power, cycle, name.text);
        }),
        py::arg("learning_rate"), py::arg("global_step"), py::arg("decay_steps"), py::arg("end_learning_rate") = 0.0001,
        py::arg("power") = 1.0, py::arg("cycle") = false, py::arg("name") = py::none());
  m.def("piecewise_constant",
        Building([](Graph& graph, const Input& x, const Values& boundaries, const Values& values, const Name& name) {
          for (const Values* list : {&boundaries, &values})
            if (list->list.size() == 1 && list->list[0].absent()) RaiseValue("None values not supported.");
          return PiecewiseConstant(graph, x, boundaries.list, values.list, name.text);
        }),
        py::arg("x"), py::arg("boundaries"), py::arg("values"), py::arg("name") = py::none());
  m.def("cosine_decay",
        Building([](Graph& graph, const Input& rate, const Input& step, const Input& steps, float alpha,
                    const Name& name) { return CosineDecay(graph, rate, step, steps, alpha, name.text); }),
        py::arg("learning_rate"), py::arg("global_step"), py::arg("decay_steps"), py::arg("alpha") = 0.0f,
        py::arg("name") = py::none());
  m.def("cosine_decay_restarts",
        Building([](Graph& graph, const Input& rate, const Input& step, const Input& steps, float t_mul, float m_mul,
                    float alpha, const Name& name) {
          return CosineDecayRestarts(graph, rate, step, steps, t_mul, m_mul, alpha, name.text);
        }),
        py::arg("learning_rate"), py::arg("global_step"), py::arg("first_decay_steps"), py::arg("t_mul") = 2.0f,
        py::arg("m_mul") = 1.0f, py::arg("alpha") = 0.0f, py::arg("name") = py::none());
  m.def("linear_cosine_decay",
        Building([](Graph& graph, const Input& rate, const Input& step, const Input& steps, float periods, float alpha,
                    float beta, const Name& name) {
          return LinearCosineDecay(graph, rate, step, steps, periods, alpha, beta, name.text);
        }),
        py::arg("learning_rate"), py::arg("global_step"), py::arg("decay_steps"), py::arg("num_periods") = 0.5f,
        py::arg("alpha") = 0.0f, py::arg("beta") = 0.001f, py::arg("name") = py::none());
  m.def("noisy_linear_cosine_decay",
        Building([](Graph& graph, const Input& rate, const Input& step, const Input& steps, float variance, float decay,
                    float periods, float alpha, float beta, const Name& name) {
          return NoisyLinearCosineDecay(graph, rate, step, steps, variance, decay, periods, alpha, beta, name.text);
        }),
        py::arg("learning_rate"), py::arg("global_step"), py::arg("decay_steps"), py::arg("initial_variance") = 1.0f,
        py::arg("variance_decay") = 0.55f, py::arg("num_periods") = 0.5f, py::arg("alpha") = 0.0f,
        py::arg("beta") = 0.001f, py::arg("name") = py::none());
}

void BindAverages(py::module_& m) {
  using E = ExponentialMovingAverage;
  py::class_<E, std::shared_ptr<E>>(m, "ExponentialMovingAverage", GarbageCollected<E>())
      .def(py::init([](const Input& decay, const Input& num_updates, bool zero_debias, const std::string& name) {
             if (decay.absent()) RaiseValue("None values not supported.");
             Output count;
             if (!num_updates.absent())
               count = Take(ToOutput(GraphOfInput(num_updates), num_updates, kInvalidType, "num_updates"));
             return std::make_shared<E>(decay, E::Options{count, zero_debias, name});
           }),
           py::arg("decay"), py::arg("num_updates") = py::none(), py::arg("zero_debias") = false,
           py::arg("name") = "ExponentialMovingAverage", KeepArgumentsAlive())
      .def_property_readonly("name", [](const E& e) { return e.name(); })
      .def(
          "apply",
          [](py::object self, py::object list) -> Node* {
            E& e = self.cast<E&>();
            if (list.is_none()) {
              HoldGraph(self, DefaultGraphRef());
              return Take(e.Apply(DefaultGraphRef()));
            }
            list = py::list(list);
            for (py::handle item : list) HoldGraph(self, NodeFrom(item)->graph());
            std::vector<VariablePtr> vars;
            std::vector<Node*> tensors;
            for (py::handle item : list) {
              if (IsTensor(item))
                tensors.push_back(Take(e.ApplyTensor(OutputOf(item))));
              else
                vars.push_back(VariableFrom(item));
            }
            Node* updated = vars.empty() ? nullptr : Take(e.Apply(vars[0]->graph(), vars));
            if (tensors.empty()) return updated;
            if (updated != nullptr) tensors.push_back(updated);
            return tensors.size() == 1 ? tensors[0] : Group(tensors[0]->graph(), tensors);
          },
          py::arg("var_list") = py::none())
      .def(
          "average",
          [](const E& e, py::object var) -> VariablePtr {
            return IsTensor(var) ? e.Average(OutputOf(var)) : e.Average(VariableFrom(var));
          },
          py::arg("var"))
      .def(
          "average_name",
          [](const E& e, py::object var) { return e.AverageName(py::cast<std::string>(var.attr("op").attr("name"))); },
          py::arg("var"))
      .def(
          "variables_to_restore",
          [](const E& e, py::object vars) {
            return e.VariablesToRestore(DefaultGraphRef(),
                                        vars.is_none() ? std::vector<VariablePtr>{} : VariablesFrom(vars));
          },
          py::arg("moving_avg_variables") = py::none());
}

void BindAssignMovingAverage(py::module_& m) {
  m.def(
      "assign_moving_average",
      [](py::object variable, const Input& value, const Input& decay, bool zero_debias,
         std::optional<std::string> name) {
        const VariablePtr average = VariableFrom(variable);
        Graph& graph = average->graph();
        return Take(AssignMovingAverage(*average, Take(ToOutput(graph, value, average->dtype(), "value")),
                                        Take(ToOutput(graph, decay, kInvalidType, "decay")), zero_debias,
                                        name.value_or("AssignMovingAvg")));
      },
      py::arg("variable"), py::arg("value"), py::arg("decay"), py::arg("zero_debias") = true,
      py::arg("name") = py::none());
}

// Initial values for the initializer classes: tensors from shape, type and settings.
void BindInitializers(py::module_& m) {
  m.def("initial_zeros",
        Building([](Graph& g, const PartialShape& shape, DType dtype) { return ZerosInitial(g, shape, dtype); }));
  m.def("initial_ones",
        Building([](Graph& g, const PartialShape& shape, DType dtype) { return OnesInitial(g, shape, dtype); }));
  m.def("initial_constant",
        Building([](Graph& g, py::object value, const PartialShape& shape, DType dtype, bool verify_shape) {
          return ConstantInitial(g, shape, dtype, TensorFromPython(value, dtype), verify_shape);
        }));
  m.def("initial_variance_scaling",
        Building([](Graph& g, const PartialShape& shape, DType dtype, float scale, const std::string& mode,
                    const std::string& distribution, OpSeed seed, const PartitionInfo* partition) -> Result<Output> {
          VarianceScaling how{.scale = scale, .seed = seed};
          if (mode == "fan_in")
            how.mode = FanMode::kIn;
          else if (mode == "fan_out")
            how.mode = FanMode::kOut;
          else if (mode == "fan_avg")
            how.mode = FanMode::kAverage;
          else
            return InvalidArgument("Invalid `mode` argument: {}", mode);
          if (distribution == "normal" || distribution == "truncated_normal")
            how.distribution = VarianceDistribution::kTruncatedNormal;
          else if (distribution == "untruncated_normal")
            how.distribution = VarianceDistribution::kUntruncatedNormal;
          else if (distribution == "uniform")
            how.distribution = VarianceDistribution::kUniform;
          else if (distribution == "contrib_truncated_normal")
            how.distribution = VarianceDistribution::kContribTruncatedNormal;
          else
            return InvalidArgument("Invalid `distribution` argument: {}", distribution);
          return VarianceScalingInitial(g, shape, dtype, how, partition);
        }));
  m.def("initial_orthogonal", Building([](Graph& g, const PartialShape& shape, DType dtype, float gain, OpSeed seed) {
          return OrthogonalInitial(g, shape, dtype, gain, seed);
        }));
  m.def("initial_identity",
        Building([](Graph& g, const PartialShape& shape, DType dtype, float gain, const PartitionInfo* partition) {
          return IdentityInitial(g, shape, dtype, gain, partition);
        }));
  m.def("initial_uniform_unit_scaling", Building([](Graph& g, const PartialShape& shape, DType dtype, float factor,
                                                    OpSeed seed, const PartitionInfo* partition) {
          return UniformUnitScalingInitial(g, shape, dtype, factor, seed, partition);
        }));
}

}  // namespace

void BindLearningRates(py::module_& m) {
  BindSchedules(m);
  BindAverages(m);
  BindAssignMovingAverage(m);
  BindInitializers(m);
}

}  // namespace weir::python
