// Heads of tf.estimator: losses, predictions and metrics.
#include <pybind11/stl.h>

#include "bind/estimator.h"
#include "bind/input_caster.h"
#include "graph/compose/checks.h"
#include "train/heads.h"

namespace weir::python {

namespace py = pybind11;

namespace {

template <class T>
T ChoiceOf(const std::string& text, std::initializer_list<std::pair<const char*, T>> rows, const char* what) {
  for (const auto& [name, value] : rows)
    if (text == name) return value;
  RaiseValue(fmt::format("Invalid {}: {}", what, text));
}

HeadOptions MakeHeadOptions(const std::string& kind, int64_t dimension, std::vector<std::string> label_vocabulary,
                            std::vector<double> thresholds, const std::string& reduction, std::string name,
                            bool compute_full_loss, std::vector<int64_t> classes_for_metrics) {
  HeadOptions options;
  options.kind = ChoiceOf<HeadKind>(kind,
                                    {{"binary", HeadKind::kBinary},
                                     {"multi_class", HeadKind::kMultiClass},
                                     {"multi_label", HeadKind::kMultiLabel},
                                     {"regression", HeadKind::kRegression},
                                     {"poisson", HeadKind::kPoisson},
                                     {"logistic", HeadKind::kLogistic}},
                                    "kind of head");
  options.reduction =
      ChoiceOf<HeadReduction>(reduction,
                              {{"none", HeadReduction::kNone},
                               {"sum", HeadReduction::kSum},
                               {"weighted_sum", HeadReduction::kSum},
                               {"weighted_mean", HeadReduction::kMean},
                               {"sum_over_batch_size", HeadReduction::kSumOverBatchSize},
                               {"weighted_sum_over_batch_size", HeadReduction::kSumOverBatchSize},
                               {"weighted_sum_by_nonzero_weights", HeadReduction::kSumByNonzeroWeights}},
                              "loss_reduction");
  options.dimension = dimension;
  options.label_vocabulary = std::move(label_vocabulary);
  options.thresholds = std::move(thresholds);
  options.name = std::move(name);
  options.compute_full_loss = compute_full_loss;
  options.classes_for_metrics = std::move(classes_for_metrics);
  return options;
}

// Calls a function of the program with tensors; it returns one.
Result<Output> CallForTensor(const py::object& function, const py::tuple& arguments) {
  return CatchExceptions([&]() -> Result<Output> { return OutputOf(function(*arguments)); });
}

// (total, per example, weights, labels)
py::tuple HeadLossOf(HeadOptions options, Output logits, Output labels, Output weights, const py::object& loss_fn) {
  if (!loss_fn.is_none())
    options.loss_fn = [&](Output given_labels, Output given_logits) {
      return CallForTensor(loss_fn, py::make_tuple(Wrap(given_labels), Wrap(given_logits)));
    };
  Graph& graph = logits.graph();
  Result<HeadLoss> built = BuildHeadLoss(graph, options, logits, labels, weights);
  // Labels that are known to be out of range raise the error that a step would raise.
  if (IsFailedAssertion(built.status())) RaiseRunError(built.status(), &graph);
  const HeadLoss loss = FinishBuild(graph, std::move(built));
  return py::make_tuple(Wrap(loss.total), Wrap(loss.per_example), Wrap(loss.weights), Wrap(loss.labels));
}

py::dict DictOfOutputs(const NamedOutputs& outputs) {
  py::dict made;
  for (const auto& [name, output] : outputs) made[py::str(name)] = Wrap(output);
  return made;
}

py::dict HeadPredictionsOf(HeadOptions options, Output logits, const py::object& inverse_link) {
  if (!inverse_link.is_none())
    options.inverse_link = [&](Output given) { return CallForTensor(inverse_link, py::make_tuple(Wrap(given))); };
  Graph& graph = logits.graph();
  return DictOfOutputs(FinishBuild(graph, BuildHeadPredictions(graph, options, logits)));
}

// {name: (value, update)}
py::dict HeadMetricsOf(const HeadOptions& options, Output total, Output per_example, Output weights, Output labels,
                       const py::dict& predictions) {
  NamedOutputs named;
  for (const auto& [key, value] : predictions) named.emplace_back(py::cast<std::string>(key), OutputOf(value));
  Graph& graph = per_example.graph();
  const auto metrics =
      FinishBuild(graph, BuildHeadMetrics(graph, options, {total, per_example, weights, labels}, named));
  py::dict made;
  for (const EstimatorMetric& metric : metrics)
    made[py::str(metric.name)] = py::make_tuple(Wrap(metric.value), Wrap(Output(metric.update, 0)));
  return made;
}

}  // namespace

void BindHeads(py::module_& m) {
  using py::arg;
  py::class_<HeadOptions>(m, "HeadOptions")
      .def(py::init(&MakeHeadOptions), arg("kind"), arg("dimension"), arg("label_vocabulary"), arg("thresholds"),
           arg("reduction"), arg("name"), arg("compute_full_loss"), arg("classes_for_metrics"))
      .def_readwrite("interpolate_areas", &HeadOptions::interpolate_areas)
      .def_property_readonly("logits_dimension", &HeadOptions::logits_dimension)
      .def("loss", &HeadLossOf, arg("logits"), arg("labels"), arg("weights"), arg("loss_fn"))
      .def("predictions", &HeadPredictionsOf, arg("logits"), arg("inverse_link"))
      .def("metrics", &HeadMetricsOf, arg("total"), arg("per_example"), arg("weights"), arg("labels"),
           arg("predictions"));
}

}  // namespace weir::python
