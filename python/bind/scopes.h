// Scope: a context manager around C++ RAII objects. Entering calls a function that adds the objects to hold; leaving
// destroys them in reverse order. Reentrant. Keeps its subject (a graph or a session) alive.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <vector>

#include "graph/graph.h"

namespace weir::python {

namespace py = pybind11;

class Scope final {
 public:
  // Returns the value of `with ... as value`. The second argument is `of`.
  using EnterFunction = std::function<py::object(Scope&, const py::object&)>;
  Scope(py::object of, EnterFunction enter) : of_(std::move(of)), enter_(std::move(enter)) {}
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  const py::object& of() const { return of_; }
  void Add(std::shared_ptr<void> held) { levels_.back().push_back(std::move(held)); }
  py::object EnterOnce();
  void Exit();
  // Enters this scope as part of `into`, which is being entered.
  py::object Enter(Scope* into);

 private:
  const py::object of_;
  const EnterFunction enter_;
  std::vector<std::vector<std::shared_ptr<void>>> levels_;
};

// Converts the argument of `tf.device`: a name, a function of an Operation, or None.
DeviceRequest DeviceRequestFrom(py::object device);
// The reverse. None for a function that was not made in Python.
py::object DeviceObject(const DeviceRequest& request);

// `with graph.as_default():`
std::shared_ptr<Scope> EnterGraph(py::object graph);

}  // namespace weir::python
