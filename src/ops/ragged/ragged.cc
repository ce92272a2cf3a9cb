// RaggedRange, RaggedGather and RaggedTensorToSparse. RaggedTensorToTensor is in ragged_to_tensor.cc.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/ragged_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/elements.h"
#include "ops/ragged/ragged_splits.h"

namespace weir::ops {

Status CheckRowSplits(const Ints& splits, int64_t size, std::string_view what) {
  if (splits.empty()) return InvalidArgument("{} must have at least one element", what);
  if (splits.front() != 0) return InvalidArgument("{} must start with 0, not {}", what, splits.front());
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] < splits[i - 1])
      return InvalidArgument("{} must be sorted in ascending order, but {} follows {}", what, splits[i], splits[i - 1]);
  }
  if (splits.back() != size)
    return InvalidArgument("{} must end with the number of values, {}, not {}", what, size, splits.back());
  return OkStatus();
}

Result<std::vector<Ints>> NestedSplits(const KernelContext& ctx, int first, int count, int64_t size) {
  std::vector<Ints> nested;
  for (int i = 0; i < count; ++i) {
    const Tensor& splits = ctx.input(first + i);
    if (splits.rank() != 1) return InvalidArgument("row splits must be a vector, but have shape {}", splits.shape());
    nested.push_back(IntsOf(splits));
  }
  for (int i = count; i-- > 0;) {
    const int64_t rows = i + 1 < count ? static_cast<int64_t>(nested[i + 1].size()) - 1 : size;
    WEIR_TRY(CheckRowSplits(nested[i], rows, fmt::format("row splits {}", i)));
  }
  return nested;
}

