#include "bind/errors.h"

#include <string>

#include "bind/objects.h"

namespace weir::python {
namespace {

constexpr char kExceptionUrl[] = "weir/python_exception";

// The exception that the last StatusOfException of this thread has put aside. Owned; null when taken.
struct PutAside {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  uint64_t id = 0;
};
thread_local PutAside put_aside;

void RaiseAgainIfException(const Status& status) {
  auto payload = status.GetPayload(kExceptionUrl);
  if (!payload.has_value() || put_aside.type == nullptr) return;
  if (std::to_string(put_aside.id) != std::string(*payload)) return;
  PyErr_Restore(put_aside.type, put_aside.value, put_aside.trace);
  put_aside.type = put_aside.value = put_aside.trace = nullptr;
  throw py::error_already_set();
}

// A message may quote bytes of the user's that are no UTF-8.
py::str TextOf(std::string_view message) {
  PyObject* text = PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

[[noreturn]] void RaiseObject(py::handle type, const std::string& message) {
  PyErr_SetObject(type.ptr(), TextOf(message).ptr());
  throw py::error_already_set();
}

py::object ErrorsModule() { return py::module_::import("weir.errors"); }

std::string MessageOf(const Status& status) { return std::string(status.message()); }

}  // namespace

Status StatusOfException(py::error_already_set& error) {
  const std::string text = error.what();
  const std::string first_line = text.substr(0, text.find('\n'));
  Py_CLEAR(put_aside.type);
  Py_CLEAR(put_aside.value);
  Py_CLEAR(put_aside.trace);
  error.restore();
  PyErr_Fetch(&put_aside.type, &put_aside.value, &put_aside.trace);
  static std::atomic<uint64_t> next{1};
  put_aside.id = next.fetch_add(1, std::memory_order_relaxed);
  Status status = UnknownError("{}", first_line);
  status.SetPayload(kExceptionUrl, absl::Cord(std::to_string(put_aside.id)));
  return status;
}

void RaiseBuildError(const Status& status) {
  RaiseAgainIfException(status);
  if (IsTypeError(status)) RaiseObject(PyExc_TypeError, MessageOf(status));
  switch (status.code()) {
    case StatusCode::kFailedPrecondition:
      RaiseObject(PyExc_RuntimeError, MessageOf(status));
    case StatusCode::kUnimplemented:
      RaiseObject(PyExc_NotImplementedError, MessageOf(status));
    case StatusCode::kInvalidArgument:
    case StatusCode::kOutOfRange:
    case StatusCode::kNotFound:
    case StatusCode::kAlreadyExists:
      RaiseObject(PyExc_ValueError, MessageOf(status));
    default:
      RaiseRunError(status, nullptr);
  }
}

void RaiseRunError(const Status& status, Graph* graph) {
  RaiseAgainIfException(status);
  py::object node = py::none();
  if (graph != nullptr) {
    if (auto name = weir::NodeOf(status)) {
      if (Node* found = graph->FindNode(*name)) node = Wrap(found);
    }
  }
  py::object error =
      ErrorsModule().attr("_from_status")(static_cast<int>(status.code()), TextOf(MessageOf(status)), node);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

void RaiseType(const std::string& message) { RaiseObject(PyExc_TypeError, message); }
void RaiseValue(const std::string& message) { RaiseObject(PyExc_ValueError, message); }
void RaiseRuntime(const std::string& message) { RaiseObject(PyExc_RuntimeError, message); }
void RaiseKey(const std::string& message) { RaiseObject(PyExc_KeyError, message); }

std::string Repr(py::handle object) { return py::str(py::repr(object)); }
std::string Str(py::handle object) { return py::str(object); }
std::string TypeName(py::handle object) {
  const std::string name = Py_TYPE(object.ptr())->tp_name;
  return name.substr(name.rfind('.') + 1);
}

}  // namespace weir::python
