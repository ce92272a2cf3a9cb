// tf.train.CheckpointSaverHook, SummarySaverHook, StepCounterHook and ProfilerHook.
#include <pybind11/stl.h>

#include "bind/files.h"
#include "bind/hooks.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/process.h"
#include "bind/summary.h"
#include "runtime/chrome_trace.h"
#include "train/monitored_session.h"

namespace weir::python {
namespace {

// A listener implemented in Python.
class PythonListener final : public CheckpointListener {
 public:
  explicit PythonListener(py::object listener) : listener_(std::move(listener)) {}
  Status Begin() override {
    return CallPython([&]() -> Status {
      listener_.get().attr("begin")();
      return OkStatus();
    });
  }
  Status BeforeSave(const SessionPtr& session, int64_t step) override {
    return CallPython([&]() -> Status {
      listener_.get().attr("before_save")(PythonSessionOf(session), step);
      return OkStatus();
    });
  }
  Result<bool> AfterSave(const SessionPtr& session, int64_t step) override {
    return CallPython([&]() -> Result<bool> {
      const py::object wants_stop = listener_.get().attr("after_save")(PythonSessionOf(session), step);
      return PyObject_IsTrue(wants_stop.ptr()) == 1;
    });
  }
  Status End(const SessionPtr& session, int64_t step) override {
    return CallPython([&]() -> Status {
      listener_.get().attr("end")(PythonSessionOf(session), step);
      return OkStatus();
    });
  }

