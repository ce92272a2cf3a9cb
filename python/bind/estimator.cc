// The loops of tf.estimator.Estimator. weir/lib/estimator.py calls the functions of the program that build a model.
#include "bind/estimator.h"

#include <pybind11/stl.h>

#include "bind/cluster.h"
#include "bind/fetch.h"
#include "bind/files.h"
#include "bind/gc.h"
#include "bind/hooks.h"
#include "bind/messages.h"
#include "bind/monitored_session.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/session_manager.h"
#include "session/task_role.h"
#include "train/estimator.h"

namespace weir::python {
namespace {

template <class T>
std::optional<T> OptionalOf(const py::object& value) {
  return value.is_none() ? std::nullopt : std::optional<T>(value.cast<T>());
}

// Keeps the Python objects of an EstimatorSpec alive (EstimatorSpec::owner).
struct SpecOwner {
  SharedPyObject model;
  SharedPyObject scaffold;
  std::shared_ptr<FetchMap> predictions;
};
using SpecOwnerPtr = std::shared_ptr<SpecOwner>;

const SpecOwner& OwnerOf(const EstimatorSpec& spec) { return *std::any_cast<const SpecOwnerPtr&>(spec.owner); }

std::vector<HookPtr> HooksOf(const py::object& hooks, const Graph& graph) {
  std::vector<HookPtr> made;
  for (py::handle hook : py::iter(hooks)) {
    made.push_back(HookFrom(py::reinterpret_borrow<py::object>(hook)));
    HoldGraphOfHook(hook, graph);
  }
  return made;
}

Output SpecElementOf(GraphObject& graph, const py::object& value) {
  return OutputOf(GraphElement(graph, value, /*allow_tensor=*/true, /*allow_operation=*/false));
}

// Converts the result of the function that builds a model: an object with `spec` (an EstimatorSpec), `input_hooks`,
// `predictions` and `signatures`.
EstimatorSpec EstimatorSpecFrom(const py::object& graph_object, const py::object& model) {
  GraphObject& graph = GraphObjectOf(graph_object);
  const py::object spec = model.attr("spec");
  auto owner = std::make_shared<SpecOwner>();
  owner->model = SharedPyObject(model);
  py::object scaffold = spec.attr("scaffold");
  if (scaffold.is_none()) scaffold = py::module_::import("weir.lib.scaffold").attr("Scaffold")();
  owner->scaffold = SharedPyObject(scaffold);
  EstimatorSpec made;
  made.scaffold = ScaffoldOf(scaffold);
  made.scaffold->saver = SaverFrom(scaffold.attr("saver"));
  if (const py::object local_init = scaffold.attr("local_init_op"); !local_init.is_none())
    made.scaffold->local_init = NodesFrom(graph_object, local_init);
  if (const py::object loss = spec.attr("loss"); !loss.is_none()) made.loss = SpecElementOf(graph, loss);
  if (const py::object train_op = spec.attr("train_op"); !train_op.is_none()) made.train_op = NodeFrom(train_op);
  for (const auto& [key, pair] : py::reinterpret_borrow<py::dict>(spec.attr("eval_metric_ops"))) {
    const auto metric = py::cast<std::pair<py::object, py::object>>(pair);
    made.metrics.push_back({Str(key), SpecElementOf(graph, metric.first), NodeFrom(metric.second)});
  }
  made.input_hooks = HooksOf(model.attr("input_hooks"), *graph.graph);
  made.training_hooks = HooksOf(spec.attr("training_hooks"), *graph.graph);
  made.training_chief_hooks = HooksOf(spec.attr("training_chief_hooks"), *graph.graph);
  made.evaluation_hooks = HooksOf(spec.attr("evaluation_hooks"), *graph.graph);
  made.prediction_hooks = HooksOf(spec.attr("prediction_hooks"), *graph.graph);
  if (const py::object predictions = model.attr("predictions"); !predictions.is_none()) {
    owner->predictions = std::shared_ptr<FetchMap>(new FetchMap(graph, predictions),
                                                   [](FetchMap* map) { InPython([map] { delete map; }); });
    for (const Output& output : owner->predictions->outputs()) made.predictions.emplace_back(output.name(), output);
  }
  for (const auto& [key, signature] : py::reinterpret_borrow<py::dict>(model.attr("signatures")))
    made.signatures[Str(key)] = MessageFrom<tensorflow::SignatureDef>(signature);
  made.owner = std::move(owner);
  return made;
}

// `build` is called with the mode.
ModelBuilder ModelBuilderFrom(py::object graph, py::object build) {
  return [graph = SharedPyObject(std::move(graph)), build = SharedPyObject(std::move(build))](
             Graph&, EstimatorMode mode) -> Result<EstimatorSpec> {
    return CallPython([&]() -> Result<EstimatorSpec> {
      const char* name = mode == EstimatorMode::kTrain ? "train" : mode == EstimatorMode::kEvaluate ? "eval" : "infer";
      return EstimatorSpecFrom(graph.get(), CallOrPark(build.get(), py::make_tuple(name)));
    });
  };
}

class PythonHost final : public EstimatorHost {
 public:
  PythonHost(py::object graph, const py::object& config)
      : graph_object_(graph),
        config_(config),
        session_config_(py::object(config.attr("session_config"))),
        device_(py::object(config.attr("device_fn"))),
        graph_(GraphObjectOf(graph).graph) {}

