// RaggedTensorToTensor: a dense tensor with the values of a ragged one, and a default value in the rest.
#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/ragged_ops.h"
#include "graph/build/reduce.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/elements.h"
#include "ops/ragged/ragged_splits.h"

namespace weir::ops {
namespace {

enum class PartitionKind { kRowSplits, kValueRowIds };

// How the node describes its rows: splits, or the size of the first dimension followed by the row of each value.
Result<std::vector<PartitionKind>> PartitionsOf(const AttrMap& attrs) {
  WEIR_ASSIGN(std::vector<std::string> names, GetAttr<std::vector<std::string>>(attrs, "row_partition_types"));
  std::vector<PartitionKind> kinds;
  const bool has_size = !names.empty() && names[0] == "FIRST_DIM_SIZE";
  for (size_t i = has_size ? 1 : 0; i < names.size(); ++i) {
    if (names[i] != "ROW_SPLITS" && names[i] != "VALUE_ROWIDS")
      return InvalidArgument("row_partition_types[{}] is {}, which is not supported", i, names[i]);
    kinds.push_back(names[i] == "ROW_SPLITS" ? PartitionKind::kRowSplits : PartitionKind::kValueRowIds);
  }
  if (kinds.empty()) return InvalidArgument("row_partition_types has no partition");
  if (has_size != (kinds[0] == PartitionKind::kValueRowIds))
    return InvalidArgument("row_partition_types must begin with ROW_SPLITS or with FIRST_DIM_SIZE and VALUE_ROWIDS");
  return kinds;
}

// The rows of one dimension: the row of each value, and the largest number of values in a row.
struct RowPartition {
  Ints row_of;
  int64_t longest = 0;
};

Result<RowPartition> PartitionOf(const Tensor& given, PartitionKind kind, int64_t rows) {
  if (given.rank() != 1) return InvalidArgument("a row partition must be a vector, but has shape {}", given.shape());
  RowPartition partition;
  const Ints numbers = IntsOf(given);
  if (kind == PartitionKind::kRowSplits) {
    if (numbers.empty()) return InvalidArgument("row splits must have at least one element");
    if (static_cast<int64_t>(numbers.size()) - 1 != rows)
      return InvalidArgument("there are {} row splits for {} rows", numbers.size(), rows);
    WEIR_TRY(CheckRowSplits(numbers, numbers.back(), "row splits"));
    if (numbers.back() > (int64_t{1} << 40))
      return InvalidArgument("row splits end with {}, which is too large", numbers.back());
    for (size_t i = 0; i + 1 < numbers.size(); ++i) {
      partition.longest = std::max(partition.longest, numbers[i + 1] - numbers[i]);
    }
    return partition;
  }
  int64_t length = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t row = numbers[i];
    if (row < 0 || row >= rows) return InvalidArgument("value_rowids[{}] = {} is not in [0, {})", i, row, rows);
    if (i > 0 && row < numbers[i - 1])
      return InvalidArgument("value_rowids must not decrease, but {} follows {}", row, numbers[i - 1]);
    length = i > 0 && row == numbers[i - 1] ? length + 1 : 1;
    partition.longest = std::max(partition.longest, length);
  }
  partition.row_of = numbers;
  return partition;
}

// Fills row_of from splits. `values`: the number of values that must exist.
Status CompleteRows(const Tensor& given, PartitionKind kind, int64_t values, RowPartition* partition) {
  if (kind == PartitionKind::kRowSplits) {
    const Ints splits = IntsOf(given);
    if (splits.back() != values)
      return InvalidArgument("row splits end with {}, but there are {} values", splits.back(), values);
    partition->row_of.resize(static_cast<size_t>(values));
    for (size_t i = 0; i + 1 < splits.size(); ++i)
      std::fill(partition->row_of.begin() + splits[i], partition->row_of.begin() + splits[i + 1],
                static_cast<int64_t>(i));
  } else if (static_cast<int64_t>(partition->row_of.size()) != values) {
    return InvalidArgument("there are {} value_rowids, but {} values", partition->row_of.size(), values);
  }
  return OkStatus();
}

// The requested sizes: -1 where the values decide. A scalar -1 leaves all of them open.
Result<Ints> RequestedSizes(const Tensor& shape, int rank) {
  const Ints sizes = IntsOf(shape);
  for (const int64_t size : sizes) {
    if (size < -1) return InvalidArgument("shape must have sizes >= -1, got {}", size);
  }
  if (shape.rank() == 0) {
    if (sizes[0] != -1) return InvalidArgument("a scalar shape must be -1, got {}", sizes[0]);
    return Ints(static_cast<size_t>(rank), -1);
  }
  if (shape.rank() != 1 || static_cast<int>(sizes.size()) != rank)
    return InvalidArgument("shape must have {} sizes, got shape {}", rank, shape.shape());
  return sizes;
}

// The default value, repeated over the inner dimensions of the values.
Result<Tensor> InnerDefault(const Tensor& given, const Shape& inner) {
  WEIR_ASSIGN(Tensor full, Tensor::Allocate(given.dtype(), inner));
  const Elements elements(given.dtype());
  const int missing = inner.rank() - given.rank();
  if (missing < 0) return InvalidArgument("default_value has shape {}, but a value has shape {}", given.shape(), inner);
  for (int i = 0; i < given.rank(); ++i) {
    if (given.dim(i) != 1 && given.dim(i) != inner[missing + i])
      return InvalidArgument("default_value of shape {} cannot be broadcast to {}", given.shape(), inner);
  }
  for (int64_t at = 0; at < full.num_elements(); ++at) {
    int64_t from = 0, stride = 1, rest = at;
    for (int i = inner.rank() - 1; i >= 0; --i) {
      const int64_t index = rest % inner[i];
      rest /= inner[i];
      if (i < missing) continue;
      if (given.dim(i - missing) != 1) from += index * stride;
      stride *= given.dim(i - missing);
    }
    elements.Copy(given, from, full, at, 1);
  }
  return full;
}

// The row of the result for each value of the innermost partition; -1: it does not fit.
Result<Ints> PlacesOf(const KernelContext& ctx, const std::vector<PartitionKind>& kinds, int first, int64_t rows,
                      int64_t values, Ints* sizes) {
  if ((*sizes)[0] < 0) (*sizes)[0] = rows;
  Ints places(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) places[i] = i < (*sizes)[0] ? i : -1;
  for (size_t level = 0; level < kinds.size(); ++level) {
    const Tensor& given = ctx.input(first + static_cast<int>(level));
    WEIR_ASSIGN(RowPartition partition, PartitionOf(given, kinds[level], static_cast<int64_t>(places.size())));
    int64_t count = values;
    if (level + 1 < kinds.size()) {
      count = kinds[level] == PartitionKind::kRowSplits ? IntsOf(given).back()
                                                        : static_cast<int64_t>(partition.row_of.size());
    }
    WEIR_TRY(CompleteRows(given, kinds[level], count, &partition));
    int64_t& size = (*sizes)[level + 1];
    if (size < 0) size = partition.longest;
    Ints next(partition.row_of.size());
    int64_t position = 0;
    for (size_t i = 0; i < next.size(); ++i) {
      position = i > 0 && partition.row_of[i] == partition.row_of[i - 1] ? position + 1 : 0;
      const int64_t parent = places[static_cast<size_t>(partition.row_of[i])];
      next[i] = parent >= 0 && position < size ? parent * size + position : -1;
    }
    places = std::move(next);
  }
  return places;
}

Result<Kernel> MakeRaggedToTensor(KernelSetup& setup) {
  WEIR_ASSIGN(const std::vector<PartitionKind> kinds, PartitionsOf(*setup.node().attrs));
  return Kernel::Sync([kinds](KernelContext& ctx) -> Status {
    const Tensor& values = ctx.input(1);
    if (values.rank() < 1) return InvalidArgument("values must have at least one dimension");
    const int levels = static_cast<int>(kinds.size());
    const int rank = levels + values.rank();
    WEIR_ASSIGN(Ints sizes, RequestedSizes(ctx.input(0), rank));
    int first = 3;
    int64_t rows = ctx.input(first).num_elements() - 1;
    if (kinds[0] == PartitionKind::kValueRowIds) {
      WEIR_ASSIGN(rows, ScalarInt(ctx.input(first), "the first dimension size"));
      ++first;
    }
    if (rows < 0 || rows > (int64_t{1} << 40)) return InvalidArgument("the number of rows is {}", rows);
    if (ctx.num_inputs() != first + levels) return InvalidArgument("there are too few row partitions");
    WEIR_ASSIGN(const Ints places, PlacesOf(ctx, kinds, first, rows, values.dim(0), &sizes));
    DimVector inner;
    for (int i = 1; i < values.rank(); ++i) {
      int64_t& size = sizes[levels + i];
      if (size >= 0 && size != values.dim(i))
        return InvalidArgument("dimension {} of the values is {}, but {} is requested", i, values.dim(i), size);
      size = values.dim(i);
      inner.push_back(size);
    }
    WEIR_ASSIGN(const Shape inner_shape, Shape::Make(inner));
    WEIR_ASSIGN(const Shape shape, Shape::Make(DimVector(sizes.begin(), sizes.end())));
    WEIR_ASSIGN(const Tensor filler, InnerDefault(ctx.input(2), inner_shape));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    if (out.num_elements() == 0) return OkStatus();
    const Elements elements(values.dtype());
    const int64_t row = inner_shape.num_elements();
    if (row == 1) {
      elements.Fill(out.raw(), filler.raw(), out.num_elements());
    } else {
      for (int64_t i = 0; i < out.num_elements(); i += row) elements.Copy(filler, 0, out, i, row);
    }
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] >= 0) elements.Copy(values, static_cast<int64_t>(i) * row, out, places[i] * row, row);
    }
    return OkStatus();
  });
}

