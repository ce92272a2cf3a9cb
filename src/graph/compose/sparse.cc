#include "graph/compose/sparse.h"

#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

Tensor Int64(int64_t v) { return Tensor::Scalar(v); }

// The sparse tensor in outputs 0 to 2 of the node.
Sparse Outputs(Output first) {
  if (!first.valid()) return {};
  return {Output(first.node, 0), Output(first.node, 1), Output(first.node, 2)};
}

// All columns of a matrix except the last.
Output FirstColumns(Output indices) {
  return StridedSlice(indices, {0, 0}, {0, -1}, {1, 1}, {.begin_mask = 3, .end_mask = 1});
}

// 0, 1, ..., rank - 1. The rank may be unknown at construction time.
Output AllAxes(const Sparse& sparse) {
  Graph& graph = sparse.values.graph();
  const PartialShape shape = sparse.dense_shape.shape();
  if (shape.known_rank() && shape.rank() == 1 && shape[0] >= 0) {
    std::vector<int64_t> axes;
    for (int64_t d = 0; d < shape[0]; ++d) axes.push_back(d);
    return ValueOf(graph, Input(axes), kInt32, "Const");
  }
  return Range(graph, 0, Size(sparse.dense_shape), 1);
}

Input AxesOf(const Sparse& sparse, const Axes& axes) {
  return axes.all() ? Input(AllAxes(sparse)) : Input(axes.axes());
}

}  // namespace

Sparse SparsePlaceholder(Graph& graph, DType dtype, const Input& shape, std::string name) {
  const auto part = [&](const char* what) { return name.empty() ? std::string() : name + "/" + what; };
  Sparse made;
  int64_t rank = kUnknownDim;
  if (shape.absent()) {
    made.dense_shape = Placeholder(graph, kInt64, {.shape = PartialShape({kUnknownDim}), .name = part("shape")});
  } else {
    const Output fallback = ValueOf(graph, shape, kInt64, NameOrDefault(part("shape_default"), "Const"));
    if (!fallback.valid()) return made;
    if (fallback.shape().rank() == 1) rank = fallback.shape()[0];
    made.dense_shape = PlaceholderWithDefault(graph, fallback, PartialShape({rank}), {.name = part("shape")});
  }
  made.values = Placeholder(graph, dtype, {.shape = PartialShape({kUnknownDim}), .name = part("values")});
  made.indices = Placeholder(graph, kInt64, {.shape = PartialShape({kUnknownDim, rank}), .name = part("indices")});
  return made;
}

Output SparseToDense(const Sparse& sparse, const Input& default_value, bool validate_indices, std::string name) {
  Graph& graph = sparse.values.graph();
  const DType dtype = sparse.values.base_dtype();
  const Input fallback = default_value.absent() ? Input(Zeros(graph, std::vector<int64_t>{}, dtype)) : default_value;
  return SparseToDense(graph, sparse.indices, sparse.dense_shape, sparse.values, fallback,
                       {.validate_indices = validate_indices, .name = std::move(name)});
}

Sparse SparseFromDense(Graph& graph, const Input& tensor, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "dense_to_sparse"));
  const Output x = ValueOf(graph, tensor, kInvalidType, "tensor");
  if (!x.valid()) return {};
  const Output indices = Where(NotEqual(x, ZerosOf(graph, x)));
  return {indices, GatherNd(x, indices), ShapeOf(x, {.out_type = kInt64})};
}

Sparse SparseEye(Graph& graph, const Input& rows_in, const Input& columns_in, DType dtype, std::string name) {
  NameScope scope(graph, NameOrDefault(name, "eye"));
  const Output rows = ValueOf(graph, rows_in, kInt64, "num_rows");
  const Output columns = columns_in.absent() ? rows : ValueOf(graph, columns_in, kInt64, "num_columns");
  if (!rows.valid() || !columns.valid()) return {};
  const Output size = Minimum(rows, columns);
  const Output numbers = Range(Int64(0), size, Int64(1));
  return {Pack({numbers, numbers}, {.axis = 1}), Ones(graph, Reshape(size, {1}), dtype), Pack({rows, columns})};
}

