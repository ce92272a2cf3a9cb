// tf.train.Coordinator. The C++ Coordinator waits without the GIL. The reported exception and the Python threads are
// stored here, visible to the garbage collector, because both usually refer back to the coordinator.
#include "bind/coordinator.h"

#include <pybind11/stl.h>

#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/gil.h"
#include "bind/op_errors.h"
#include "train/coordinator.h"

namespace weir::python {
namespace {

struct CoordinatorObject {
  std::shared_ptr<Coordinator> coord;
  py::tuple clean_types;
  py::object reported;  // the exception that join raises, if Python reported it
  py::set threads;
};

int VisitCoordinator(CoordinatorObject& c, visitproc visit, void* arg) {
  Py_VISIT(c.clean_types.ptr());
  Py_VISIT(c.reported.ptr());
  Py_VISIT(c.threads.ptr());
  return 0;
}
void ClearCoordinator(CoordinatorObject& c) {
  c.reported = py::object();
  c.threads = py::set();
}

// Borrows the thread. REQUIRES: used only during the call that creates it, which holds a reference.
class PythonThread final : public CoordinatedThread {
 public:
  explicit PythonThread(py::handle thread) : thread_(thread) {}
  Result<bool> Alive() override {
    return InPython(
        [&] { return CatchExceptions([&]() -> Result<bool> { return thread_.attr("is_alive")().cast<bool>(); }); });
  }
  Result<std::string> Name() override {
    return InPython(
        [&] { return CatchExceptions([&]() -> Result<std::string> { return Str(thread_.attr("name")); }); });
  }

