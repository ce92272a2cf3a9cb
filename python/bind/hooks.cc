// Calls SessionRunHooks across the language boundary. Steps call hooks without the GIL; hooks written in Python acquire
// it.
#include "bind/hooks.h"

#include <pybind11/stl.h>

#include "bind/coordinator.h"
#include "bind/feed.h"
#include "bind/fetch.h"
#include "bind/files.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/process.h"
#include "bind/session.h"
#include "train/hooks.h"
#include "train/log.h"

namespace weir::python {
namespace {

py::module_ Library() { return py::module_::import("weir.lib.hooks"); }

// Maps C++ objects to their Python objects, with weak references to both. Guarded by the GIL.
template <class T>
class PyObjectMap final {
 public:
  void Remember(const std::shared_ptr<T>& inner, py::handle object) {
    std::erase_if(items_, [](const Item& item) { return item.inner.expired(); });
    for (const Item& item : items_)
      if (item.inner.lock() == inner) return;
    items_.push_back({inner, SharedPyObject(py::weakref(object))});
  }
  py::object Find(const std::shared_ptr<T>& inner) const {
    for (const Item& item : items_)
      if (inner != nullptr && item.inner.lock() == inner) return item.reference.get()();
    return py::none();
  }

 private:
  struct Item {
    std::weak_ptr<T> inner;
    SharedPyObject reference;  // a weak reference
  };
  std::vector<Item> items_;
};
PyObjectMap<Session>& Sessions() {
  static auto* sessions = new PyObjectMap<Session>;
  return *sessions;
}
PyObjectMap<Coordinator>& Coordinators() {
  static auto* coordinators = new PyObjectMap<Coordinator>;
  return *coordinators;
}

std::shared_ptr<HookCallState> HookCallStateOf(RunContext& context) {
  if (const auto* note = std::any_cast<std::shared_ptr<HookCallState>>(&context.note)) return *note;
  auto note = std::make_shared<HookCallState>();
  note->original_args = SharedPyObject(Library().attr("SessionRunArgs")(py::none()));
  context.note = note;
  return note;
}

py::object ContextObject(RunContext& context) {
  const std::shared_ptr<HookCallState> note = HookCallStateOf(context);
  // A new session gets a new context.
  if (note->context.ptr() == nullptr || note->session.lock() != context.session()) {
    note->context = SharedPyObject(
        Library().attr("SessionRunContext")(note->original_args.get(), PythonSessionOf(context.session())));
    note->session = context.session();
  }
  return note->context.get();
}

// Calls a hook written in Python. Does not own it; see HookFrom.
class PythonHook final : public SessionRunHook {
 public:
  explicit PythonHook(py::handle hook) : hook_{hook} {}
  ~PythonHook() override {
    if (fetches_ == nullptr || !Py_IsInitialized()) return;
    py::gil_scoped_acquire gil;
    fetches_.reset();
  }

  Status Begin(Graph& graph) override {
    graph_ = &graph;
    return CallPython([&]() -> Status {
      CallOrPark(hook_.get().attr("begin"), py::make_tuple());
      return OkStatus();
    });
  }

  Status AfterCreateSession(const SessionPtr& session, const std::shared_ptr<Coordinator>& coordinator,
                            CancelToken*) override {
    return CallPython([&]() -> Status {
      const InGraph in_graph(GraphOf(*graph_));
      CallOrPark(hook_.get().attr("after_create_session"),
                 py::make_tuple(PythonSessionOf(session), PythonCoordinatorOf(coordinator)));
      return OkStatus();
    });
  }

  Result<HookRequest> BeforeRun(RunContext& context) override {
    return CallPython([&]() -> Result<HookRequest> {
      fetches_.reset();
      const py::object run_context = ContextObject(context);
      const py::object wanted = CallOrPark(hook_.get().attr("before_run"), py::make_tuple(run_context));
      if (run_context.attr("stop_requested").cast<bool>()) context.RequestStop();
      if (wanted.is_none()) return HookRequest();
      if (!py::isinstance(wanted, Library().attr("SessionRunArgs")))
        RaiseType(fmt::format("before_run must return a SessionRunArgs or None, not {}", Repr(wanted)));
      HookRequest request;
      GraphObject& graph = GraphObjectOf(GraphOf(*graph_));
      if (const py::object fetches = wanted.attr("fetches"); !fetches.is_none()) {
        fetches_ = std::make_unique<FetchMap>(graph, fetches);
        request.fetches = fetches_->outputs();
        request.targets = fetches_->targets();
      }
      if (const py::object feeds = wanted.attr("feed_dict"); !feeds.is_none())
        CollectFeeds(graph, feeds, &request.feeds);
      if (const py::object options = wanted.attr("options"); !options.is_none())
        request.options = MessageFrom<tensorflow::RunOptions>(options);
      return request;
    });
  }

