// Binds queue runners.
#pragma once

#include <pybind11/pybind11.h>

#include "train/queue_runner.h"

namespace weir::python {

namespace py = pybind11;

// Passes a runner created by C++ to the constructor of the Python class.
struct RunnerHandle {
  QueueRunnerPtr runner;
};

void BindQueueRunner(py::module_& m);

}  // namespace weir::python