  Result<std::shared_ptr<Graph>> NewGraph() override { return graph_; }

  Result<std::shared_ptr<void>> EnterScopes(Graph& graph, const RunConfig& config) override {
    if (device_.get().is_none()) return EnterReplicaDevice(graph, config.role);
    return CallPython([&]() -> Result<std::shared_ptr<void>> {
      py::object scope = py::module_::import("weir").attr("device")(device_.get());
      scope.attr("__enter__")();
      return std::shared_ptr<void>(new SharedPyObject(std::move(scope)), [](SharedPyObject* entered) {
        InPython([&] {
          try {
            entered->get().attr("__exit__")(py::none(), py::none(), py::none());
          } catch (py::error_already_set& error) {
            error.discard_as_unraisable("leaving a device scope");
          }
        });
        delete entered;
      });
    });
  }

  Result<SessionCreator> Sessions(const std::shared_ptr<Graph>&, const EstimatorSpec& spec,
                                  const SessionRequest& request) override {
    return CallPython([&]() -> Result<SessionCreator> {
      using namespace py::literals;
      const auto path = [](const std::string& text) -> py::object {
        return text.empty() ? py::object(py::none()) : py::object(py::str(text));
      };
      const py::module_ library = py::module_::import("weir.lib.monitored_session");
      const py::object scaffold = OwnerOf(spec).scaffold.get();
      py::object creator =
          request.is_chief ? library.attr("ChiefSessionCreator")(
                                 "scaffold"_a = scaffold, "master"_a = request.master,
                                 "config"_a = session_config_.get(), "checkpoint_dir"_a = path(request.checkpoint_dir),
                                 "checkpoint_filename_with_path"_a = path(request.checkpoint_path))
                           : library.attr("WorkerSessionCreator")("scaffold"_a = scaffold, "master"_a = request.master,
                                                                  "config"_a = session_config_.get(),
                                                                  "max_wait_secs"_a = request.max_wait_secs);
      return CreatorFrom(std::move(creator), graph_object_.get(), current_);
    });
  }

  Result<SessionPtr> PlainSession(const std::shared_ptr<Graph>&) override {
    return CallPython([&]() -> Result<SessionPtr> {
      plain_.emplace(py::str(""), graph_object_.get(), session_config_.get());
      return plain_->maker()();
    });
  }

  void SetThreads(MonitoredSessionOptions* options) override { UsePythonThreads(current_, options); }
  TrainingHookParts HookParts(const EstimatorSpec& spec) override {
    return InPython([&] { return PythonHookParts(OwnerOf(spec).scaffold.get()); });
  }

