// Converts attributes of operations between Python values and C++, according to the schema.
#pragma once

#include <pybind11/pybind11.h>

#include "op/op_def.h"

namespace weir::python {

namespace py = pybind11;

// Converts `value` for attribute `def` of op `op`. Raises TypeError or ValueError that name the attribute.
AttrValue AttrFrom(py::handle value, const AttrDef& def, const std::string& op);
// Converts an AttrValue message, or a Python value whose type determines the kind of the attribute.
AttrValue AttrFromAny(py::handle value);
// The result of Operation.get_attr: DType for types, bytes for strings, messages for shapes and tensors.
py::object AttrToPython(const AttrValue& value);
// The default value of a Python parameter: str for strings, TensorShape for shapes, arrays for tensors.
py::object DefaultToPython(const AttrValue& value);

}  // namespace weir::python
