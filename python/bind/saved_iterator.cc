// The state of an iterator as an item of the collection of saveables.
#include "bind/arguments.h"
#include "bind/collections.h"
#include "bind/dataset.h"
#include "bind/ownership.h"
#include "train/saver_graph.h"

namespace weir::python {
namespace {

void VisitIteratorGraph(const SavedIterator& saved, GraphVisitor visit) { visit(saved.handle.graph()); }

}  // namespace

void BindSavedIterators(py::module_& m) {
  py::class_<SavedIterator> saved_iterator(m, "SavedIterator", GarbageCollected<SavedIterator>());
  HoldGraphsOf<SavedIterator, VisitIteratorGraph>(saved_iterator);
  saved_iterator
      .def(py::init([](Output handle, Output state) {
             return SavedIterator{handle, state};
           }),
           py::arg("handle"), py::arg("state"))
      .def_property_readonly("name", [](const SavedIterator& s) { return s.handle.node->name(); })
      .def_property_readonly("op", [](const SavedIterator& s) { return Wrap(s.handle); });
  RegisterCollectionType({
      .to_python = [](const std::any& item) -> py::object {
        const auto* saved = std::any_cast<SavedIterator>(&item);
        return saved == nullptr ? py::object() : py::cast(*saved);
      },
      .from_python = [](py::handle object) -> std::any {
        if (!py::isinstance<SavedIterator>(object)) return {};
        return py::cast<SavedIterator>(object);
      },
  });
}

}  // namespace weir::python
