// Binds Tensor: static properties of a value. Its operators are in operators.cc, its indexing in indexing.cc.
#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "bind/session.h"
#include "graph/compose/slice_assign.h"
#include "graph/texts.h"

namespace weir::python {
namespace {

using T = TensorObject;

std::string Describe(const T& t) { return PythonText(t.output); }

py::list Consumers(const T& t) {
  py::list list;
  const Node* last = nullptr;
  std::vector<Node*> consumers;
  {
    const Graph::NodesLock lock = t.output.graph().LockNodes();
    consumers = t.output.node->consumers();
  }
  for (Node* node : consumers) {
    if (node == last) continue;
    last = node;
    for (const Output& input : node->inputs())
      if (input == t.output) {
        list.append(Wrap(node));
        break;
      }
  }
  return list;
}

[[noreturn]] void RaiseBool() {
  RaiseType(
      "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of `if t:` to test if a "
      "tensor is "
      "defined, and use TensorFlow ops such as tf.cond to execute subgraphs conditioned on the value of a tensor.");
}

// tensor.assign: a function for slices of variables (`v[1:3].assign(x)`), absent from other tensors.
py::cpp_function SliceAssignment(const T& t) {
  if (!IsSliceOfVariable(t.output)) {
    PyErr_SetString(PyExc_AttributeError, "'Tensor' object has no attribute 'assign'");
    throw py::error_already_set();
  }
  return py::cpp_function(
      [slice = t](const Input& value, const std::optional<std::string>& name) {
        return Take(AssignSlice(slice.output, value, name.value_or("")));
      },
      py::arg("val"), py::arg("name") = py::none());
}

}  // namespace

void BindTensor(py::module_& m) {
  py::class_<T> cls(m, "Tensor", py::dynamic_attr(), GarbageCollected<T, VisitGraph<T>>());
  cls.def_property_readonly("name", [](const T& t) { return t.output.name(); })
      .def_property_readonly("dtype", [](const T& t) { return t.output.dtype(); })
      .def_property_readonly("shape", [](const T& t) { return t.output.shape(); })
      .def("get_shape", [](const T& t) { return t.output.shape(); })
      .def(
          "set_shape", [](const T& t, PartialShape shape) { Check(t.output.graph().SetShape(t.output, shape)); },
          py::arg("shape"))
      .def_property_readonly("_shape", [](const T& t) { return t.output.shape(); })
      .def("_shape_as_list",
           [](const T& t) -> py::object {
             const PartialShape shape = t.output.shape();
             return shape.known_rank() ? ShapeObjectOf(shape).attr("as_list")() : py::none();
           })
      .def_property_readonly("op", [](const T& t) { return t.output.node; })
      .def_property_readonly("value_index", [](const T& t) { return t.output.index; })
      .def_property_readonly("graph", [](const T& t) { return t.graph; })
      .def_property_readonly("device", [](const T& t) { return t.output.node->device(); })
      .def_property_readonly("assign", SliceAssignment)
      .def("consumers", Consumers)
      .def(
          "eval",
          [](py::object self, py::object feed_dict, py::object session) {
            return EvalTensor(std::move(self), std::move(feed_dict), std::move(session));
          },
          py::arg("feed_dict") = py::none(), py::arg("session") = py::none())
      .def("__str__", Describe)
      .def("__repr__",
           [](const T& t) {
             return fmt::format("<tf.Tensor '{}' shape={} dtype={}>", t.output.name(), ShapeText(t.output.shape()),
                                DTypeName(t.output.dtype()));
           })
      .def("__hash__", [](const T& t) { return static_cast<Py_ssize_t>(OutputHash()(t.output) >> 1); })
      .def("__eq__", [](const T& t, py::handle other) { return IsTensor(other) && OutputOf(other) == t.output; })
      .def("__ne__", [](const T& t, py::handle other) { return !IsTensor(other) || OutputOf(other) != t.output; })
      .def("__copy__", [](py::object self) { return self; })
      .def("__deepcopy__", [](py::object self, py::handle) { return self; })
      .def("__bool__", [](const T&) -> bool { RaiseBool(); })
      .def("__len__",
           [](const T&) -> int {
             RaiseType(
                 "len is not well defined for symbolic Tensors. Please call `x.shape` rather than `len(x)` for shape "
                 "information.");
           })
      .def("__array__",
           [](const T& t, const py::args&) -> py::object {
             PyErr_Format(PyExc_NotImplementedError, "Cannot convert a symbolic Tensor (%s) to a numpy array.",
                          t.output.name().c_str());
             throw py::error_already_set();
           })
      .def("__iter__", [](py::object self) {
        const PartialShape shape = OutputOf(self).shape();
        if (!shape.known_rank() || shape.rank() == 0 || shape.dim(0) < 0)
          RaiseType(
              "Tensor objects are only iterable when eager execution is enabled, or when the first dimension is known. "
              "To "
              "iterate over this tensor use tf.map_fn.");
        py::list rows;
        for (int64_t i = 0; i < shape.dim(0); ++i) rows.append(self.attr("__getitem__")(i));
        return py::iter(rows);
      });
  // Makes numpy defer `array * tensor` to the tensor.
  cls.attr("__array_priority__") = 100;
}

}  // namespace weir::python
