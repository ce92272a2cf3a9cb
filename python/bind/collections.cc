#include "bind/collections.h"

#include "bind/errors.h"
#include "bind/objects.h"
#include "bind/process.h"

namespace weir::python {
namespace {

using G = GraphObject;

std::vector<CollectionType>& Types() {
  static auto* types = new std::vector<CollectionType>;
  return *types;
}

// Collections have string names. Another hashable object, also None, gets a string that is unique to its type and hash.
std::string KeyText(py::handle name) {
  if (PyUnicode_Check(name.ptr())) return py::cast<std::string>(name);
  return fmt::format("{}\x01{}", TypeName(name), py::hash(name));
}

// Whether the item has a `name` that matches the regular expression `scope` at its start, as in tf.get_collection.
bool InScope(py::handle item, py::handle scope) {
  if (!py::hasattr(item, "name")) return false;
  py::object name = item.attr("name");
  if (!PyUnicode_Check(name.ptr())) return false;
  return !py::module_::import("re").attr("match")(scope, name).is_none();
}

py::list GetCollection(G& g, py::handle name, py::handle scope) {
  py::list result;
  for (const std::any& item : g.graph->collections().Items(KeyText(name))) {
    py::object object = CollectionItemToPython(item);
    if (scope.is_none() || (PyUnicode_Check(scope.ptr()) && py::len(scope) == 0) || InScope(object, scope))
      result.append(object);
  }
  return result;
}

void AddToCollection(G& g, py::handle name, py::handle value) {
  if (g.graph->finalized()) RaiseRuntime("Graph is finalized and cannot be modified.");
  g.graph->collections().Add(KeyText(name), CollectionItemFrom(value));
}

void SetCollection(G& g, py::handle name, py::handle items) {
  std::vector<std::any> list;
  for (py::handle item : py::iter(items)) list.push_back(CollectionItemFrom(item));
  g.graph->collections().Set(KeyText(name), std::move(list));
}

}  // namespace

void RegisterCollectionType(CollectionType type) { Types().push_back(std::move(type)); }

py::object CollectionItemToPython(const std::any& item) {
  if (const SharedPyObject* object = std::any_cast<SharedPyObject>(&item)) return object->get();
  if (const Output* output = std::any_cast<Output>(&item)) return Wrap(*output);
  if (Node* const* node = std::any_cast<Node*>(&item)) return Wrap(*node);
  if (const std::string* text = std::any_cast<std::string>(&item)) return py::str(*text);
  if (const int64_t* number = std::any_cast<int64_t>(&item)) return py::int_(*number);
  for (const CollectionType& type : Types())
    if (py::object object = type.to_python(item)) return object;
  return py::none();
}

std::any CollectionItemFrom(py::handle object) {
  if (IsTensor(object)) return OutputOf(object);
  if (IsOperation(object)) return NodeOf(object);
  if (PyUnicode_CheckExact(object.ptr())) return object.cast<std::string>();
  for (const CollectionType& type : Types())
    if (std::any item = type.from_python(object); item.has_value()) return item;
  return SharedPyObject(py::reinterpret_borrow<py::object>(object));
}

void BindCollections(py::class_<GraphObject>& cls, py::module_& m) {
  cls.def("add_to_collection", &AddToCollection, py::arg("name"), py::arg("value"))
      .def(
          "add_to_collections",
          [](G& g, py::handle names, py::handle value) {
            if (PyUnicode_Check(names.ptr())) {
              AddToCollection(g, names, value);
              return;
            }
            std::vector<std::string> done;
            for (py::handle name : py::iter(names)) {
              const std::string key = KeyText(name);
              if (std::find(done.begin(), done.end(), key) != done.end()) continue;
              done.push_back(key);
              AddToCollection(g, name, value);
            }
          },
          py::arg("names"), py::arg("value"))
      .def("get_collection", &GetCollection, py::arg("name"), py::arg("scope") = py::none())
      .def("_set_collection", &SetCollection)
      .def(
          "get_collection_ref",
          [](py::object g, py::object name) {
            return py::module_::import("weir.lib.collection").attr("CollectionRef")(g, name);
          },
          py::arg("name"))
      .def(
          "clear_collection", [](G& g, py::handle name) { g.graph->collections().Set(KeyText(name), {}); },
          py::arg("name"))
      .def("get_all_collection_keys",
           [](G& g) {
             std::vector<std::string> names;
             for (const std::string& name : g.graph->collections().Names())
               if (name.find('\x01') == std::string::npos) names.push_back(name);
             return names;
           })
      .def_property_readonly("collections", [](G& g) { return g.graph->collections().Names(); })
      .def_property_readonly("_collections", [](py::object g) {
        return py::module_::import("weir.lib.collection").attr("Collections")(g);
      });

  m.def(
      "add_to_collection",
      [](py::handle name, py::handle value) { AddToCollection(GraphObjectOf(DefaultGraph()), name, value); },
      py::arg("name"), py::arg("value"));
  m.def(
      "add_to_collections",
      [](py::object names, py::object value) { DefaultGraph().attr("add_to_collections")(names, value); },
      py::arg("names"), py::arg("value"));
  m.def(
      "get_collection",
      [](py::handle key, py::handle scope) { return GetCollection(GraphObjectOf(DefaultGraph()), key, scope); },
      py::arg("key"), py::arg("scope") = py::none());
  m.def(
      "get_collection_ref", [](py::object key) { return DefaultGraph().attr("get_collection_ref")(key); },
      py::arg("key"));
}

}  // namespace weir::python
