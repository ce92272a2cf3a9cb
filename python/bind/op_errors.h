// Exceptions of steps (weir.errors).
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

// Whether the object is an exception of weir.errors. Other exceptions may have an unrelated attribute `error_code`.
bool IsOpError(pybind11::handle exception);

// Makes C++ functions that run out of memory raise ResourceExhaustedError.
void TranslateOutOfMemory();

}  // namespace weir::python
