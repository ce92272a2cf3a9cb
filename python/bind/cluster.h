// Binds clusters.
#pragma once

#include <pybind11/pybind11.h>

#include "session/cluster_spec.h"

namespace weir::python {

namespace py = pybind11;

// Converts the argument of tf.train.ClusterSpec: a dict, a ClusterDef or a ClusterSpec. Addresses may lack a port,
// because programs also create clusters only to place a graph.
ClusterSpec ClusterSpecFrom(py::handle cluster);

void BindCluster(py::module_& m);

}  // namespace weir::python
