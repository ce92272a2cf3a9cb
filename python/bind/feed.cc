#include "bind/feed.h"

#include "bind/errors.h"
#include "bind/fetch.h"
#include "bind/numpy.h"
#include "bind/recursion.h"
#include "bind/shape.h"
#include "bind/sparse.h"

namespace weir::python {
namespace {

Output KeyOutput(GraphObject& graph, py::handle key) {
  if (IsTensor(key) && &OutputOf(key).graph() == graph.graph.get()) return OutputOf(key);
  try {
    return OutputOf(GraphElement(graph, key, /*allow_tensor=*/true, /*allow_operation=*/false));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError) && !error.matches(PyExc_KeyError)) throw;
    RaiseType(fmt::format("Cannot interpret feed_dict key as Tensor: {}", Str(error.value())));
  }
}

// Converts a Python number without numpy. Returns false for other values, and for numbers that do not fit.
bool QuickScalar(py::handle value, DType type, Tensor* out) {
  PyTypeObject* kind = Py_TYPE(value.ptr());
  if (type == kFloat || type == kDouble) {
    double number = 0;
    if (kind == &PyFloat_Type)
      number = PyFloat_AS_DOUBLE(value.ptr());
    else if (kind == &PyLong_Type)
      number = PyLong_AsDouble(value.ptr());
    else
      return false;
    if (number == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    *out = type == kFloat ? Tensor::Scalar(static_cast<float>(number)) : Tensor::Scalar(number);
    return true;
  }
  if (type == kBool && kind == &PyBool_Type) {
    *out = Tensor::Scalar(value.ptr() == Py_True);
    return true;
  }
  if ((type == kInt32 || type == kInt64) && kind == &PyLong_Type) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0 || (type == kInt32 && number != static_cast<int32_t>(number))) return false;
    *out = type == kInt32 ? Tensor::Scalar(static_cast<int32_t>(number)) : Tensor::Scalar(static_cast<int64_t>(number));
    return true;
  }
  return false;
}

// Raises TypeError for a Python int that does not fit into the type, instead of changing its value.
void CheckIntegerFits(py::handle value, const Output& output) {
  const DType type = output.base_dtype();
  bool fits = !(type == kString);
  if (IsInteger(type) || IsQuantized(type)) {
    py::object info = py::module_::import("numpy").attr("iinfo")(NumpyType(type));
    auto at_most = [](py::handle a, py::handle b) { return PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_LE) == 1; };
    fits = at_most(info.attr("min"), value) && at_most(value, info.attr("max"));
  }
  if (!fits)
    RaiseType(fmt::format(
        "Type of feed value {} with type {} is not compatible with Tensor type {} of '{}'. Try explicitly setting the "
        "type of the feed tensor to a larger type (e.g. int64).",
        Str(value), Repr(py::type::handle_of(value)), Repr(NumpyType(type)), output.name()));
}

// Adds the tensor's name and type to conversion errors of numpy.
Tensor ConvertedFor(const Output& output, py::handle value) {
  const auto message = [&output](py::error_already_set& error) {
    return fmt::format("Cannot feed this value for Tensor '{}' of type {}: {}", output.name(), output.base_dtype(),
                       Str(error.value()));
  };
  try {
    return TensorFromNumpy(value, output.base_dtype(), Memory::kBorrow);
  } catch (py::error_already_set& error) {
    if (error.type().ptr() == PyExc_ValueError) RaiseValue(message(error));
    if (error.type().ptr() == PyExc_TypeError) RaiseType(message(error));
    throw;
  }
}

void AddFeed(GraphObject& graph, py::handle key, py::handle value, std::vector<Feed>* feeds);

void AddParts(GraphObject& graph, py::handle key, py::handle value, std::initializer_list<Output> parts,
              const char* const* fields, std::vector<Feed>* feeds) {
  py::object values = py::reinterpret_borrow<py::object>(value);
  if (!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr())) {
    py::list list;
    for (size_t i = 0; i < parts.size(); ++i) list.append(value.attr(fields[i]));
    values = list;
  }
  if (py::len(values) < parts.size())
    RaiseValue(fmt::format("the value fed for {} must have {} components", Repr(key), parts.size()));
  size_t i = 0;
  for (const Output& part : parts) {
    py::object item = values[py::int_(i++)];
    feeds->push_back({part, FeedValue(graph, part, item, key)});
  }
}

