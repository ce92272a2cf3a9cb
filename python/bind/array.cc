// Array functions whose public signature differs from that of a single op.
#include "graph/compose/array.h"
#include "bind/arguments.h"
#include "bind/numpy.h"
#include "bind/sparse.h"
#include "bind/variables.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/compose/dims.h"
#include "graph/node_builder.h"
#include "op/shape_context.h"

namespace weir::python {
namespace {

void BindFilled(py::module_& m) {
  Def(
      m, "zeros", +[](Graph& g, Input shape, DType dtype, Name n) { return Zeros(g, shape, dtype, n.text); },
      py::arg("shape"), py::arg("dtype") = "float32", py::arg("name") = py::none());
  Def(
      m, "ones", +[](Graph& g, Input shape, DType dtype, Name n) { return Ones(g, shape, dtype, n.text); },
      py::arg("shape"), py::arg("dtype") = "float32", py::arg("name") = py::none());
  Def(
      m, "zeros_like", +[](Graph& g, Input tensor, DType dtype, Name n) { return ZerosOf(g, tensor, dtype, n.text); },
      py::arg("tensor"), py::arg("dtype") = py::none(), py::arg("name") = py::none());
  Def(
      m, "ones_like", +[](Graph& g, Input tensor, DType dtype, Name n) { return OnesOf(g, tensor, dtype, n.text); },
      py::arg("tensor"), py::arg("dtype") = py::none(), py::arg("name") = py::none());
  Def(
      m, "eye",
      +[](Graph& g, Input rows, Input columns, Input batch_shape, DType dtype, Name n) {
        return Eye(g, rows, columns, batch_shape, dtype, n.text);
      },
      py::arg("num_rows"), py::arg("num_columns") = py::none(), py::arg("batch_shape") = py::none(),
      py::arg("dtype") = "float32", py::arg("name") = py::none());
}

// The shape of a SparseTensor is itself a tensor: returns that, and sets *sparse.
Input DenseShapeOr(py::handle x, bool* sparse) {
  *sparse = IsSparse(x);
  return *sparse ? Input(SparseOf(x).dense_shape) : InputFrom(x);
}

void BindSizes(py::module_& m) {
  m.def(
      "shape",
      [](py::handle input, const Name& n, DType out_type) {
        bool sparse = false;
        const Input x = DenseShapeOr(input, &sparse);
        Graph& g = GraphOfInput(x);
        if (sparse) return FinishBuild(g, Cast(g, x, out_type, {.name = n.text}));
        return FinishBuild(g, ShapeValue(g, x, out_type, n.text));
      },
      py::arg("input"), py::arg("name") = py::none(), py::arg("out_type") = "int32");
  m.def(
      "size",
      [](py::handle input, const Name& n, DType out_type) {
        bool sparse = false;
        const Input x = DenseShapeOr(input, &sparse);
        Graph& g = GraphOfInput(x);
        if (sparse) return FinishBuild(g, Prod(g, Cast(g, x, out_type), {0}, {.name = n.text}));
        return FinishBuild(g, SizeValue(g, x, out_type, n.text));
      },
      py::arg("input"), py::arg("name") = py::none(), py::arg("out_type") = "int32");
  m.def(
      "rank",
      [](py::handle input, const Name& n) {
        bool sparse = false;
        const Input x = DenseShapeOr(input, &sparse);
        Graph& g = GraphOfInput(x);
        return FinishBuild(g, sparse ? SizeValue(g, x, kInt32, n.text) : RankValue(g, x, n.text));
      },
      py::arg("input"), py::arg("name") = py::none());
}

bool IsListLike(py::handle x) { return PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()); }

Output Concat(py::object values, py::object axis, const Name& name) {
  // Deprecated argument order: axis first.
  if (!IsListLike(values) && IsListLike(axis) && !axis.is_none()) std::swap(values, axis);
  Values parts = ValuesFrom(values);
  Graph* graph = GraphOfArgument(parts);
  if (graph == nullptr) graph = &DefaultGraphRef();
  return FinishBuild(*graph, Concat(*graph, parts.list, InputFrom(axis), name.text));
}

OutputList SplitValue(py::object value, py::object num_or_sizes, py::object axis, std::optional<int64_t> num,
                      const Name& name) {
  // Deprecated argument order: (split_dim, num_split, value).
  if (PyLong_Check(value.ptr()) && !PyLong_Check(axis.ptr())) std::swap(value, axis);
  const Input x = InputFrom(value);
  Graph& graph = GraphOfInput(x);
  OutputList parts;
  const bool is_number = PyIndex_Check(num_or_sizes.ptr()) != 0 && !IsTensor(num_or_sizes) &&
                         !(IsArray(num_or_sizes) && py::len(num_or_sizes.attr("shape")) > 0);
  if (is_number)
    parts = SplitEvenly(graph, x, num_or_sizes.cast<int64_t>(), InputFrom(axis), name.text);
  else if (auto size = SizeOfDimension(num_or_sizes))
    parts = SplitEvenly(graph, x, *size, InputFrom(axis), name.text);
  else
    parts = SplitSizes(graph, x, InputFrom(num_or_sizes), num, InputFrom(axis), name.text);
  Check(graph.TakeError());
  return parts;
}

void BindJoins(py::module_& m) {
  m.def("concat", &Concat, py::arg("values"), py::arg("axis"), py::arg("name") = "concat");
  m.def("split", &SplitValue, py::arg("value"), py::arg("num_or_size_splits"), py::arg("axis") = 0,
        py::arg("num") = py::none(), py::arg("name") = "split");
  Def(
      m, "stack",
      +[](Graph& g, Values values, IntAttribute axis, Name n) -> Output {
        if (values.is_list) return Stack(g, values.list, axis, n.text);
        OutputList rows = Unstack(g, values.list[0], {}, 0);  // a single tensor: stack its rows
        return Stack(g, InputList(rows.begin(), rows.end()), axis, n.text);
      },
      py::arg("values"), py::arg("axis") = 0, py::arg("name") = "stack");
  Def(
      m, "unstack",
      +[](Graph& g, Input value, std::optional<IntAttribute> num, IntAttribute axis, Name n) {
        return Unstack(g, value, num ? std::optional<int64_t>(num->value) : std::nullopt, axis, n.text);
      },
      py::arg("value"), py::arg("num") = py::none(), py::arg("axis") = 0, py::arg("name") = "unstack");
  m.def("meshgrid", [](py::args args, const py::kwargs& kwargs) {
    InputList inputs;
    for (py::handle x : args) inputs.push_back(InputFrom(x));
    std::string indexing = "xy";
    Name name;
    for (auto [key, value] : kwargs) {
      const std::string k = py::str(key);
      if (k == "indexing")
        indexing = value.cast<std::string>();
      else if (k == "name")
        name = value.cast<Name>();
      else
        RaiseType(fmt::format("'{}' is an invalid keyword argument for this function", k));
    }
    if (indexing != "xy" && indexing != "ij") RaiseValue("indexing parameter must be either 'xy' or 'ij'");
    Graph* graph = GraphOfArgument(inputs);
    if (graph == nullptr) graph = &DefaultGraphRef();
    OutputList grid = MeshGrid(*graph, inputs, indexing == "ij", name.text);
    Check(graph->TakeError());
    return grid;
  });
}

// Returns the handle of a resource variable if the handle is enough, so that the variable is not read as a whole. Not
// while a function is traced: a captured handle does not carry the variable's type.
Input TableOf(py::handle params, bool handle_will_do) {
  if (!handle_will_do || !IsVariable(params) || functions_being_traced != 0) return InputFrom(params);
  const VariablePtr variable = VariableFrom(params);
  return variable->is_resource() ? Input(variable->handle()) : InputFrom(params);
}

void BindChoice(py::module_& m) {
  m.def(
      "gather",
      [](py::handle params, const Input& indices, const Name& n, const Input& axis, int64_t batch_dims) {
        const Input table = TableOf(params, IsRowGather(axis, batch_dims));
        Graph& graph = GraphOfInput(table.is_output() ? table : indices);
        return FinishBuild(graph, ComposeGatherRows(graph, table, indices, axis, batch_dims, n.text));
      },
      py::arg("params"), py::arg("indices"), py::arg("name") = py::none(), py::arg("axis") = py::none(),
      py::arg("batch_dims") = 0);
  m.def(
      "gather_nd",
      [](py::handle params, const Input& indices, const Name& n, int64_t batch_dims) {
        const Input table = TableOf(params, batch_dims == 0);
        Graph& graph = GraphOfInput(table.is_output() ? table : indices);
        return FinishBuild(graph, ComposeGatherNd(graph, table, indices, batch_dims, n.text));
      },
      py::arg("params"), py::arg("indices"), py::arg("name") = py::none(), py::arg("batch_dims") = 0);
  Def(
      m, "boolean_mask",
      +[](Graph& g, Input tensor, Input mask, Name n, int64_t axis) {
        return BooleanMask(g, tensor, mask, axis, n.text);
      },
      py::arg("tensor"), py::arg("mask"), py::arg("name") = "boolean_mask", py::arg("axis") = 0);
  Def(
      m, "where",
      +[](Graph& g, Input condition, Input x, Input y, Name n) { return Where(g, condition, x, y, n.text); },
      py::arg("condition"), py::arg("x") = py::none(), py::arg("y") = py::none(), py::arg("name") = py::none());
  Def(
      m, "one_hot",
      +[](Graph& g, Input indices, Input depth, Input on, Input off, IntAttribute axis, DType dtype, Name n) {
        return ComposeOneHot(g, indices, depth, on, off, axis, dtype, n.text);
      },
      py::arg("indices"), py::arg("depth"), py::arg("on_value") = py::none(), py::arg("off_value") = py::none(),
      py::arg("axis") = -1, py::arg("dtype") = py::none(), py::arg("name") = py::none());
  m.def(
      "pad",
      [](Input tensor, Input paddings, const std::string& mode, const Name& n, py::handle constant) {
        Graph& g = GraphOfInput(tensor);
        // Pad fills with zeros anyway.
        const bool zero =
            (PyLong_Check(constant.ptr()) || PyFloat_Check(constant.ptr())) && PyObject_IsTrue(constant.ptr()) == 0;
        return FinishBuild(g, PadWith(g, tensor, paddings, mode, zero ? Input() : InputFrom(constant), n.text));
      },
      py::arg("tensor"), py::arg("paddings"), py::arg("mode") = "CONSTANT", py::arg("name") = py::none(),
      py::arg("constant_values") = 0);
  Def(
      m, "sequence_mask",
      +[](Graph& g, Input lengths, Input maxlen, DType dtype, Name n) {
        return SequenceMask(g, lengths, maxlen, dtype, n.text);
      },
      py::arg("lengths"), py::arg("maxlen") = py::none(), py::arg("dtype") = "bool", py::arg("name") = py::none());
  Def(
      m, "strided_slice",
      +[](Graph& g, Input input, Input begin, Input end, Input strides, int64_t begin_mask, int64_t end_mask,
          int64_t ellipsis_mask, int64_t new_axis_mask, int64_t shrink_axis_mask, Name n) {
        return StridedSlice(g, input, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                            shrink_axis_mask, n.text);
      },
      py::arg("input_"), py::arg("begin"), py::arg("end"), py::arg("strides") = py::none(), py::arg("begin_mask") = 0,
      py::arg("end_mask") = 0, py::arg("ellipsis_mask") = 0, py::arg("new_axis_mask") = 0,
      py::arg("shrink_axis_mask") = 0, py::arg("name") = py::none());
}

void BindOrder(py::module_& m) {
  Def(
      m, "searchsorted",
      +[](Graph& g, Input sorted, Input values, std::string side, DType out_type, Name n) {
        if (side != "left" && side != "right") RaiseValue("side must be either 'right' or 'left'.");
        return SearchSorted(g, sorted, values, side == "right", out_type, n.text);
      },
      py::arg("sorted_sequence"), py::arg("values"), py::arg("side") = "left", py::arg("out_type") = "int32",
      py::arg("name") = py::none());
  m.def(
      "broadcast_static_shape",
      [](const PartialShape& a, const PartialShape& b) {
        Result<PartialShape> both = BroadcastShapes(a, b);
        if (!both.ok())
          RaiseValue(fmt::format("Incompatible shapes for broadcasting: {} and {}", ShapeText(a), ShapeText(b)));
        return *both;
      },
      py::arg("shape_x"), py::arg("shape_y"));
  Def(
      m, "transpose",
      +[](Graph& g, Input a, Input perm, Name n, bool conjugate) {
        return TransposeAxes(g, a, perm, conjugate, n.text);
      },
      py::arg("a"), py::arg("perm") = py::none(), py::arg("name") = "transpose", py::arg("conjugate") = false);
  Def(
      m, "matrix_transpose",
      +[](Graph& g, Input a, Name n, bool conjugate) { return MatrixTransposeOf(g, a, conjugate, n.text); },
      py::arg("a"), py::arg("name") = "matrix_transpose", py::arg("conjugate") = false);
  Def(
      m, "squeeze",
      +[](Graph& g, Input input, py::object axis, Name n) -> Output {
        return Squeeze(g, input,
                       {.squeeze_dims = axis.is_none() ? std::vector<int64_t>{} : IntsFrom(axis), .name = n.text});
      },
      py::arg("input"), py::arg("axis") = py::none(), py::arg("name") = py::none());
  Def(
      m, "reverse",
      +[](Graph& g, Input tensor, py::object axis, Name n) -> Output {
        // Deprecated form: one flag per axis.
        const bool flags = IsListLike(axis) && py::len(axis) > 0 && PyBool_Check(py::object(axis[py::int_(0)]).ptr());
        if (flags) return Reverse(g, tensor, InputFrom(axis), {.name = n.text});
        if (PyLong_Check(axis.ptr())) axis = py::make_tuple(axis);
        return ReverseV2(g, tensor, InputFrom(axis), {.name = n.text});
      },
      py::arg("tensor"), py::arg("axis"), py::arg("name") = py::none());
  const auto descending = [](const std::string& direction) {
    if (direction != "ASCENDING" && direction != "DESCENDING")
      RaiseValue(fmt::format("direction must be ASCENDING or DESCENDING, not {}", direction));
    return direction == "DESCENDING";
  };
  m.def(
      "sort",
      [descending](Input values, int64_t axis, const std::string& direction, const Name& n) {
        Graph& g = GraphOfInput(values);
        return FinishBuild(g, Sorted(g, values, axis, descending(direction), n.text));
      },
      py::arg("values"), py::arg("axis") = -1, py::arg("direction") = "ASCENDING", py::arg("name") = py::none());
  m.def(
      "argsort",
      [descending](Input values, int64_t axis, const std::string& direction, bool, const Name& n) {
        Graph& g = GraphOfInput(values);
        return FinishBuild(g, ArgSort(g, values, axis, descending(direction), n.text));
      },
      py::arg("values"), py::arg("axis") = -1, py::arg("direction") = "ASCENDING", py::arg("stable") = false,
      py::arg("name") = py::none());
  Def(
      m, "repeat",
      +[](Graph& g, Input input, Input repeats, std::optional<int64_t> axis, Name n) {
        return RepeatOf(g, input, repeats, axis, n.text);
      },
      py::arg("input"), py::arg("repeats"), py::arg("axis") = py::none(), py::arg("name") = py::none());
}

}  // namespace

void BindArray(py::module_& m) {
  Def(
      m, "where_v2",
      +[](Graph& g, Input condition, Input x, Input y, Name n) -> Output {
        if (x.absent() != y.absent()) RaiseValue("x and y must both be non-None or both be None.");
        return x.absent() ? Where(g, condition, x, y, n.text)
                          : NodeBuilder(g, "SelectV2", n.text).In(condition).In(x).In(y).BuildOutput();
      },
      py::arg("condition"), py::arg("x") = py::none(), py::arg("y") = py::none(), py::arg("name") = py::none());
  Def(
      m, "required_space_to_batch_paddings",
      +[](Graph& g, Input shape, Input block, Input base, Name n) {
        const BatchPaddings made = SpaceToBatchPaddings(g, shape, block, base, n.text);
        return std::make_pair(made.paddings, made.crops);
      },
      py::arg("input_shape"), py::arg("block_shape"), py::arg("base_paddings") = py::none(),
      py::arg("name") = py::none());
  BindFilled(m);
  BindSizes(m);
  BindJoins(m);
  BindChoice(m);
  BindOrder(m);
}

}  // namespace weir::python
