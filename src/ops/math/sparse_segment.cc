// Sums and means over segments of rows selected by index, without a gather: out[s] = sum of data[indices[i]] over all i
// with segment_ids[i] == s. The ids are sorted. The ops named Grad compute the gradients.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/math/segment_rows.h"

namespace weir::ops {
namespace {

Status CheckVectors(const Tensor& indices, const Tensor& ids) {
  if (indices.rank() != 1) return InvalidArgument("indices should be a vector, got shape {}", indices.shape());
  if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector, got shape {}", ids.shape());
  if (indices.dim(0) != ids.dim(0))
    return InvalidArgument("segment_ids and indices should have same size: {} and {}", ids.dim(0), indices.dim(0));
  return OkStatus();
}

Result<Kernel> MakeForward(KernelSetup& setup, RowOp op) {
  WEIR_ASSIGN(const RowReducer reducer, RowReducer::For(op, setup.input_type(0)));
  return Kernel::Sync([reducer](KernelContext& ctx) -> Status {
    const Tensor& data = ctx.input(0);
    if (data.rank() < 1) return InvalidArgument("data must be at least rank 1");
    WEIR_TRY(CheckVectors(ctx.input(1), ctx.input(2)));
    const std::vector<int64_t> rows = RowIds(ctx.input(1));
    WEIR_ASSIGN(const std::vector<Segment> segments, SortedSegments(RowIds(ctx.input(2))));
    int64_t num_segments = segments.empty() ? 0 : segments.back().row + 1;
    if (ctx.num_inputs() > 3) {
      const Tensor& count = ctx.input(3);
      if (count.rank() != 0) return InvalidArgument("num_segments should be a scalar, not shape {}", count.shape());
      const int64_t given = IntAt(count, 0);
      if (given < 0) return InvalidArgument("num_segments must not be negative, got {}", given);
      if (num_segments > given)
        return InvalidArgument("segment ids must be < num_segments: {} and {}", num_segments - 1, given);
      num_segments = given;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] < 0 || rows[i] >= data.dim(0))
        return InvalidArgument("Bad: indices[{}] == {} out of range [0, {})", i, rows[i], data.dim(0));
    }
    WEIR_ASSIGN(const Shape shape, WithRows(data.shape(), 1, num_segments));
    return ReduceWide(ctx, reducer, shape, [&](const Tensor& from, const Tensor& out) {
      return ReduceSegments(ctx, reducer, from, out, RowWidth(data.shape(), 1), segments, rows);
    });
  });
}

// Divides row s of grad by the divisor of the mean of segment s.
template <class T>
Result<Tensor> ScaledRows(const KernelContext& ctx, RowOp op, const Tensor& grad, int64_t width,
                          const std::vector<int64_t>& ids) {
  std::vector<double> counts(static_cast<size_t>(grad.dim(0)), 0.0);
  for (const int64_t id : ids) ++counts[static_cast<size_t>(id)];
  WEIR_ASSIGN(Tensor scaled, Tensor::Allocate(grad.dtype(), grad.shape()));
  WEIR_TRY(ctx.ParallelFor(grad.dim(0), width, [&](int64_t row) {
    const double count = std::max(1.0, counts[static_cast<size_t>(row)]);
    const T scale = static_cast<T>(1.0 / (op == RowOp::kMean ? count : std::sqrt(count)));
    const T* from = grad.data<T>() + row * width;
    T* to = scaled.data<T>() + row * width;
    for (int64_t i = 0; i < width; ++i) to[i] = from[i] * scale;
  }));
  return scaled;
}

Result<Kernel> MakeBackward(KernelSetup& setup, RowOp op) {
  WEIR_ASSIGN(const RowReducer reducer, RowReducer::For(RowOp::kSum, setup.input_type(0)));
  return Kernel::Sync([reducer, op](KernelContext& ctx) -> Status {
    const Tensor& grad = ctx.input(0);
    const Tensor& dim0 = ctx.input(3);
    if (grad.rank() < 1) return InvalidArgument("grad must be at least rank 1");
    WEIR_TRY(CheckVectors(ctx.input(1), ctx.input(2)));
    if (dim0.rank() != 0) return InvalidArgument("output_dim0 should be a scalar, got shape {}", dim0.shape());
    const int64_t rows_out = IntAt(dim0, 0);
    if (rows_out < 0) return InvalidArgument("output_dim0: expected a non-negative size, got {}", rows_out);
    const std::vector<int64_t> indices = RowIds(ctx.input(1));
    const std::vector<int64_t> ids = RowIds(ctx.input(2));
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0 || ids[i] >= grad.dim(0))
        return InvalidArgument("Segment id {} out of range [0, {}).", ids[i], grad.dim(0));
      if (indices[i] < 0 || indices[i] >= rows_out)
        return InvalidArgument("Index {} out of range [0, {}).", indices[i], rows_out);
    }
    WEIR_ASSIGN(const Shape shape, WithRows(grad.shape(), 1, rows_out));
    const int64_t width = RowWidth(grad.shape(), 1);
    return ReduceWide(ctx, reducer, shape, [&](const Tensor& from, const Tensor& out) -> Status {
      if (op == RowOp::kSum) return ScatterRows(ctx, reducer, from, out, width, indices, ids);
      Result<Tensor> scaled = from.dtype() == kDouble ? ScaledRows<double>(ctx, op, from, width, ids)
                                                      : ScaledRows<float>(ctx, op, from, width, ids);
      WEIR_TRY(scaled.status());
      return ScatterRows(ctx, reducer, *scaled, out, width, indices, ids);
    });
  });
}

