// Which exceptions of Python are those of steps.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

// One of weir.errors, which has a code. Others may have an attribute of that name that means something else.
bool IsOpError(pybind11::handle exception);

// From now on a C++ function that runs out of memory raises ResourceExhaustedError.
void TranslateOutOfMemory();

}  // namespace weir::python