namespace {

// --- RaggedRange
constexpr int64_t kMaxRangeValues = int64_t{1} << 40;

template <class T>
Result<int64_t> RangeSize(T start, T limit, T delta) {
  if (delta == T(0)) return InvalidArgument("Requires delta != 0");
  if ((delta > T(0) && limit < start) || (delta < T(0) && limit > start)) return 0;
  double size = 0;
  if constexpr (std::is_integral_v<T>) {
    const auto distance = static_cast<unsigned __int128>(delta > 0 ? static_cast<__int128>(limit) - start
                                                                   : static_cast<__int128>(start) - limit);
    const auto step =
        static_cast<unsigned __int128>(delta > 0 ? static_cast<__int128>(delta) : -static_cast<__int128>(delta));
    size = static_cast<double>((distance + step - 1) / step);
  } else {
    size = std::ceil(std::abs((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
  }
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (!(size <= static_cast<double>(kMost))) return InvalidArgument("Requires ((limit - start) / delta) <= {}", kMost);
  if (size > static_cast<double>(kMaxRangeValues)) return ResourceExhausted("a range of {} numbers is too long", size);
  return static_cast<int64_t>(size);
}

template <class T>
Result<Kernel> MakeRaggedRange(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    int64_t rows = 1;
    bool has_vector = false;
    for (const int i : {0, 1, 2}) {
      const Tensor& in = ctx.input(i);
      if (in.rank() > 1)
        return InvalidArgument("starts, limits and deltas must be scalars or vectors, got {}", in.shape());
      if (in.rank() == 0) continue;
      if (has_vector && in.dim(0) != rows)
        return InvalidArgument("starts, limits, and deltas must have the same shape, got {} and {}", rows, in.dim(0));
      has_vector = true;
      rows = in.dim(0);
    }
    const auto at = [&](int input, int64_t row) {
      return ctx.input(input).data<T>()[ctx.input(input).rank() == 0 ? 0 : row];
    };
    Ints splits{0};
    for (int64_t row = 0; row < rows; ++row) {
      WEIR_ASSIGN(const int64_t size, RangeSize<T>(at(0, row), at(1, row), at(2, row)));
      splits.push_back(splits.back() + size);
      if (splits.back() > kMaxRangeValues)
        return ResourceExhausted("the ranges have more than {} numbers", kMaxRangeValues);
    }
    WEIR_ASSIGN(Tensor made, IntVector(ctx.output_type(0), splits));
    ctx.set_output(0, std::move(made));
    WEIR_ASSIGN(Tensor values, ctx.Allocate(1, Shape{splits.back()}));
    return ctx.ParallelFor(rows, 10 + splits.back() / std::max<int64_t>(rows, 1), [&](int64_t row) {
      T value = at(0, row);
      for (int64_t i = splits[row]; i < splits[row + 1]; ++i) {
        values.data<T>()[i] = value;
        if (i + 1 < splits[row + 1])
          value = static_cast<T>(value + at(2, row));  // the number after the last may overflow
      }
    });
  });
}

Status RaggedRangeShapes(ShapeContext& ctx) {
  int64_t rows = 1;
  bool has_vector = false, known = true;
  for (const int i : {0, 1, 2}) {
    WEIR_ASSIGN(const PartialShape shape, ctx.WithRankAtMost(i, 1));
    if (!shape.known_rank()) known = false;
    if (!shape.known_rank() || shape.rank() == 0) continue;
    if (has_vector) {
      WEIR_ASSIGN(rows, MergeDims(rows, shape[0]));
    } else {
      rows = shape[0];
    }
    has_vector = true;
  }
  ctx.set_output(0, PartialShape{has_vector || known ? AddDims(rows, 1) : kUnknownDim});
  ctx.set_output(1, PartialShape{kUnknownDim});
  return OkStatus();
}

// --- RaggedGather
// The rows of the values that each gathered row consists of, and the splits of the result, outermost first.
struct GatheredRows {
  std::vector<Ints> splits;
  std::vector<std::pair<int64_t, int64_t>> slices;
  int64_t count = 0;
};

GatheredRows GatherRows(const std::vector<Ints>& params, const Ints& indices) {
  GatheredRows result;
  result.splits.assign(params.size(), Ints{0});
  for (const int64_t index : indices) {
    int64_t begin = index, end = index + 1;
    for (size_t level = 0; level < params.size(); ++level) {
      const int64_t base = result.splits[level].back() - params[level][static_cast<size_t>(begin)];
      for (int64_t i = begin; i < end; ++i)
        result.splits[level].push_back(base + params[level][static_cast<size_t>(i) + 1]);
      begin = params[level][static_cast<size_t>(begin)];
      end = params[level][static_cast<size_t>(end)];
    }
    result.slices.emplace_back(begin, end);
    result.count += end - begin;
  }
  return result;
}

Result<Kernel> MakeRaggedGather(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t params_rank, setup.Attr<int64_t>("PARAMS_RAGGED_RANK"));
  WEIR_ASSIGN(const int64_t output_rank, setup.Attr<int64_t>("OUTPUT_RAGGED_RANK"));
  return Kernel::Sync([params_rank, output_rank](KernelContext& ctx) -> Status {
    const int levels = static_cast<int>(params_rank);
    const Tensor &values = ctx.input(levels), &indices = ctx.input(levels + 1);
    if (values.rank() < 1) return InvalidArgument("params.rank must be nonzero");
    if (output_rank != params_rank + indices.rank() - 1)
      return InvalidArgument("the result has ragged rank {}, but the node says {}", params_rank + indices.rank() - 1,
                             output_rank);
    WEIR_ASSIGN(const std::vector<Ints> params, NestedSplits(ctx, 0, levels, values.dim(0)));
    const Ints rows = IntsOf(indices);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto limit = static_cast<int64_t>(params[0].size()) - 1;
      if (rows[i] >= 0 && rows[i] < limit) continue;
      const std::string place = indices.rank() == 0 ? "" : fmt::format("[{}]", i);
      return InvalidArgument("indices{} = {} is not in [0, {})", place, rows[i], limit);
    }
    GatheredRows gathered = GatherRows(params, rows);
    // The outer dimensions of the indices are uniform; a scalar index drops the outermost splits.
    std::vector<Ints> splits;
    int64_t count = indices.rank() == 0 ? 0 : indices.dim(0);
    for (int axis = 1; axis < indices.rank(); ++axis) {
      Ints uniform;
      for (int64_t i = 0; i <= count; ++i) uniform.push_back(i * indices.dim(axis));
      splits.push_back(std::move(uniform));
      count *= indices.dim(axis);
    }
    for (size_t level = indices.rank() == 0 ? 1 : 0; level < gathered.splits.size(); ++level)
      splits.push_back(std::move(gathered.splits[level]));
    for (size_t i = 0; i < splits.size(); ++i) {
      WEIR_ASSIGN(Tensor made, IntVector(ctx.output_type(static_cast<int>(i)), splits[i]));
      ctx.set_output(static_cast<int>(i), std::move(made));
    }
    DimVector dims(values.shape().begin(), values.shape().end());
    dims[0] = gathered.count;
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(static_cast<int>(output_rank), shape));
    if (out.num_elements() == 0) return OkStatus();
    const Elements elements(values.dtype());
    const int64_t row = out.num_elements() / gathered.count;
    int64_t at = 0;
    for (const auto& [begin, end] : gathered.slices) {
      elements.Copy(values, begin * row, out, at * row, (end - begin) * row);
      at += end - begin;
    }
    return OkStatus();
  });
}

