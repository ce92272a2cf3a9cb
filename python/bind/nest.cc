#include "bind/nest.h"

#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/recursion.h"
#include "bind/sparse.h"
#include "bind/tensor_array.h"
#include "graph/compose/flow.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

bool IsMapping(py::handle object) {
  if (PyDict_Check(object.ptr())) return true;
  if (PyMapping_Check(object.ptr()) == 0 || IsTensor(object)) return false;
  static py::object* mapping = new py::object(py::module_::import("collections.abc").attr("Mapping"));
  const int answer = PyObject_IsInstance(object.ptr(), mapping->ptr());
  if (answer < 0) throw py::error_already_set();
  return answer == 1;
}

bool IsSequence(py::handle object) {
  if (PyList_Check(object.ptr())) return true;
  return PyTuple_Check(object.ptr()) && ShapeOfObject(object) == nullptr;
}

bool IsNamedTuple(py::handle object) { return PyTuple_Check(object.ptr()) && py::hasattr(object, "_fields"); }

py::list SortedKeys(py::handle mapping) {
  py::list keys(mapping.attr("keys")());
  if (PyList_Sort(keys.ptr()) != 0) throw py::error_already_set();
  return keys;
}

void Flatten(py::handle structure, std::vector<py::object>* out) {
  const RecursionGuard guard(" while flattening a structure");
  if (IsMapping(structure)) {
    for (py::handle key : SortedKeys(structure)) Flatten(py::object(structure[key]), out);
  } else if (IsSequence(structure)) {
    for (py::handle item : py::iter(structure)) Flatten(item, out);
  } else {
    out->push_back(py::reinterpret_borrow<py::object>(structure));
  }
}

py::object Pack(py::handle structure, const std::vector<py::object>& leaves, size_t* next) {
  const RecursionGuard guard(" while packing a structure");
  if (IsMapping(structure)) {
    py::dict values;
    for (py::handle key : SortedKeys(structure)) values[key] = Pack(py::object(structure[key]), leaves, next);
    // Restore the order and the type of the original.
    py::dict ordered;
    for (py::handle key : py::iter(structure.attr("keys")())) ordered[key] = values[key];
    if (PyDict_CheckExact(structure.ptr())) return ordered;
    return py::type::of(structure)(ordered);
  }
  if (IsSequence(structure)) {
    py::list items;
    for (py::handle item : py::iter(structure)) items.append(Pack(item, leaves, next));
    if (PyList_CheckExact(structure.ptr())) return items;
    if (IsNamedTuple(structure)) return py::type::of(structure)(*items);
    return py::type::of(structure)(items);
  }
  return leaves.at((*next)++);
}

}  // namespace

bool IsNested(py::handle object) { return IsMapping(object) || IsSequence(object); }

std::vector<py::object> FlattenNest(py::handle structure) {
  std::vector<py::object> leaves;
  Flatten(structure, &leaves);
  return leaves;
}

py::object PackNest(py::handle structure, const std::vector<py::object>& leaves) {
  size_t next = 0;
  return Pack(structure, leaves, &next);
}

void CheckSameNest(py::handle a, py::handle b, bool check_types) {
  const RecursionGuard guard(" while comparing two structures");
  const auto differ = [&](const char* how) {
    RaiseValue(fmt::format(
        "The two structures don't have the same nested structure: {}.\n\nFirst structure: {}\n\nSecond structure: {}",
        how, Repr(a), Repr(b)));
  };
  if (IsNested(a) != IsNested(b)) differ("one is a sequence, the other is not");
  if (!IsNested(a)) return;
  if (IsMapping(a) != IsMapping(b)) differ("one is a mapping, the other is not");
  if (check_types && IsNamedTuple(a) != IsNamedTuple(b))
    RaiseType(
        fmt::format("The two structures don't have the same sequence type. First structure: {}, second structure: {}",
                    TypeName(a), TypeName(b)));
  if (check_types && !IsMapping(a) && !IsNamedTuple(a) && PyList_Check(a.ptr()) != PyList_Check(b.ptr()))
    RaiseType(
        fmt::format("The two structures don't have the same sequence type. First structure: {}, second structure: {}",
                    TypeName(a), TypeName(b)));
  if (py::len(a) != py::len(b)) differ("they have different numbers of elements");
  if (IsMapping(a)) {
    for (py::handle key : SortedKeys(a)) {
      if (!b.contains(key)) differ("their keys differ");
      CheckSameNest(py::object(a[key]), py::object(b[key]), check_types);
    }
    return;
  }
  py::list second;
  for (py::handle item : py::iter(b)) second.append(item);
  size_t i = 0;
  for (py::handle item : py::iter(a)) CheckSameNest(item, second[i++], check_types);
}

