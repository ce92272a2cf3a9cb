// Feature columns, and arguments of functions that take features.
#pragma once

#include <pybind11/pybind11.h>

#include "graph/compose/feature_columns.h"

namespace weir::python {

namespace py = pybind11;

// FeatureValues by key: tensors, SparseTensors, or values that become constants when a column reads them.
struct FeaturesArgument {
  FeatureValues features;
};
FeaturesArgument FeaturesFrom(py::handle dict);
Graph* GraphOfArgument(const FeaturesArgument& argument);

void BindFeatureColumns(py::module_& m);

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::python::FeaturesArgument> {
  PYBIND11_TYPE_CASTER(weir::python::FeaturesArgument, const_name("dict"));
  bool load(handle source, bool) {
    value = weir::python::FeaturesFrom(source);
    return true;
  }
};

}  // namespace pybind11::detail
