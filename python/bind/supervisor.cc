// tf.train.Supervisor. Its threads are Python threads that run C++ services, stopped by a Python Coordinator.
#include "bind/supervisor.h"

#include <pybind11/stl.h>

#include "bind/coordinator.h"
#include "bind/fetch.h"
#include "bind/files.h"
#include "bind/hooks.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "bind/ownership.h"
#include "bind/process.h"
#include "bind/session.h"
#include "bind/session_manager.h"
#include "bind/summary.h"
#include "train/supervisor.h"
#include "train/train_loop.h"

namespace weir::python {
namespace {

struct SupervisorObject {
  std::shared_ptr<Supervisor> sv;
  std::shared_ptr<std::optional<PythonSessions>> sessions = std::make_shared<std::optional<PythonSessions>>();
  py::object graph;
  py::object coord;
  py::object session_manager;
  py::object init_op;
  py::object init_feed_dict;
  py::object ready_op;
  py::object ready_for_local_init_op;
  py::object saver;
  py::object summary_op;
  py::object global_step;
  py::object summary_writer;
  py::object init_fn;
};

int VisitSupervisor(SupervisorObject& s, visitproc visit, void* arg) {
  for (const py::object* member :
       {&s.graph, &s.coord, &s.session_manager, &s.init_op, &s.init_feed_dict, &s.ready_op, &s.ready_for_local_init_op,
        &s.saver, &s.summary_op, &s.global_step, &s.summary_writer, &s.init_fn})
    Py_VISIT(member->ptr());
  return 0;
}
void ClearSupervisor(SupervisorObject& s) {
  s.coord = py::object();
  s.summary_writer = py::object();
}

bool IsDefault(py::handle value) { return PyLong_CheckExact(value.ptr()) != 0 && PyLong_AsLong(value.ptr()) == 0; }

Output OutputFrom(py::handle graph, py::handle value) {
  if (value.is_none()) return Output();
  const FetchMap map(GraphObjectOf(graph), value);
  if (map.outputs().size() != 1) RaiseType(fmt::format("expected a tensor, got {}", Repr(value)));
  return map.outputs()[0];
}

double SecondsFrom(py::handle seconds) { return seconds.is_none() ? 0 : py::cast<double>(seconds); }

struct Arguments {
  py::object graph, ready_op, ready_for_local_init_op;
  bool is_chief;
  py::object init_op, init_feed_dict, local_init_op, logdir, summary_op, saver, global_step, save_summaries_secs,
      save_model_secs;
  double recovery_wait_secs, stop_grace_secs;
  std::string checkpoint_basename;
  py::object session_manager, summary_writer, init_fn, local_init_run_options;
};

// Converts the arguments. For those not given, the C++ supervisor uses what the graph's collections contain, or creates
// it.
SupervisorOptions OptionsFrom(const Arguments& a, SupervisorObject& made) {
  const py::object& graph = made.graph;
  SupervisorOptions options;
  options.env = &Process::Get().env();
  options.is_chief = a.is_chief;
  if (!a.logdir.is_none()) options.logdir = PathFrom(a.logdir);
  options.checkpoint_basename = a.checkpoint_basename;
  if (!IsDefault(a.ready_op)) options.ready = ReadyOpFrom(graph, a.ready_op);
  if (!IsDefault(a.ready_for_local_init_op))
    options.ready_for_local_init = ReadyOpFrom(graph, a.ready_for_local_init_op);
  if (!IsDefault(a.init_op)) options.init = NodesFrom(graph, a.init_op);
  if (!IsDefault(a.local_init_op)) options.local_init = NodesFrom(graph, a.local_init_op);
  if (!IsDefault(a.saver)) options.saver = SaverFrom(a.saver);
  if (!IsDefault(a.summary_op)) options.summary = OutputFrom(graph, a.summary_op);
  if (!IsDefault(a.global_step)) {
    options.global_step = OutputFrom(graph, a.global_step);
    if (!a.global_step.is_none()) options.global_step_name = Str(a.global_step.attr("op").attr("name"));
  }
  options.init_feeds = FeedsFrom(graph, a.init_feed_dict);
  made.init_fn = a.init_fn;  // keeps it alive, visibly to the garbage collector
  if (!a.init_fn.is_none())
    options.init_fn = [function = py::handle(a.init_fn), sessions = made.sessions](const SessionPtr& session) {
      return InPython([&] { return InitFunctionFrom(py::reinterpret_borrow<py::object>(function), **sessions); })(
          session);
    };
  if (!a.local_init_run_options.is_none())
    options.local_init_run_options = MessageFrom<tensorflow::RunOptions>(a.local_init_run_options);
  options.save_summaries_secs = SecondsFrom(a.save_summaries_secs);
  options.save_model_secs = SecondsFrom(a.save_model_secs);
  options.recovery_wait_secs = a.recovery_wait_secs;
  options.stop_grace_secs = a.stop_grace_secs;
  if (!a.session_manager.is_none()) options.session_manager = SessionManagerOf(a.session_manager);
  made.summary_writer = py::none();
  if (a.is_chief) {
    made.summary_writer = a.summary_writer;
    if (IsDefault(a.summary_writer))
      made.summary_writer = options.logdir.empty()
                                ? py::none()
                                : py::module_::import("weir._names").attr("find")("summary.FileWriter")(options.logdir);
  }
  options.summary_writer = SummaryWriterFrom(made.summary_writer);
  options.coordinator = CoordinatorOf(made.coord);
  options.codec = PythonCollectionCodec();
  options.graph_text = PythonGraphText();
  return options;
}

std::unique_ptr<SupervisorObject> MakeSupervisor(Arguments a) {
  auto made = std::make_unique<SupervisorObject>();
  made->graph = a.graph.is_none() ? DefaultGraph() : a.graph;
  if (!IsGraph(made->graph)) RaiseType(fmt::format("graph must be a tf.Graph, but got {}", Repr(made->graph)));
  made->coord = py::module_::import("weir._weir").attr("Coordinator")();
  Graph& graph = *GraphObjectOf(made->graph).graph;
  Result<std::unique_ptr<Supervisor>> sv = Supervisor::Make(graph, OptionsFrom(a, *made));
  RecordOrigins(graph);
  made->sv = Take(std::move(sv));
  const Supervisor& s = *made->sv;
  const auto given_or = [](const py::object& given, py::object made_here) {
    return IsDefault(given) ? std::move(made_here) : given;
  };
  made->init_op = given_or(a.init_op, s.init().empty() ? py::none() : Wrap(s.init()[0]));
  made->init_feed_dict = a.init_feed_dict;
  made->ready_op = given_or(a.ready_op, WrapReady(s.ready()));
  made->ready_for_local_init_op = given_or(a.ready_for_local_init_op, WrapReady(s.ready_for_local_init()));
  made->saver = given_or(a.saver, s.saver() == nullptr ? py::none() : py::cast(s.saver()));
  made->summary_op = given_or(a.summary_op, s.summary() ? Wrap(*s.summary()) : py::none());
  const py::list steps = made->graph.attr("get_collection")("global_step");
  made->global_step = given_or(a.global_step, steps.empty() ? py::none() : py::object(steps[0]));
  made->session_manager = a.session_manager;
  if (a.session_manager.is_none()) made->session_manager = SessionManagerObjectOf(s.session_manager(), made->graph);
  return made;
}

py::object GetSession(SupervisorObject& s, py::object master, py::object config, bool wait_for_checkpoint,
                      std::optional<double> max_wait_secs) {
  const PythonSessions sessions(std::move(master), s.graph, std::move(config));
  *s.sessions = sessions;
  Supervisor::SessionOptions options;
  options.wait_for_checkpoint = wait_for_checkpoint;
  options.max_wait_secs = max_wait_secs.value_or(std::numeric_limits<double>::infinity());
  const std::shared_ptr<Supervisor> sv = s.sv;
  const auto session = RunBlocking(&sv->graph(), [&](CancelToken* cancel) {
    options.cancel = cancel;
    return sv->GetSession(sessions.maker(), options);
  });
  s.sessions->reset();  // do not keep the session alive: the program owns it
  return sessions.Find(*session);
}

// The service that one thread runs.
struct ServiceObject {
  std::shared_ptr<Supervisor> sv;
  Supervisor::Service service;
};

void VisitGraphs(const ServiceObject& s, GraphVisitor visit) { visit(s.sv->graph()); }

void RunService(const ServiceObject& s, const std::function<Status()>& what) {
  Status status;
  {
    ReleaseGil waiting;
    status = what();
  }
  if (!status.ok()) RaiseServiceError(status, &s.sv->graph());
}

py::object StandardServices(const SupervisorObject& s, py::handle sess) {
  const std::shared_ptr<Supervisor> sv = s.sv;
  if (!sv->is_chief()) Check(sv->StandardServices(nullptr).status());
  const SessionPtr session = sv->options().logdir.empty() ? nullptr : SessionOf(sess);
  const auto services =
      RunBlocking(&sv->graph(), [&](CancelToken* cancel) { return sv->StandardServices(session, cancel); });
  if (sv->options().logdir.empty()) return py::none();
  py::list made;
  for (const Supervisor::Service& service : *services) made.append(ServiceObject{sv, service});
  return made;
}

void SummaryComputed(const SupervisorObject& s, py::object sess, py::handle summary, py::object global_step) {
  if (s.sv->summary_writer() == nullptr) RaiseRuntime("Writing a summary requires a summary writer.");
  if (global_step.is_none() && !s.global_step.is_none())
    global_step = py::module_::import("weir.lib.global_step").attr("global_step")(std::move(sess), s.global_step);
  s.summary_writer.attr("add_summary")(summary, global_step);
}

// Runs train_step() until it returns true, the input ends or a stop is requested; then the chief saves the model.
void RunTrainingLoop(const SupervisorObject& s, py::handle sess, py::object train_step, int64_t start_at_step,
                     py::object chief_init) {
  TrainLoop loop;
  loop.step = [step = py::handle(train_step)](const SessionPtr&) {
    return CallPython([&]() -> Result<bool> { return py::cast<bool>(py::bool_(step())); });
  };
  loop.start_at_step = start_at_step;
  loop.chief_init = NodesFrom(s.graph, chief_init);
  loop.log = PythonLog("info");
  const std::shared_ptr<Supervisor> sv = s.sv;
  const SessionPtr session = SessionOf(sess);
  Check(RunHooks(&sv->graph(), [&](CancelToken* cancel) { return RunTrainLoop(*sv, session, loop, cancel); }));
}

void BindServices(py::class_<SupervisorObject>& cls) {
  using S = SupervisorObject;
  cls.def("_get_session", &GetSession, py::arg("master"), py::arg("config"), py::arg("wait_for_checkpoint"),
          py::arg("max_wait_secs"))
      .def("_standard_services", &StandardServices, py::arg("sess"))
      .def(
          "_summary_service",
          [](const S& s, py::handle sess) {
            return ServiceObject{s.sv, s.sv->SummaryService(SessionOf(sess))};
          },
          py::arg("sess"))
      .def(
          "_step_counter_service",
          [](const S& s, py::handle sess, py::object counter) {
            if (counter.is_none()) counter = s.global_step;
            if (counter.is_none()) RaiseValue("no global step: create one with tf.train.get_or_create_global_step");
            return ServiceObject{s.sv, s.sv->StepCounterService(SessionOf(sess), OutputFrom(s.graph, counter),
                                                                NodeFrom(counter)->name())};
          },
          py::arg("sess"), py::arg("step_counter"))
      .def(
          "_checkpoint_service",
          [](const S& s, py::handle sess) {
            return ServiceObject{s.sv, s.sv->CheckpointService(SessionOf(sess))};
          },
          py::arg("sess"))
      .def(
          "_progress_service",
          [](const S& s, py::handle sess) -> py::object {
            const auto service = s.sv->ProgressService(SessionOf(sess));
            return service ? py::cast(ServiceObject{s.sv, *service}) : py::none();
          },
          py::arg("sess"))
      .def("_train_loop", &RunTrainingLoop, py::arg("sess"), py::arg("train_step"), py::arg("start_at_step"),
           py::arg("chief_init"))
      .def("_end_progress", [](const S& s) { s.sv->EndProgress(); })
      .def("_close_summary_writer",
           [](const S& s) {
             const std::shared_ptr<Supervisor> sv = s.sv;
             Check(RunBlocking(&sv->graph(), [&](CancelToken*) { return sv->CloseSummaryWriter(); }));
           })
      .def("summary_computed", &SummaryComputed, py::arg("sess"), py::arg("summary"),
           py::arg("global_step") = py::none());
}

void BindProperties(py::class_<SupervisorObject>& cls) {
  using S = SupervisorObject;
  const auto member = [&cls](const char* name, py::object S::*m) {
    cls.def_property_readonly(name, [m](const S& s) { return s.*m; });
  };
  member("coord", &S::coord);
  member("session_manager", &S::session_manager);
  member("init_op", &S::init_op);
  member("init_feed_dict", &S::init_feed_dict);
  member("ready_op", &S::ready_op);
  member("ready_for_local_init_op", &S::ready_for_local_init_op);
  member("saver", &S::saver);
  member("summary_op", &S::summary_op);
  member("global_step", &S::global_step);
  member("summary_writer", &S::summary_writer);
  member("_graph", &S::graph);
  cls.def_property_readonly("is_chief", [](const S& s) { return s.sv->is_chief(); })
      .def_property_readonly("save_path",
                             [](const S& s) -> py::object {
                               return s.sv->save_path().empty() ? py::none() : py::object(py::str(s.sv->save_path()));
                             })
      .def_property_readonly("save_model_secs",
                             [](const S& s) -> py::object {
                               return s.sv->is_chief() ? py::cast(s.sv->options().save_model_secs) : py::none();
                             })
      .def_property_readonly("save_summaries_secs",
                             [](const S& s) -> py::object {
                               return s.sv->is_chief() ? py::cast(s.sv->options().save_summaries_secs) : py::none();
                             })
      .def_property_readonly("_stop_grace_secs", [](const S& s) { return s.sv->options().stop_grace_secs; });
}

}  // namespace

void BindSupervisor(py::module_& m) {
  using S = SupervisorObject;
  py::class_<ServiceObject> service(m, "SupervisorService", GarbageCollected<ServiceObject>());
  HoldGraphsOf<ServiceObject, VisitGraphs>(service);
  service.def_property_readonly("name", [](const ServiceObject& s) { return s.service.name; })
      .def_property_readonly("interval_secs", [](const ServiceObject& s) { return s.service.interval_secs; })
      .def("start", [](const ServiceObject& s) { RunService(s, s.service.start); })
      .def("run", [](const ServiceObject& s) { RunService(s, s.service.run); });
  py::class_<S> cls(m, "Supervisor", py::dynamic_attr(), GarbageCollected<S, VisitSupervisor, ClearSupervisor>());
  const auto none = [](const char* name) { return py::arg(name) = py::none(); };
  const auto use_default = [](const char* name) { return py::arg(name) = 0; };
  cls.def(py::init([](py::object graph, py::object ready_op, py::object ready_for_local_init_op, bool is_chief,
                      py::object init_op, py::object init_feed_dict, py::object local_init_op, py::object logdir,
                      py::object summary_op, py::object saver, py::object global_step, py::object save_summaries_secs,
                      py::object save_model_secs, double recovery_wait_secs, double stop_grace_secs,
                      std::string checkpoint_basename, py::object session_manager, py::object summary_writer,
                      py::object init_fn, py::object local_init_run_options) {
            return MakeSupervisor({graph,
                                   ready_op,
                                   ready_for_local_init_op,
                                   is_chief,
                                   init_op,
                                   init_feed_dict,
                                   local_init_op,
                                   logdir,
                                   summary_op,
                                   saver,
                                   global_step,
                                   save_summaries_secs,
                                   save_model_secs,
                                   recovery_wait_secs,
                                   stop_grace_secs,
                                   std::move(checkpoint_basename),
                                   session_manager,
                                   summary_writer,
                                   init_fn,
                                   local_init_run_options});
          }),
          none("graph"), use_default("ready_op"), use_default("ready_for_local_init_op"), py::arg("is_chief") = true,
          use_default("init_op"), none("init_feed_dict"), use_default("local_init_op"), none("logdir"),
          use_default("summary_op"), use_default("saver"), use_default("global_step"),
          py::arg("save_summaries_secs") = 120, py::arg("save_model_secs") = 600, py::arg("recovery_wait_secs") = 30,
          py::arg("stop_grace_secs") = 120, py::arg("checkpoint_basename") = "model.ckpt", none("session_manager"),
          use_default("summary_writer"), none("init_fn"), none("local_init_run_options"));
  BindServices(cls);
  BindProperties(cls);
}

}  // namespace weir::python
