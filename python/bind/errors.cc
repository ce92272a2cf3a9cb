#include "bind/errors.h"

#include <absl/strings/cord.h>

#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/attribute_error.h"
#include "base/out_of_memory.h"
#include "bind/files.h"
#include "bind/objects.h"
#include "bind/op_errors.h"
#include "bind/process.h"
#include "graph/compose/checks.h"

namespace weir::python {
namespace {

constexpr char kExceptionUrl[] = "weir/python_exception";

// Exceptions stored for a Status, each for as long as a copy of that Status exists.
struct StoredException {
  SharedPyObject type, value, trace;
  std::thread::id thread;
};
struct ExceptionStore {
  std::mutex mu;
  std::map<std::string, StoredException, std::less<>> exceptions;  // by id
  uint64_t next = 1;
};
ExceptionStore& GetExceptionStore() {
  static ExceptionStore* kept = new ExceptionStore;  // leaked: Statuses may outlive the module
  return *kept;
}

absl::Cord Keep(StoredException exception) {
  ExceptionStore& kept = GetExceptionStore();
  std::lock_guard<std::mutex> lock(kept.mu);
  const auto it = kept.exceptions.emplace(std::to_string(kept.next++), std::move(exception)).first;
  return absl::MakeCordFromExternal(it->first, [](absl::string_view number) {
    StoredException released;
    ExceptionStore& all = GetExceptionStore();
    std::lock_guard<std::mutex> all_lock(all.mu);
    const auto found = all.exceptions.find(std::string_view(number.data(), number.size()));
    released = std::move(found->second);  // destroyed after the lock is released, because that may run Python code
    all.exceptions.erase(found);
  });
}

void RethrowStoredException(const Status& status) {
  const auto payload = status.GetPayload(kExceptionUrl);
  if (!payload.has_value()) return;
  StoredException found;
  {
    ExceptionStore& kept = GetExceptionStore();
    std::lock_guard<std::mutex> lock(kept.mu);
    const auto it = kept.exceptions.find(std::string(*payload));
    if (it == kept.exceptions.end() || it->second.thread != std::this_thread::get_id()) return;
    found = it->second;
  }
  PyErr_Restore(found.type.get().release().ptr(), found.value.get().release().ptr(), found.trace.get().release().ptr());
  throw py::error_already_set();
}

// A message may quote user bytes that are not UTF-8.
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
  error.restore();
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const auto item = [](PyObject* object) { return SharedPyObject(py::reinterpret_steal<py::object>(object)); };
  Status status = UnknownError("{}", first_line);
  status.SetPayload(kExceptionUrl, Keep({item(type), item(value), item(trace), std::this_thread::get_id()}));
  return status;
}

bool IsOpError(py::handle exception) {
  return exception.ptr() != nullptr && py::isinstance(exception, ErrorsModule().attr("OpError"));
}

Status StatusOfRun(py::error_already_set& error) {
  const py::object value = error.value();
  if (!IsOpError(value)) return StatusOfException(error);
  const int code = py::cast<int>(value.attr("error_code"));
  const std::string message = py::cast<std::string>(py::str(value.attr("message")));
  const Status raised = StatusOfException(error);
  Status status = MakeStatus(static_cast<StatusCode>(code), message);
  raised.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) { status.SetPayload(url, payload); });
  return status;
}

void RaiseBuildError(const Status& status) {
  RethrowStoredException(status);
  if (IsUnknownFileScheme(status)) RaiseRunError(status, nullptr);  // as TensorFlow does for every use of a file
  if (IsFailedAssertion(status)) RaiseRunError(status, nullptr);    // whether it fails while building or running
  if (IsTypeError(status)) RaiseObject(PyExc_TypeError, MessageOf(status));
  if (IsAttributeError(status)) RaiseObject(PyExc_AttributeError, MessageOf(status));
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
  RethrowStoredException(status);
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

void TranslateOutOfMemory() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto raise = [](const Status& status) {
      try {
        RaiseRunError(status, nullptr);
      } catch (py::error_already_set& error) {
        error.restore();
      }
    };
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      raise(StatusFromCurrentException("a function"));
    } catch (const std::length_error&) {
      raise(StatusFromCurrentException("a function"));
    }
  });
}

void RaiseType(const std::string& message) { RaiseObject(PyExc_TypeError, message); }
void RaiseValue(const std::string& message) { RaiseObject(PyExc_ValueError, message); }
void RaiseRuntime(const std::string& message) { RaiseObject(PyExc_RuntimeError, message); }
void RaiseKey(const std::string& message) { RaiseObject(PyExc_KeyError, message); }
void RaiseMissingAttribute(py::handle object, const char* attribute, const std::string& why) {
  RaiseObject(PyExc_AttributeError, fmt::format("'{}' object has no attribute '{}'{}{}{}", TypeName(object), attribute,
                                                why.empty() ? "" : " (", why, why.empty() ? "" : ")"));
}

std::string Repr(py::handle object) { return py::str(py::repr(object)); }
std::string Str(py::handle object) { return py::str(object); }
std::string TypeName(py::handle object) {
  const std::string name = Py_TYPE(object.ptr())->tp_name;
  return name.substr(name.rfind('.') + 1);
}

}  // namespace weir::python
