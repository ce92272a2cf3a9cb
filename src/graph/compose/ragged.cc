#include "graph/compose/ragged.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/ragged_ops.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

Output SplitsNumber(Graph& graph, int64_t value, DType type) {
  return Constant(graph, type == kInt32 ? Tensor::Scalar(static_cast<int32_t>(value)) : Tensor::Scalar(value));
}
// Literals become int64; tensors keep their type.
Output PartitionOf(Graph& graph, const Input& x, const char* name) {
  return ValueOf(graph, x, x.is_output() ? kInvalidType : kInt64, name);
}
Output Counted(Graph& graph, Output count) {
  const DType type = count.base_dtype();
  return raw_ops::Range(graph, SplitsNumber(graph, 0, type), count, SplitsNumber(graph, 1, type));
}
Output RowCount(Graph& graph, Output splits) {
  return raw_ops::Size(graph, splits, {.out_type = splits.base_dtype()}) - SplitsNumber(graph, 1, splits.base_dtype());
}
Output LastOf(Output vector) { return StridedSlice(vector, {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1}); }
Output Heads(Output splits) { return StridedSlice(splits, {0}, {-1}, {1}, {.begin_mask = 1}); }
Output Tails(Output splits) { return StridedSlice(splits, {1}, {0}, {1}, {.end_mask = 1}); }

Output SplitsOfLengths(Graph& graph, Output lengths) {
  const Output ends = raw_ops::Cumsum(graph, lengths, SplitsNumber(graph, 0, kInt32));
  return ConcatV2({Reshape(SplitsNumber(graph, 0, lengths.base_dtype()), {1}), ends}, 0);
}

Output SegmentReduced(Graph& graph, const std::string& reduction, Output values, Output ids, Output count) {
  if (reduction != "Mean") return NodeBuilder(graph, reduction).In(values).In(ids).In(count).BuildOutput();
  const Output sum = UnsortedSegmentSum(values, ids, count);
  const Output ones = CastValue(graph, UnsortedSegmentSum(OnesLike(values), ids, count), values.base_dtype());
  return TrueDivideValues(graph, sum, ones);
}

}  // namespace

Output RowSplitsFromLengths(Graph& graph, const Input& lengths, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RowSplitsFromLengths"));
  const Output value = PartitionOf(graph, lengths, "row_lengths");
  return value.valid() ? SplitsOfLengths(graph, value) : value;
}

Output RowSplitsFromRowIds(Graph& graph, const Input& ids_in, const Input& rows_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RowSplitsFromRowIds"));
  const Output ids = PartitionOf(graph, ids_in, "value_rowids");
  if (!ids.valid()) return ids;
  const DType type = ids.base_dtype();
  Output rows;
  if (rows_in.absent()) {
    // Include -1 in the maximum, so that without ids the number of rows is 0.
    const Output least = Reshape(SplitsNumber(graph, -1, type), {1});
    rows = ReduceMax(ConcatV2({least, ids}, 0)) + SplitsNumber(graph, 1, type);
  } else {
    rows = CastValue(graph, ValueOf(graph, rows_in, rows_in.is_output() ? kInvalidType : type, "nrows"), type);
  }
  return SplitsOfLengths(graph, UnsortedSegmentSum(OnesLike(ids), ids, rows));
}

Output RowSplitsFromStarts(Graph& graph, const Input& starts_in, const Input& value_count, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RowSplitsFromStarts"));
  const Output starts = PartitionOf(graph, starts_in, "row_starts");
  if (!starts.valid()) return starts;
  return ConcatV2({starts, Reshape(CastValue(graph, value_count, starts.base_dtype()), {1})}, 0);
}

Output RowSplitsFromLimits(Graph& graph, const Input& limits_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RowSplitsFromLimits"));
  const Output limits = PartitionOf(graph, limits_in, "row_limits");
  if (!limits.valid()) return limits;
  return ConcatV2({Reshape(SplitsNumber(graph, 0, limits.base_dtype()), {1}), limits}, 0);
}

Output RowIdsOf(Graph& graph, const Input& splits_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RowIds"));
  const Output splits = PartitionOf(graph, splits_in, "row_splits");
  if (!splits.valid()) return splits;
  return RepeatOf(graph, Counted(graph, RowCount(graph, splits)), Tails(splits) - Heads(splits), 0);
}

Output RowLengthsOf(Graph& graph, const Input& splits_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RowLengths"));
  const Output splits = PartitionOf(graph, splits_in, "row_splits");
  return splits.valid() ? Tails(splits) - Heads(splits) : splits;
}

