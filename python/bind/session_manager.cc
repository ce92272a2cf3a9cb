// tf.train.SessionManager. The C++ object creates tf.Sessions through Python, and waits without the GIL.
#include "bind/session_manager.h"

#include <algorithm>
#include <mutex>

#include "bind/feed.h"
#include "bind/fetch.h"
#include "bind/files.h"
#include "bind/gc.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "bind/session.h"

namespace weir::python {

struct PythonSessions::Made {
  SharedPyObject master;
  SharedPyObject graph;
  SharedPyObject config;
  std::mutex mu;  // never held while calling Python
  std::vector<std::pair<std::weak_ptr<Session>, SharedPyObject>> sessions;
};

PythonSessions::PythonSessions(py::object master, py::object graph, py::object config)
    : made_(std::make_shared<Made>()) {
  made_->master = SharedPyObject(std::move(master));
  made_->graph = SharedPyObject(std::move(graph));
  made_->config = SharedPyObject(std::move(config));
}

SessionMaker PythonSessions::maker() const {
  return [made = made_]() -> Result<SessionPtr> {
    return InPython([&] {
      return CatchExceptions([&]() -> Result<SessionPtr> {
        py::object session = py::module_::import("weir.lib.session")
                                 .attr("Session")(made->master.get(), made->graph.get(), made->config.get());
        SessionPtr inner = UncheckedSessionOf(session);
        std::lock_guard<std::mutex> lock(made->mu);
        std::erase_if(made->sessions, [](const auto& entry) { return entry.first.expired(); });
        made->sessions.emplace_back(inner, SharedPyObject(std::move(session)));
        return inner;
      });
    });
  };
}

py::object PythonSessions::Find(const SessionPtr& session) const {
  std::lock_guard<std::mutex> lock(made_->mu);
  for (const auto& [inner, object] : made_->sessions)
    if (inner.lock() == session) return object.get();
  return py::none();
}

InitFunction InitFunctionFrom(py::object init_fn, const PythonSessions& sessions) {
  if (init_fn.is_none()) return {};
  return [function = SharedPyObject(std::move(init_fn)), sessions](const SessionPtr& session) -> Status {
    return InPython([&] {
      return CatchExceptions([&]() -> Status {
        CallOrPark(function.get(), py::make_tuple(sessions.Find(session)));
        return OkStatus();
      });
    });
  };
}

std::vector<Node*> NodesFrom(py::handle graph, py::handle fetches) {
  if (fetches.is_none()) return {};
  const FetchMap map(GraphObjectOf(graph), fetches);
  std::vector<Node*> nodes = map.targets();
  for (const Output& output : map.outputs()) nodes.push_back(output.node);
  return nodes;
}

ReadyOp ReadyOpFrom(py::handle graph, py::handle ready_op) {
  if (ready_op.is_none()) return {};
  const FetchMap map(GraphObjectOf(graph), ready_op);
  if (map.outputs().size() + map.targets().size() != 1)
    RaiseType(fmt::format("{} is neither an operation nor a tensor", Repr(ready_op)));
  return map.outputs().empty() ? ReadyOp(map.targets()[0]) : ReadyOp(map.outputs()[0]);
}

py::object WrapReady(const ReadyOp& ready) {
  return ready.output < 0 ? Wrap(ready.node) : Wrap(Output(ready.node, ready.output));
}

GraphText PythonGraphText() {
  return [](const tensorflow::GraphDef& def) {
    return InPython([&] {
      return CatchExceptions([&]() -> Result<std::string> {
        const py::object text = py::module_::import("google.protobuf.text_format").attr("MessageToString");
        return py::cast<std::string>(text(MessageToPython("GraphDef", def)));
      });
    });
  };
}

std::vector<Feed> FeedsFrom(py::handle graph, py::handle feed_dict) {
  std::vector<Feed> feeds;
  if (!feed_dict.is_none()) CollectFeeds(GraphObjectOf(graph), feed_dict, &feeds);
  return feeds;
}

std::shared_ptr<Saver> SaverFrom(py::handle saver) {
  if (saver.is_none()) return nullptr;
  if (!py::isinstance<Saver>(saver)) RaiseType(fmt::format("saver must be a tf.train.Saver, not {}", Repr(saver)));
  return saver.cast<std::shared_ptr<Saver>>();
}

void RaiseServiceError(const Status& status, Graph* graph) {
  if (IsSetupError(status)) RaiseBuildError(status);
  RaiseRunError(status, graph);
}

namespace {

struct SessionManagerObject {
  std::shared_ptr<SessionManager> manager;
  py::object graph;
};

std::unique_ptr<SessionManagerObject> MakeManager(py::object local_init_op, py::object ready_op,
                                                  py::object ready_for_local_init_op, py::object graph,
                                                  double recovery_wait_secs, py::object local_init_run_options,
                                                  py::object local_init_feed_dict) {
  if (graph.is_none()) graph = DefaultGraph();
  if (!IsGraph(graph)) RaiseType(fmt::format("graph must be a tf.Graph, but got {}", Repr(graph)));
  SessionManagerOptions options;
  options.local_init = NodesFrom(graph, local_init_op);
  options.ready = ReadyOpFrom(graph, ready_op);
  options.ready_for_local_init = ReadyOpFrom(graph, ready_for_local_init_op);
  options.recovery_wait_secs = recovery_wait_secs;
  options.env = &Process::Get().env();
  options.local_init_feeds = FeedsFrom(graph, local_init_feed_dict);
  if (!local_init_run_options.is_none())
    options.local_init_run_options = MessageFrom<tensorflow::RunOptions>(local_init_run_options);
  auto made = Take(SessionManager::Make(*GraphObjectOf(graph).graph, std::move(options)));
  return std::make_unique<SessionManagerObject>(SessionManagerObject{std::move(made), std::move(graph)});
}

RestoreOptions RestoreOptionsFrom(py::handle saver, py::handle checkpoint_dir, py::handle checkpoint_path, bool wait,
                                  double max_wait_secs) {
  RestoreOptions options;
  options.saver = SaverFrom(saver);
  if (!checkpoint_dir.is_none()) options.checkpoint_dir = PathFrom(checkpoint_dir);
  if (!checkpoint_path.is_none()) options.checkpoint_path = PathFrom(checkpoint_path);
  options.wait_for_checkpoint = wait;
  options.max_wait_secs = max_wait_secs;
  return options;
}

py::object PrepareSession(const SessionManagerObject& m, py::object master, py::object init_op, py::object saver,
                          py::object checkpoint_dir, py::object checkpoint_path, bool wait_for_checkpoint,
                          double max_wait_secs, py::object config, py::object init_feed_dict, py::object init_fn) {
  const PythonSessions sessions(std::move(master), m.graph, std::move(config));
  PrepareOptions options;
  options.restore = RestoreOptionsFrom(saver, checkpoint_dir, checkpoint_path, wait_for_checkpoint, max_wait_secs);
  options.init = NodesFrom(m.graph, init_op);
  options.init_feeds = FeedsFrom(m.graph, init_feed_dict);
  options.init_fn = InitFunctionFrom(std::move(init_fn), sessions);
  const std::shared_ptr<SessionManager> manager = m.manager;
  return sessions.Find(*RunBlocking(&manager->graph(), [&](CancelToken* cancel) {
    options.restore.cancel = cancel;
    return manager->Prepare(sessions.maker(), options);
  }));
}

py::tuple Recover(const SessionManagerObject& m, py::object master, py::object saver, py::object checkpoint_dir,
                  py::object checkpoint_path, bool wait_for_checkpoint, double max_wait_secs, py::object config) {
  const PythonSessions sessions(std::move(master), m.graph, std::move(config));
  RestoreOptions options =
      RestoreOptionsFrom(saver, checkpoint_dir, checkpoint_path, wait_for_checkpoint, max_wait_secs);
  const std::shared_ptr<SessionManager> manager = m.manager;
  const auto recovered = RunBlocking(&manager->graph(), [&](CancelToken* cancel) {
    options.cancel = cancel;
    return manager->Recover(sessions.maker(), options);
  });
  return py::make_tuple(sessions.Find(recovered->session), recovered->ready);
}

py::object Wait(const SessionManagerObject& m, py::object master, py::object config,
                std::optional<double> max_wait_secs) {
  const PythonSessions sessions(std::move(master), m.graph, std::move(config));
  WaitOptions options;
  if (max_wait_secs) options.max_wait_secs = *max_wait_secs;
  const std::shared_ptr<SessionManager> manager = m.manager;
  return sessions.Find(*RunBlocking(&manager->graph(), [&](CancelToken* cancel) {
    options.cancel = cancel;
    return manager->Wait(sessions.maker(), options);
  }));
}

}  // namespace

std::shared_ptr<SessionManager> SessionManagerOf(py::handle object) {
  if (!py::isinstance<SessionManagerObject>(object))
    RaiseType(fmt::format("expected a tf.train.SessionManager, got {}", Repr(object)));
  return object.cast<const SessionManagerObject&>().manager;
}

py::object SessionManagerObjectOf(std::shared_ptr<SessionManager> manager, py::object graph) {
  return py::cast(std::make_unique<SessionManagerObject>(SessionManagerObject{std::move(manager), std::move(graph)}));
}

void BindSessionManager(py::module_& m) {
  using M = SessionManagerObject;
  const auto none = [](const char* name) { return py::arg(name) = py::none(); };
  py::class_<M>(
      m, "SessionManager", py::dynamic_attr(), GarbageCollected<M, VisitGraph<M>>(),
      "Creates sessions with a ready model: restores or initializes it, or waits until another task has done so.")
      .def(py::init(&MakeManager), none("local_init_op"), none("ready_op"), none("ready_for_local_init_op"),
           none("graph"), py::arg("recovery_wait_secs") = 30, none("local_init_run_options"),
           none("local_init_feed_dict"))
      .def("prepare_session", &PrepareSession, py::arg("master"), none("init_op"), none("saver"),
           none("checkpoint_dir"), none("checkpoint_filename_with_path"), py::arg("wait_for_checkpoint") = false,
           py::arg("max_wait_secs") = 7200, none("config"), none("init_feed_dict"), none("init_fn"))
      .def("recover_session", &Recover, py::arg("master"), none("saver"), none("checkpoint_dir"),
           none("checkpoint_filename_with_path"), py::arg("wait_for_checkpoint") = false,
           py::arg("max_wait_secs") = 7200, none("config"))
      .def("wait_for_session", &Wait, py::arg("master"), none("config"),
           py::arg("max_wait_secs") = std::numeric_limits<double>::infinity());
}

}  // namespace weir::python
