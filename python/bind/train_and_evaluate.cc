// tf.estimator.train_and_evaluate: C++ decides what a task does in its role; an object of
// weir/lib/estimator_training.py does it.
#include <pybind11/stl.h>

#include "bind/estimator.h"
#include "bind/files.h"
#include "bind/hooks.h"
#include "bind/objects.h"
#include "train/train_and_evaluate.h"

namespace weir::python {

namespace py = pybind11;

namespace {

// What Python calls around each checkpoint.
struct ListenerObject {
  CheckpointListenerPtr listener;
};

// Calls the methods of the Python object, which outlives it.
class PythonProgram final : public EstimatorProgram {
 public:
  explicit PythonProgram(py::object program) : program_(std::move(program)) {}
  Status StartServer() override { return Do("start_server"); }
  Status JoinServer() override { return Do("join_server"); }
  Status Train(CheckpointListenerPtr listener) override {
    return CallPython([&]() -> Status {
      py::object wrapped = py::none();
      if (listener != nullptr) wrapped = py::cast(std::make_unique<ListenerObject>(ListenerObject{listener}));
      CallOrPark(program_.get().attr("train"), py::make_tuple(wrapped));
      return OkStatus();
    });
  }
  Result<int64_t> Evaluate(const std::string& checkpoint) override {
    return CallPython([&]() -> Result<int64_t> {
      return CallOrPark(program_.get().attr("evaluate"), py::make_tuple(checkpoint)).cast<int64_t>();
    });
  }
  Status Export(const std::string& checkpoint, bool is_last) override {
    return CallPython([&]() -> Status {
      CallOrPark(program_.get().attr("export"), py::make_tuple(checkpoint, is_last));
      return OkStatus();
    });
  }

 private:
  Status Do(const char* method) {
    return CallPython([&]() -> Status {
      CallOrPark(program_.get().attr(method), py::make_tuple());
      return OkStatus();
    });
  }
  const SharedPyObject program_;
};

void RunTrainAndEvaluate(const py::object& config, py::object model_dir, py::object program,
                         std::optional<int64_t> max_steps, double start_delay_secs, double throttle_secs) {
  const RunConfig run_config = RunConfigFrom(config, model_dir);
  PythonProgram inner(std::move(program));
  TrainAndEvaluateOptions options;
  options.max_steps = max_steps;
  options.start_delay_secs = start_delay_secs;
  options.throttle_secs = throttle_secs;
  options.log = PythonLog("info");
  options.warning = PythonLog("warning");
  Check(RunHooks(nullptr, [&](CancelToken* cancel) {
    options.cancel = cancel;
    return TrainAndEvaluate(run_config, inner, options);
  }));
}

}  // namespace

void BindTrainAndEvaluate(py::module_& m) {
  using L = ListenerObject;
  py::class_<L>(m, "CheckpointListener")
      .def("begin", [](L& l) { Check(RunHooks(nullptr, [&](CancelToken*) { return l.listener->Begin(); })); })
      .def(
          "after_save",
          [](L& l, int64_t step) {
            return *RunHooks(nullptr, [&](CancelToken*) { return l.listener->AfterSave(nullptr, step); });
          },
          py::arg("step"))
      .def(
          "end",
          [](L& l, int64_t step) {
            Check(RunHooks(nullptr, [&](CancelToken*) { return l.listener->End(nullptr, step); }));
          },
          py::arg("step"));
  m.def("train_and_evaluate", &RunTrainAndEvaluate, py::arg("config"), py::arg("model_dir"), py::arg("program"),
        py::arg("max_steps"), py::arg("start_delay_secs"), py::arg("throttle_secs"));
  m.def(
      "delete_old_exports",
      [](py::object directory, int keep) {
        CheckFile(DeleteOldExports(PathFrom(directory), keep, Process::Get().env()));
      },
      py::arg("directory"), py::arg("keep"));
}

}  // namespace weir::python
