// Queue runners in Python.
#pragma once

#include <pybind11/pybind11.h>

#include "train/queue_runner.h"

namespace weir::python {

namespace py = pybind11;

// A runner that C++ has made, on its way into Python's class.
struct RunnerHandle {
  QueueRunnerPtr runner;
};

void BindQueueRunner(py::module_& m);

}  // namespace weir::python
