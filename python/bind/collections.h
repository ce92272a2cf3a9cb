// Binds graph collections. Items added by C++ are wrapped; items added by Python are returned unchanged.
#pragma once

#include <pybind11/pybind11.h>

#include <any>
#include <functional>

namespace weir::python {

namespace py = pybind11;

// Conversions between items of a C++ type and Python objects. Types bound elsewhere (variables, savers, ...) register
// themselves. `from_python` returns an empty any for objects of other types.
struct CollectionType {
  std::function<py::object(const std::any&)> to_python;  // an empty object for items of other types
  std::function<std::any(py::handle)> from_python;
};
void RegisterCollectionType(CollectionType type);

py::object CollectionItemToPython(const std::any& item);
std::any CollectionItemFrom(py::handle object);

}  // namespace weir::python
