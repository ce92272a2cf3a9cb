// Collections of a graph as Python sees them. Items that C++ put in are wrapped, those that Python put in come back as
// they were.
#pragma once

#include <pybind11/pybind11.h>

#include <any>
#include <functional>

namespace weir::python {

namespace py = pybind11;

// How items of a C++ type become Python objects and the other way round. Types bound elsewhere (variables, savers, ...)
// add themselves; `from_python` gives an empty any for what is not theirs.
struct CollectionType {
  std::function<py::object(const std::any&)> to_python;  // an empty object for an any of another type
  std::function<std::any(py::handle)> from_python;
};
void RegisterCollectionType(CollectionType type);

py::object CollectionItemToPython(const std::any& item);
std::any CollectionItemFrom(py::handle object);

}  // namespace weir::python