// The shape of input 0 with the number of rows given by the scalar input 3, if there is one.
Status SparseSegmentShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape data, ctx.WithRankAtLeast(0, 1));
  WEIR_ASSIGN(const PartialShape indices, ctx.WithRank(1, 1));
  WEIR_ASSIGN(const PartialShape ids, ctx.WithRank(2, 1));
  WEIR_TRY(indices.Merge(ids).status());
  int64_t rows = kUnknownDim;
  if (ctx.num_inputs() > 3) {
    WEIR_TRY(ctx.WithRank(3, 0).status());
    if (const std::optional<int64_t> count = ConstantInt(ctx, 3)) {
      if (*count < 0) return InvalidArgument("Cannot specify a negative value for the number of rows, got {}", *count);
      rows = *count;
    }
  }
  if (!data.known_rank()) return OkStatus();
  WEIR_ASSIGN(const PartialShape rest, data.Sub(1));
  ctx.set_output(0, PartialShape{rows}.Concat(rest));
  return OkStatus();
}

GradientFn BackThrough(RowOp op) {
  return [op](GradientContext& g) -> Result<Gradients> {
    Output dy = g.d_output(0), indices = g.input(1), ids = g.input(2);
    const Output rows = StridedSlice(ShapeOf(g.input(0)), {0}, {1}, {1}, {.shrink_axis_mask = 1});
    Output dx;
    switch (op) {
      case RowOp::kMean:
        dx = SparseSegmentMeanGrad(dy, indices, ids, rows);
        break;
      case RowOp::kSqrtN:
        dx = SparseSegmentSqrtNGrad(dy, indices, ids, rows);
        break;
      default:
        dx = SparseSegmentSumGrad(dy, indices, ids, rows);
        break;
    }
    Gradients gradients(static_cast<size_t>(g.num_inputs()), std::monostate{});
    gradients[0] = dx;
    return gradients;
  };
}

struct Row {
  const char* name;
  const char* with_num_segments;
  const char* gradient;
  RowOp op;
  std::string types;
};

}  // namespace

void RegisterSparseSegment(OpRegistry& registry) {
  const std::string floats = "bfloat16, half, float, double";
  const Row rows[] = {
      {"SparseSegmentSum", "SparseSegmentSumWithNumSegments", "SparseSegmentSumGrad", RowOp::kSum, "realnumbertype"},
      {"SparseSegmentMean", "SparseSegmentMeanWithNumSegments", "SparseSegmentMeanGrad", RowOp::kMean, floats},
      {"SparseSegmentSqrtN", "SparseSegmentSqrtNWithNumSegments", "SparseSegmentSqrtNGrad", RowOp::kSqrtN, floats},
  };
  for (const Row& row : rows) {
    const std::string types = fmt::format("T: {{{}}}", row.types);
    auto forward = [op = row.op](KernelSetup& setup) { return MakeForward(setup, op); };
    registry.Add({
        .name = row.name,
        .signature = "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T",
        .attrs = {types, "Tidx: {int32, int64} = DT_INT32", "Tsegmentids: {int32, int64} = DT_INT32"},
        .shape = SparseSegmentShape,
        .gradient = BackThrough(row.op),
        .kernels = CpuKernelForTypes("T", TypesNamed(row.types), forward),
    });
    registry.Add({
        .name = row.with_num_segments,
        .signature = "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments -> output: T",
        .attrs = {types, "Tidx: {int32, int64} = DT_INT32", "Tnumsegments: {int32, int64} = DT_INT32",
                  "Tsegmentids: {int32, int64} = DT_INT32"},
        .shape = SparseSegmentShape,
        .gradient = BackThrough(row.op),
        .kernels = CpuKernelForTypes("T", TypesNamed(row.types), forward),
    });
    registry.Add({
        .name = row.gradient,
        .signature = "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32 -> output: T",
        .attrs = {fmt::format("T: {{{}}}", floats), "Tidx: {int32, int64} = DT_INT32",
                  "Tsegmentids: {int32, int64} = DT_INT32"},
        .shape = SparseSegmentShape,
        .kernels = CpuKernelForTypes("T", TypesNamed(floats),
                                     [op = row.op](KernelSetup& setup) { return MakeBackward(setup, op); }),
    });
  }
}

}  // namespace weir::ops
