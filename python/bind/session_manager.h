// Session managers and scaffolds in Python, and what others need that get sessions from C++.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind/errors.h"
#include "bind/run_waiting.h"
#include "train/graph_file.h"
#include "train/scaffold.h"
#include "train/session_manager.h"

namespace weir::python {

namespace py = pybind11;

// Makes tf.Sessions where C++ asks for sessions, and finds the Python object of a session that C++ gives back.
class PythonSessions final {
 public:
  PythonSessions(py::object master, py::object graph, py::object config);
  SessionMaker maker() const;                        // called without the GIL
  py::object Find(const SessionPtr& session) const;  // with the GIL

 private:
  struct Made;
  std::shared_ptr<Made> made_;
};

// A function of a session, `sess` being a tf.Session that `sessions` made. Called without the GIL.
InitFunction InitFunctionFrom(py::object init_fn, const PythonSessions& sessions);

// The nodes behind what a session could run: an operation, a tensor, a list of them. None: no nodes.
std::vector<Node*> NodesFrom(py::handle graph, py::handle fetches);
ReadyOp ReadyOpFrom(py::handle graph, py::handle ready_op);
std::vector<Feed> FeedsFrom(py::handle graph, py::handle feed_dict);
py::object WrapReady(const ReadyOp& ready);  // the operation or tensor
// A tf.train.Saver or None.
std::shared_ptr<Saver> SaverFrom(py::handle saver);

// The C++ one of a tf.train.SessionManager or tf.train.Scaffold; a TypeError for anything else.
std::shared_ptr<SessionManager> SessionManagerOf(py::handle object);
// A tf.train.SessionManager over a C++ one of that tf.Graph.
py::object SessionManagerObjectOf(std::shared_ptr<SessionManager> manager, py::object graph);
// A scaffold's init_fn is set by whoever makes its sessions, by InitFunctionFrom(scaffold.init_fn, sessions).
std::shared_ptr<Scaffold> ScaffoldOf(py::handle object);

// An error of a training service: what the caller gave is a ValueError or RuntimeError, a step's error is tf.errors.*.
[[noreturn]] void RaiseServiceError(const Status& status, Graph* graph);

// As RunWaiting, with the errors of services.
template <class F>
auto RunWaiting(Graph* graph, F&& body) {
  return RunWaiting(std::forward<F>(body), [graph](const Status& status) { RaiseServiceError(status, graph); });
}

// The text of a graph, as protobuf's text_format writes it.
GraphText PythonGraphText();

void BindSessionManager(py::module_& m);
void BindScaffold(py::module_& m);

}  // namespace weir::python
