// tf.sparse_* and tf.sparse.*: functions of SparseTensors.
#include "graph/compose/sparse.h"

#include "bind/arguments.h"
#include "bind/sparse.h"

namespace weir::python {
namespace {

using S = SparseArgument;
using Fields = SparseFields;
using Sparses = std::vector<SparseArgument>;

std::vector<Sparse> ListOf(const Sparses& arguments) {
  std::vector<Sparse> list;
  for (const S& s : arguments) list.push_back(s.sparse);
  return list;
}

// Converts one SparseTensor or a list of them.
Sparses OneOrMore(py::handle object) {
  if (std::optional<Sparse> one = SparseFrom(object)) return {{*one}};
  if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object))
    RaiseType("Input must be a SparseTensor or a list of them.");
  Sparses list;
  for (py::handle item : py::iter(object)) {
    std::optional<Sparse> one = SparseFrom(item);
    if (!one.has_value()) RaiseType(fmt::format("Input must be a SparseTensor, not {}", TypeName(item)));
    list.push_back({*one});
  }
  return list;
}

std::vector<int64_t> PlaceholderShape(py::handle shape) {
  std::vector<int64_t> dims;
  const PartialShape known = ShapeFrom(shape);
  for (int d = 0; d < known.rank(); ++d) dims.push_back(known[d]);
  return dims;
}

void BindMaking(py::module_& m) {
  m.def(
      "sparse_placeholder",
      [](DType dtype, py::object shape, const Name& name) -> py::object {
        Graph& graph = DefaultGraphRef();
        Input dims;
        if (IsTensor(shape)) {
          dims = OutputOf(shape);
        } else if (!shape.is_none() && ShapeFrom(shape).known_rank()) {
          dims = PlaceholderShape(shape);
        }
        const Sparse made = SparsePlaceholder(graph, dtype, dims, name.text);
        Check(graph.TakeError());
        return py::cast(made);
      },
      py::arg("dtype"), py::arg("shape") = py::none(), py::arg("name") = py::none());
  Def(
      m, "sparse_tensor_to_dense",
      +[](Graph&, S s, Input default_value, bool validate, Name n) -> Output {
        return SparseToDense(s.sparse, default_value, validate, n.text);
      },
      py::arg("sp_input"), py::arg("default_value") = py::none(), py::arg("validate_indices") = true,
      py::arg("name") = py::none());
  Def(
      m, "sparse_from_dense", +[](Graph& g, Input tensor, Name n) { return SparseFromDense(g, tensor, n.text); },
      py::arg("tensor"), py::arg("name") = py::none());
  Def(
      m, "sparse_eye",
      +[](Graph& g, Input rows, Input columns, DType dtype, Name n) {
        return SparseEye(g, rows, columns, dtype == kInvalidType ? kFloat : dtype, n.text);
      },
      py::arg("num_rows"), py::arg("num_columns") = py::none(), py::arg("dtype") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "sparse_to_indicator",
      +[](Graph&, S ids, Input vocab_size, Name n) { return SparseToIndicator(ids.sparse, vocab_size, n.text); },
      py::arg("sp_input"), py::arg("vocab_size"), py::arg("name") = py::none());
  m.def(
      "sparse_merge",
      [](py::handle ids, S values, py::object vocab_size, const Name& name, bool already_sorted) {
        const bool is_list =
            py::isinstance<py::list>(ids) || (py::isinstance<py::tuple>(ids) && !SparseFrom(ids).has_value());
        if (is_list != (py::isinstance<py::list>(vocab_size) || py::isinstance<py::tuple>(vocab_size)))
          RaiseType("vocab_size must be a list if sp_ids is a list, and a number if it is a SparseTensor");
        InputList sizes;
        if (is_list)
          for (py::handle size : py::iter(vocab_size)) sizes.push_back(InputFrom(size));
        else
          sizes.push_back(InputFrom(vocab_size));
        return Take(SparseMerge(ListOf(OneOrMore(ids)), values.sparse, sizes, already_sorted, name.text));
      },
      py::arg("sp_ids"), py::arg("sp_values"), py::arg("vocab_size"), py::arg("name") = py::none(),
      py::arg("already_sorted") = false);
}

// The features of a cross: SparseTensors and Tensors.
std::vector<CrossInput> CrossInputs(py::handle object) {
  if (!py::isinstance<py::list>(object)) RaiseType("the inputs of a cross must be a list");
  std::vector<CrossInput> inputs;
  for (py::handle item : py::iter(object)) {
    if (IsTensor(item)) {
      inputs.push_back(OutputOf(item));
    } else if (IsSparse(item)) {
      inputs.push_back(*SparseFrom(item));
    } else {
      RaiseType(fmt::format("the inputs of a cross must be Tensors and SparseTensors, not {}", TypeName(item)));
    }
  }
  return inputs;
}