Status CheckDefaultShape(const PartialShape& filler, const PartialShape& values) {
  if (!filler.known_rank() || !values.known_rank()) return OkStatus();
  const auto error = [&](const std::string& why) {
    return InvalidArgument("default_value.shape={} and rt_input.flat_values.shape={} are incompatible: {}", filler,
                           values, why);
  };
  if (filler.rank() >= values.rank()) {
    return error(fmt::format("default_value.rank = {}  must be less than rt_input.flat_values.rank = {}", filler.rank(),
                             values.rank()));
  }
  for (int i = 1; i <= filler.rank(); ++i) {
    const int64_t have = filler[filler.rank() - i], want = values[values.rank() - i];
    if (have >= 0 && want >= 0 && have != 1 && have != want) {
      return error(
          fmt::format("default_value.shape[-{}] = {} but rt_input.flat_values.shape[-{}] = {}", i, have, i, want));
    }
  }
  return OkStatus();
}

Status RaggedToTensorShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const std::vector<PartitionKind> kinds, PartitionsOf(ctx.attrs()));
  WEIR_ASSIGN(const PartialShape values, ctx.WithRankAtLeast(1, 1));
  WEIR_TRY(ctx.WithRankAtMost(0, 1).status());
  WEIR_TRY(CheckDefaultShape(ctx.input(2), values));
  for (int i = kinds[0] == PartitionKind::kValueRowIds ? 4 : 3; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).known_rank() && ctx.input(i).rank() != 1)
      return InvalidArgument("Row partition must be a vector, got shape {}", ctx.input(i));
  }
  if (ctx.input(0).known_rank() && ctx.input(0).rank() == 0) {
    const int64_t scalar = ConstantInt(ctx, 0).value_or(-1);
    if (scalar != -1)
      return InvalidArgument("Received an invalid shape scalar with a static value that is not '-1': {}", scalar);
  }
  const PartialShape wanted =
      ctx.input(0).known_rank() && ctx.input(0).rank() == 1 ? ctx.constant_as_shape(0) : PartialShape();
  if (!values.known_rank()) {
    ctx.set_output(0, wanted);
    return OkStatus();
  }
  const int levels = static_cast<int>(kinds.size());
  WEIR_ASSIGN(const PartialShape inner, values.Sub(1));
  PartialShape shape = PartialShape::OfRank(levels + 1).Concat(inner);
  if (wanted.known_rank()) {
    WEIR_ASSIGN(shape, shape.Merge(wanted));
  }
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

