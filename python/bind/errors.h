// Converts errors in both directions. A Status becomes an exception only in the Raise functions. An exception raised by
// a Python callback becomes a Status that refers to it, so that the user gets the original exception.
#pragma once

#include <pybind11/pybind11.h>

#include "base/status.h"
#include "graph/graph.h"

namespace weir::python {

namespace py = pybind11;

// Raises an error of graph building: TypeError, ValueError and others, as TensorFlow does.
[[noreturn]] void RaiseBuildError(const Status& status);
// Raises an error of a step or a service: a class of weir.errors. `graph` (may be null) is used to find the error's op.
[[noreturn]] void RaiseRunError(const Status& status, Graph* graph);

inline void Check(const Status& status) {
  if (!status.ok()) RaiseBuildError(status);
}
template <class T>
T Take(Result<T> result) {
  if (!result.ok()) RaiseBuildError(result.status());
  return *std::move(result);
}

// Converts the exception to a Status. Raising that Status on the same thread raises the exception again.
Status StatusOfException(py::error_already_set& error);

// Number of Python callbacks that C++ is calling on this thread.
inline thread_local int callbacks_running = 0;

// Runs `body`, which returns a Result or a Status, and converts exceptions to a Status. REQUIRES: the GIL is held.
template <class F>
auto CatchExceptions(F&& body) -> decltype(body()) {
  struct Running {
    Running() { ++callbacks_running; }
    ~Running() { --callbacks_running; }
  } running;
  try {
    return body();
  } catch (py::error_already_set& error) {
    return StatusOfException(error);
  } catch (const py::builtin_exception& error) {
    error.set_error();
    py::error_already_set fetched;
    return StatusOfException(fetched);
  }
}

[[noreturn]] void RaiseType(const std::string& message);
[[noreturn]] void RaiseValue(const std::string& message);
[[noreturn]] void RaiseRuntime(const std::string& message);
[[noreturn]] void RaiseKey(const std::string& message);
// AttributeError, as where TensorFlow uses an attribute of an argument without a check of its type. `why` may add what
// is wrong with the argument.
[[noreturn]] void RaiseMissingAttribute(py::handle object, const char* attribute, const std::string& why = "");

std::string Repr(py::handle object);
std::string Str(py::handle object);
std::string TypeName(py::handle object);  // "int"

}  // namespace weir::python
