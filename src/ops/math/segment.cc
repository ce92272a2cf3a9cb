// Segment reductions over rows: sorted (segment_ids [n] of data [n, ...]) and unsorted (the shape of ids is a prefix of
// the shape of data; rows with negative ids are dropped).
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/math/segment_rows.h"

namespace weir::ops {
namespace {

constexpr char kNumbers[] = "numbertype";
constexpr char kRealNumbers[] = "realnumbertype";

// --- kernels
Result<Kernel> MakeSorted(KernelSetup& setup, RowOp op) {
  WEIR_ASSIGN(const RowReducer reducer, RowReducer::For(op, setup.input_type(0)));
  return Kernel::Sync([reducer](KernelContext& ctx) -> Status {
    const Tensor& data = ctx.input(0);
    const Tensor& ids = ctx.input(1);
    if (data.rank() < 1) return InvalidArgument("input must be at least rank 1");
    if (ids.rank() != 1) return InvalidArgument("segment_ids should be a vector, got shape {}", ids.shape());
    if (ids.dim(0) != data.dim(0))
      return InvalidArgument("segment_ids should be the same size as dimension 0 of input: {} and {}", ids.dim(0),
                             data.dim(0));
    WEIR_ASSIGN(const std::vector<Segment> segments, SortedSegments(RowIds(ids)));
    WEIR_ASSIGN(const Shape shape, WithRows(data.shape(), 1, segments.empty() ? 0 : segments.back().row + 1));
    return ReduceWide(ctx, reducer, shape, [&](const Tensor& from, const Tensor& out) {
      return ReduceSegments(ctx, reducer, from, out, RowWidth(data.shape(), 1), segments);
    });
  });
}

Result<Kernel> MakeUnsorted(KernelSetup& setup, RowOp op) {
  WEIR_ASSIGN(const RowReducer reducer, RowReducer::For(op, setup.input_type(0)));
  return Kernel::Sync([reducer](KernelContext& ctx) -> Status {
    const Tensor& data = ctx.input(0);
    const Tensor& ids = ctx.input(1);
    const Tensor& count = ctx.input(2);
    if (count.rank() != 0) return InvalidArgument("num_segments should be a scalar, not shape {}", count.shape());
    const int64_t num_segments = IntAt(count, 0);
    if (num_segments < 0) return InvalidArgument("Input num_segments == {} must not be negative.", num_segments);
    const int ids_rank = ids.rank();
    if (data.rank() < ids_rank || !std::equal(ids.shape().begin(), ids.shape().end(), data.shape().begin()))
      return InvalidArgument("data.shape = {} does not start with segment_ids.shape = {}", data.shape(), ids.shape());
    const std::vector<int64_t> rows = RowIds(ids);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] >= num_segments)
        return InvalidArgument("segment_ids[{}] = {} is out of range [0, {})", i, rows[i], num_segments);
    }
    WEIR_ASSIGN(const Shape shape, WithRows(data.shape(), ids_rank, num_segments));
    return ReduceWide(ctx, reducer, shape, [&](const Tensor& from, const Tensor& out) {
      return ScatterRows(ctx, reducer, from, out, RowWidth(data.shape(), ids_rank), rows);
    });
  });
}

// --- shapes
Status SortedShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape data, ctx.WithRankAtLeast(0, 1));
  WEIR_TRY(ctx.WithRank(1, 1).status());  // the kernel compares its length with data
  if (!data.known_rank()) return OkStatus();
  WEIR_ASSIGN(const PartialShape rest, data.Sub(1));
  ctx.set_output(0, PartialShape{kUnknownDim}.Concat(rest));
  return OkStatus();
}