Sparse SparseAdd(const Sparse& a, const Sparse& b, const Input& threshold) {
  Graph& graph = a.values.graph();
  const PartialShape left = graph.ConstantShape(a.dense_shape), right = graph.ConstantShape(b.dense_shape);
  if (a.values.base_dtype() == b.values.base_dtype() && !left.Merge(right).ok()) {
    graph.RecordError(InvalidArgument("Shapes {} and {} are incompatible", left, right));
    return {};
  }
  const DType dtype = a.values.base_dtype();
  const DType real = dtype == kComplex64 ? kFloat : dtype == kComplex128 ? kDouble : dtype;
  const Output least = ValueOf(graph, threshold.absent() ? Input(0) : threshold, real, "thresh");
  if (!least.valid()) return {};
  return Outputs(
      SparseAdd(graph, a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, least).sum_indices);
}

Output SparseAdd(const Sparse& a, const Input& b) {
  return SparseTensorDenseAdd(a.values.graph(), a.indices, a.values, a.dense_shape, b);
}

Sparse SparseExtreme(const Sparse& a, const Sparse& b, bool maximum, std::string name) {
  Graph& graph = a.values.graph();
  NameScope scope(graph, NameOrDefault(name, maximum ? "SparseSparseMaximum" : "SparseSparseMinimum"));
  const Output indices = NodeBuilder(graph, maximum ? "SparseSparseMaximum" : "SparseSparseMinimum")
                             .In(a.indices)
                             .In(a.values)
                             .In(a.dense_shape)
                             .In(b.indices)
                             .In(b.values)
                             .In(b.dense_shape)
                             .BuildOutput();
  if (!indices.valid()) return {};
  return {indices, Output(indices.node, 1), a.dense_shape};
}

Output SparseTensorDenseMatMul(const Sparse& a, const Input& b, bool adjoint_a, bool adjoint_b, std::string name) {
  Graph& graph = a.values.graph();
  NameScope scope(graph, NameOrDefault(name, "SparseTensorDenseMatMul"));
  const Output dense = ValueOf(graph, b, kInvalidType, "b");
  if (!dense.valid()) return {};
  return SparseTensorDenseMatMul(graph, a.indices, a.values, a.dense_shape, dense,
                                 {.adjoint_a = adjoint_a, .adjoint_b = adjoint_b, .name = ExactScopeName(scope)});
}

Sparse SparseSoftmax(const Sparse& sparse, std::string name) {
  const Output values = NodeBuilder(sparse.values.graph(), "SparseSoftmax", NameOrDefault(name, "SparseSoftmax"))
                            .In(sparse.indices)
                            .In(sparse.values)
                            .In(sparse.dense_shape)
                            .BuildOutput();
  return {sparse.indices, values, sparse.dense_shape};
}

Output SparseReduction(const char* op, const Sparse& sparse, const Axes& axes, bool keep_dims) {
  return NodeBuilder(sparse.values.graph(), op)
      .In(sparse.indices)
      .In(sparse.values)
      .In(sparse.dense_shape)
      .In(AxesOf(sparse, axes))
      .Attr("keep_dims", keep_dims)
      .BuildOutput();
}

Sparse SparseReductionToSparse(const char* op, const Sparse& sparse, const Axes& axes, bool keep_dims) {
  return Outputs(SparseReduction(op, sparse, axes, keep_dims));
}

Sparse SparseConcat(const std::vector<Sparse>& inputs, int64_t axis, bool expand_others, std::string name) {
  if (inputs.size() == 1) return inputs[0];
  Graph& graph = inputs[0].values.graph();
  InputList indices, values, shapes;
  for (const Sparse& s : inputs) {
    indices.push_back(s.indices);
    values.push_back(s.values);
    shapes.push_back(s.dense_shape);
  }
  if (expand_others) {
    const Output all = Pack(graph, shapes);
    if (!all.valid()) return {};
    const Output most = Max(all, 0);
    InputList expanded;
    for (const Input& shape : shapes) {
      // [most[:axis], shape[axis], most[axis+1:]]; for axis -1 nothing follows.
      const Output own = StridedSlice(shape, {static_cast<int>(axis)}, {static_cast<int>(axis + 1)}, {1},
                                      {.end_mask = axis == -1 ? 1 : 0});
      InputList parts = {StridedSlice(most, {0}, {static_cast<int>(axis)}, {1}), own};
      if (axis != -1) parts.push_back(StridedSlice(most, {static_cast<int>(axis + 1)}, {0}, {1}, {.end_mask = 1}));
      expanded.push_back(ConcatV2(graph, parts, 0));
    }
    shapes = expanded;
  }
  return Outputs(SparseConcat(graph, indices, values, shapes, axis, {.name = std::move(name)}).output_indices);
}