// Runs the op on the numbers of the values to find the value that each gradient belongs to, then sums up the gradients
// of each value. The gradients of padding belong to the default value, which has the number `count`.
Result<Gradients> RaggedToTensorGradient(GradientContext& g) {
  const Output values = g.input(1), filler = g.input(2), dy = g.d_output(0);
  Graph& graph = values.graph();
  const auto number = [&](int64_t n) { return Constant(graph, Tensor::Scalar(n)); };
  WEIR_ASSIGN(const std::vector<std::string> kinds, g.Attr<std::vector<std::string>>("row_partition_types"));
  InputList partitions;
  for (int i = 3; i < g.num_inputs(); ++i) partitions.push_back(g.input(i));
  const auto outer = static_cast<int64_t>(kinds.size() + (kinds[0] == "FIRST_DIM_SIZE" ? 0 : 1));
  const Output value_shape = ShapeOf(values, {.out_type = kInt64});
  const Output count = StridedSlice(value_shape, {0}, {1}, {1}, {.shrink_axis_mask = 1});
  const Output outer_shape =
      StridedSlice(ShapeOf(dy, {.out_type = kInt64}), {0}, Input(std::vector<int64_t>{outer}), {1}, {.begin_mask = 1});
  const Output places = raw_ops::RaggedTensorToTensor(
      graph, outer_shape, raw_ops::Range(graph, number(0), count, number(1)), count, partitions, kinds);
  const Output sums = UnsortedSegmentSum(dy, places, count + number(1));
  const Output of_values = Slice(sums, ZerosLike(value_shape), value_shape);
  const Output of_filler = Reshape(
      Slice(sums,
            ConcatV2({Reshape(count, {1}), ZerosLike(StridedSlice(value_shape, {1}, {0}, {1}, {.end_mask = 1}))}, 0),
            ConcatV2({Constant(graph, Tensor::Vector<int64_t>({1})),
                      StridedSlice(value_shape, {1}, {0}, {1}, {.end_mask = 1})},
                     0)),
      StridedSlice(value_shape, {1}, {0}, {1}, {.end_mask = 1}));
  // Sums over the dimensions along which the default value was repeated.
  const auto axes = raw_ops::BroadcastGradientArgs(graph, ShapeOf(filler, {.out_type = kInt64}),
                                                   StridedSlice(value_shape, {1}, {0}, {1}, {.end_mask = 1}));
  const Output reduced = Reshape(raw_ops::Sum(graph, of_filler, axes.r0), ShapeOf(filler));
  Gradients gradients(static_cast<size_t>(g.num_inputs()));
  gradients[1] = of_values;
  gradients[2] = reduced;
  return gradients;
}

}  // namespace

void RegisterRaggedToTensor(OpRegistry& registry) {
  registry.Add({
      .name = "RaggedTensorToTensor",
      .signature =
          "shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors * Tindex "
          "-> result: T",
      .attrs = {"T: type", "Tindex: {int64, int32}", "Tshape: {int64, int32}", "num_row_partition_tensors: int >= 1",
                "row_partition_types: list(string)"},
      .equal_lengths = {"num_row_partition_tensors = row_partition_types"},
      .shape = RaggedToTensorShape,
      .gradient = RaggedToTensorGradient,
      .kernels = CpuKernel(MakeRaggedToTensor),
  });
}

}  // namespace weir::ops
