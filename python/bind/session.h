// Binds Session and InteractiveSession.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "session/session.h"

namespace weir::python {

namespace py = pybind11;

// tensor.eval() and operation.run(), in `session`, or in the default session if it is None.
py::object EvalTensor(py::object tensor, py::object feed_dict, py::object session);
void RunOperation(py::object operation, py::object feed_dict, py::object session);

// The C++ session of an open tf.Session. Raises TypeError for other objects, and RuntimeError if it is closed.
std::shared_ptr<Session> SessionOf(py::handle session);
// The same, but the graph may still be empty. REQUIRES: a tf.Session.
std::shared_ptr<Session> UncheckedSessionOf(py::handle session);

void BindSession(py::module_& m);

}  // namespace weir::python