 private:
  const SharedPyObject graph_object_;
  const SharedPyObject config_;
  const SharedPyObject session_config_;
  const SharedPyObject device_;
  const std::shared_ptr<Graph> graph_;
  std::optional<PythonSessions> plain_;  // holds the session of PlainSession
  const std::shared_ptr<SessionObjects> current_ = std::make_shared<SessionObjects>();
};

// One call of a loop: the graph is the default graph until its end.
struct EstimatorCall {
  EstimatorCall(const py::object& graph, const py::object& config, const py::object& model_dir, py::object build)
      : in_graph(graph),
        host(std::make_shared<PythonHost>(graph, config)),
        run_config(RunConfigFrom(config, model_dir)),
        builder(ModelBuilderFrom(graph, std::move(build))),
        inner(*GraphObjectOf(graph).graph) {}
  ~EstimatorCall() { DrainDecrefs(); }  // releases Python objects that were dropped without the GIL
  template <class F>
  auto Run(F&& body) {
    return RunHooks(&inner, std::forward<F>(body));
  }
  const InGraph in_graph;
  const std::shared_ptr<PythonHost> host;
  const RunConfig run_config;
  const ModelBuilder builder;
  Graph& inner;
};

py::object TrainEstimator(py::object graph, py::object config, py::object model_dir, py::object build,
                          const py::list& hooks, std::optional<int64_t> steps, std::optional<int64_t> max_steps,
                          const py::list& listeners) {
  EstimatorCall call(graph, config, model_dir, std::move(build));
  TrainOptions options{.steps = steps, .max_steps = max_steps, .hooks = HooksOf(hooks, call.inner)};
  for (py::handle listener : listeners)
    options.listeners.push_back(ListenerFrom(py::reinterpret_borrow<py::object>(listener)));
  const std::optional<Tensor> loss = *call.Run([&](CancelToken* cancel) {
    options.cancel = cancel;
    return TrainModel(*call.host, call.run_config, call.builder, options);
  });
  return loss ? NumpyFromTensor(*loss) : py::object(py::none());
}

py::dict EvaluateEstimator(py::object graph, py::object config, py::object model_dir, py::object build,
                           const py::list& hooks, std::optional<int64_t> steps, const py::object& checkpoint_path,
                           const py::object& name) {
  EstimatorCall call(graph, config, model_dir, std::move(build));
  EvaluateOptions options{.steps = steps, .hooks = HooksOf(hooks, call.inner)};
  if (!checkpoint_path.is_none()) options.checkpoint_path = PathFrom(checkpoint_path);
  if (!name.is_none()) options.name = Str(name);
  const Evaluation evaluation = *call.Run([&](CancelToken* cancel) {
    options.cancel = cancel;
    return EvaluateModel(*call.host, call.run_config, call.builder, options);
  });
  py::dict results;
  for (const auto& [key, value] : evaluation.metrics) results[py::str(key)] = NumpyFromTensor(value);
  return results;
}

// The predictions of one run, batch by batch.
struct PredictionsObject {
  py::object graph;
  py::list hooks;
  std::unique_ptr<Predictions> predictions;

