// tensor[key]: converts Python indexing (integers, slices, ellipsis, newaxis and scalar tensors) to one StridedSlice.
#include "absl/strings/match.h"
#include "bind/errors.h"
#include "bind/input_caster.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/operators.h"
#include "graph/compose/array.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

// begin, end and strides, with one entry per item of the key, and the masks of the op.
struct SliceSpec {
  py::list begin;
  py::list end;
  py::list strides;
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t shrink_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t ellipsis_mask = 0;
};

bool IsIndex(py::handle value) {
  // Both are subclasses of, or convert to, integers.
  if (PyBool_Check(value.ptr()) || absl::StartsWith(Py_TYPE(value.ptr())->tp_name, "numpy.bool")) return false;
  if (IsTensor(value)) {
    const DType type = OutputOf(value).base_dtype();
    return type == kInt32 || type == kInt64;
  }
  if (SizeOfDimension(value)) return true;
  if (py::hasattr(value, "_as_graph_element")) return true;
  if (IsArray(value)) return value.attr("ndim").cast<int>() == 0;
  return PyIndex_Check(value.ptr()) != 0;
}

void CheckIndex(py::handle value) {
  if (!IsIndex(value))
    RaiseType(fmt::format(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are "
        "valid indices, got {}",
        Repr(value)));
}

py::object IndexObject(py::handle value) {
  if (IsTensor(value)) return py::reinterpret_borrow<py::object>(value);
  if (py::hasattr(value, "_as_graph_element") || PyIndex_Check(value.ptr()) == 0)
    return py::reinterpret_borrow<py::object>(value);
  PyObject* index = PyNumber_Index(value.ptr());
  if (index == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(index);
}

py::object PlusOne(py::handle value) {
  if (PyLong_Check(value.ptr())) return py::int_(py::cast<int64_t>(value) + 1);
  return py::reinterpret_borrow<py::object>(value) + py::int_(1);
}

void AddItem(py::handle item, int at, SliceSpec* spec) {
  const int64_t bit = int64_t{1} << at;
  if (PySlice_Check(item.ptr())) {
    auto part = [&](const char* name, int64_t* mask, py::list* out, int64_t fallback) {
      py::object value = item.attr(name);
      if (value.is_none()) {
        out->append(py::int_(fallback));
        if (mask != nullptr) *mask |= bit;
        return;
      }
      CheckIndex(value);
      out->append(IndexObject(value));
    };
    part("start", &spec->begin_mask, &spec->begin, 0);
    part("stop", &spec->end_mask, &spec->end, 0);
    part("step", nullptr, &spec->strides, 1);
    return;
  }
  if (item.ptr() == Py_Ellipsis || item.is_none()) {
    // Their begin, end and stride are ignored.
    if (item.ptr() == Py_Ellipsis && spec->ellipsis_mask != 0)
      RaiseValue("Multiple ellipses in slice spec not allowed");
    (item.is_none() ? spec->new_axis_mask : spec->ellipsis_mask) |= bit;
    spec->begin.append(py::int_(0));
    spec->end.append(py::int_(0));
    spec->strides.append(py::int_(1));
    return;
  }
  CheckIndex(item);
  py::object index = IndexObject(item);
  spec->begin.append(index);
  spec->end.append(PlusOne(index));
  spec->strides.append(py::int_(1));
  spec->shrink_mask |= bit;
}

}  // namespace

// Whether the key selects by truth values: a bool tensor, array or number.
static bool IsMask(py::handle key) {
  if (PyBool_Check(key.ptr())) return true;
  if (IsTensor(key)) return OutputOf(key).base_dtype() == kBool;
  return IsArray(key) && key.attr("dtype").attr("kind").cast<std::string>() == "b";
}

py::object GetItem(py::handle x, py::handle key) {
  const Output value = InputFrom(x).output();
  if (IsMask(key)) {
    const Output picked = BooleanMask(value.graph(), value, InputFrom(key));
    Check(value.graph().TakeError());
    return Wrap(picked);
  }
  py::tuple items = PyTuple_Check(key.ptr())  ? py::reinterpret_borrow<py::tuple>(key)
                    : PyList_Check(key.ptr()) ? py::tuple(py::reinterpret_borrow<py::list>(key))
                                              : py::make_tuple(key);
  if (py::len(items) > 62) throw py::index_error("too many indices");
  Graph& graph = value.graph();
  NameScope scope(graph, "strided_slice");
  SliceSpec spec;
  int at = 0;
  for (py::handle item : items) AddItem(item, at++, &spec);

  auto packed = [&](py::list list) {
    if (py::len(list) == 0) return Constant(graph, Take(Tensor::Allocate(kInt32, Shape{0})));
    return Take(PyLiteral(std::move(list)).ToOutput(graph, kInvalidType, "stack"));
  };
  Output begin = packed(spec.begin);
  Output end = packed(spec.end);
  Output strides = packed(spec.strides);
  const bool wide = begin.base_dtype() == kInt64 || end.base_dtype() == kInt64 || strides.base_dtype() == kInt64;
  if (wide) {
    for (Output* part : {&begin, &end, &strides})
      if (part->base_dtype() != kInt64)
        *part = Output(Take(NodeBuilder(graph, "Cast").In(*part).Attr("DstT", kInt64).Build()), 0);
  }
  Node* node = Take(NodeBuilder(graph, "StridedSlice", scope.name() + "/")
                        .In(value)
                        .In(begin)
                        .In(end)
                        .In(strides)
                        .Attr("begin_mask", spec.begin_mask)
                        .Attr("end_mask", spec.end_mask)
                        .Attr("ellipsis_mask", spec.ellipsis_mask)
                        .Attr("new_axis_mask", spec.new_axis_mask)
                        .Attr("shrink_axis_mask", spec.shrink_mask)
                        .Build());
  return Wrap(Output(node, 0));
}

}  // namespace weir::python
