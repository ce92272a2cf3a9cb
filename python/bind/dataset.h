#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindDataset(pybind11::module_& m);
void BindSavedIterators(pybind11::module_& m);

}  // namespace weir::python