  Status AfterRun(RunContext& context, const RunValues& values) override {
    return CallPython([&]() -> Status {
      py::object results = py::none();
      if (fetches_ != nullptr) {
        std::vector<py::object> arrays;
        for (const Tensor& value : values.results) arrays.push_back(NumpyFromTensor(value));
        results = fetches_->Result(arrays);
        fetches_.reset();
      }
      const py::object run_context = ContextObject(context);
      const py::object run_values = Library().attr("SessionRunValues")(
          results, MessageToPython("RunOptions", values.options), MessageToPython("RunMetadata", values.metadata));
      CallOrPark(hook_.get().attr("after_run"), py::make_tuple(run_context, run_values));
      if (run_context.attr("stop_requested").cast<bool>()) context.RequestStop();
      return OkStatus();
    });
  }

  Status End(const SessionPtr& session, CancelToken*) override {
    return CallPython([&]() -> Status {
      CallOrPark(hook_.get().attr("end"), py::make_tuple(PythonSessionOf(session)));
      return OkStatus();
    });
  }

  // Of a built-in hook with an overridden method.
  CheckpointSaverHook* checkpoint_saver() override {
    return InPython([&]() -> CheckpointSaverHook* {
      const py::object inner = py::getattr(hook_.get(), "_hook", py::none());
      return py::isinstance<HookObject>(inner) ? inner.cast<HookObject&>().hook->checkpoint_saver() : nullptr;
    });
  }

