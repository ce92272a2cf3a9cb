#include "bind/session.h"

#include "bind/errors.h"
#include "bind/feed.h"
#include "bind/fetch.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/process.h"
#include "bind/run_blocking.h"
#include "bind/scopes.h"
#include "graph/graph_def.h"
#include "session/session.h"

namespace weir::python {
namespace {

struct SessionObject {
  std::shared_ptr<Session> session;
  py::object graph;
  std::string target;
  tensorflow::ConfigProto config;
  bool closed = false;
  std::shared_ptr<Scope> entered;  // by `with session:`, or while an InteractiveSession is open

  GraphObject& graph_object() const { return GraphObjectOf(graph); }
  Graph* graph_ptr() const { return graph_object().graph.get(); }
  ~SessionObject() {
    if (session == nullptr) return;
    const ReleaseGil waiting;
    session.reset();
  }
};

int VisitSession(SessionObject& s, visitproc visit, void* arg) {
  Py_VISIT(s.graph.ptr());
  return 0;
}

void CheckOpen(const SessionObject& s) {
  if (s.closed) RaiseRuntime("Attempted to use a closed Session.");
  if (s.graph_object().graph->num_nodes() == 0)
    RaiseRuntime("The Session graph is empty. Add operations to the graph before calling run().");
}

// Optional RunOptions and RunMetadata of a run.
struct RunExtras {
  std::optional<tensorflow::RunOptions> options;
  std::optional<tensorflow::RunMetadata> metadata;
  py::object metadata_object;

  RunExtras(py::object options_object, py::object metadata_given) : metadata_object(std::move(metadata_given)) {
    if (!options_object.is_none()) options = MessageFrom<tensorflow::RunOptions>(options_object);
    if (!metadata_object.is_none()) metadata.emplace();
  }
  const tensorflow::RunOptions* options_ptr() const { return options ? &*options : nullptr; }
  tensorflow::RunMetadata* metadata_ptr() { return metadata ? &*metadata : nullptr; }
  void Publish() {
    if (metadata) metadata_object.attr("ParseFromString")(py::bytes(metadata->SerializeAsString()));
  }
};

// Runs `step(cancel)` without the GIL. Ctrl-C on the main thread cancels it and raises KeyboardInterrupt.
template <class F>
auto RunCancellable(Graph* graph, F&& step) {
  DrainDecrefs();
  return *RunBlocking(std::forward<F>(step), [graph](const Status& status) { RaiseRunError(status, graph); });
}

std::vector<py::object> ToNumpy(std::vector<Tensor> tensors) {
  std::vector<py::object> values;
  values.reserve(tensors.size());
  for (Tensor& tensor : tensors) values.push_back(NumpyFromTensor(std::move(tensor)));
  return values;
}

// Wraps the names of tensors stored in the session as TensorHandles, which can be evaluated.
void WrapHandles(const SessionObject& s, const std::vector<Output>& outputs, std::vector<py::object>* values) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].node->type() != "GetSessionHandle") continue;
    py::object session = py::cast(&s, py::return_value_policy::reference);
    py::object type = py::cast(outputs[i].node->input(0).base_dtype());
    (*values)[i] = py::module_::import("weir.lib.session_ops").attr("TensorHandle")((*values)[i], type, session);
  }
}

py::object RunFetches(SessionObject& s, py::handle fetches, py::handle feed_dict, py::object options,
                      py::object run_metadata) {
  CheckOpen(s);
  GraphObject& graph = s.graph_object();
  FetchMap map(graph, fetches);
  RunRequest request;
  CollectFeeds(graph, feed_dict, &request.feeds);
  request.fetches = map.outputs();
  request.targets = map.targets();
  RunExtras extras(std::move(options), std::move(run_metadata));
  request.options = extras.options_ptr();
  request.metadata = extras.metadata_ptr();
  if (request.fetches.empty() && request.targets.empty()) return map.Result({});
  std::vector<Tensor> values = RunCancellable(graph.graph.get(), [&](CancelToken* cancel) {
    request.cancel = cancel;
    return s.session->Run(request);
  });
  extras.Publish();
  // Keep the feeds alive until here: then a fetched tensor that shares memory with a borrowed array is copied.
  std::vector<py::object> arrays = ToNumpy(std::move(values));
  WrapHandles(s, request.fetches, &arrays);
  return map.Result(std::move(arrays));
}

