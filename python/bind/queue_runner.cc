// tf.train.QueueRunner. The threads are Python threads that run C++ loops.
#include "bind/queue_runner.h"

#include <pybind11/stl.h>

#include "bind/collections.h"
#include "bind/coordinator.h"
#include "bind/errors.h"
#include "bind/gil.h"
#include "bind/input_caster.h"
#include "bind/messages.h"
#include "bind/objects.h"
#include "bind/ownership.h"
#include "bind/session.h"
#include "train/queue_runner.h"

namespace weir::python {
namespace {

struct QueueRunnerObject {
  QueueRunnerPtr runner;
  py::object graph;
  py::object queue;
  py::tuple closed_types;
  py::list raised;  // errors of threads without a coordinator
};

int VisitRunner(QueueRunnerObject& r, visitproc visit, void* arg) {
  Py_VISIT(r.graph.ptr());
  Py_VISIT(r.queue.ptr());
  Py_VISIT(r.raised.ptr());
  return 0;
}

// The callable that one thread runs, without arguments.
struct LoopObject {
  py::object runner;
  py::object coord;  // may be None
  QueueRunner::Loop loop;
};

int VisitLoop(LoopObject& l, visitproc visit, void* arg) {
  Py_VISIT(l.runner.ptr());
  Py_VISIT(l.coord.ptr());
  return 0;
}

void VisitGraphs(const RunnerHandle& handle, GraphVisitor visit) { visit(handle.runner->parts().enqueue[0]->graph()); }

py::object ErrorOf(const Status& status, Graph* graph) {
  try {
    RaiseRunError(status, graph);
  } catch (py::error_already_set& error) {
    return error.value();
  }
}

void RunLoop(LoopObject& l) {
  Status status;
  {
    ReleaseGil waiting;
    status = l.loop.run();
  }
  if (status.ok()) return;
  auto& runner = l.runner.cast<QueueRunnerObject&>();
  py::object error = ErrorOf(status, GraphObjectOf(runner.graph).graph.get());
  if (!l.coord.is_none()) {
    l.coord.attr("request_stop")(error);
    return;
  }
  py::module_::import("weir.lib.log").attr("error")("Exception in QueueRunner: %s", error);
  runner.raised.append(error);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

std::vector<LoopObject> LoopsOf(py::object self, py::object sess, py::object coord) {
  auto& runner = self.cast<QueueRunnerObject&>();
  std::vector<LoopObject> loops;
  for (QueueRunner::Loop& loop : runner.runner->Loops(SessionOf(sess), CoordinatorOf(coord)))
    loops.push_back({self, coord, std::move(loop)});
  if (!loops.empty()) runner.raised = py::list();
  return loops;
}

py::tuple TypesOf(const std::set<StatusCode>& codes) {
  py::list types;
  const py::object type_of = py::module_::import("weir.errors").attr("exception_type_from_error_code");
  for (StatusCode code : codes) types.append(type_of(static_cast<int>(code)));
  return py::tuple(types);
}

std::set<StatusCode> CodesOf(py::handle types) {
  const auto wrong = [&] {
    RaiseType("queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: " +
              Repr(types));
  };
  py::module_ errors = py::module_::import("weir.errors");
  if (!py::isinstance<py::tuple>(types) || py::len(types) == 0) wrong();
  std::set<StatusCode> codes;
  for (py::handle type : types) {
    if (!PyType_Check(type.ptr()) || PyObject_IsSubclass(type.ptr(), errors.attr("OpError").ptr()) != 1) wrong();
    codes.insert(static_cast<StatusCode>(errors.attr("error_code_from_exception_type")(type).cast<int>()));
  }
  return codes;
}

std::unique_ptr<QueueRunnerObject> FromArguments(py::object queue, py::object enqueue_ops, py::object close_op,
                                                 py::object cancel_op, py::object closed_types) {
  if (queue.is_none() || enqueue_ops.is_none() || py::len(enqueue_ops) == 0)
    RaiseValue("Must provide queue and enqueue_ops.");
  QueueRunnerParts parts;
  if (!closed_types.is_none()) parts.closed = CodesOf(closed_types);
  parts.queue_name = Str(queue.attr("name"));
  for (py::handle op : enqueue_ops) parts.enqueue.push_back(NodeFrom(op));
  if (close_op.is_none()) close_op = queue.attr("close")();
  if (cancel_op.is_none()) cancel_op = queue.attr("close")(py::arg("cancel_pending_enqueues") = true);
  parts.close = NodeFrom(close_op);
  parts.cancel = NodeFrom(cancel_op);
  const py::object graph = GraphOf(parts.enqueue[0]->graph());
  QueueRunnerPtr runner = Take(QueueRunner::Make(std::move(parts)));
  const py::tuple types = closed_types.is_none() ? TypesOf(runner->parts().closed) : py::tuple(closed_types);
  return std::make_unique<QueueRunnerObject>(QueueRunnerObject{runner, graph, queue, types, py::list()});
}

std::unique_ptr<QueueRunnerObject> FromDef(py::handle message, const std::optional<std::string>& import_scope) {
  const auto def = MessageFrom<tensorflow::QueueRunnerDef>(message);
  py::object graph = DefaultGraph();
  Result<QueueRunnerPtr> runner = QueueRunner::FromProto(DefaultGraphRef(), def, import_scope.value_or(""));
  if (runner.status().code() == StatusCode::kNotFound) RaiseKey(std::string(runner.status().message()));
  QueueRunnerPtr made = Take(std::move(runner));
  py::object queue = Wrap(DefaultGraphRef().FindNode(made->parts().queue_name));
  const py::tuple types = TypesOf(made->parts().closed);
  return std::make_unique<QueueRunnerObject>(QueueRunnerObject{std::move(made), graph, queue, types, py::list()});
}

std::unique_ptr<QueueRunnerObject> FromHandle(py::object queue, const RunnerHandle& handle) {
  py::object graph = GraphOf(handle.runner->parts().enqueue[0]->graph());
  const py::tuple types = TypesOf(handle.runner->parts().closed);
  return std::make_unique<QueueRunnerObject>(
      QueueRunnerObject{handle.runner, std::move(graph), std::move(queue), types, py::list()});
}

std::unique_ptr<QueueRunnerObject> MakeRunner(py::object queue, py::object enqueue_ops, py::object close_op,
                                              py::object cancel_op, py::object closed_types, py::object def,
                                              const std::optional<std::string>& import_scope,
                                              const RunnerHandle* handle) {
  if (handle != nullptr) return FromHandle(std::move(queue), *handle);
  if (def.is_none())
    return FromArguments(std::move(queue), std::move(enqueue_ops), std::move(close_op), std::move(cancel_op),
                         std::move(closed_types));
  if (!queue.is_none() || !enqueue_ops.is_none()) RaiseValue("queue_runner_def and queue are mutually exclusive.");
  return FromDef(def, import_scope);
}

// Converts runners that C++ added to a collection to the Python class. Runners added by Python stay unchanged.
void AddRunnerType() {
  RegisterCollectionType({
      .to_python = [](const std::any& item) -> py::object {
        const auto* runner = std::any_cast<QueueRunnerPtr>(&item);
        if (runner == nullptr) return {};
        Graph& graph = (*runner)->parts().enqueue[0]->graph();
        return py::module_::import("weir.lib.queue_runner")
            .attr("QueueRunner")(Wrap(graph.FindNode((*runner)->parts().queue_name)),
                                 py::arg("handle") = RunnerHandle{*runner});
      },
      .from_python = [](py::handle) -> std::any { return {}; },
  });
}

}  // namespace

void BindQueueRunner(py::module_& m) {
  AddRunnerType();
  using R = QueueRunnerObject;
  py::class_<RunnerHandle> handle(m, "QueueRunnerHandle", GarbageCollected<RunnerHandle>());
  HoldGraphsOf<RunnerHandle, VisitGraphs>(handle);
  py::class_<LoopObject>(m, "QueueRunnerLoop", GarbageCollected<LoopObject, VisitLoop>())
      .def_property_readonly("name", [](const LoopObject& l) { return l.loop.name; })
      .def("__call__", &RunLoop);
  py::class_<R>(m, "QueueRunner", py::dynamic_attr(), GarbageCollected<R, VisitRunner>())
      .def(py::init(&MakeRunner), py::arg("queue") = py::none(), py::arg("enqueue_ops") = py::none(),
           py::arg("close_op") = py::none(), py::arg("cancel_op") = py::none(),
           py::arg("queue_closed_exception_types") = py::none(), py::arg("queue_runner_def") = py::none(),
           py::arg("import_scope") = py::none(), py::arg("handle") = py::none())
      .def_property_readonly("queue", [](const R& r) { return r.queue; })
      .def_property_readonly("enqueue_ops", [](const R& r) { return r.runner->parts().enqueue; })
      .def_property_readonly("close_op", [](const R& r) { return r.runner->parts().close; })
      .def_property_readonly("cancel_op", [](const R& r) { return r.runner->parts().cancel; })
      .def_property_readonly("queue_closed_exception_types", [](const R& r) { return r.closed_types; })
      .def_property_readonly("exceptions_raised", [](const R& r) { return r.raised; })
      .def_property_readonly("name", [](const R& r) { return r.runner->parts().queue_name; })
      .def("_loops", &LoopsOf, py::arg("sess"), py::arg("coord"))
      .def(
          "to_proto",
          [](const R& r, const std::optional<std::string>& export_scope) -> py::object {
            std::optional<tensorflow::QueueRunnerDef> def = r.runner->ToProto(export_scope.value_or(""));
            return def ? MessageToPython("QueueRunnerDef", *def) : py::none();
          },
          py::arg("export_scope") = py::none());
}

}  // namespace weir::python