std::vector<Sparse> SparseSplit(const Sparse& sparse, int64_t count, const Input& axis, std::string name) {
  const Output first = NodeBuilder(sparse.values.graph(), "SparseSplit", std::move(name))
                           .In(axis)
                           .In(sparse.indices)
                           .In(sparse.values)
                           .In(sparse.dense_shape)
                           .Attr("num_split", count)
                           .BuildOutput();
  std::vector<Sparse> parts;
  if (!first.valid()) return parts;
  const auto n = static_cast<int>(count);
  for (int i = 0; i < n; ++i)
    parts.push_back({Output(first.node, i), Output(first.node, n + i), Output(first.node, 2 * n + i)});
  return parts;
}

Sparse SparseSlice(const Sparse& sparse, const Input& start, const Input& size, std::string name) {
  Graph& graph = sparse.values.graph();
  NameScope scope(graph, NameOrDefault(name, "SparseSlice"));
  return Outputs(SparseSlice(graph, sparse.indices, sparse.values, sparse.dense_shape, start, size).output_indices);
}

Sparse SparseReorder(const Sparse& sparse, std::string name) {
  const SparseReorderResult r = SparseReorder(sparse.values.graph(), sparse.indices, sparse.values, sparse.dense_shape,
                                              {.name = std::move(name)});
  return {r.output_indices, r.output_values, sparse.dense_shape};
}

// Checks the number of elements, as far as it is known.
static Status CheckReshape(const PartialShape& from, const PartialShape& to) {
  if (!from.fully_defined() || !to.known_rank()) return OkStatus();
  int64_t size = 1;
  int implied = 0;
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] < 0) {
      ++implied;
    } else if (to[i] > 0 && size > std::numeric_limits<int64_t>::max() / to[i]) {
      return OkStatus();  // the kernel refuses it
    } else {
      size *= to[i];
    }
  }
  const int64_t elements = from.num_elements();
  const bool fits = implied == 0 ? size == elements : size == 0 ? elements == 0 : elements % size == 0;
  if (implied > 1 || fits) return OkStatus();
  return InvalidArgument("Cannot reshape a tensor with {} elements to shape [{}] ({} elements)", elements,
                         fmt::join(to.dims(), ", "), size == 0 || implied == 0 ? size : elements / size * size);
}

Sparse SparseReshape(const Sparse& sparse, const Input& shape, std::string name) {
  Graph& graph = sparse.values.graph();
  NameScope scope(graph, NameOrDefault(name, "SparseReshape"));
  Output wanted = shape.is_output() ? shape.output() : ValueOf(graph, shape, kInt64, "Const");
  if (!wanted.valid()) return {};
  if (wanted.base_dtype() != kInt64) wanted = Cast(wanted, kInt64);
  if (const Status status = CheckReshape(graph.ConstantShape(sparse.dense_shape), graph.ConstantShape(wanted));
      !status.ok()) {
    graph.RecordError(status);
    return {};
  }
  const SparseReshapeResult r = SparseReshape(graph, sparse.indices, sparse.dense_shape, wanted);
  return {r.output_indices, sparse.values, r.output_shape};
}

Sparse SparseTranspose(const Sparse& sparse, const Input& perm, std::string name) {
  Graph& graph = sparse.values.graph();
  NameScope scope(graph, NameOrDefault(name, "SparseTranspose"));
  const Output axes = perm.absent() ? ReverseV2(AllAxes(sparse), {0}) : ValueOf(graph, perm, kInvalidType, "perm");
  if (!axes.valid()) return {};
  const PartialShape count = axes.shape(), rank = sparse.dense_shape.shape();
  if (count.rank() == 1 && rank.rank() == 1 && !count.CompatibleWith(rank)) {
    graph.RecordError(InvalidArgument("Dimensions {} and {} are not compatible: perm must name every dimension once",
                                      count[0], rank[0]));
    return {};
  }
  return SparseReorder({GatherV2(sparse.indices, axes, 1), sparse.values, GatherV2(sparse.dense_shape, axes, 0)});
}

