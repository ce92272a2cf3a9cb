// tf.distributions: the C++ distributions. weir/lib/distributions.py has TensorFlow's classes for them.
#include "graph/compose/distributions.h"

#include "bind/arguments.h"
#include "bind/ownership.h"
#include "graph/compose/dims.h"

namespace weir::python {
namespace {

struct DistributionObject {
  DistributionPtr distribution;
  py::object graph;
};

// Raises the error that building recorded in the graph.
Output Checked(const DistributionObject& object, Output value) {
  Check(object.distribution->graph().TakeError());
  return value;
}

using Statistic = Output (Distribution::*)() const;
using Function = Output (Distribution::*)(Output) const;

}  // namespace

void BindProbabilities(py::module_& m) {
  py::class_<DistributionObject> distribution(m, "Distribution",
                                              GarbageCollected<DistributionObject, VisitGraph<DistributionObject>>());
  distribution.def_property_readonly("dtype", [](const DistributionObject& d) { return d.distribution->dtype(); })
      .def_property_readonly("reparameterized",
                             [](const DistributionObject& d) { return d.distribution->reparameterized(); })
      .def_property_readonly("batch_shape", [](const DistributionObject& d) { return d.distribution->batch_shape(); })
      .def_property_readonly("event_shape", [](const DistributionObject& d) { return d.distribution->event_shape(); })
      .def("parameter",
           [](const DistributionObject& d, const std::string& name) -> py::object {
             const Output value = d.distribution->parameter(name);
             return value.valid() ? Wrap(value) : py::none();
           })
      .def(
          "sample",
          [](const DistributionObject& d, Input shape, OpSeed seed) {
            return Checked(d, d.distribution->Sample(shape, seed));
          },
          py::arg("sample_shape"), py::arg("seed"))
      .def("kl_divergence", [](const DistributionObject& a, const DistributionObject& b) -> py::object {
        Result<Output> divergence = KlDivergence(*a.distribution, *b.distribution);
        if (!divergence.ok()) return py::none();
        return Wrap(Checked(a, *divergence));
      });
  const std::pair<const char*, Statistic> statistics[] = {
      {"batch_shape_tensor", &Distribution::BatchShape},
      {"event_shape_tensor", &Distribution::EventShape},
      {"mean", &Distribution::Mean},
      {"variance", &Distribution::Variance},
      {"stddev", &Distribution::Stddev},
      {"mode", &Distribution::Mode},
      {"entropy", &Distribution::Entropy},
      {"covariance", &Distribution::Covariance},
  };
  for (const auto& [name, statistic] : statistics) {
    distribution.def(name, [statistic = statistic](const DistributionObject& d) {
      return Checked(d, ((*d.distribution).*statistic)());
    });
  }
  const std::pair<const char*, Function> functions[] = {
      {"log_prob", &Distribution::LogProb},
      {"prob", &Distribution::Prob},
      {"log_cdf", &Distribution::LogCdf},
      {"cdf", &Distribution::Cdf},
      {"log_survival_function", &Distribution::LogSurvival},
      {"survival_function", &Distribution::Survival},
      {"quantile", &Distribution::Quantile},
  };
  for (const auto& [name, function] : functions) {
    distribution.def(
        name,
        [function = function](const DistributionObject& d, Input value) {
          Graph& graph = d.distribution->graph();
          // A tensor keeps its type: Bernoulli, for example, takes floats and has samples of integers.
          const Output x = ValueOf(graph, value, value.is_output() ? kInvalidType : d.distribution->dtype(), "value");
          Check(graph.TakeError());
          return Checked(d, ((*d.distribution).*function)(x));
        },
        py::arg("value"));
  }
  m.def(
      "make_distribution",
      [](const std::string& kind, const py::dict& parameters, DType dtype, bool nan_stats) {
        DistributionInputs inputs;
        InputList list;
        for (const auto& [name, value] : parameters) {
          const Input input = InputFrom(value);
          inputs[py::cast<std::string>(name)] = input;
          list.push_back(input);
        }
        Graph* graph = GraphOfArgument(list);
        if (graph == nullptr) graph = &DefaultGraphRef();
        DistributionPtr made = Take(MakeDistribution(*graph, kind, inputs, dtype, nan_stats));
        Check(graph->TakeError());
        return DistributionObject{std::move(made), GraphOf(*graph)};
      },
      py::arg("kind"), py::arg("parameters"), py::arg("dtype"), py::arg("allow_nan_stats"));
}

}  // namespace weir::python
