#include "bind/arguments.h"

#include "bind/numpy.h"

namespace weir::python {

Values ValuesFrom(py::handle object) {
  Values values;
  // A partitioned variable stands for the list of its parts.
  py::object pieces = py::hasattr(object, "_get_variable_list") ? object.attr("_get_variable_list")()
                                                                : py::reinterpret_borrow<py::object>(object);
  values.is_list = PyList_Check(pieces.ptr()) || PyTuple_Check(pieces.ptr());
  if (!values.is_list) {
    values.list.push_back(InputFrom(pieces));
    return values;
  }
  for (py::handle item : py::reinterpret_borrow<py::sequence>(pieces)) values.list.push_back(InputFrom(item));
  return values;
}

namespace {

// Accepts what Python's int() accepts, except text.
int64_t IntOfArgument(py::handle item) {
  if (PyUnicode_Check(item.ptr())) RaiseType(fmt::format("Expected int for argument not {}.", Repr(item)));
  return py::cast<int64_t>(py::int_(py::reinterpret_borrow<py::object>(item)));
}

}  // namespace

std::vector<int64_t> IntsFrom(py::handle object) {
  py::object value = IsTensor(object) ? py::none() : py::reinterpret_borrow<py::object>(object);
  if (IsTensor(object)) {
    const Output output = OutputOf(object);
    const Tensor known = output.graph().ConstantValue(output);
    if (known.valid() && known.dtype() != kInt32 && known.dtype() != kInt64)
      RaiseType(fmt::format("Expected a list of int, not {}.", Repr(object)));
    if (!known.valid()) RaiseValue("the axes must be known while the graph is built");
    value = ArrayFromTensor(known);
  }
  if (IsArray(value)) value = value.attr("reshape")(-1).attr("tolist")();
  std::vector<int64_t> list;
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || py::isinstance<py::iterable>(value)) {
    for (py::handle item : py::iter(value)) list.push_back(IntOfArgument(item));
  } else {
    list.push_back(IntOfArgument(value));
  }
  return list;
}

Axes AxesFrom(py::handle object) {
  if (object.is_none()) return {};
  const bool is_list = PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
  const py::sequence items =
      is_list ? py::reinterpret_borrow<py::sequence>(object) : py::sequence(py::make_tuple(object));
  for (py::handle item : items)
    if (PyFloat_Check(item.ptr()))
      RaiseType(
          "Value passed to parameter 'reduction_indices' has DataType float32 not in list of allowed values: int32, "
          "int64");
  return Axes(IntsFrom(object));
}

}  // namespace weir::python
