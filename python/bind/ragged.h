#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindRagged(pybind11::module_& m);

}  // namespace weir::python