// Returns a function of the feed values, with everything else fixed.
py::object MakeCallable(py::object self, py::handle fetches, py::object feed_list, bool accept_options) {
  auto& s = self.cast<SessionObject&>();
  CheckOpen(s);
  auto map = std::make_shared<FetchMap>(s.graph_object(), fetches);
  auto feeds = std::make_shared<std::vector<Output>>();
  if (!feed_list.is_none()) {
    accept_options = true;  // as TensorFlow does, regardless of the argument
    if (!PyList_Check(feed_list.ptr()) && !PyTuple_Check(feed_list.ptr()))
      RaiseType("`feed_list` must be a list or tuple.");
    for (py::handle key : feed_list)
      for (const Output& output : FeedKeys(s.graph_object(), key)) feeds->push_back(output);
  }
  auto made = s.session->MakeCallable(*feeds, map->outputs(), map->targets());
  if (!made.ok()) RaiseRunError(made.status(), s.graph_ptr());
  std::shared_ptr<Session::Callable> callable = *made;
  return Counted(
      py::cpp_function([self, map, feeds, callable, accept_options](const py::args& args, const py::kwargs& kwargs) {
        auto& session = self.cast<SessionObject&>();
        if (session.closed) RaiseRuntime("Attempted to use a closed Session.");
        if (args.size() != feeds->size())
          RaiseValue(fmt::format("Expected {} arguments, got {}. ", feeds->size(), args.size()));
        py::object options = py::none();
        py::object metadata = py::none();
        for (auto item : kwargs) {
          const std::string name = py::cast<std::string>(item.first);
          if (!accept_options || (name != "options" && name != "run_metadata"))
            RaiseType(fmt::format("unexpected keyword argument '{}'", name));
          (name == "options" ? options : metadata) = py::reinterpret_borrow<py::object>(item.second);
        }
        RunExtras extras(options, metadata);
        std::vector<Tensor> values;
        for (size_t i = 0; i < feeds->size(); ++i)
          values.push_back(FeedValue(session.graph_object(), (*feeds)[i], args[i], Wrap((*feeds)[i])));
        const std::vector<Tensor> held = values;  // as in RunFetches: copy results that share a borrowed array's memory
        std::vector<Tensor> results = RunCancellable(session.graph_ptr(), [&](CancelToken* cancel) {
          return callable->Call(std::move(values), extras.options_ptr(), extras.metadata_ptr(), cancel);
        });
        extras.Publish();
        return map->Result(ToNumpy(std::move(results)));
      }));
}

py::object PartialRunSetup(SessionObject& s, py::handle fetches, py::object feeds) {
  CheckOpen(s);
  FetchMap map(s.graph_object(), fetches);
  std::vector<Output> keys;
  if (!feeds.is_none())
    for (py::handle key : py::iter(feeds))
      for (const Output& output : FeedKeys(s.graph_object(), key)) keys.push_back(output);
  return py::str(RunCancellable(s.graph_ptr(), [&](CancelToken* cancel) {
    return s.session->PartialRunSetup(keys, map.outputs(), map.targets(), cancel);
  }));
}

py::object PartialRun(SessionObject& s, const std::string& handle, py::handle fetches, py::handle feed_dict) {
  CheckOpen(s);
  FetchMap map(s.graph_object(), fetches);
  std::vector<Feed> feeds;
  CollectFeeds(s.graph_object(), feed_dict, &feeds);
  std::vector<Tensor> values = RunCancellable(
      s.graph_ptr(), [&](CancelToken* cancel) { return s.session->PartialRun(handle, feeds, map.outputs(), cancel); });
  return map.Result(ToNumpy(std::move(values)));
}