Status UnsortedShape(ShapeContext& ctx) {
  const PartialShape& data = ctx.input(0);
  const PartialShape& ids = ctx.input(1);
  WEIR_TRY(ctx.WithRank(2, 0).status());
  if (!ids.known_rank() || !data.known_rank()) return OkStatus();
  if (data.rank() < ids.rank())
    return InvalidArgument("data of shape {} does not start with segment_ids.shape = {}", data, ids);
  WEIR_ASSIGN(const PartialShape prefix, data.Sub(0, ids.rank()));
  WEIR_TRY(prefix.Merge(ids).status());
  const std::optional<int64_t> count = ConstantInt(ctx, 2);
  if (count && *count < 0)
    return InvalidArgument("Dimension size, given by scalar input 2, must be non-negative but is {}", *count);
  WEIR_ASSIGN(const PartialShape rest, data.Sub(ids.rank()));
  ctx.set_output(0, PartialShape{count.value_or(kUnknownDim)}.Concat(rest));
  return OkStatus();
}

// --- gradients
Result<Gradients> SegmentSumGradient(GradientContext& g) {
  return Gradients{Gather(g.d_output(0), g.input(1)), std::monostate{}};
}

Result<Gradients> SegmentMeanGradient(GradientContext& g) {
  Output data = g.input(0), ids = g.input(1);
  const Output ones_shape =
      ConcatV2({ShapeOf(ids), Fill(ExpandDims(Rank(data) - 1, 0), Tensor::Scalar(int32_t{1}))}, 0);
  const Output ones = Cast(Fill(ones_shape, Tensor::Scalar(1.0f)), data.base_dtype());
  return Gradients{Gather(g.d_output(0) / SegmentSum(ones, ids), ids), std::monostate{}};
}

// Zeros are removed from the product: in a segment with one zero, only that element gets a gradient; with more zeros,
// none does. `sum` and `product` reduce by segment, `gather` maps back to rows.
template <class Sum, class Product, class Take>
Output ProductGradient(GradientContext& g, const Sum& sum, const Product& product, const Take& gather) {
  Output data = g.input(0);
  const Output is_zero = Equal(data, ZerosLike(data));
  const Output zeros = sum(Cast(is_zero, kInt32));
  const Output dy = SelectV2(Greater(zeros, 1), ZerosLike(g.d_output(0)), g.d_output(0));
  const Output others = SelectV2(is_zero, OnesLike(data), data);
  const Output partial = SelectV2(is_zero, gather(product(others)), gather(g.output(0)) / others);
  return gather(dy) * partial;
}

Result<Gradients> SegmentProdGradient(GradientContext& g) {
  Output ids = g.input(1);
  return Gradients{ProductGradient(
                       g, [&](Output x) { return SegmentSum(x, ids); }, [&](Output x) { return SegmentProd(x, ids); },
                       [&](Output x) { return Gather(x, ids); }),
                   std::monostate{}};
}

// Equal rows share the gradient equally.
template <class Sum, class Take>
Output ExtremeGradient(GradientContext& g, const Sum& sum, const Take& gather,
                       const std::function<Output(Output)>& allowed) {
  Output data = g.input(0);
  const Output selected = allowed(Equal(data, gather(g.output(0))));
  Output dy = g.d_output(0);
  const Output share = dy / sum(Cast(selected, dy.base_dtype()));
  return SelectV2(selected, gather(share), ZerosLike(data));
}

Result<Gradients> SegmentExtremeGradient(GradientContext& g) {
  Output ids = g.input(1);
  return Gradients{ExtremeGradient(
                       g, [&](Output x) { return SegmentSum(x, ids); }, [&](Output x) { return Gather(x, ids); },
                       [](Output x) { return x; }),
                   std::monostate{}};
}

// Gathers rows by id, with zeros for negative ids.
class RowsById final {
 public:
  explicit RowsById(Output ids) : ids_(ids), clipped_(Maximum(ids, ZerosLike(ids))) {}
  Output Clipped(Output x) const { return Gather(x, clipped_); }
  // Whether the id is not negative, in a shape that broadcasts against `like`.
  Output Kept(Output like) const {
    const Output kept = GreaterEqual(ids_, ZerosLike(ids_));
    const Output shape =
        ConcatV2({ShapeOf(ids_), Fill(ExpandDims(Rank(like) - Rank(ids_), 0), Tensor::Scalar(int32_t{1}))}, 0);
    return Reshape(kept, shape);
  }
  Output operator()(Output x) const {
    const Output rows = Clipped(x);
    return SelectV2(Kept(rows), rows, ZerosLike(rows));
  }

