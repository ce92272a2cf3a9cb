// bfloat16 as a numpy type of its own: weir.bfloat16.as_numpy_dtype. It stores, prints, compares and casts; arithmetic
// is done after astype(np.float32).
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

// REQUIRES: numpy's C API is imported.
void RegisterBFloat16(pybind11::module_& m);
// Its number among numpy's types.
int BFloat16Number();

}  // namespace weir::python