RaggedRows RaggedFromTensor(Graph& graph, const Input& tensor_in, const Input& lengths_in, const Input& padding_in,
                            DType splits_type, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RaggedFromTensor"));
  const Output tensor = ValueOf(graph, tensor_in, kInvalidType, "tensor");
  if (!tensor.valid()) return {tensor, tensor};
  const Output shape = ShapeValue(graph, tensor, splits_type);
  const auto size = [&](int64_t axis) {
    return StridedSlice(shape, Input(std::vector<int64_t>{axis}), Input(std::vector<int64_t>{axis + 1}), {1},
                        {.shrink_axis_mask = 1});
  };
  const Output rows = size(0), columns = size(1);
  Output lengths;
  if (!lengths_in.absent()) {
    lengths = CastValue(
        graph, ValueOf(graph, lengths_in, lengths_in.is_output() ? kInvalidType : splits_type, "lengths"), splits_type);
    lengths = raw_ops::Maximum(graph, raw_ops::Minimum(graph, lengths, columns), SplitsNumber(graph, 0, splits_type));
  } else if (!padding_in.absent()) {
    const Output padding = ValueOf(graph, padding_in, tensor.base_dtype(), "padding");
    Output differs = raw_ops::NotEqual(graph, tensor, padding);
    if (tensor.shape().known_rank()) {
      std::vector<int64_t> inner;
      for (int i = 2; i < tensor.shape().rank(); ++i) inner.push_back(i);
      if (!inner.empty()) differs = ReduceAny(differs, inner);
    }
    const Output positions = Counted(graph, columns) + SplitsNumber(graph, 1, splits_type);
    lengths = ReduceMax(
        ConcatV2({ZerosLike(ExpandDims(Counted(graph, rows), 1)), positions * CastValue(graph, differs, splits_type)},
                 1),
        1);
  } else {
    const Output count = rows + SplitsNumber(graph, 1, splits_type);
    const Output inner = StridedSlice(shape, {2}, {0}, {1}, {.end_mask = 1});
    const Output values = Reshape(tensor, ConcatV2({Reshape(rows * columns, {1}), inner}, 0));
    return {values, Counted(graph, count) * columns};
  }
  const Output mask = SequenceMask(graph, lengths, columns);
  return {BooleanMask(graph, tensor, mask), SplitsOfLengths(graph, lengths)};
}

RaggedRows ConcatRaggedRows(Graph& graph, const std::vector<RaggedRows>& parts, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RaggedConcat"));
  InputList values, splits;
  Output offset;
  for (const RaggedRows& part : parts) {
    values.push_back(part.values);
    splits.push_back(offset.valid() ? Tails(part.splits) + offset : part.splits);
    offset = offset.valid() ? LastOf(part.splits) + offset : LastOf(part.splits);
  }
  return {Concat(graph, values, 0), Concat(graph, splits, 0)};
}

RaggedRows JoinRaggedRows(Graph& graph, const std::vector<RaggedRows>& parts, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RaggedConcat"));
  const RaggedRows all = ConcatRaggedRows(graph, parts);
  const DType type = all.splits.base_dtype();
  const auto count = static_cast<int64_t>(parts.size());
  // Rows 0, n, 2n, ..., 1, n + 1, ... of all rows, n being the number of rows of a part.
  const Output rows = RowCount(graph, parts[0].splits);
  const Output first = ExpandDims(Counted(graph, rows), 1);
  const Output order = Reshape(first + ExpandDims(Counted(graph, SplitsNumber(graph, count, type)) * rows, 0), {-1});
  const OutputList gathered = RaggedGather({all.splits}, all.values, order, 1);
  if (gathered.size() < 2) return all;
  return {gathered[1],
          StridedSlice(gathered[0], {0}, {0}, Input(std::vector<int64_t>{count}), {.begin_mask = 1, .end_mask = 1})};
}

Output ReduceRagged(Graph& graph, const std::string& op, const RaggedRows& rows, bool over_rows, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "RaggedReduce"));
  const Output ids = RowIdsOf(graph, rows.splits);
  if (over_rows) return SegmentReduced(graph, op, rows.values, ids, RowCount(graph, rows.splits));
  const DType type = rows.splits.base_dtype();
  const Output lengths = Tails(rows.splits) - Heads(rows.splits);
  const Output longest = ReduceMax(ConcatV2({Reshape(SplitsNumber(graph, 0, type), {1}), lengths}, 0));
  const Output starts = raw_ops::GatherV2(graph, Heads(rows.splits), ids, SplitsNumber(graph, 0, kInt32));
  const Output positions = Counted(graph, LastOf(rows.splits)) - starts;
  return SegmentReduced(graph, op, rows.values, positions, longest);
}

Output RaggedToDense(Graph& graph, const Input& values_in, const OutputList& nested_splits, const Input& filler,
                     const Input& shape, std::string name) {
  const Output values = ValueOf(graph, values_in, kInvalidType, "values");
  if (!values.valid() || nested_splits.empty()) return values;
  const DType type = values.base_dtype();
  Input default_value = filler;
  if (default_value.absent() && type == kString) default_value = "";
  if (default_value.absent()) default_value = raw_ops::Cast(graph, SplitsNumber(graph, 0, kInt32), type);
  const Input sizes = shape.absent() ? Input(SplitsNumber(graph, -1, kInt64)) : shape;
  const InputList splits(nested_splits.begin(), nested_splits.end());
  return raw_ops::RaggedTensorToTensor(graph, ValueOf(graph, sizes, sizes.is_output() ? kInvalidType : kInt64, "shape"),
                                       values, ValueOf(graph, default_value, type, "default_value"), splits,
                                       std::vector<std::string>(nested_splits.size(), "ROW_SPLITS"),
                                       {.name = NameOrDefault(std::move(name), "RaggedToTensor")});
}

}  // namespace weir
