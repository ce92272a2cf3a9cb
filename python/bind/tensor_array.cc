#include "bind/tensor_array.h"

#include "bind/gc.h"
#include "bind/input_caster.h"

namespace weir::python {
namespace {

// Keeps the graph of its array alive.
struct ArrayObject {
  TensorArray array;
  py::object graph;
};

Graph& GraphOfArray(const ArrayObject& self) { return self.array.flow().graph(); }

ArrayObject Then(const ArrayObject& self, TensorArray next) {
  return {FinishBuild(GraphOfArray(self), std::move(next)), self.graph};
}

std::unique_ptr<ArrayObject> MakeTensorArray(DType dtype, const Input& size, std::optional<bool> dynamic_size,
                                             std::optional<bool> clear_after_read, const Name& tensor_array_name,
                                             Output handle, Output flow, bool infer_shape,
                                             const PartialShape& element_shape, bool /*colocate_with_first_write_call*/,
                                             const Name& name) {
  if (dtype == kInvalidType) RaiseType("TensorArray needs a dtype");
  if (handle.valid()) {
    if (!size.absent() || dynamic_size.has_value() || clear_after_read.has_value() || tensor_array_name.given())
      RaiseValue(
          "Cannot provide a handle and a size, dynamic_size, clear_after_read or tensor_array_name at the same time");
    if (!flow.valid()) RaiseValue("a TensorArray created from a handle also needs a flow");
    return std::make_unique<ArrayObject>(ArrayObject{
        TensorArray::Wrap(handle, flow, BaseType(dtype), element_shape, infer_shape), GraphOf(handle.graph())});
  }
  if (size.absent()) RaiseValue("Size must be declared at construction time");
  Graph& graph = size.is_output() ? size.output().graph() : DefaultGraphRef();
  TensorArray array(graph, BaseType(dtype), size,
                    {.element_shape = element_shape,
                     .dynamic_size = dynamic_size.value_or(false),
                     .clear_after_read = clear_after_read.value_or(true),
                     .infer_shape = infer_shape || element_shape.known_rank(),
                     .tensor_array_name = tensor_array_name.text,
                     .name = name.text});
  return std::make_unique<ArrayObject>(ArrayObject{FinishBuild(graph, std::move(array)), GraphOf(graph)});
}

}  // namespace

const TensorArray* TensorArrayOf(py::handle object) {
  return py::isinstance<ArrayObject>(object) ? &object.cast<const ArrayObject&>().array : nullptr;
}

py::object WrapTensorArray(TensorArray array) {
  py::object graph = GraphOf(array.handle().graph());
  return py::cast(ArrayObject{std::move(array), std::move(graph)});
}

void BindTensorArray(py::module_& m) {
  using A = ArrayObject;
  py::class_<A>(m, "TensorArray", GarbageCollected<A, VisitGraph<A>>())
      .def(py::init(&MakeTensorArray), py::arg("dtype"), py::arg("size") = py::none(),
           py::arg("dynamic_size") = py::none(), py::arg("clear_after_read") = py::none(),
           py::arg("tensor_array_name") = py::none(), py::arg("handle") = py::none(), py::arg("flow") = py::none(),
           py::arg("infer_shape") = true, py::arg("element_shape") = py::none(),
           py::arg("colocate_with_first_write_call") = true, py::arg("name") = py::none())
      .def_property_readonly("flow", [](const A& a) { return a.array.flow(); })
      .def_property_readonly("handle", [](const A& a) { return a.array.handle(); })
      .def_property_readonly("dtype", [](const A& a) { return a.array.dtype(); })
      .def_property_readonly("dynamic_size", [](const A& a) { return a.array.dynamic_size(); })
      .def_property_readonly("element_shape", [](const A& a) { return a.array.element_shape(); })
      .def_property_readonly("graph", [](const A& a) { return a.graph; })
      .def("identity", [](const A& a) { return Then(a, a.array.Identity()); })
      .def(
          "grad",
          [](const A& a, const std::string& source, Output flow, const Name&) {
            return Then(a, a.array.Grad(source, flow));
          },
          py::arg("source"), py::arg("flow") = py::none(), py::arg("name") = py::none())
      .def(
          "read",
          [](const A& a, Input index, const Name& n) {
            return FinishBuild(GraphOfArray(a), a.array.Read(index, n.text));
          },
          py::arg("index"), py::arg("name") = py::none())
      .def(
          "write",
          [](const A& a, Input index, Input value, const Name& n) {
            return Then(a, a.array.Write(index, value, n.text));
          },
          py::arg("index"), py::arg("value"), py::arg("name") = py::none())
      .def(
          "stack", [](const A& a, const Name& n) { return FinishBuild(GraphOfArray(a), a.array.Stack(n.text)); },
          py::arg("name") = py::none())
      .def(
          "pack", [](const A& a, const Name& n) { return FinishBuild(GraphOfArray(a), a.array.Stack(n.text)); },
          py::arg("name") = py::none())
      .def(
          "gather",
          [](const A& a, Input indices, const Name& n) {
            return FinishBuild(GraphOfArray(a), a.array.Gather(indices, n.text));
          },
          py::arg("indices"), py::arg("name") = py::none())
      .def(
          "concat", [](const A& a, const Name& n) { return FinishBuild(GraphOfArray(a), a.array.Concat(n.text)); },
          py::arg("name") = py::none())
      .def(
          "unstack", [](const A& a, Input value, const Name& n) { return Then(a, a.array.Unstack(value, n.text)); },
          py::arg("value"), py::arg("name") = py::none())
      .def(
          "unpack", [](const A& a, Input value, const Name& n) { return Then(a, a.array.Unstack(value, n.text)); },
          py::arg("value"), py::arg("name") = py::none())
      .def(
          "scatter",
          [](const A& a, Input indices, Input value, const Name& n) {
            return Then(a, a.array.Scatter(indices, value, n.text));
          },
          py::arg("indices"), py::arg("value"), py::arg("name") = py::none())
      .def(
          "split",
          [](const A& a, Input value, Input lengths, const Name& n) {
            return Then(a, a.array.Split(value, lengths, n.text));
          },
          py::arg("value"), py::arg("lengths"), py::arg("name") = py::none())
      .def(
          "size", [](const A& a, const Name& n) { return FinishBuild(GraphOfArray(a), a.array.Size(n.text)); },
          py::arg("name") = py::none())
      .def(
          "close", [](const A& a, const Name& n) { return Wrap(FinishBuild(GraphOfArray(a), a.array.Close(n.text))); },
          py::arg("name") = py::none());
}

}  // namespace weir::python
