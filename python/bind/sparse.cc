#include "bind/sparse.h"

#include "bind/errors.h"
#include "bind/gc.h"
#include "bind/input_caster.h"
#include "bind/objects.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

// SparseTensor op dense: applies the op to the stored values, with the dense operand broadcast.
py::object SparseDense(const SparseObject& s, py::handle dense, const char* op) {
  Graph& graph = s.values.graph();
  Node* node = Take(NodeBuilder(graph, op).In(s.indices).In(s.values).In(s.dense_shape).In(InputFrom(dense)).Build());
  return WrapSparse(s.indices, Output(node, 0), s.dense_shape);
}

// For a placeholder with a default, use the default's value.
PartialShape DenseShape(const SparseObject& s) {
  Output shape = s.dense_shape;
  if (shape.node->op().traits.placeholder && shape.node->num_inputs() > 0) shape = shape.node->input(0);
  return s.values.graph().ConstantShape(shape);
}

std::unique_ptr<SparseObject> MakeSparse(const Input& indices, const Input& values, const Input& dense_shape) {
  Graph* graph = GraphOfArgument(std::vector<Input>{indices, values, dense_shape});
  if (graph == nullptr) graph = &DefaultGraphRef();
  NameScope scope(*graph, "SparseTensor");
  auto made = std::make_unique<SparseObject>();
  made->indices = Take(ToOutput(*graph, indices, kInt64, "indices"));
  made->values = Take(ToOutput(*graph, values, kInvalidType, "values"));
  made->dense_shape = Take(ToOutput(*graph, dense_shape, kInt64, "dense_shape"));
  if (PartialShape shape = made->indices.shape(); shape.known_rank() && shape.rank() != 2)
    RaiseValue(fmt::format("Shape {} must have rank 2", ShapeText(shape)));
  if (PartialShape shape = made->values.shape(); shape.known_rank() && shape.rank() != 1)
    RaiseValue(fmt::format("Shape {} must have rank 1", ShapeText(shape)));
  const auto same = [](const PartialShape& a, int i, const PartialShape& b) {
    const int64_t x = a.known_rank() ? a[i] : kUnknownDim;
    const int64_t y = b.known_rank() && b.rank() > 0 ? b[0] : kUnknownDim;
    if (x >= 0 && y >= 0 && x != y) RaiseValue(fmt::format("Dimensions {} and {} are not compatible", x, y));
  };
  same(made->indices.shape(), 0, made->values.shape());
  if (PartialShape shape = made->dense_shape.shape(); shape.known_rank() && shape.rank() != 1)
    RaiseValue(fmt::format("Shape {} must have rank 1", ShapeText(shape)));
  same(made->indices.shape(), 1, made->dense_shape.shape());
  made->graph = GraphOf(*graph);
  return made;
}

void BindSparseTensor(py::module_& m) {
  using S = SparseObject;
  py::class_<S> cls(m, "SparseTensor", py::dynamic_attr(), GarbageCollected<S, VisitGraph<S>>());
  cls.def(py::init(&MakeSparse), py::arg("indices"), py::arg("values"), py::arg("dense_shape"))
      .def_static("from_value",
                  [](py::object value) -> py::object {
                    if (IsSparse(value)) return value;
                    return py::cast(MakeSparse(InputFrom(value.attr("indices")), InputFrom(value.attr("values")),
                                               InputFrom(value.attr("dense_shape"))));
                  })
      .def_property_readonly("indices", [](const S& s) { return s.indices; })
      .def_property_readonly("values", [](const S& s) { return s.values; })
      .def_property_readonly("dense_shape", [](const S& s) { return s.dense_shape; })
      .def_property_readonly("shape", DenseShape)
      .def("get_shape", DenseShape)
      .def_property_readonly("dtype", [](const S& s) { return s.values.dtype(); })
      .def_property_readonly("op", [](const S& s) { return s.values.node; })
      .def_property_readonly("graph", [](const S& s) { return s.graph; })
      .def("consumers", [](const S& s) { return Wrap(s.values).attr("consumers")(); })
      .def(
          "eval",
          [](py::object self, py::object feed_dict, py::object session) {
            if (session.is_none()) session = py::module_::import("weir._weir").attr("_session_for")(self);
            return session.attr("run")(self, feed_dict);
          },
          py::arg("feed_dict") = py::none(), py::arg("session") = py::none())
      .def("__mul__", [](const S& s, py::handle dense) { return SparseDense(s, dense, "SparseDenseCwiseMul"); })
      .def("__rmul__", [](const S& s, py::handle dense) { return SparseDense(s, dense, "SparseDenseCwiseMul"); })
      .def("__truediv__", [](const S& s, py::handle dense) { return SparseDense(s, dense, "SparseDenseCwiseDiv"); })
      .def("__repr__", [](const S& s) {
        return fmt::format("SparseTensor(indices={}, values={}, dense_shape={})", Str(Wrap(s.indices)),
                           Str(Wrap(s.values)), Str(Wrap(s.dense_shape)));
      });
  cls.attr("_weir_right_operand_first") = true;
}

