// The core of tf.train.MonitoredSession: steps with hooks, recovery, and shutdown.
#include "bind/monitored_session.h"

#include <pybind11/stl.h>

#include "bind/coordinator.h"
#include "bind/feed.h"
#include "bind/fetch.h"
#include "bind/files.h"
#include "bind/gc.h"
#include "bind/hooks.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/session.h"

namespace weir::python {
namespace {

struct MonitoredSessionObject {
  py::object graph;
  py::object creator;
  py::list hooks;
  std::shared_ptr<SessionObjects> current = std::make_shared<SessionObjects>();
  std::unique_ptr<MonitoredSession> session;

  ~MonitoredSessionObject() {
    if (session == nullptr) return;
    {
      const ReleaseGil waiting;
      session.reset();
    }
    DrainDecrefs();  // Python objects that it released without the GIL
  }
};

int VisitMonitored(MonitoredSessionObject& s, visitproc visit, void* arg) {
  Py_VISIT(s.graph.ptr());
  Py_VISIT(s.creator.ptr());
  Py_VISIT(s.hooks.ptr());
  return 0;
}

using M = MonitoredSessionObject;

std::unique_ptr<M> MakeMonitored(py::object creator, const py::list& hooks, double stop_grace_period_secs, bool recover,
                                 double recovery_wait_secs) {
  auto made = std::make_unique<M>();
  made->graph = DefaultGraph();
  made->creator = creator;
  made->hooks = py::list(py::tuple(hooks));  // a copy, which keeps them alive
  MonitoredSessionOptions options;
  options.stop_grace_period_secs = stop_grace_period_secs;
  options.recover = recover;
  options.recovery_wait_secs = recovery_wait_secs;
  Graph& graph = *GraphObjectOf(made->graph).graph;
  for (py::handle hook : made->hooks) {
    options.hooks.push_back(HookFrom(py::reinterpret_borrow<py::object>(hook)));
    HoldGraphOfHook(hook, graph);
  }
  UsePythonThreads(made->current, &options);
  made->session = *RunHooks(&graph, [&](CancelToken* cancel) {
    return MonitoredSession::Make(graph, CreatorFrom(std::move(creator), made->graph, made->current),
                                  std::move(options), cancel);
  });
  return made;
}

py::object RunMonitored(M& m, py::object fetches, py::object feed_dict, py::object options_object,
                        py::object metadata_object, bool in_step_fn) {
  DrainDecrefs();
  if (m.session->closed()) RaiseRuntime("Session is already closed.");
  GraphObject& graph = GraphObjectOf(m.graph);
  FetchMap map(graph, fetches);
  RunRequest request;
  CollectFeeds(graph, feed_dict, &request.feeds);
  request.fetches = map.outputs();
  request.targets = map.targets();
  const auto options = MessageFrom<tensorflow::RunOptions>(options_object);
  if (!options_object.is_none()) request.options = &options;
  tensorflow::RunMetadata metadata;
  if (!metadata_object.is_none()) request.metadata = &metadata;
  auto note = std::make_shared<HookCallState>();
  note->original_args =
      SharedPyObject(py::module_::import("weir.lib.hooks").attr("SessionRunArgs")(fetches, feed_dict));
  auto values = RunHooks(graph.graph.get(), [&](CancelToken* cancel) {
    request.cancel = cancel;
    return in_step_fn ? m.session->RunHooked(request, note) : m.session->Run(request, note);
  });
  if (!metadata_object.is_none()) metadata_object.attr("ParseFromString")(py::bytes(metadata.SerializeAsString()));
  std::vector<py::object> arrays;
  for (Tensor& value : *values) arrays.push_back(NumpyFromTensor(std::move(value)));
  return map.Result(arrays);
}

// Calls `step_fn(session)`, again with a new session after a loss. Returns its result.
py::object RunStepFn(M& m, py::object step_fn) {
  SharedPyObject result;
  Graph& graph = *GraphObjectOf(m.graph).graph;
  Check(RunHooks(&graph, [&](CancelToken* cancel) {
    return m.session->RunStepFn(
        [&](const SessionPtr& session) {
          return CallPython([&]() -> Status {
            result = SharedPyObject(step_fn(PythonSessionOf(session)));
            return OkStatus();
          });
        },
        cancel);
  }));
  return result.get();
}

py::object CurrentSession(const M& m) {
  if (m.session->closed()) return py::none();
  return PythonSessionOf(m.session->session());
}

void CloseMonitored(M& m, bool failed) {
  Graph& graph = *GraphObjectOf(m.graph).graph;
  Check(RunHooks(&graph, [&](CancelToken* cancel) { return m.session->Close(failed, cancel); }));
  m.current->Set(&m.current->session, SharedPyObject());
}

bool ShouldStop(M& m) {
  if (!m.session->stop_requested()) return false;  // fast path, because it is called before every step
  Graph& graph = *GraphObjectOf(m.graph).graph;
  return *RunHooks(&graph, [&](CancelToken* cancel) { return m.session->ShouldStop(cancel); });
}

// Creates the sessions of ChiefSessionCreator and WorkerSessionCreator.
py::object ChiefSession(py::object scaffold, py::object master, py::object config, py::object checkpoint_dir,
                        py::object checkpoint_path, double recovery_wait_secs) {
  scaffold.attr("finalize")();
  // Use a copy: the init_fn refers to the scaffold, and the garbage collector could not see that cycle.
  const auto inner = std::make_shared<Scaffold>(*ScaffoldOf(scaffold));
  const PythonSessions sessions(std::move(master), DefaultGraph(), std::move(config));
  inner->init_fn = InitFunctionFrom(scaffold.attr("init_fn"), sessions);
  ChiefSessionOptions options;
  if (!checkpoint_dir.is_none()) options.checkpoint_dir = PathFrom(checkpoint_dir);
  if (!checkpoint_path.is_none()) options.checkpoint_path = PathFrom(checkpoint_path);
  options.recovery_wait_secs = recovery_wait_secs;
  Graph& graph = DefaultGraphRef();
  const SessionCreator create = ChiefSessionCreator(graph, inner, sessions.maker(), std::move(options));
  return sessions.Find(*RunBlocking(&graph, create));
}

py::object WorkerSession(py::object scaffold, py::object master, py::object config, double max_wait_secs,
                         double recovery_wait_secs) {
  scaffold.attr("finalize")();
  const PythonSessions sessions(std::move(master), DefaultGraph(), std::move(config));
  Graph& graph = DefaultGraphRef();
  const SessionCreator create =
      WorkerSessionCreator(graph, ScaffoldOf(scaffold), sessions.maker(),
                           {.max_wait_secs = max_wait_secs, .recovery_wait_secs = recovery_wait_secs});
  return sessions.Find(*RunBlocking(&graph, create));
}

}  // namespace

SessionCreator CreatorFrom(py::object creator, py::object graph, std::shared_ptr<SessionObjects> current) {
  return [creator = SharedPyObject(std::move(creator)), graph = SharedPyObject(std::move(graph)),
          current = std::move(current)](CancelToken*) -> Result<SessionPtr> {
    return CallPython([&]() -> Result<SessionPtr> {
      const InGraph in_graph(graph.get());
      py::object session = creator.get().attr("create_session")();
      SessionPtr inner = UncheckedSessionOf(session);
      RememberSession(session);
      current->Set(&current->session, SharedPyObject(std::move(session)));
      return inner;
    });
  };
}

void UsePythonThreads(const std::shared_ptr<SessionObjects>& current, MonitoredSessionOptions* options) {
  options->make_coordinator = [current]() -> Result<std::shared_ptr<Coordinator>> {
    return CallPython([&]() -> Result<std::shared_ptr<Coordinator>> {
      py::object made = py::module_::import("weir._weir").attr("Coordinator")(py::tuple());
      std::shared_ptr<Coordinator> inner = CoordinatorOf(made);
      RememberCoordinator(made);
      current->Set(&current->coordinator, SharedPyObject(std::move(made)));
      return inner;
    });
  };
  options->start_queue_runners = [](const SessionPtr& session,
                                    const std::shared_ptr<Coordinator>& coordinator) -> Status {
    return CallPython([&]() -> Status {
      py::module_::import("weir.lib.queue_runner")
          .attr("start_queue_runners")(PythonSessionOf(session), PythonCoordinatorOf(coordinator));
      return OkStatus();
    });
  };
  options->join = [grace = options->stop_grace_period_secs](const std::shared_ptr<Coordinator>& coordinator) -> Status {
    return CallPython([&]() -> Status {
      using namespace py::literals;
      PythonCoordinatorOf(coordinator).attr("join")("stop_grace_period_secs"_a = grace, "ignore_live_threads"_a = true);
      return OkStatus();
    });
  };
}

void BindMonitoredSession(py::module_& m) {
  py::class_<M>(m, "MonitoredSessionCore", GarbageCollected<M, VisitMonitored>())
      .def(py::init(&MakeMonitored), py::arg("session_creator"), py::arg("hooks"), py::arg("stop_grace_period_secs"),
           py::arg("recover"), py::arg("recovery_wait_secs"))
      .def("run", &RunMonitored, py::arg("fetches"), py::arg("feed_dict"), py::arg("options"), py::arg("run_metadata"),
           py::arg("in_step_fn"))
      .def("run_step_fn", &RunStepFn, py::arg("step_fn"))
      .def("should_stop", &ShouldStop)
      .def("closed", [](const M& s) { return s.session->closed(); })
      .def("session", &CurrentSession)
      .def("coordinator", [](const M& s) { return PythonCoordinatorOf(s.session->coordinator()); })
      .def("close", &CloseMonitored, py::arg("failed"));
  m.def("chief_session", &ChiefSession, py::arg("scaffold"), py::arg("master"), py::arg("config"),
        py::arg("checkpoint_dir"), py::arg("checkpoint_filename_with_path"), py::arg("recovery_wait_secs"));
  m.def("worker_session", &WorkerSession, py::arg("scaffold"), py::arg("master"), py::arg("config"),
        py::arg("max_wait_secs"), py::arg("recovery_wait_secs"));
}

}  // namespace weir::python