void Close(SessionObject& s) {
  if (s.entered != nullptr) {
    std::shared_ptr<Scope> entered = std::move(s.entered);
    s.entered = nullptr;
    entered->Exit();
  }
  if (s.closed) return;
  s.closed = true;
  const ReleaseGil waiting;
  s.session->Close().IgnoreError();
}

// Catches a common mistake: a checkpoint directory passed as the target.
void CheckIsNoPath(const std::string& target) {
  if (target.find("://") != std::string::npos || target.find('/') == std::string::npos) return;
  RaiseRunError(
      InvalidArgument(
          "session target '{}' looks like a file path: use \"\" for this process, or a server's address "
          "(\"grpc://host:port\", tf.train.Server.target). Pass checkpoint directories as checkpoint_dir or logdir",
          target),
      nullptr);
}

std::unique_ptr<SessionObject> MakeSession(py::object target, py::object graph, py::object config) {
  auto made = std::make_unique<SessionObject>();
  if (graph.is_none()) graph = DefaultGraph();
  if (!IsGraph(graph)) RaiseType(fmt::format("graph must be a tf.Graph, but got {}", Repr(py::type::handle_of(graph))));
  if (!config.is_none() && !py::hasattr(config, "inter_op_parallelism_threads"))
    RaiseType(fmt::format("config must be a tf.ConfigProto, but got {}", Repr(py::type::handle_of(config))));
  made->graph = graph;
  if (!target.is_none()) {
    if (!PyUnicode_Check(target.ptr()) && !PyBytes_Check(target.ptr()))
      RaiseType(fmt::format("target must be a string, but got {}", Repr(target)));
    made->target = py::cast<std::string>(target);
    CheckIsNoPath(made->target);
  }
  made->config = MessageFrom<tensorflow::ConfigProto>(config);
  auto session = Process::Get().NewSession(made->target, made->graph_object().graph, made->config);
  if (!session.ok()) RaiseRunError(session.status(), nullptr);
  made->session = *session;
  return made;
}

// Makes the session (and, with `graph_too`, its graph) the default of this thread.
std::shared_ptr<Scope> DefaultScope(py::object session, bool graph_too) {
  return std::make_shared<Scope>(session, [graph_too](Scope& scope, const py::object& session) -> py::object {
    if (graph_too) EnterGraph(session.cast<SessionObject&>().graph)->Enter(&scope);
    Stacks().sessions.push_back(session);
    scope.Add(std::shared_ptr<void>(nullptr, [session](void*) {
      auto& stack = Stacks().sessions;
      for (size_t i = stack.size(); i-- > 0;)
        if (stack[i].is(session)) {
          stack.erase(stack.begin() + static_cast<int64_t>(i));
          break;
        }
    }));
    return session;
  });
}

py::object SessionFor(const Graph& graph, const char* what, const char* call) {
  if (Stacks().sessions.empty())
    RaiseValue(fmt::format(
        "Cannot {} using `{}()`: No default session is registered. Use `with sess.as_default()` or pass an explicit "
        "session to `{}(session=sess)`",
        what, call, call));
  py::object session = Stacks().sessions.back();
  py::object its_graph = session.attr("graph");
  if (IsGraph(its_graph) && GraphObjectOf(its_graph).graph.get() != &graph)
    RaiseValue(fmt::format(
        "Cannot use the default session to {}: the graph is different from the session's graph. Pass an explicit "
        "session to `{}(session=sess)`.",
        what, call));
  return session;
}

}  // namespace

py::object EvalTensor(py::object tensor, py::object feed_dict, py::object session) {
  const Graph& graph = NodeFrom(tensor)->graph();
  if (session.is_none()) session = SessionFor(graph, "evaluate tensor", "eval");
  return session.attr("run")(tensor, feed_dict);
}

void RunOperation(py::object operation, py::object feed_dict, py::object session) {
  if (session.is_none()) session = SessionFor(NodeFrom(operation)->graph(), "execute operation", "run");
  session.attr("run")(operation, feed_dict);
}