Graph& GraphOfCross(const std::vector<CrossInput>& inputs) {
  if (inputs.empty()) return DefaultGraphRef();
  if (const Sparse* sparse = std::get_if<Sparse>(&inputs[0])) return sparse->values.graph();
  return std::get<Output>(inputs[0]).graph();
}

void BindCrosses(py::module_& m) {
  m.def(
      "sparse_cross",
      [](py::handle inputs, const Name& name) {
        const std::vector<CrossInput> list = CrossInputs(inputs);
        Graph& graph = GraphOfCross(list);
        return FinishBuild(graph, SparseCrossText(graph, list, name.text));
      },
      py::arg("inputs"), py::arg("name") = py::none());
  m.def(
      "sparse_cross_hashed",
      [](py::handle inputs, int64_t num_buckets, std::optional<int64_t> hash_key, const Name& name) {
        const std::vector<CrossInput> list = CrossInputs(inputs);
        Graph& graph = GraphOfCross(list);
        return FinishBuild(graph, SparseCrossHashed(graph, list, num_buckets, hash_key, name.text));
      },
      py::arg("inputs"), py::arg("num_buckets") = 0, py::arg("hash_key") = py::none(), py::arg("name") = py::none());
}

void BindArithmetic(py::module_& m) {
  m.def(
      "sparse_add",
      [](py::object a, py::object b, py::object threshold) -> py::object {
        std::optional<Sparse> left = SparseFrom(a), right = SparseFrom(b);
        if (!left.has_value() && !right.has_value())
          RaiseType("At least one input should be SparseTensor; do you mean to use tf.add()?");
        Graph& graph = (left.has_value() ? left : right)->values.graph();
        if (left.has_value() && right.has_value()) {
          const Sparse sum = SparseAdd(*left, *right, InputFrom(threshold));
          Check(graph.TakeError());
          return py::cast(sum);
        }
        const Output sum = left.has_value() ? SparseAdd(*left, InputFrom(b)) : SparseAdd(*right, InputFrom(a));
        Check(graph.TakeError());
        return Wrap(sum);
      },
      py::arg("a"), py::arg("b"), py::arg("threshold") = py::none());
  using Extreme = Sparse (*)(Graph&, Fields, Fields, Name);
  Def(m, "sparse_maximum",
      Extreme([](Graph&, Fields a, Fields b, Name n) { return SparseExtreme(a.sparse, b.sparse, true, n.text); }),
      py::arg("sp_a"), py::arg("sp_b"), py::arg("name") = py::none());
  Def(m, "sparse_minimum",
      Extreme([](Graph&, Fields a, Fields b, Name n) { return SparseExtreme(a.sparse, b.sparse, false, n.text); }),
      py::arg("sp_a"), py::arg("sp_b"), py::arg("name") = py::none());
  m.def(
      "sparse_tensor_dense_matmul",
      [](py::object a, py::object b, bool adjoint_a, bool adjoint_b, const Name& name) {
        std::optional<Sparse> left = SparseFrom(a);
        if (!left.has_value()) RaiseType("sp_a must be a SparseTensor");
        const Output product = SparseTensorDenseMatMul(*left, InputFrom(b), adjoint_a, adjoint_b, name.text);
        Check(left->values.graph().TakeError());
        return product;
      },
      py::arg("sp_a"), py::arg("b"), py::arg("adjoint_a") = false, py::arg("adjoint_b") = false,
      py::arg("name") = py::none());
  Def(
      m, "sparse_softmax", +[](Graph&, Fields s, Name n) { return SparseSoftmax(s.sparse, n.text); },
      py::arg("sp_input"), py::arg("name") = py::none());
  struct Row {
    const char* name;
    const char* op;
  };
  for (const Row& row : {Row{"sparse_reduce_sum", "SparseReduceSum"}, Row{"sparse_reduce_max", "SparseReduceMax"}}) {
    m.def(row.name, Building([op = row.op](Graph&, Fields s, AxesArgument axes, bool keep_dims) {
            return SparseReduction(op, s.sparse, axes.axes, keep_dims);
          }),
          py::arg("sp_input"), py::arg("axis") = py::none(), py::arg("keepdims") = false);
  }
  for (const Row& row : {Row{"sparse_reduce_sum_sparse", "SparseReduceSumSparse"},
                         Row{"sparse_reduce_max_sparse", "SparseReduceMaxSparse"}}) {
    m.def(row.name, Building([op = row.op](Graph&, Fields s, AxesArgument axes, bool keep_dims) {
            return SparseReductionToSparse(op, s.sparse, axes.axes, keep_dims);
          }),
          py::arg("sp_input"), py::arg("axis") = py::none(), py::arg("keepdims") = false);
  }
  Def(
      m, "edit_distance",
      +[](Graph&, S hypothesis, S truth, bool normalize, Name n) -> Output {
        return EditDistance(hypothesis.sparse, truth.sparse, normalize, n.text);
      },
      py::arg("hypothesis"), py::arg("truth"), py::arg("normalize") = true, py::arg("name") = "edit_distance");
}

