// bfloat16 as a numpy type: weir.bfloat16.as_numpy_dtype. Supports storing, printing, comparing and casting. For
// arithmetic, use astype(np.float32).
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

// REQUIRES: numpy's C API has been imported.
void RegisterBFloat16(pybind11::module_& m);
// Its numpy type number.
int BFloat16Number();

}  // namespace weir::python