void AddFeed(GraphObject& graph, py::handle key, py::handle value, std::vector<Feed>* feeds) {
  const RecursionGuard guard(" while reading the feeds");
  if (IsTensor(key) || PyUnicode_Check(key.ptr())) {
    const Output output = KeyOutput(graph, key);
    feeds->push_back({output, FeedValue(graph, output, value, key)});
    return;
  }
  if (IsSparse(key)) {
    static constexpr const char* kFields[] = {"indices", "values", "dense_shape"};
    const SparseObject& s = SparseOf(key);
    AddParts(graph, key, value, {s.indices, s.values, s.dense_shape}, kFields, feeds);
    return;
  }
  if (IsSlices(key)) {
    static constexpr const char* kFields[] = {"values", "indices", "dense_shape"};
    const IndexedSlices& s = SlicesOf(key);
    if (s.dense_shape.valid())
      AddParts(graph, key, value, {s.values, s.indices, s.dense_shape}, kFields, feeds);
    else
      AddParts(graph, key, value, {s.values, s.indices}, kFields, feeds);
    return;
  }
  if (PyTuple_Check(key.ptr())) {
    py::tuple keys = py::reinterpret_borrow<py::tuple>(key);
    if ((!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr())) || py::len(value) != py::len(keys))
      RaiseValue(fmt::format(
          "Could not flatten dictionary: the key {} has {} components, but its value has a different number.",
          Repr(key), py::len(keys)));
    for (size_t i = 0; i < py::len(keys); ++i)
      AddFeed(graph, keys[i], PySequence_Fast_GET_ITEM(value.ptr(), static_cast<Py_ssize_t>(i)), feeds);
    return;
  }
  if (py::object function = FeedFunctionFor(key)) {
    for (py::handle pair : py::iter(function(key, value))) {
      py::tuple item = py::cast<py::tuple>(pair);
      AddFeed(graph, item[0], item[1], feeds);
    }
    return;
  }
  const Output output = KeyOutput(graph, key);
  feeds->push_back({output, FeedValue(graph, output, value, key)});
}

}  // namespace

Tensor FeedValue(GraphObject& graph, Output output, py::handle value, py::handle key) {
  const DType type = output.base_dtype();
  Tensor tensor;
  if (!QuickScalar(value, type, &tensor)) {
    if (IsTensor(value))
      RaiseType(fmt::format(
          "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
          "lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was {} which was passed to the "
          "feed with key {}.",
          Str(value), Str(key)));
    if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) CheckIntegerFits(value, output);
    // A TensorHandle. Feeds its name to a string tensor, else its value.
    if (py::hasattr(value, "get_raw_handle"))
      tensor =
          TensorFromNumpy(type == kString ? value.attr("get_raw_handle")() : value.attr("eval")(), type, Memory::kCopy);
    else
      tensor = ConvertedFor(output, value);
  }
  const PartialShape shape = output.shape();
  if (!shape.CompatibleWith(tensor.shape()))
    RaiseValue(fmt::format("Cannot feed value of shape {} for Tensor '{}', which has shape '{}'",
                           ShapeText(PartialShape(tensor.shape())), output.name(), ShapeText(shape)));
  if (!graph.not_feedable.empty() && graph.not_feedable.contains(output))
    RaiseValue(fmt::format("Tensor {} may not be fed.", Str(Wrap(output))));
  return tensor;
}

void CollectFeeds(GraphObject& graph, py::handle feed_dict, std::vector<Feed>* feeds) {
  if (feed_dict.is_none()) return;
  if (PyDict_Check(feed_dict.ptr())) {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t at = 0;
    feeds->reserve(static_cast<size_t>(PyDict_GET_SIZE(feed_dict.ptr())));
    while (PyDict_Next(feed_dict.ptr(), &at, &key, &value)) AddFeed(graph, key, value, feeds);
  } else {
    const bool empty = !IsTensor(feed_dict) && !IsArray(feed_dict) && PyObject_Not(feed_dict.ptr()) == 1;
    if (empty) return;
    if (!py::hasattr(feed_dict, "items"))
      RaiseType(fmt::format("feed_dict must be a dictionary, not {}", Repr(feed_dict)));
    for (py::handle pair : py::iter(feed_dict.attr("items")())) {
      py::tuple item = py::cast<py::tuple>(pair);
      AddFeed(graph, item[0], item[1], feeds);
    }
  }
}

std::vector<Output> FeedKeys(GraphObject& graph, py::handle key) {
  if (IsSparse(key)) {
    const SparseObject& s = SparseOf(key);
    return {s.indices, s.values, s.dense_shape};
  }
  if (IsSlices(key)) {
    const IndexedSlices& s = SlicesOf(key);
    std::vector<Output> parts = {s.values, s.indices};
    if (s.dense_shape.valid()) parts.push_back(s.dense_shape);
    return parts;
  }
  return {KeyOutput(graph, key)};
}

}  // namespace weir::python