Status RaggedGatherShapes(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t params_rank, ctx.Attr<int64_t>("PARAMS_RAGGED_RANK"));
  WEIR_ASSIGN(const int64_t output_rank, ctx.Attr<int64_t>("OUTPUT_RAGGED_RANK"));
  const int levels = static_cast<int>(params_rank);
  for (int i = 0; i < levels; ++i) WEIR_TRY(ctx.WithRank(i, 1).status());
  WEIR_ASSIGN(const PartialShape values, ctx.WithRankAtLeast(levels, 1));
  WEIR_TRY(ctx.WithRank(levels + 1, static_cast<int>(output_rank - params_rank + 1)).status());
  for (int i = 0; i < output_rank; ++i) ctx.set_output(i, PartialShape{kUnknownDim});
  if (!values.known_rank()) return OkStatus();
  WEIR_ASSIGN(const PartialShape inner, values.Sub(1));
  ctx.set_output(static_cast<int>(output_rank), PartialShape{kUnknownDim}.Concat(inner));
  return OkStatus();
}

// Runs the op on row numbers instead of values: the result is the indices of the sparse gradient.
Result<Gradients> RaggedGatherGradient(GradientContext& g) {
  WEIR_ASSIGN(const int64_t params_rank, g.Attr<int64_t>("PARAMS_RAGGED_RANK"));
  WEIR_ASSIGN(const int64_t output_rank, g.Attr<int64_t>("OUTPUT_RAGGED_RANK"));
  const int levels = static_cast<int>(params_rank);
  const Output values = g.input(levels), indices = g.input(levels + 1);
  const Output shape = ShapeOf(values, {.out_type = kInt64});
  const Output count = StridedSlice(shape, {0}, {1}, {1}, {.shrink_axis_mask = 1});
  InputList splits;
  for (int i = 0; i < levels; ++i) splits.push_back(g.input(i));
  Graph& graph = values.graph();
  const auto number = [&](int64_t n) { return Constant(graph, Tensor::Scalar(n)); };
  const OutputList rows =
      RaggedGather(splits, raw_ops::Range(graph, number(0), count, number(1)), indices, output_rank);
  Gradients gradients(static_cast<size_t>(levels) + 2);
  gradients[static_cast<size_t>(levels)] = IndexedSlices{g.d_output(static_cast<int>(output_rank)), rows.back(), shape};
  return gradients;
}

