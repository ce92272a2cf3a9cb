// ExplainArguments: clear errors for calls whose arguments match no overload. pybind11 lists C++ signatures
// and all values; the new text names the wrong argument, in the words of Python and TensorFlow.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

// Replaces the pending exception by a TypeError if it is pybind11's about arguments or about a value that could not be
// converted. `arguments` and `keywords` are those of the call; `keywords` may be null.
void ExplainArguments(PyObject* arguments, PyObject* keywords);

}  // namespace weir::python
