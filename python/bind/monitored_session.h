// Sessions, coordinators and threads that Python creates for monitored sessions.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>

#include "bind/process.h"
#include "train/monitored_session.h"

namespace weir::python {

namespace py = pybind11;

// The Python objects of the current session.
struct SessionObjects {
  std::mutex mu;  // never held while calling Python
  SharedPyObject session;
  SharedPyObject coordinator;

  void Set(SharedPyObject* member, SharedPyObject value) {
    std::lock_guard<std::mutex> lock(mu);
    std::swap(*member, value);
  }
  SharedPyObject Get(const SharedPyObject& member) {
    std::lock_guard<std::mutex> lock(mu);
    return member;
  }
};

// Adapts a Python session creator: an object with create_session(). Runs it in the original graph, because another
// graph may be the default one when a session is created again.
SessionCreator CreatorFrom(py::object creator, py::object graph, std::shared_ptr<SessionObjects> current);
// Creates coordinators, queue runners and waits for threads in Python.
void UsePythonThreads(const std::shared_ptr<SessionObjects>& current, MonitoredSessionOptions* options);

}  // namespace weir::python