  ~PredictionsObject() {
    if (predictions == nullptr) return;
    {
      const ReleaseGil waiting;
      predictions.reset();
    }
    DrainDecrefs();
  }
};

int VisitPredictions(PredictionsObject& p, visitproc visit, void* arg) {
  Py_VISIT(p.graph.ptr());
  Py_VISIT(p.hooks.ptr());
  return 0;
}

std::unique_ptr<PredictionsObject> PredictWithEstimator(py::object graph, py::object config, py::object model_dir,
                                                        py::object build, const py::list& hooks,
                                                        const py::object& checkpoint_path) {
  EstimatorCall call(graph, config, model_dir, std::move(build));
  auto made = std::make_unique<PredictionsObject>();
  made->graph = graph;
  made->hooks = py::list(py::tuple(hooks));
  PredictOptions options{.hooks = HooksOf(hooks, call.inner)};
  if (!checkpoint_path.is_none()) options.checkpoint_path = PathFrom(checkpoint_path);
  made->predictions = *call.Run([&](CancelToken* cancel) {
    options.cancel = cancel;
    return PredictWithModel(*call.host, call.run_config, call.builder, options);
  });
  return made;
}

py::object NextPredictions(PredictionsObject& p) {
  const std::optional<std::vector<Tensor>> values =
      *RunHooks(GraphObjectOf(p.graph).graph.get(), [&](CancelToken* cancel) { return p.predictions->Next(cancel); });
  if (!values) return py::none();
  std::vector<py::object> arrays;
  for (const Tensor& value : *values) arrays.push_back(NumpyFromTensor(value));
  return OwnerOf(p.predictions->spec()).predictions->Result(arrays);
}

py::str ExportEstimator(py::object graph, py::object config, py::object model_dir, py::object build,
                        const py::object& base, const py::dict& assets, bool as_text, const py::object& checkpoint_path,
                        const std::string& mode, const std::vector<std::string>& tags, bool strip_default_attrs) {
  EstimatorCall call(graph, config, model_dir, std::move(build));
  ExportModelOptions options;
  if (!checkpoint_path.is_none()) options.checkpoint_path = PathFrom(checkpoint_path);
  for (const auto& [name, source] : assets) options.extra_assets[PathFrom(name)] = PathFrom(source);
  options.mode = mode == "train"  ? EstimatorMode::kTrain
                 : mode == "eval" ? EstimatorMode::kEvaluate
                                  : EstimatorMode::kPredict;
  options.tags = tags;
  options.strip_default_attrs = strip_default_attrs;
  if (as_text)
    options.as_text = [](const tensorflow::SavedModel& model) -> Result<std::string> {
      return CallPython(
          [&]() -> Result<std::string> { return py::str(MessageToPython("SavedModel", model)).cast<std::string>(); });
    };
  const std::string directory = PathFrom(base);
  return py::str(*call.Run([&](CancelToken* cancel) {
    options.cancel = cancel;
    return ExportModel(*call.host, call.run_config, call.builder, directory, options);
  }));
}

py::dict RoleFromText(const std::string& tf_config) {
  const TaskRole role = Take(TaskRole::FromTfConfig(tf_config));
  py::dict made;
  py::dict cluster;
  for (const auto& [job, tasks] : role.cluster.jobs()) {
    py::dict addresses;
    for (const auto& [index, address] : tasks) addresses[py::int_(index)] = address;
    cluster[py::str(job)] = addresses;
  }
  made["cluster"] = cluster;
  made["task_type"] = role.task_type;
  made["task_id"] = role.task_id;
  made["global_id_in_cluster"] = role.global_id;
  made["master"] = role.master;
  made["evaluation_master"] = role.evaluation_master;
  made["is_chief"] = role.is_chief;
  made["num_ps_replicas"] = role.num_ps_replicas;
  made["num_worker_replicas"] = role.num_worker_replicas;
  made["model_dir"] = role.model_dir;
  made["service"] = role.service;
  return made;
}

}  // namespace

RunConfig RunConfigFrom(const py::object& config, const py::object& model_dir) {
  RunConfig made;
  made.model_dir = PathFrom(model_dir);
  made.env = &Process::Get().env();
  made.random_seed = OptionalOf<int64_t>(config.attr("tf_random_seed"));
  made.save_summary_steps = OptionalOf<int64_t>(config.attr("save_summary_steps")).value_or(0);
  made.save_checkpoints = {.every_secs = OptionalOf<double>(config.attr("save_checkpoints_secs")),
                           .every_steps = OptionalOf<double>(config.attr("save_checkpoints_steps"))};
  made.keep_checkpoint_max = OptionalOf<int>(config.attr("keep_checkpoint_max")).value_or(0);
  made.keep_checkpoint_every_n_hours = config.attr("keep_checkpoint_every_n_hours").cast<double>();
  made.log_step_count_steps = OptionalOf<int64_t>(config.attr("log_step_count_steps")).value_or(0);
  made.session_creation_timeout_secs = config.attr("session_creation_timeout_secs").cast<double>();
  made.max_worker_delay_secs =
      OptionalOf<double>(config.attr("experimental_max_worker_delay_secs")).value_or(made.max_worker_delay_secs);
  TaskRole& role = made.role;
  role.cluster = ClusterSpecFrom(config.attr("cluster_spec"));
  role.task_type = config.attr("task_type").is_none() ? "" : Str(config.attr("task_type"));
  role.task_id = OptionalOf<int>(config.attr("task_id")).value_or(0);
  role.master = Str(config.attr("master"));
  role.evaluation_master = Str(config.attr("evaluation_master"));
  role.is_chief = config.attr("is_chief").cast<bool>();
  role.num_ps_replicas = config.attr("num_ps_replicas").cast<int>();
  role.num_worker_replicas = config.attr("num_worker_replicas").cast<int>();
  return made;
}

void BindEstimator(py::module_& m) {
  using P = PredictionsObject;
  const auto arg = [](const char* name) { return py::arg(name); };
  py::class_<P>(m, "Predictions", GarbageCollected<P, VisitPredictions>())
      .def("next", &NextPredictions)
      .def(
          "close",
          [](P& p, bool failed) {
            Graph* graph = GraphObjectOf(p.graph).graph.get();
            Check(RunHooks(graph, [&](CancelToken* cancel) { return p.predictions->Close(failed, cancel); }));
          },
          arg("failed"));
  m.def("estimator_train", &TrainEstimator, arg("graph"), arg("config"), arg("model_dir"), arg("build"), arg("hooks"),
        arg("steps"), arg("max_steps"), arg("listeners"));
  m.def("estimator_evaluate", &EvaluateEstimator, arg("graph"), arg("config"), arg("model_dir"), arg("build"),
        arg("hooks"), arg("steps"), arg("checkpoint_path"), arg("name"));
  m.def("estimator_predict", &PredictWithEstimator, arg("graph"), arg("config"), arg("model_dir"), arg("build"),
        arg("hooks"), arg("checkpoint_path"));
  m.def("estimator_export", &ExportEstimator, arg("graph"), arg("config"), arg("model_dir"), arg("build"), arg("base"),
        arg("assets"), arg("as_text"), arg("checkpoint_path"), arg("mode"), arg("tags"), arg("strip_default_attrs"));
  m.def("task_role", &RoleFromText, arg("tf_config"));
  m.def(
      "estimator_eval_dir",
      [](py::object model_dir, const py::object& name) {
        RunConfig config;
        config.model_dir = PathFrom(model_dir);
        config.env = &Process::Get().env();
        return EvaluationDirectory(config, name.is_none() ? "" : Str(name));
      },
      arg("model_dir"), arg("name"));
  // `wants(name)` says whether a variable is to be initialized from the checkpoint.
  m.def(
      "warm_start_variables",
      [](py::object checkpoint, py::object wants, bool only_trainable, std::map<std::string, std::string> saved_names) {
        WarmStart from{.checkpoint = PathFrom(checkpoint),
                       .only_trainable = only_trainable,
                       .saved_names = std::move(saved_names),
                       .env = &Process::Get().env()};
        if (!wants.is_none())
          from.wants = [wants](const std::string& name) -> Result<bool> {
            return CallPython([&]() -> Result<bool> { return py::cast<bool>(wants(name)); });
          };
        Graph& graph = DefaultGraphRef();
        const Status status = WarmStartVariables(graph, from);
        RecordOrigins(graph);
        Check(status);
      },
      arg("checkpoint"), arg("wants"), arg("only_trainable"), arg("saved_names"));
  BindHeads(m);
  BindTrainAndEvaluate(m);
}

}  // namespace weir::python
