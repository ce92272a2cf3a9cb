#include "bind/fetch.h"

#include "bind/errors.h"
#include "bind/recursion.h"
#include "bind/sparse.h"

namespace weir::python {
namespace {

struct RunConversion {
  py::object type;
  py::object fetch;
  py::object feed;
};
std::vector<RunConversion>& RunConversions() {
  static auto* conversions = new std::vector<RunConversion>;
  return *conversions;
}

const RunConversion* FindRunConversion(py::handle object) {
  for (const RunConversion& c : RunConversions())
    if (PyObject_IsInstance(object.ptr(), c.type.ptr()) == 1) return &c;
  return nullptr;
}

bool FetchesByKey(py::handle object) {
  if (PyDict_Check(object.ptr())) return true;
  return PyMapping_Check(object.ptr()) != 0 && py::hasattr(object, "keys") && py::hasattr(object, "items");
}

constexpr size_t kFewOutputs = 8;

}  // namespace

void RegisterRunConversion(py::object type, py::object fetch_function, py::object feed_function) {
  for (const RunConversion& c : RunConversions()) {
    const int known = PyObject_IsSubclass(c.type.ptr(), type.ptr());
    if (known < 0) throw py::error_already_set();
    if (known == 1) RaiseValue(fmt::format("{} has already been registered", Repr(type)));
  }
  RunConversions().push_back({std::move(type), std::move(fetch_function), std::move(feed_function)});
}

py::object FeedFunctionFor(py::handle object) {
  const RunConversion* conversion = RunConversions().empty() ? nullptr : FindRunConversion(object);
  return conversion == nullptr || conversion->feed.is_none() ? py::object() : conversion->feed;
}

void FetchMap::CheckFetchable(Node* node) const {
  if (!graph_.not_fetchable.empty() && graph_.not_fetchable.contains(node))
    RaiseValue(fmt::format("Operation '{}' has been marked as not fetchable.", node->name()));
}

FetchMap::Entry FetchMap::AddOutput(Output output) {
  CheckFetchable(output.node);
  Entry entry{Kind::kOutput, -1, {}, {}};
  if (outputs_.size() <= kFewOutputs) {
    for (size_t i = 0; i < outputs_.size(); ++i)
      if (outputs_[i] == output) entry.output = static_cast<int>(i);
  } else {
    if (known_.empty())
      for (size_t i = 0; i < outputs_.size(); ++i) known_.emplace(outputs_[i], static_cast<int>(i));
    auto it = known_.find(output);
    if (it != known_.end()) entry.output = it->second;
  }
  if (entry.output >= 0) return entry;
  entry.output = static_cast<int>(outputs_.size());
  outputs_.push_back(output);
  if (!known_.empty()) known_.emplace(output, entry.output);
  return entry;
}

FetchMap::Entry FetchMap::AddTarget(Node* node) {
  CheckFetchable(node);
  if (std::find(targets_.begin(), targets_.end(), node) == targets_.end()) targets_.push_back(node);
  return {Kind::kTarget, -1, {}, {}};
}

FetchMap::Entry FetchMap::AddElement(py::handle fetch) {
  py::object element;
  try {
    element = GraphElement(graph_, fetch, true, true);
  } catch (py::error_already_set& error) {
    const std::string why = Str(error.value());
    if (error.matches(PyExc_TypeError))
      RaiseType(fmt::format("Fetch argument {} has invalid type {}, must be a string or Tensor. ({})", Repr(fetch),
                            Repr(py::type::handle_of(fetch)), why));
    if (error.matches(PyExc_ValueError) || error.matches(PyExc_KeyError))
      RaiseValue(fmt::format("Fetch argument {} cannot be interpreted as a Tensor. ({})", Repr(fetch), why));
    throw;
  }
  return IsTensor(element) ? AddOutput(OutputOf(element)) : AddTarget(NodeOf(element));
}

FetchMap::Entry FetchMap::Add(py::handle fetch) {
  const RecursionGuard guard(" while reading the fetches");
  if (IsTensor(fetch) && &OutputOf(fetch).graph() == graph_.graph.get()) return AddOutput(OutputOf(fetch));
  if (IsOperation(fetch) && &NodeOf(fetch)->graph() == graph_.graph.get()) return AddTarget(NodeOf(fetch));
  if (fetch.is_none())
    RaiseType(fmt::format("Fetch argument None has invalid type {}", Repr(py::type::handle_of(fetch))));
  if (PyList_Check(fetch.ptr()) || PyTuple_Check(fetch.ptr())) {
    Entry entry{PyList_Check(fetch.ptr()) ? Kind::kList : Kind::kTuple, -1, {}, {}};
    if (entry.kind == Kind::kTuple && py::hasattr(fetch, "_fields")) {
      entry.kind = Kind::kNamedTuple;
      entry.form = py::reinterpret_borrow<py::object>(py::type::handle_of(fetch));
    }
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(fetch.ptr());
    entry.parts.reserve(static_cast<size_t>(size));
    for (Py_ssize_t i = 0; i < size; ++i) entry.parts.push_back(Add(PySequence_Fast_GET_ITEM(fetch.ptr(), i)));
    return entry;
  }
  if (PyUnicode_Check(fetch.ptr())) return AddElement(fetch);
  if (FetchesByKey(fetch)) {
    Entry entry{Kind::kDict, -1, {}, {}};
    py::list keys(fetch.attr("keys")());
    for (py::handle key : keys) entry.parts.push_back(Add(py::reinterpret_borrow<py::object>(fetch)[key]));
    py::object make = py::reinterpret_borrow<py::object>(py::type::handle_of(fetch));
    if (py::hasattr(fetch, "default_factory"))  // a defaultdict takes it as its first argument
      make = py::module_::import("functools").attr("partial")(make, fetch.attr("default_factory"));
    entry.form = py::make_tuple(make, keys);
    return entry;
  }
  if (IsSparse(fetch)) {
    const SparseObject& s = SparseOf(fetch);
    return {Kind::kSparse, -1, {}, {AddOutput(s.indices), AddOutput(s.values), AddOutput(s.dense_shape)}};
  }
  if (IsSlices(fetch)) {
    const IndexedSlices& s = SlicesOf(fetch);
    Entry entry{Kind::kSlices, -1, {}, {AddOutput(s.values), AddOutput(s.indices)}};
    if (s.dense_shape.valid()) entry.parts.push_back(AddOutput(s.dense_shape));
    return entry;
  }
  if (!RunConversions().empty()) {
    if (const RunConversion* conversion = FindRunConversion(fetch)) {
      py::tuple pair = conversion->fetch(fetch);
      Entry entry{Kind::kCustom, -1, pair[1], {}};
      for (py::handle part : py::iter(pair[0])) entry.parts.push_back(Add(part));
      return entry;
    }
  }
  return AddElement(fetch);
}

py::object FetchMap::Rebuild(const Entry& entry, const std::vector<py::object>& values) const {
  auto parts = [&] {
    py::list list(entry.parts.size());
    for (size_t i = 0; i < entry.parts.size(); ++i) list[i] = Rebuild(entry.parts[i], values);
    return list;
  };
  switch (entry.kind) {
    case Kind::kOutput:
      return values[static_cast<size_t>(entry.output)];
    case Kind::kTarget:
      return py::none();
    case Kind::kList:
      return parts();
    case Kind::kTuple:
      return py::tuple(parts());
    case Kind::kNamedTuple:
      return entry.form(*py::tuple(parts()));
    case Kind::kSparse:
      return py::module_::import("weir.lib.values").attr("SparseTensorValue")(*py::tuple(parts()));
    case Kind::kSlices: {
      py::list list = parts();
      if (py::len(list) == 2) list.append(py::none());
      return py::module_::import("weir.lib.values").attr("IndexedSlicesValue")(*py::tuple(list));
    }
    case Kind::kCustom:
      return entry.form(parts());
    case Kind::kDict: {
      py::tuple form = py::reinterpret_borrow<py::tuple>(entry.form);
      py::list keys = form[1];
      py::dict dict;
      for (size_t i = 0; i < entry.parts.size(); ++i) dict[keys[i]] = Rebuild(entry.parts[i], values);
      py::object make = form[0];
      if (make.ptr() == reinterpret_cast<PyObject*>(&PyDict_Type)) return dict;
      // OrderedDict and similar types are constructed from pairs. If a type cannot be, return a plain dict.
      try {
        return make(dict.attr("items")());
      } catch (py::error_already_set&) {
        return dict;
      }
    }
  }
  return py::none();
}

}  // namespace weir::python