void BindRearranging(py::module_& m) {
  m.def(
      "sparse_concat",
      [](int64_t axis, py::handle inputs, const Name& name, bool expand) {
        const std::vector<Sparse> list = ListOf(OneOrMore(inputs));
        if (list.empty()) RaiseValue("sparse_concat needs at least one SparseTensor");
        const Sparse joined = SparseConcat(list, axis, expand, name.text);
        Check(list[0].values.graph().TakeError());
        return joined;
      },
      py::arg("axis"), py::arg("sp_inputs"), py::arg("name") = py::none(), py::arg("expand_nonconcat_dims") = false);
  Def(
      m, "sparse_split",
      +[](Graph&, S s, int64_t count, Input axis, Name n) { return SparseSplit(s.sparse, count, axis, n.text); },
      py::arg("sp_input"), py::arg("num_split"), py::arg("axis"), py::arg("name") = py::none());
  Def(
      m, "sparse_slice",
      +[](Graph&, S s, Input start, Input size, Name n) { return SparseSlice(s.sparse, start, size, n.text); },
      py::arg("sp_input"), py::arg("start"), py::arg("size"), py::arg("name") = py::none());
  Def(
      m, "sparse_reorder", +[](Graph&, S s, Name n) { return SparseReorder(s.sparse, n.text); }, py::arg("sp_input"),
      py::arg("name") = py::none());
  Def(
      m, "sparse_reshape", +[](Graph&, S s, Input shape, Name n) { return SparseReshape(s.sparse, shape, n.text); },
      py::arg("sp_input"), py::arg("shape"), py::arg("name") = py::none());
  Def(
      m, "sparse_transpose",
      +[](Graph&, Fields s, Input perm, Name n) { return SparseTranspose(s.sparse, perm, n.text); },
      py::arg("sp_input"), py::arg("perm") = py::none(), py::arg("name") = py::none());
  Def(
      m, "sparse_expand_dims",
      +[](Graph&, S s, std::optional<int64_t> axis, Name n) {
        return SparseExpandDims(s.sparse, axis.value_or(-1), n.text);
      },
      py::arg("sp_input"), py::arg("axis") = py::none(), py::arg("name") = py::none());
  Def(
      m, "sparse_retain", +[](Graph&, S s, Input keep) { return SparseRetain(s.sparse, keep); }, py::arg("sp_input"),
      py::arg("to_retain"));
  Def(
      m, "sparse_reset_shape", +[](Graph&, S s, Input shape) { return SparseResetShape(s.sparse, shape); },
      py::arg("sp_input"), py::arg("new_shape") = py::none());
  Def(
      m, "sparse_fill_empty_rows",
      +[](Graph&, S s, Input default_value, Name n) {
        const FilledRows filled = SparseFillEmptyRows(s.sparse, default_value, n.text);
        return std::make_pair(filled.sparse, filled.empty_row_indicator);
      },
      py::arg("sp_input"), py::arg("default_value"), py::arg("name") = py::none());
  m.def(
      "sparse_mask",
      [](py::handle a, Input mask, const Name& name) {
        if (!IsSlices(a)) RaiseMissingAttribute(a, "indices");
        const IndexedSlices& slices = SlicesOf(a);
        const IndexedSlices left = MaskSlices(slices, mask, name.text);
        Check(slices.values.graph().TakeError());
        return Wrap(left);
      },
      py::arg("a"), py::arg("mask_indices"), py::arg("name") = py::none());
}

}  // namespace

void BindSparseFunctions(py::module_& m) {
  BindMaking(m);
  BindArithmetic(m);
  BindCrosses(m);
  BindRearranging(m);
}

}  // namespace weir::python
