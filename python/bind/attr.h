// Attributes of operations: Python values for what a schema wants, and the way back.
#pragma once

#include <pybind11/pybind11.h>

#include "op/op_def.h"

namespace weir::python {

namespace py = pybind11;

// `value` for attribute `def` of op `op`; TypeError and ValueError name all three.
AttrValue AttrFrom(py::handle value, const AttrDef& def, const std::string& op);
// An AttrValue message, or a Python value whose kind says what it is.
AttrValue AttrFromAny(py::handle value);
// As Operation.get_attr gives it: DType for types, bytes for strings, messages for shapes and tensors.
py::object AttrToPython(const AttrValue& value);
// The default of an argument, as a person would write it.
py::object DefaultToPython(const AttrValue& value);

}  // namespace weir::python