 private:
  py::handle thread_;
};

// Polls for signals on the main thread, the only one where Python handles them.
Interrupted OnSignals() {
  if (!IsMainThread()) return {};
  return [] { return InPython([] { return PyErr_CheckSignals() != 0; }); };
}

std::shared_ptr<CoordinatorObject> MakeCoordinator(py::object clean_stop_exception_types) {
  auto made = std::make_shared<CoordinatorObject>();
  py::module_ errors = py::module_::import("weir.errors");
  if (clean_stop_exception_types.is_none())
    made->clean_types = py::make_tuple(errors.attr("OutOfRangeError"));
  else if (py::isinstance<py::tuple>(clean_stop_exception_types))
    made->clean_types = clean_stop_exception_types;
  else
    made->clean_types = py::make_tuple(clean_stop_exception_types);
  std::set<StatusCode> clean;
  for (int code = 1; code <= 16; ++code) {
    const int is_clean =
        PyObject_IsSubclass(errors.attr("exception_type_from_error_code")(code).ptr(), made->clean_types.ptr());
    if (is_clean < 0) throw py::error_already_set();
    if (is_clean > 0) clean.insert(static_cast<StatusCode>(code));
  }
  made->coord = std::make_shared<Coordinator>(std::move(clean));
  return made;
}

// Extracts the exception from the argument of request_stop: an exception, or sys.exc_info(). None if there is no error.
py::object ExceptionFrom(py::handle ex) {
  if (ex.is_none()) return py::none();
  py::object value = py::reinterpret_borrow<py::object>(ex);
  if (py::isinstance<py::tuple>(ex)) {
    const auto info = py::reinterpret_borrow<py::tuple>(ex);
    if (info.size() != 3) RaiseType(fmt::format("ex must be an exception or sys.exc_info(), not {}", Repr(ex)));
    if (info[0].is_none() && info[1].is_none()) return py::none();
    value = info[1];
    if (value.is_none() && PyExceptionClass_Check(py::object(info[0]).ptr())) value = info[0]();
    if (PyExceptionInstance_Check(value.ptr()) && PyTraceBack_Check(py::object(info[2]).ptr()))
      PyException_SetTraceback(value.ptr(), py::object(info[2]).ptr());
  }
  if (!PyExceptionInstance_Check(value.ptr()))
    RaiseType(fmt::format("ex must be an exception or sys.exc_info(), not {}", Repr(ex)));
  return value;
}

[[noreturn]] void RaiseException(const py::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

// Errors of a session that was closed or lost a task. The owner of the session handles and logs them.
bool IsEndOfSession(const Status& error) {
  return error.code() == StatusCode::kCancelled || error.code() == StatusCode::kAborted ||
         error.code() == StatusCode::kUnavailable;
}

void RequestStop(CoordinatorObject& c, py::handle ex) {
  const py::object exception = ExceptionFrom(ex);
  int is_clean = 1;
  if (!exception.is_none()) is_clean = PyObject_IsInstance(exception.ptr(), c.clean_types.ptr());
  if (is_clean < 0) throw py::error_already_set();
  if (is_clean > 0) {
    c.coord->RequestStop();
    return;
  }
  const std::string type = TypeName(exception);
  Status error = UnknownError("{}: {}", type, Str(exception));
  if (IsOpError(exception))
    error =
        MakeStatus(static_cast<StatusCode>(exception.attr("error_code").cast<int>()), Str(exception.attr("message")));
  switch (c.coord->ReportError(error)) {
    case Coordinator::Outcome::kTooLate:
      RaiseException(exception);
    case Coordinator::Outcome::kFirstError:
      c.reported = exception;
      py::module_::import("weir.lib.log")
          .attr(IsEndOfSession(error) ? "info" : "error")("Error reported to Coordinator: %s, %s",
                                                          py::type::of(exception), py::str(exception));
      break;
    case Coordinator::Outcome::kNoted:
      break;
  }
}

void RaiseReported(CoordinatorObject& c) {
  const Status error = c.coord->error();
  if (error.ok()) return;
  if (c.reported && !c.reported.is_none()) RaiseException(c.reported);
  RaiseRunError(error, nullptr);
}

bool WaitForStop(CoordinatorObject& c, std::optional<double> timeout) {
  const std::shared_ptr<Coordinator> coord = c.coord;
  bool stopped = false;
  {
    ReleaseGil waiting;
    stopped = coord->WaitForStop(timeout, OnSignals());
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return stopped;
}

void JoinThreads(CoordinatorObject& c, py::object threads, double stop_grace_period_secs, bool ignore_live_threads) {
  py::set all(c.threads.attr("copy")());  // other threads may register during the wait
  if (!threads.is_none())
    for (py::handle thread : py::iter(threads)) all.add(thread);
  Coordinator::JoinOptions options;
  options.stop_grace_period_secs = stop_grace_period_secs;
  options.ignore_live_threads = ignore_live_threads;
  options.interrupted = OnSignals();
  for (py::handle thread : all) options.threads.push_back(std::make_shared<PythonThread>(thread));
  const std::shared_ptr<Coordinator> coord = c.coord;
  Status status;
  {
    ReleaseGil waiting;
    status = coord->Join(std::move(options));
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (coord->joined()) {
    c.threads = py::set();
    RaiseReported(c);
  }
  Check(status);
}

void Loop(CoordinatorObject& c, std::optional<double> interval, py::object body) {
  const std::shared_ptr<Coordinator> coord = c.coord;
  Status status;
  {
    ReleaseGil waiting;
    status = coord->Loop(interval, [&] {
      return InPython([&] {
        return CatchExceptions([&]() -> Status {
          CallOrPark(body, py::make_tuple());
          return OkStatus();
        });
      });
    });
  }
  Check(status);
}

// `with coord.stop_on_exception():` passes an exception of the block to request_stop, and suppresses it.
struct StopOnException {
  py::object coord;
};

}  // namespace

std::shared_ptr<Coordinator> CoordinatorOf(py::handle object) {
  if (object.is_none()) return nullptr;
  if (!py::isinstance<CoordinatorObject>(object))
    RaiseType(fmt::format("expected a tf.train.Coordinator, got {}", Repr(object)));
  return object.cast<const CoordinatorObject&>().coord;
}

void BindCoordinator(py::module_& m) {
  using C = CoordinatorObject;
  py::class_<StopOnException>(m, "StopOnException")
      .def("__enter__", [](const StopOnException&) {})
      .def("__exit__", [](const StopOnException& s, py::object type, py::object value, py::object trace) {
        if (type.is_none()) return false;
        s.coord.attr("request_stop")(py::make_tuple(type, value, trace));
        return true;
      });
  py::class_<C, std::shared_ptr<C>>(
      m, "Coordinator", py::dynamic_attr(), GarbageCollected<C, VisitCoordinator, ClearCoordinator>(),
      "Stops a set of threads together. join() raises the first exception that a thread reported.")
      .def(py::init(&MakeCoordinator), py::arg("clean_stop_exception_types") = py::none())
      .def("request_stop", &RequestStop, py::arg("ex") = py::none())
      .def("clear_stop",
           [](C& c) {
             c.coord->ClearStop();
             c.reported = py::object();
           })
      .def("should_stop", [](const C& c) { return c.coord->should_stop(); })
      .def("stop_on_exception", [](py::object self) { return StopOnException{std::move(self)}; })
      .def("wait_for_stop", &WaitForStop, py::arg("timeout") = py::none())
      .def(
          "register_thread", [](C& c, py::object thread) { c.threads.add(std::move(thread)); }, py::arg("thread"))
      .def("join", &JoinThreads, py::arg("threads") = py::none(), py::arg("stop_grace_period_secs") = 120.0,
           py::arg("ignore_live_threads") = false)
      .def_property_readonly("joined", [](const C& c) { return c.coord->joined(); })
      .def("raise_requested_exception", &RaiseReported)
      .def("_loop", &Loop, py::arg("interval_secs"), py::arg("body"));
}

}  // namespace weir::python
