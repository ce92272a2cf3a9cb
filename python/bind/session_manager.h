// Binds session managers and scaffolds, and helpers for code that gets sessions from C++.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind/errors.h"
#include "bind/run_blocking.h"
#include "train/graph_file.h"
#include "train/scaffold.h"
#include "train/session_manager.h"

namespace weir::python {

namespace py = pybind11;

// Creates tf.Sessions for C++, and finds the Python object of a session returned by C++.
class PythonSessions final {
 public:
  PythonSessions(py::object master, py::object graph, py::object config);
  SessionMaker maker() const;                        // called without the GIL
  py::object Find(const SessionPtr& session) const;  // with the GIL

 private:
  struct Made;
  std::shared_ptr<Made> made_;
};

// Wraps init_fn, which gets the tf.Session that `sessions` created. Called without the GIL.
InitFunction InitFunctionFrom(py::object init_fn, const PythonSessions& sessions);

// The nodes of fetches: an operation, a tensor or a list of these. Empty for None.
std::vector<Node*> NodesFrom(py::handle graph, py::handle fetches);
ReadyOp ReadyOpFrom(py::handle graph, py::handle ready_op);
std::vector<Feed> FeedsFrom(py::handle graph, py::handle feed_dict);
py::object WrapReady(const ReadyOp& ready);  // the operation or tensor
// Converts a tf.train.Saver or None.
std::shared_ptr<Saver> SaverFrom(py::handle saver);

// The C++ object of a tf.train.SessionManager or tf.train.Scaffold. Raises TypeError for other objects.
std::shared_ptr<SessionManager> SessionManagerOf(py::handle object);
// Wraps a C++ session manager of that tf.Graph as a tf.train.SessionManager.
py::object SessionManagerObjectOf(std::shared_ptr<SessionManager> manager, py::object graph);
// Does not set init_fn: the creator of the sessions sets it with InitFunctionFrom(scaffold.init_fn, sessions).
std::shared_ptr<Scaffold> ScaffoldOf(py::handle object);

// Raises an error of a training service: ValueError or RuntimeError for wrong arguments, tf.errors.* for a step's
// error.
[[noreturn]] void RaiseServiceError(const Status& status, Graph* graph);

// RunBlocking that raises errors with RaiseServiceError.
template <class F>
auto RunBlocking(Graph* graph, F&& body) {
  return RunBlocking(std::forward<F>(body), [graph](const Status& status) { RaiseServiceError(status, graph); });
}

// Formats a graph with protobuf's text_format.
GraphText PythonGraphText();

void BindSessionManager(py::module_& m);
void BindScaffold(py::module_& m);

}  // namespace weir::python