 private:
  struct Borrowed {
    py::handle object;
    py::object get() const { return py::reinterpret_borrow<py::object>(object); }
  };
  const Borrowed hook_;
  Graph* graph_ = nullptr;
  std::unique_ptr<FetchMap> fetches_;  // of the step in flight
};

// --- built-in hooks, called from Python ------------------------------------------------------------------------------
template <class F>
auto RunHookStep(F&& body) {
  return RunHooks(&DefaultGraphRef(), std::forward<F>(body));
}

// The same for bodies that return a Status.
template <class F>
void RunVoidHookStep(F&& body) {
  Check(RunHookStep(std::forward<F>(body)));
}

SessionPtr SessionFrom(py::handle session) {
  SessionPtr inner = UncheckedSessionOf(session);
  RememberSession(session);
  return inner;
}

py::object BeforeRun(HookObject& h, py::object run_context) {
  RunRequest original;
  RunContext context(SessionFrom(run_context.attr("session")), original);
  const auto wanted = RunHookStep([&](CancelToken* cancel) {
    original.cancel = cancel;
    return h.hook->BeforeRun(context);
  });
  h.wanted = *wanted;
  if (context.stop_requested()) run_context.attr("request_stop")();
  if (h.wanted.fetches.empty() && h.wanted.targets.empty() && h.wanted.feeds.empty() && !h.wanted.options)
    return py::none();
  py::list fetches;
  for (const Output& fetch : h.wanted.fetches) fetches.append(Wrap(fetch));
  for (Node* target : h.wanted.targets) fetches.append(Wrap(target));
  py::dict feeds;
  for (const Feed& feed : h.wanted.feeds) feeds[Wrap(feed.output)] = NumpyFromTensor(feed.value);
  return Library().attr("SessionRunArgs")(
      fetches, feeds.empty() ? py::object(py::none()) : py::object(feeds),
      h.wanted.options ? MessageToPython("RunOptions", *h.wanted.options) : py::none());
}

void AfterRun(HookObject& h, py::object run_context, py::object run_values) {
  RunRequest original;
  RunContext context(SessionFrom(run_context.attr("session")), original);
  std::vector<Tensor> results;
  if (const py::object given = run_values.attr("results"); !given.is_none()) {
    const auto values = given.cast<std::vector<py::object>>();
    if (values.size() < h.wanted.fetches.size())
      RaiseValue("run_values lacks results for the fetches that before_run requested");
    for (size_t i = 0; i < h.wanted.fetches.size(); ++i)
      results.push_back(TensorFromNumpy(values[i], h.wanted.fetches[i].base_dtype(), Memory::kCopy));
  } else if (!h.wanted.fetches.empty()) {
    RaiseValue("run_values lacks results for the fetches that before_run requested");
  }
  const auto options = MessageFrom<tensorflow::RunOptions>(run_values.attr("options"));
  const auto metadata = MessageFrom<tensorflow::RunMetadata>(run_values.attr("run_metadata"));
  const RunValues seen{std::move(results), options, metadata};
  RunVoidHookStep([&](CancelToken* cancel) {
    original.cancel = cancel;
    return h.hook->AfterRun(context, seen);
  });
  if (context.stop_requested()) run_context.attr("request_stop")();
}

// `tensors` is a function that returns (tag, tensor) pairs. `format` converts values and seconds to a line.
std::unique_ptr<HookObject> MakeLoggingTensorHook(py::object tensors, std::optional<double> every_n_iter,
                                                  std::optional<double> every_n_secs, bool at_end, py::object format) {
  LoggingTensorOptions options;
  options.interval.every_steps = every_n_iter;
  options.interval.every_secs = every_n_secs;
  options.at_end = at_end;
  options.log = PythonLog("info");
  options.format = [format = SharedPyObject(std::move(format))](const std::vector<Tensor>& values,
                                                                std::optional<double> secs) -> Result<std::string> {
    return CallPython([&]() -> Result<std::string> {
      py::list arrays;
      for (const Tensor& value : values) arrays.append(NumpyFromTensor(value));
      return Str(format.get()(arrays, secs ? py::object(py::float_(*secs)) : py::none()));
    });
  };
  return MakeHookObject(Take(LoggingTensorHook::Make(
      [tensors = SharedPyObject(std::move(tensors))](Graph&) -> Result<std::vector<LoggedTensor>> {
        return CallPython([&]() -> Result<std::vector<LoggedTensor>> {
          std::vector<LoggedTensor> found;
          for (py::handle item : py::iter(tensors.get()())) {
            const auto pair = item.cast<std::pair<py::object, Output>>();
            found.push_back({Str(pair.first), pair.second});
          }
          return found;
        });
      },
      std::move(options))));
}

void VisitGraphs(const HookObject& hook, GraphVisitor visit) {
  if (hook.made_for != nullptr) visit(*hook.made_for);
}

void BindHook(py::module_& m) {
  using H = HookObject;
  py::class_<H> cls(m, "Hook", GarbageCollected<H>());
  HoldGraphsOf<H, VisitGraphs>(cls);
  cls.def("begin",
          [](py::object self) {
            const H& h = self.cast<const H&>();
            Graph& graph = DefaultGraphRef();
            HoldGraph(self, graph);
            RunVoidHookStep([&](CancelToken*) { return h.hook->Begin(graph); });
          })
      .def(
          "after_create_session",
          [](H& h, py::handle session, py::handle coord) {
            const SessionPtr inner = SessionFrom(session);
            const std::shared_ptr<Coordinator> coordinator = CoordinatorOf(coord);
            RunVoidHookStep(
                [&](CancelToken* cancel) { return h.hook->AfterCreateSession(inner, coordinator, cancel); });
          },
          py::arg("session"), py::arg("coord"))
      .def("before_run", &BeforeRun, py::arg("run_context"))
      .def("after_run", &AfterRun, py::arg("run_context"), py::arg("run_values"))
      .def_readonly("timer", &H::timer)
      .def_property_readonly("last_step",
                             [](const H& h) {
                               const auto stop = std::dynamic_pointer_cast<StopAtStepHook>(h.hook);
                               return stop == nullptr ? std::nullopt : stop->last_step();
                             })
      .def(
          "end",
          [](H& h, py::handle session) {
            const SessionPtr inner = SessionFrom(session);
            RunVoidHookStep([&](CancelToken* cancel) { return h.hook->End(inner, cancel); });
          },
          py::arg("session"));
}

void BindHookMakers(py::module_& m) {
  m.def(
      "stop_at_step_hook",
      [](std::optional<double> num_steps, std::optional<double> last_step) {
        return MakeHookObject(Take(StopAtStepHook::Make(num_steps, last_step)));
      },
      py::arg("num_steps"), py::arg("last_step"));
  m.def("logging_tensor_hook", &MakeLoggingTensorHook, py::arg("tensors"), py::arg("every_n_iter"),
        py::arg("every_n_secs"), py::arg("at_end"), py::arg("format"));
  m.def(
      "nan_tensor_hook",
      [](Output loss, bool fail_on_nan_loss) {
        if (!loss.valid()) RaiseType("a NanTensorHook needs a loss tensor");
        return MakeHookObject(
            std::make_shared<NanTensorHook>(loss, fail_on_nan_loss, PythonLog("error"), PythonLog("warning")),
            &loss.graph());
      },
      py::arg("loss_tensor"), py::arg("fail_on_nan_loss"));
  // `find_loss` is a function that returns the tensor when the graph is complete.
  m.def(
      "nan_tensor_hook_by_name",
      [](py::object find_loss, bool fail_on_nan_loss) {
        const auto find = [find_loss = SharedPyObject(std::move(find_loss))](Graph&) -> Result<Output> {
          return CallPython([&]() -> Result<Output> { return find_loss.get()().cast<Output>(); });
        };
        return MakeHookObject(
            std::make_shared<NanTensorHook>(find, fail_on_nan_loss, PythonLog("error"), PythonLog("warning")));
      },
      py::arg("find_loss"), py::arg("fail_on_nan_loss"));
  m.def(
      "global_step_waiter_hook",
      [](int64_t step) { return MakeHookObject(std::make_shared<GlobalStepWaiterHook>(step, PythonLog("info"))); },
      py::arg("wait_until_step"));
}

void BindTimer(py::module_& m) {
  using T = SecondOrStepTimer;
  py::class_<T, TimerPtr>(m, "SecondOrStepTimer", py::dynamic_attr(), WithUntrackedDealloc(),
                          "Timer that triggers every N seconds or steps.")
      .def(py::init([](std::optional<double> every_secs, std::optional<double> every_steps) {
             return Take(MakeTimer({.every_secs = every_secs, .every_steps = every_steps}));
           }),
           py::arg("every_secs") = py::none(), py::arg("every_steps") = py::none())
      .def("reset", &T::Reset)
      .def("should_trigger_for_step", &T::ShouldTrigger, py::arg("step"))
      .def(
          "update_last_triggered_step",
          [](T& t, int64_t step) -> py::tuple {
            const auto elapsed = t.Note(step);
            if (!elapsed) return py::make_tuple(py::none(), py::none());
            return py::make_tuple(elapsed->secs, elapsed->steps);
          },
          py::arg("step"))
      .def("last_triggered_step", &T::last_step);
}

}  // namespace

void RememberSession(py::handle session) { Sessions().Remember(UncheckedSessionOf(session), session); }
py::object PythonSessionOf(const SessionPtr& session) { return Sessions().Find(session); }
void RememberCoordinator(py::handle coordinator) { Coordinators().Remember(CoordinatorOf(coordinator), coordinator); }
py::object PythonCoordinatorOf(const std::shared_ptr<Coordinator>& coordinator) {
  return Coordinators().Find(coordinator);
}

HookPtr HookFrom(py::object hook) {
  if (py::isinstance<HookObject>(hook)) return hook.cast<HookObject&>().hook;
  const py::module_ library = Library();
  if (PyType_Check(hook.ptr()) != 0)
    RaiseType(fmt::format("a hook must be an instance: pass {}(...), not the class {}", Str(hook.attr("__name__")),
                          Repr(hook)));
  if (!py::hasattr(hook, "before_run") || !py::hasattr(hook, "after_run"))
    RaiseType(fmt::format("expected a SessionRunHook, got {}", Repr(hook)));
  const py::object built_in = library.attr("BuiltInHook");
  if (py::isinstance(hook, built_in)) {
    bool as_built = true;
    for (const char* method : {"begin", "after_create_session", "before_run", "after_run", "end"})
      as_built &=
          py::getattr(py::type::of(hook).attr(method), "__module__", py::none()).equal(library.attr("__name__"));
    if (as_built) return hook.attr("_hook").cast<HookObject&>().hook;
  }
  return std::make_shared<PythonHook>(hook);
}

void HoldGraphOfHook(py::handle hook, const Graph& graph) {
  if (py::isinstance<HookObject>(hook))
    HoldGraph(hook, graph);
  else if (const py::object inner = py::getattr(hook, "_hook", py::none()); py::isinstance<HookObject>(inner))
    HoldGraph(inner, graph);
}

void RaiseHookError(const Status& status, Graph* graph) {
  if (IsNanLoss(status)) {
    const py::object type = Library().attr("NanLossDuringTrainingError");
    PyErr_SetNone(type.ptr());
    throw py::error_already_set();
  }
  RaiseServiceError(status, graph);
}

std::function<void(const std::string&)> PythonLog(const char* level) {
  return [level](const std::string& line) {
    InPython([&] {
      try {
        py::module_::import("weir.lib.log").attr(level)("%s", line);
      } catch (py::error_already_set& error) {
        // Do not swallow Ctrl-C: raise it again when the program runs next.
        if (error.matches(PyExc_KeyboardInterrupt)) {
          PyErr_SetInterrupt();
        } else {
          error.discard_as_unraisable("logging");
        }
      }
    });
  };
}

void BindHooks(py::module_& m) {
  // The default level of tf.logging.
  SetTrainLogLevel(LogLevel::kWarning);
  m.def(
      "set_train_log_level",
      [](int level) {
        if (level > 40) return SetTrainLogLevel(std::nullopt);
        SetTrainLogLevel(level > 30   ? LogLevel::kError
                         : level > 20 ? LogLevel::kWarning
                         : level > 10 ? LogLevel::kInfo
                                      : LogLevel::kDebug);
      },
      py::arg("level"), "Sets the minimum logging level of messages about training from C++.");
  BindHook(m);
  BindHookMakers(m);
  BindTimer(m);
}

}  // namespace weir::python