void LeafTensors::Add(Graph& graph, py::handle object, DType wanted) {
  Leaf leaf{Kind::kTensor, py::reinterpret_borrow<py::object>(object), 1};
  if (IsSparse(object)) {
    const SparseObject& s = SparseOf(object);
    leaf.kind = Kind::kSparse;
    leaf.count = 3;
    for (Output part : {s.indices, s.values, s.dense_shape}) outputs_.push_back(part);
  } else if (IsSlices(object)) {
    const IndexedSlices& s = SlicesOf(object);
    leaf.kind = Kind::kSlices;
    leaf.count = s.dense_shape.valid() ? 3 : 2;
    outputs_.push_back(s.values);
    outputs_.push_back(s.indices);
    if (s.dense_shape.valid()) outputs_.push_back(s.dense_shape);
  } else if (const TensorArray* array = TensorArrayOf(object)) {
    leaf.kind = Kind::kArray;
    outputs_.push_back(array->flow());
  } else if (nodes_ && (IsOperation(object) || object.is_none())) {
    Node* node = object.is_none() ? Take(NodeBuilder(graph, "NoOp").Build()) : NodeOf(object);
    leaf.kind = Kind::kNode;
    outputs_.push_back(NodeAsOutput(node));
  } else {
    outputs_.push_back(Take(ToOutput(graph, InputFrom(object), wanted, "Const")));
  }
  leaves_.push_back(std::move(leaf));
}

std::vector<py::object> LeafTensors::Rebuild(const OutputList& outputs) const {
  std::vector<py::object> objects;
  size_t at = 0;
  for (const Leaf& leaf : leaves_) {
    switch (leaf.kind) {
      case Kind::kTensor:
      case Kind::kNode:
        objects.push_back(Wrap(outputs.at(at)));
        break;
      case Kind::kSparse:
        objects.push_back(WrapSparse(outputs.at(at), outputs.at(at + 1), outputs.at(at + 2)));
        break;
      case Kind::kSlices:
        objects.push_back(
            Wrap(IndexedSlices{outputs.at(at), outputs.at(at + 1), leaf.count == 3 ? outputs.at(at + 2) : Output()}));
        break;
      case Kind::kArray:
        objects.push_back(WrapTensorArray(TensorArrayOf(leaf.object)->WithFlow(outputs.at(at))));
        break;
    }
    at += leaf.count;
  }
  return objects;
}

std::string LeafTensors::Kinds() const {
  std::string kinds;
  for (const Leaf& leaf : leaves_)
    kinds += static_cast<char>('a' + static_cast<int>(leaf.kind == Kind::kNode ? Kind::kTensor : leaf.kind));
  return kinds;
}

void BindNest(py::module_& m) {
  m.def(
      "nest_flatten",
      [](py::handle structure) {
        py::list leaves;
        for (const py::object& leaf : FlattenNest(structure)) leaves.append(leaf);
        return leaves;
      },
      py::arg("structure"));
  m.def("nest_is_sequence", &IsNested, py::arg("seq"));
  m.def("nest_assert_same_structure", &CheckSameNest, py::arg("nest1"), py::arg("nest2"),
        py::arg("check_types") = true);
  m.def(
      "nest_pack_sequence_as",
      [](py::handle structure, py::handle flat_sequence) {
        if (!IsNested(flat_sequence)) RaiseType("flat_sequence must be a sequence");
        std::vector<py::object> leaves;
        for (py::handle item : py::iter(flat_sequence)) leaves.push_back(py::reinterpret_borrow<py::object>(item));
        const size_t wanted = FlattenNest(structure).size();
        if (leaves.size() != wanted)
          RaiseValue(
              fmt::format("Could not pack sequence. Structure had {} elements, but flat_sequence had {} elements.",
                          wanted, leaves.size()));
        return PackNest(structure, leaves);
      },
      py::arg("structure"), py::arg("flat_sequence"));
  m.def(
      "nest_map_structure",
      [](py::handle function, py::args structures, const py::kwargs& kwargs) {
        if (structures.empty()) RaiseValue("Must provide at least one structure");
        bool check_types = true;
        for (auto [key, value] : kwargs) {
          if (Str(key) != "check_types") RaiseValue("Only valid keyword argument is check_types");
          check_types = value.cast<bool>();
        }
        std::vector<std::vector<py::object>> columns;
        for (py::handle s : structures) {
          CheckSameNest(structures[0], s, check_types);
          columns.push_back(FlattenNest(s));
        }
        std::vector<py::object> results;
        for (size_t i = 0; i < columns[0].size(); ++i) {
          py::list arguments;
          for (const auto& column : columns) arguments.append(column[i]);
          results.push_back(function(*arguments));
        }
        return PackNest(structures[0], results);
      },
      py::arg("func"));
}

}  // namespace weir::python