 private:
  Output ids_;
  Output clipped_;
};

Result<Gradients> UnsortedSumGradient(GradientContext& g) {
  return Gradients{RowsById(g.input(1))(g.d_output(0)), std::monostate{}, std::monostate{}};
}

Result<Gradients> UnsortedProdGradient(GradientContext& g) {
  Output ids = g.input(1), count = g.input(2);
  const RowsById rows(ids);
  return Gradients{ProductGradient(
                       g, [&](Output x) { return UnsortedSegmentSum(x, ids, count); },
                       [&](Output x) { return UnsortedSegmentProd(x, ids, count); }, rows),
                   std::monostate{}, std::monostate{}};
}

Result<Gradients> UnsortedExtremeGradient(GradientContext& g) {
  Output ids = g.input(1), count = g.input(2);
  const RowsById rows(ids);
  return Gradients{
      ExtremeGradient(
          g, [&](Output x) { return UnsortedSegmentSum(x, ids, count); }, [&](Output x) { return rows.Clipped(x); },
          [&](Output selected) { return LogicalAnd(selected, rows.Kept(selected)); }),
      std::monostate{}, std::monostate{}};
}

struct Row {
  std::string name;
  RowOp op;
  std::string types;
  GradientFn gradient;
};

std::vector<DType> KernelTypes(const Row& row) {
  std::vector<DType> types = TypesNamed(kRealNumbers);
  if (row.types != kRealNumbers) types.insert(types.end(), {kComplex64, kComplex128});
  // Only types with compiled loops, so that builds with few types report missing types before a kernel is created.
  std::erase_if(types, [&](DType type) { return !RowReducer::For(row.op, type).ok(); });
  return types;
}

}  // namespace

void RegisterSegment(OpRegistry& registry) {
  const Row sorted[] = {
      {"SegmentSum", RowOp::kSum, kNumbers, SegmentSumGradient},
      {"SegmentMean", RowOp::kMean, kNumbers, SegmentMeanGradient},
      {"SegmentProd", RowOp::kProd, kNumbers, SegmentProdGradient},
      {"SegmentMax", RowOp::kMax, kRealNumbers, SegmentExtremeGradient},
      {"SegmentMin", RowOp::kMin, kRealNumbers, SegmentExtremeGradient},
  };
  for (const Row& row : sorted) {
    registry.Add({
        .name = row.name,
        .signature = "data: T, segment_ids: Tindices -> output: T",
        .attrs = {fmt::format("T: {{{}}}", row.types), "Tindices: {int32, int64}"},
        .shape = SortedShape,
        .gradient = row.gradient,
        .kernels = CpuKernelForTypes("T", KernelTypes(row),
                                     [op = row.op](KernelSetup& setup) { return MakeSorted(setup, op); }),
    });
  }
  const Row unsorted[] = {
      {"UnsortedSegmentSum", RowOp::kSum, kNumbers, UnsortedSumGradient},
      {"UnsortedSegmentProd", RowOp::kProd, kNumbers, UnsortedProdGradient},
      {"UnsortedSegmentMax", RowOp::kMax, kRealNumbers, UnsortedExtremeGradient},
      {"UnsortedSegmentMin", RowOp::kMin, kRealNumbers, UnsortedExtremeGradient},
  };
  for (const Row& row : unsorted) {
    const bool sum = row.op == RowOp::kSum;
    registry.Add({
        .name = row.name,
        .signature = "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
        .attrs = {fmt::format("T: {{{}}}", row.types),
                  sum ? "Tindices: {int16, int32, int64}" : "Tindices: {int32, int64}",
                  "Tnumsegments: {int32, int64} = DT_INT32"},
        .shape = UnsortedShape,
        .gradient = row.gradient,
        .kernels = CpuKernelForTypes("T", KernelTypes(row),
                                     [op = row.op](KernelSetup& setup) { return MakeUnsorted(setup, op); }),
    });
  }
}

}  // namespace weir::ops