void BindSlices(py::module_& m) {
  using S = SlicesObject;
  py::class_<S> cls(m, "IndexedSlices", py::dynamic_attr(), GarbageCollected<S, VisitGraph<S>>());
  cls.def(py::init([](const Input& values, const Input& indices, const Input& dense_shape) {
            if (values.absent() || indices.absent()) RaiseType("values and indices must be Tensors");
            // Arrays become constants of the graph that the other parts are in.
            Graph& graph = GraphOfInput(values.is_output() ? values : indices.is_output() ? indices : dense_shape);
            const Output v = Take(ToOutput(graph, values, kInvalidType, "values"));
            const Output i = Take(ToOutput(graph, indices, kInvalidType, "indices"));
            const Output s =
                dense_shape.absent() ? Output() : Take(ToOutput(graph, dense_shape, kInvalidType, "dense_shape"));
            return new S{IndexedSlices{v, i, s}, GraphOf(graph)};
          }),
          py::arg("values"), py::arg("indices"), py::arg("dense_shape") = py::none())
      .def_property_readonly("values", [](const S& s) { return s.slices.values; })
      .def_property_readonly("indices", [](const S& s) { return s.slices.indices; })
      .def_property_readonly("dense_shape", [](const S& s) { return s.slices.dense_shape; })
      .def_property_readonly("name", [](const S& s) { return s.slices.values.name(); })
      .def_property_readonly("device", [](const S& s) { return s.slices.values.node->device(); })
      .def_property_readonly("op", [](const S& s) { return s.slices.values.node; })
      .def_property_readonly("dtype", [](const S& s) { return s.slices.values.dtype(); })
      .def_property_readonly("shape",
                             [](const S& s) {
                               return s.slices.dense_shape.valid()
                                          ? s.slices.values.graph().ConstantShape(s.slices.dense_shape)
                                          : PartialShape();
                             })
      .def_property_readonly("graph", [](const S& s) { return s.graph; })
      .def("consumers", [](const S& s) { return Wrap(s.slices.values).attr("consumers")(); })
      .def("__neg__",
           [](const S& s) {
             Node* negated = Take(NodeBuilder(s.slices.values.graph(), "Neg").In(s.slices.values).Build());
             return Wrap(IndexedSlices{Output(negated, 0), s.slices.indices, s.slices.dense_shape});
           })
      .def("__str__", [](const S& s) {
        std::string text =
            fmt::format("IndexedSlices(indices={}, values={}", Str(Wrap(s.slices.indices)), Str(Wrap(s.slices.values)));
        if (s.slices.dense_shape.valid()) text += fmt::format(", dense_shape={}", Str(Wrap(s.slices.dense_shape)));
        return text + ")";
      });
  // Converts to a dense tensor when used as an input of an op.
  RegisterOutputConverter(cls, [](py::handle value, Graph& graph, DType wanted, bool) -> Result<Output> {
    const IndexedSlices& s = SlicesOf(value);
    if (wanted != kInvalidType && BaseType(wanted) != s.values.base_dtype())
      return MarkTypeError(InvalidArgument("expected a value of dtype {1}, got an IndexedSlices of dtype {0}",
                                           s.values.base_dtype(), wanted));
    if (!s.dense_shape.valid())
      return InvalidArgument("cannot convert an IndexedSlices without dense_shape to a dense tensor");
    NameScope scope(graph, "IndexedSlices");
    WEIR_ASSIGN(Node * rows, NodeBuilder(graph, "StridedSlice")
                                 .In(s.dense_shape)
                                 .In(Input({0}))
                                 .In(Input({1}))
                                 .In(Input({1}))
                                 .Attr("shrink_axis_mask", 1)
                                 .Build());
    WEIR_ASSIGN(Node * dense,
                NodeBuilder(graph, "UnsortedSegmentSum").In(s.values).In(s.indices).In(Output(rows, 0)).Build());
    return Output(dense, 0);
  });
}

}  // namespace

bool IsSparse(py::handle object) { return py::isinstance<SparseObject>(object); }
bool IsSlices(py::handle object) { return py::isinstance<SlicesObject>(object); }
const SparseObject& SparseOf(py::handle object) { return object.cast<const SparseObject&>(); }
const IndexedSlices& SlicesOf(py::handle object) { return object.cast<const SlicesObject&>().slices; }

py::object Wrap(const IndexedSlices& slices) {
  return py::cast(new SlicesObject{slices, GraphOf(slices.values.graph())}, py::return_value_policy::take_ownership);
}

py::object WrapSparse(Output indices, Output values, Output dense_shape) {
  return py::cast(new SparseObject{indices, values, dense_shape, GraphOf(values.graph())},
                  py::return_value_policy::take_ownership);
}

std::optional<Sparse> SparseFrom(py::handle object) {
  if (!IsSparse(object)) {
    for (const char* part : {"indices", "values", "dense_shape"})
      if (!py::hasattr(object, part)) return std::nullopt;
    auto made = MakeSparse(InputFrom(object.attr("indices")), InputFrom(object.attr("values")),
                           InputFrom(object.attr("dense_shape")));
    return Sparse{made->indices, made->values, made->dense_shape};
  }
  const SparseObject& s = SparseOf(object);
  return Sparse{s.indices, s.values, s.dense_shape};
}

py::object Wrap(const Grad& grad) {
  if (const Output* dense = std::get_if<Output>(&grad)) return Wrap(*dense);
  if (const IndexedSlices* slices = std::get_if<IndexedSlices>(&grad)) return Wrap(*slices);
  return py::none();
}

Grad GradFrom(py::handle object) {
  if (object.is_none()) return Grad();
  if (IsSlices(object)) return SlicesOf(object);
  const Input input = InputFrom(object);
  return input.is_output() ? input.output() : Take(ToOutput(DefaultGraphRef(), input));
}

void BindSparse(py::module_& m) {
  BindSparseTensor(m);
  BindSlices(m);
}

}  // namespace weir::python
