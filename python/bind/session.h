// Python's Session and InteractiveSession over the C++ Session.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "session/session.h"

namespace weir::python {

namespace py = pybind11;

// tensor.eval() and operation.run(): in `session`, or the default one when it is None.
py::object EvalTensor(py::object tensor, py::object feed_dict, py::object session);
void RunOperation(py::object operation, py::object feed_dict, py::object session);

// The C++ session of a tf.Session that is open. A TypeError for anything else, a RuntimeError once it is closed.
std::shared_ptr<Session> SessionOf(py::handle session);
// The same of one whose graph may be empty still. REQUIRES: a tf.Session.
std::shared_ptr<Session> SessionBehind(py::handle session);

void BindSession(py::module_& m);

}  // namespace weir::python
