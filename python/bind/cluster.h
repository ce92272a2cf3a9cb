// Clusters in Python.
#pragma once

#include <pybind11/pybind11.h>

#include "session/cluster_spec.h"

namespace weir::python {

namespace py = pybind11;

// What tf.train.ClusterSpec takes: a dict, a ClusterDef or a ClusterSpec. Addresses may lack a port, as programs also
// name clusters that they only place a graph for.
ClusterSpec ClusterSpecFrom(py::handle cluster);

void BindCluster(py::module_& m);

}  // namespace weir::python