Sparse SparseExpandDims(const Sparse& sparse, int64_t axis, std::string name) {
  Graph& graph = sparse.values.graph();
  const PartialShape shape = sparse.dense_shape.shape();
  if (!shape.known_rank() || shape[0] < 0) {
    graph.RecordError(InvalidArgument("sparse expand_dims needs a sparse tensor of known rank"));
    return {};
  }
  NameScope scope(graph, NameOrDefault(name, "expand_dims"));
  const int64_t rank = shape[0];
  if (axis < -rank - 1 || axis > rank) {
    graph.RecordError(InvalidArgument("axis {} is not in [{}, {}]", axis, -rank - 1, rank));
    return {};
  }
  const int at = static_cast<int>(axis < 0 ? axis + rank + 1 : axis);
  const Output column =
      ExpandDims(ZerosOf(graph, StridedSlice(sparse.indices, {0, 0}, {0, 1}, {1, 1},
                                             {.begin_mask = 1, .end_mask = 1, .shrink_axis_mask = 2})),
                 1);
  const Output before = StridedSlice(sparse.indices, {0, 0}, {0, at}, {1, 1}, {.begin_mask = 3, .end_mask = 1});
  const Output behind = StridedSlice(sparse.indices, {0, at}, {0, 0}, {1, 1}, {.begin_mask = 1, .end_mask = 3});
  const Output one = ValueOf(graph, Tensor::Vector<int64_t>({1}));
  const Output shape_before = StridedSlice(sparse.dense_shape, {0}, {at}, {1});
  const Output shape_behind = StridedSlice(sparse.dense_shape, {at}, {0}, {1}, {.end_mask = 1});
  return {ConcatV2(graph, {before, column, behind}, 1), sparse.values,
          ConcatV2(graph, {shape_before, one, shape_behind}, 0)};
}

Sparse SparseRetain(const Sparse& sparse, const Input& keep) {
  Graph& graph = sparse.values.graph();
  const Output chosen = ValueOf(graph, keep, kBool, "Const");
  if (!chosen.valid()) return {};
  const PartialShape given = chosen.shape(), values = sparse.values.shape();
  if (given.rank() == 1 && values.rank() == 1 && !given.CompatibleWith(values)) {
    graph.RecordError(InvalidArgument("Dimensions {} and {} are not compatible: to_retain needs one flag per value",
                                      values[0], given[0]));
    return {};
  }
  const Output rows = Reshape(Where(chosen), {-1});
  return {GatherV2(sparse.indices, rows, 0), GatherV2(sparse.values, rows, 0), Identity(sparse.dense_shape)};
}

Result<Sparse> SparseResetShape(const Sparse& sparse, const Input& new_shape) {
  Graph& graph = sparse.values.graph();
  const Output indices = Identity(sparse.indices), values = Identity(sparse.values),
               shape = Identity(sparse.dense_shape);
  if (new_shape.absent()) {
    const Output most = Max(indices, 0);
    return Sparse{indices, values, Maximum(Int64(0), most + OnesLike(shape))};
  }
  Output wanted = ValueOf(graph, new_shape, kInvalidType, "Const");
  WEIR_TRY(graph.TakeError());
  if (wanted.base_dtype() != kInt64) wanted = Cast(wanted, kInt64);
  const PartialShape before = graph.ConstantShape(shape), after = graph.ConstantShape(wanted);
  if (before.known_rank() && after.known_rank()) {
    if (before.rank() != after.rank())
      return InvalidArgument("new_shape has rank {}, the sparse tensor has rank {}", after.rank(), before.rank());
    for (int d = 0; d < before.rank(); ++d)
      if (after[d] >= 0 && before[d] > after[d])
        return InvalidArgument("new_shape {} is smaller than the shape {}", after, before);
  }
  const Result<Node*> same_rank = AssertRelation(graph, Relation::kEqual, Size(shape), Size(wanted));
  if (!same_rank.ok()) return NotAnAssertion(same_rank.status());
  Output checked;
  {
    ControlDependencies after_rank(graph, {*same_rank});
    const Result<Node*> fits = AssertRelation(graph, Relation::kLessEqual, shape, wanted);
    if (!fits.ok()) return NotAnAssertion(fits.status());
    ControlDependencies after_fits(graph, {*fits});
    checked = Identity(wanted);
  }
  WEIR_TRY(graph.TakeError());
  return Sparse{indices, values, checked};
}