std::shared_ptr<Session> SessionOf(py::handle session) {
  if (!py::isinstance<SessionObject>(session))
    RaiseType(fmt::format("sess must be a `tf.Session` object, not {}", Repr(session)));
  const auto& object = session.cast<const SessionObject&>();
  CheckOpen(object);
  return object.session;
}

std::shared_ptr<Session> UncheckedSessionOf(py::handle session) { return session.cast<const SessionObject&>().session; }

void BindSession(py::module_& m) {
  using S = SessionObject;
  py::class_<DeviceInfo>(m, "_DeviceAttributes")
      .def_readonly("name", &DeviceInfo::name)
      .def_readonly("device_type", &DeviceInfo::type)
      .def_readonly("memory_limit_bytes", &DeviceInfo::memory_limit)
      .def_readonly("incarnation", &DeviceInfo::incarnation)
      .def("__repr__", [](const DeviceInfo& d) {
        return fmt::format("_DeviceAttributes({}, {}, {}, {})", d.name, d.type, d.memory_limit, d.incarnation);
      });
  py::class_<S> base(m, "BaseSession", py::dynamic_attr(), GarbageCollected<S, VisitSession>());
  base.def("run", &RunFetches, py::arg("fetches"), py::arg("feed_dict") = py::none(), py::arg("options") = py::none(),
           py::arg("run_metadata") = py::none())
      .def("make_callable", &MakeCallable, py::arg("fetches"), py::arg("feed_list") = py::none(),
           py::arg("accept_options") = false)
      .def("partial_run_setup", &PartialRunSetup, py::arg("fetches"), py::arg("feeds") = py::none())
      .def("partial_run", &PartialRun, py::arg("handle"), py::arg("fetches"), py::arg("feed_dict") = py::none())
      .def("list_devices",
           [](S& s) {
             return RunCancellable(nullptr, [&](CancelToken* cancel) { return s.session->ListDevices(cancel); });
           })
      .def("close", &Close)
      .def("as_default", [](py::object self) { return DefaultScope(std::move(self), false); })
      .def_property_readonly("graph", [](const S& s) { return s.graph; })
      .def_property_readonly("graph_def", [](const S& s) { return s.graph.attr("as_graph_def")(); })
      .def_property_readonly("sess_str", [](const S& s) { return py::bytes(s.target); })
      .def_property_readonly("_config", [](const S& s) { return MessageToPython("ConfigProto", s.config); })
      .def_property_readonly("_closed", [](const S& s) { return s.closed; })
      .def_property_readonly("_target", [](const S& s) { return s.target; });
  auto target = py::arg("target") = "";
  auto init = [](py::object t, py::object g, py::object c) {
    return MakeSession(std::move(t), std::move(g), std::move(c));
  };
  base.def(py::init(init), target, py::arg("graph") = py::none(), py::arg("config") = py::none());
  base.def("_enter",
           [](py::object self, bool graph_too) {
             auto& s = self.cast<S&>();
             if (s.entered != nullptr)
               RaiseRuntime(
                   "Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a "
                   "session "
                   "multiple times.");
             std::shared_ptr<Scope> scope = DefaultScope(self, graph_too);
             scope->EnterOnce();
             s.entered = scope;
             return self;
           })
      .def("_exit", [](S& s) {
        if (s.entered == nullptr) return;
        std::shared_ptr<Scope> entered = std::move(s.entered);
        s.entered = nullptr;
        entered->Exit();
      });
  m.def("get_default_session",
        []() -> py::object { return Stacks().sessions.empty() ? py::none() : Stacks().sessions.back(); });
  m.def("_session_for",
        [](py::handle value) { return SessionFor(NodeFrom(value)->graph(), "evaluate tensor", "eval"); });
  m.def(
      "register_session_run_conversion_functions",
      [](py::object type, py::object fetch, py::object feed, py::handle) {
        RegisterRunConversion(std::move(type), std::move(fetch), std::move(feed));
      },
      py::arg("tensor_type"), py::arg("fetch_function"), py::arg("feed_function") = py::none(),
      py::arg("feed_function_for_partial_run") = py::none());
}

}  // namespace weir::python
