// How errors cross the border, in both directions. A Status becomes an exception in Raise and nowhere else; an
// exception raised by user code that C++ has called becomes a Status that remembers it, so that the user sees his own
// exception.
#pragma once

#include <pybind11/pybind11.h>

#include "base/status.h"
#include "graph/graph.h"

namespace weir::python {

namespace py = pybind11;

// What went wrong while a graph was built: TypeError, ValueError and their relatives, as TensorFlow raises them.
[[noreturn]] void RaiseBuildError(const Status& status);
// What went wrong in a step or a service: the classes of weir.errors. `graph` (may be null) gives the error its op.
[[noreturn]] void RaiseRunError(const Status& status, Graph* graph);

inline void Check(const Status& status) {
  if (!status.ok()) RaiseBuildError(status);
}
template <class T>
T Take(Result<T> result) {
  if (!result.ok()) RaiseBuildError(result.status());
  return *std::move(result);
}

// The exception as a Status. Raising that Status on the same thread raises the exception again.
Status StatusOfException(py::error_already_set& error);

// How many functions of C++ on this thread wait for Python code that they have called.
inline thread_local int callbacks_running = 0;

// Runs `body` (which returns a Result or a Status) and turns exceptions into a Status. The GIL must be held.
template <class F>
auto CatchingExceptions(F&& body) -> decltype(body()) {
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

std::string Repr(py::handle object);
std::string Str(py::handle object);
std::string TypeName(py::handle object);  // "int"

}  // namespace weir::python