FilledRows SparseFillEmptyRows(const Sparse& sparse, const Input& default_value, std::string name) {
  Graph& graph = sparse.values.graph();
  NameScope scope(graph, NameOrDefault(name, "SparseFillEmptyRows"));
  const SparseFillEmptyRowsResult r =
      SparseFillEmptyRows(graph, sparse.indices, sparse.values, sparse.dense_shape, default_value);
  return {{r.output_indices, r.output_values, sparse.dense_shape}, r.empty_row_indicator};
}

Result<Sparse> SparseMerge(const std::vector<Sparse>& ids, const Sparse& values, const InputList& vocab_sizes,
                           bool already_sorted, std::string name) {
  if (ids.empty()) return InvalidArgument("sparse_merge needs at least one tensor of ids");
  if (ids.size() != vocab_sizes.size())
    return InvalidArgument("there are {} tensors of ids and {} sizes", ids.size(), vocab_sizes.size());
  Graph& graph = values.values.graph();
  NameScope scope(graph, NameOrDefault(name, "SparseMerge"));
  InputList columns = {FirstColumns(ids[0].indices)};
  InputList sizes = {StridedSlice(ids[0].dense_shape, {0}, {-1}, {1}, {.begin_mask = 1})};
  for (size_t i = 0; i < ids.size(); ++i) {
    const DType type = ids[i].values.base_dtype();
    if (!IsInteger(type)) return MarkTypeError(InvalidArgument("the ids must be integers, not {}", type));
    columns.push_back(ExpandDims(type == kInt64 ? ids[i].values : Cast(ids[i].values, kInt64), 1));
    WEIR_ASSIGN(Output size,
                ToOutput(graph, vocab_sizes[i], vocab_sizes[i].is_output() ? kInvalidType : kInt64, "vocab_size"));
    sizes.push_back(Reshape(size.base_dtype() == kInt64 ? size : Cast(size, kInt64), {1}));
  }
  const Output shape = ConcatV2(graph, sizes, 0);
  const Sparse merged{ConcatV2(graph, columns, 1), values.values, shape};
  WEIR_TRY(graph.TakeError());
  return already_sorted ? merged : SparseReorder(merged);
}

Result<Output> SparseToIndicator(const Sparse& ids, const Input& vocab_size, std::string name) {
  if (!IsInteger(ids.values.base_dtype()))
    return MarkTypeError(InvalidArgument("sp_input.dtype must be an integer type, not {}", ids.values.base_dtype()));
  Graph& graph = ids.values.graph();
  NameScope scope(graph, NameOrDefault(name, "SparseToIndicator"));
  const Sparse trues{ids.indices, Fill(ShapeOf(ids.values), Tensor::Scalar(true)), ids.dense_shape};
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Sparse merged, SparseMerge({ids}, trues, {vocab_size}));
  // Do not validate: ids may repeat within a row.
  return SparseToDense(merged, Tensor::Scalar(false), /*validate_indices=*/false, ExactScopeName(scope));
}

Output EditDistance(const Sparse& hypothesis, const Sparse& truth, bool normalize, std::string name) {
  return EditDistance(hypothesis.values.graph(), hypothesis.indices, hypothesis.values, hypothesis.dense_shape,
                      truth.indices, truth.values, truth.dense_shape,
                      {.normalize = normalize, .name = std::move(name)});
}

IndexedSlices MaskSlices(const IndexedSlices& slices, const Input& mask_indices, std::string name) {
  Graph& graph = slices.values.graph();
  NameScope scope(graph, NameOrDefault(name, "sparse_mask"));
  const ListDiffResult left = ListDiff(graph, slices.indices, mask_indices);
  return {GatherV2(slices.values, left.idx, 0), left.out, slices.dense_shape};
}

}  // namespace weir