// --- RaggedTensorToSparse
Result<Kernel> MakeRaggedToSparse(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t ragged_rank, setup.Attr<int64_t>("RAGGED_RANK"));
  return Kernel::Sync([ragged_rank](KernelContext& ctx) -> Status {
    const int levels = static_cast<int>(ragged_rank);
    const Tensor& values = ctx.input(levels);
    if (values.rank() < 1) return InvalidArgument("rt_dense_values must have at least one dimension");
    WEIR_ASSIGN(const std::vector<Ints> splits, NestedSplits(ctx, 0, levels, values.dim(0)));
    const int rank = levels + values.rank();
    WEIR_ASSIGN(Tensor indices, ctx.Allocate(0, Shape{values.num_elements(), rank}));
    Ints dims(static_cast<size_t>(rank), 0);
    dims[0] = static_cast<int64_t>(splits[0].size()) - 1;
    for (int level = 0; level < levels; ++level) {
      for (size_t i = 0; i + 1 < splits[level].size(); ++i)
        dims[level + 1] = std::max(dims[level + 1], splits[level][i + 1] - splits[level][i]);
    }
    for (int i = 1; i < values.rank(); ++i) dims[levels + i] = values.dim(i);
    const int64_t row = values.dim(0) == 0 ? 0 : values.num_elements() / values.dim(0);
    Ints at(static_cast<size_t>(levels), 0);  // the current row of each level
    int64_t* to = indices.data<int64_t>();
    for (int64_t value = 0; value < values.dim(0); ++value) {
      int64_t child = value;
      Ints place(static_cast<size_t>(levels) + 1);
      for (int level = levels - 1; level >= 0; --level) {
        int64_t& parent = at[level];
        while (child >= splits[level][static_cast<size_t>(parent) + 1]) ++parent;
        place[level + 1] = child - splits[level][static_cast<size_t>(parent)];
        child = parent;
      }
      place[0] = child;
      for (int64_t i = 0; i < row; ++i) {
        to = std::copy(place.begin(), place.end(), to);
        int64_t rest = i;
        for (int axis = values.rank() - 1; axis >= 1; --axis) {
          to[axis - 1] = rest % values.dim(axis);
          rest /= values.dim(axis);
        }
        to += values.rank() - 1;
      }
    }
    ctx.set_output(1, values.Reshaped(Shape{values.num_elements()}));
    WEIR_ASSIGN(Tensor shape, IntVector(kInt64, dims));
    ctx.set_output(2, std::move(shape));
    return OkStatus();
  });
}

Status RaggedToSparseShapes(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t levels, ctx.Attr<int64_t>("RAGGED_RANK"));
  for (int i = 0; i < levels; ++i) WEIR_TRY(ctx.WithRank(i, 1).status());
  WEIR_ASSIGN(const PartialShape values, ctx.WithRankAtLeast(static_cast<int>(levels), 1));
  const int64_t rank = values.known_rank() ? levels + values.rank() : kUnknownDim;
  const int64_t count = values.num_elements();
  ctx.set_output(0, PartialShape{count, rank});
  ctx.set_output(1, PartialShape{count});
  ctx.set_output(2, PartialShape{rank});
  return OkStatus();
}

Result<Gradients> RaggedToSparseGradient(GradientContext& g) {
  WEIR_ASSIGN(const int64_t levels, g.Attr<int64_t>("RAGGED_RANK"));
  Gradients gradients(static_cast<size_t>(levels) + 1);
  gradients.back() = Reshape(g.d_output(1), ShapeOf(g.input(static_cast<int>(levels))));
  return gradients;
}

}  // namespace

void RegisterRagged(OpRegistry& registry) {
  const std::string splits = "Tsplits: {int32, int64} = DT_INT64";
  registry.Add({
      .name = "RaggedRange",
      .signature = "starts: T, limits: T, deltas: T -> rt_nested_splits: Tsplits, rt_dense_values: T",
      .attrs = {"T: {float, double, int32, int64} = DT_INT32", splits},
      .shape = RaggedRangeShapes,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, double, int32_t, int64_t>(WEIR_FOR_TYPE(MakeRaggedRange)),
  });
  registry.Add({
      .name = "RaggedGather",
      .signature =
          "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices: Tindices "
          "-> output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues",
      .attrs = {"Tvalues: type", "Tindices: {int32, int64}", splits, "PARAMS_RAGGED_RANK: int >= 1",
                "OUTPUT_RAGGED_RANK: int >= 0"},
      .shape = RaggedGatherShapes,
      .gradient = RaggedGatherGradient,
      .kernels = CpuKernel(MakeRaggedGather),
  });
  registry.Add({
      .name = "RaggedTensorToSparse",
      .signature =
          "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T -> sparse_indices: int64, sparse_values: "
          "T, sparse_dense_shape: int64",
      .attrs = {"RAGGED_RANK: int >= 1", "T: type", splits},
      .shape = RaggedToSparseShapes,
      .gradient = RaggedToSparseGradient,
      .kernels = CpuKernel(MakeRaggedToSparse),
  });
}

}  // namespace weir::ops