 private:
  SharedPyObject listener_;
};

// The given writer, or the cached writer of the directory. Empty if there is neither.
WriterSource WriterFrom(py::object writer, py::handle directory) {
  if (!writer.is_none()) return FixedWriter(SummaryWriterFrom(std::move(writer)));
  if (directory.is_none() || py::len(directory) == 0) return {};
  return [path = PathFrom(directory)](Graph&) -> Result<SummaryWriterPtr> {
    return CallPython([&]() -> Result<SummaryWriterPtr> { return CachedWriter(path); });
  };
}

// `saver` is a function that returns the saver, or None to use the one in the graph's collection.
std::unique_ptr<HookObject> MakeCheckpointSaver(py::handle checkpoint_dir, std::optional<double> save_secs,
                                                std::optional<double> save_steps, py::object saver,
                                                const std::string& basename, py::object listeners) {
  CheckpointSaverOptions options;
  options.checkpoint_dir = PathFrom(checkpoint_dir);
  options.interval = {.every_secs = save_secs, .every_steps = save_steps};
  options.checkpoint_basename = basename;
  options.env = &Process::Get().env();
  options.writer = WriterFrom(py::none(), checkpoint_dir);
  options.codec = PythonCollectionCodec();
  options.log = PythonLog("info");
  if (!saver.is_none())
    options.saver = [saver = SharedPyObject(std::move(saver))](Graph&) -> Result<std::shared_ptr<Saver>> {
      return CallPython([&]() -> Result<std::shared_ptr<Saver>> { return SaverFrom(saver.get()()); });
    };
  if (!listeners.is_none())
    for (py::handle listener : py::iter(listeners))
      options.listeners.push_back(ListenerFrom(py::reinterpret_borrow<py::object>(listener)));
  options.graph_text = PythonGraphText();
  return MakeHookObject(Take(CheckpointSaverHook::Make(std::move(options))));
}

// `summaries` is a function that returns the tensors to run.
std::unique_ptr<HookObject> MakeSummarySaver(std::optional<double> save_steps, std::optional<double> save_secs,
                                             py::object output_dir, py::object summary_writer, py::object summaries) {
  SummarySaverOptions options;
  options.interval = {.every_secs = save_secs, .every_steps = save_steps};
  options.writer = WriterFrom(std::move(summary_writer), output_dir);
  options.summaries = [summaries = SharedPyObject(std::move(summaries))]() -> Result<std::vector<Output>> {
    return CallPython([&]() -> Result<std::vector<Output>> { return summaries.get()().cast<std::vector<Output>>(); });
  };
  return MakeHookObject(Take(SummarySaverHook::Make(std::move(options))));
}

std::unique_ptr<HookObject> MakeProfiler(std::optional<double> save_steps, std::optional<double> save_secs,
                                         py::object output_dir, bool show_dataflow, bool show_memory) {
  ProfilerOptions options;
  options.interval = {.every_secs = save_secs, .every_steps = save_steps};
  options.output_dir = PathFrom(output_dir);
  options.env = &Process::Get().env();
  options.writer = WriterFrom(py::none(), output_dir);
  options.log = PythonLog("info");
  options.timeline = [=](const tensorflow::StepStats& stats) -> Result<std::string> {
    return ChromeTrace(stats, {.show_dataflow = show_dataflow, .show_memory = show_memory});
  };
  return MakeHookObject(Take(ProfilerHook::Make(std::move(options))));
}

// Converts hooks that will begin with the default graph.
std::vector<HookPtr> HooksFrom(const py::tuple& hooks) {
  std::vector<HookPtr> made;
  for (py::handle hook : hooks) {
    made.push_back(HookFrom(py::reinterpret_borrow<py::object>(hook)));
    HoldGraphOfHook(hook, DefaultGraphRef());
  }
  return made;
}

// (seconds, steps); either may be None.
using Interval = std::pair<std::optional<double>, std::optional<double>>;
TimerInterval IntervalFrom(const Interval& given) { return {.every_secs = given.first, .every_steps = given.second}; }

// Creates all hooks of tf.train.MonitoredTrainingSession.
py::list MakeTrainingHooks(bool is_chief, py::object scaffold, py::object checkpoint_dir, py::object summary_dir,
                           const py::object& hooks, const py::object& chief_only_hooks, const Interval& checkpoints,
                           const Interval& summaries, std::optional<int64_t> log_step_count_steps) {
  TrainingSessionOptions options;
  options.env = &Process::Get().env();
  options.is_chief = is_chief;
  if (!checkpoint_dir.is_none()) options.checkpoint_dir = PathFrom(checkpoint_dir);
  if (!summary_dir.is_none()) options.summary_dir = PathFrom(summary_dir);
  const auto all_of = [](const py::object& list) { return list.is_none() ? py::tuple() : py::tuple(list); };
  const py::tuple given = all_of(hooks);
  const py::tuple given_to_chief = is_chief ? all_of(chief_only_hooks) : py::tuple();
  options.hooks = HooksFrom(given);
  options.chief_only_hooks = HooksFrom(given_to_chief);
  options.save_checkpoint = IntervalFrom(checkpoints);
  options.save_summaries = IntervalFrom(summaries);
  options.log_step_count_steps = log_step_count_steps.value_or(0);
  const TrainingHookParts parts = PythonHookParts(std::move(scaffold));
  py::list made;
  for (HookPtr& hook : Take(TrainingHooks(options, parts))) {
    const py::object object = py::cast(MakeHookObject(std::move(hook)));
    py::detail::keep_alive_impl(object, given);
    py::detail::keep_alive_impl(object, given_to_chief);
    made.append(object);
  }
  return made;
}

}  // namespace

CheckpointListenerPtr ListenerFrom(py::object listener) {
  return std::make_shared<PythonListener>(std::move(listener));
}

TrainingHookParts PythonHookParts(py::object scaffold) {
  TrainingHookParts parts;
  parts.writer = [](const std::string& directory) {
    return InPython([&] { return WriterFrom(py::none(), py::str(directory)); });
  };
  const SharedPyObject held(std::move(scaffold));
  parts.saver = [held](Graph&) -> Result<std::shared_ptr<Saver>> {
    return CallPython([&]() -> Result<std::shared_ptr<Saver>> { return SaverFrom(held.get().attr("saver")); });
  };
  parts.summaries = [held]() -> Result<std::vector<Output>> {
    return CallPython([&]() -> Result<std::vector<Output>> {
      const py::object summary = held.get().attr("summary_op");
      return summary.is_none() ? std::vector<Output>() : std::vector<Output>{summary.cast<Output>()};
    });
  };
  parts.codec = PythonCollectionCodec();
  parts.graph_text = PythonGraphText();
  parts.log = PythonLog("info");
  parts.warning = PythonLog("warning");
  return parts;
}

void BindSavingHooks(py::module_& m) {
  m.def("training_hooks", &MakeTrainingHooks, py::arg("is_chief"), py::arg("scaffold"), py::arg("checkpoint_dir"),
        py::arg("summary_dir"), py::arg("hooks"), py::arg("chief_only_hooks"), py::arg("checkpoints"),
        py::arg("summaries"), py::arg("log_step_count_steps"));
  m.def("checkpoint_saver_hook", &MakeCheckpointSaver, py::arg("checkpoint_dir"), py::arg("save_secs"),
        py::arg("save_steps"), py::arg("saver"), py::arg("checkpoint_basename"), py::arg("listeners"));
  m.def("summary_saver_hook", &MakeSummarySaver, py::arg("save_steps"), py::arg("save_secs"), py::arg("output_dir"),
        py::arg("summary_writer"), py::arg("summaries"));
  m.def(
      "step_counter_hook",
      [](std::optional<double> every_n_steps, std::optional<double> every_n_secs, py::object output_dir,
         py::object summary_writer, py::object record) {
        StepCounterHook::Recorder recorder;
        if (!record.is_none())
          recorder = [record = SharedPyObject(std::move(record))](const SecondOrStepTimer::Elapsed& elapsed,
                                                                  int64_t step) {
            return CallPython([&]() -> Status {
              record.get()(elapsed.steps, elapsed.secs, step);
              return OkStatus();
            });
          };
        return MakeHookObject(
            Take(StepCounterHook::Make({.every_secs = every_n_secs, .every_steps = every_n_steps},
                                       WriterFrom(std::move(summary_writer), output_dir), PythonLog("info"),
                                       PythonLog("warning"), std::move(recorder))));
      },
      py::arg("every_n_steps"), py::arg("every_n_secs"), py::arg("output_dir"), py::arg("summary_writer"),
      py::arg("record"));
  m.def(
      "record_step_rate",
      [](const HookObject& object, int64_t elapsed_steps, double elapsed_secs, int64_t step) {
        Check(std::dynamic_pointer_cast<StepCounterHook>(object.hook)->Record({elapsed_secs, elapsed_steps}, step));
      },
      py::arg("hook"), py::arg("elapsed_steps"), py::arg("elapsed_secs"), py::arg("step"));
  m.def(
      "set_steps_per_run",
      [](const HookObject& object, int64_t steps) {
        std::dynamic_pointer_cast<StepCounterHook>(object.hook)->set_steps_per_run(steps);
      },
      py::arg("hook"), py::arg("steps"));
  m.def("profiler_hook", &MakeProfiler, py::arg("save_steps"), py::arg("save_secs"), py::arg("output_dir"),
        py::arg("show_dataflow"), py::arg("show_memory"));
}

}  // namespace weir::python
