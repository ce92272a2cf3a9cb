// MatrixDiag, MatrixDiagPart and MatrixSetDiag for a band of diagonals. The diagonals of a band are the rows of a
// matrix, the uppermost first, padded to the length of the longest; "align" says at which end they are padded.
// V2 always pads at the right end.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

struct Alignment {
  bool upper_left = true;
  bool lower_left = true;
};

template <class Context>
Result<Alignment> AlignmentOf(const Context& from, bool has_attr) {
  if (!has_attr) return Alignment{};
  WEIR_ASSIGN(const std::string align, from.template Attr<std::string>("align"));
  return Alignment{align.starts_with("LEFT"), align.ends_with("LEFT")};
}

// Diagonals [low, high] of matrices of this size; 0 is the main diagonal, positive ones are above it.
struct Band {
  int64_t low = 0, high = 0, rows = 0, cols = 0;

  int64_t count() const { return high - low + 1; }
  // The length of the longest diagonal.
  int64_t length() const { return std::min(rows + std::min<int64_t>(high, 0), cols - std::max<int64_t>(low, 0)); }
  int64_t LengthOf(int64_t d) const { return std::min(rows + std::min<int64_t>(d, 0), cols - std::max<int64_t>(d, 0)); }
  // Where diagonal d begins in its row.
  int64_t OffsetOf(int64_t d, const Alignment& align) const {
    const bool left = (d >= 0 && align.upper_left) || (d <= 0 && align.lower_left);
    return left ? 0 : length() - LengthOf(d);
  }
  // Where diagonal d begins in its matrix.
  int64_t StartOf(int64_t d) const { return d >= 0 ? d : -d * cols; }
};

struct DiagonalRange {
  int64_t low, high;
};

Result<DiagonalRange> DiagonalRangeFrom(const Ints& k, int rank) {
  if (rank > 1 || k.empty() || k.size() > 2)
    return InvalidArgument("diag_index must have only one or two elements, received {} elements", k.size());
  const DiagonalRange range{k.front(), k.back()};
  if (range.low > range.high)
    return InvalidArgument("lower_diag_index must not be larger than upper_diag_index: {} > {}", range.low, range.high);
  return range;
}
Result<DiagonalRange> DiagonalRangeFrom(const Tensor& k) { return DiagonalRangeFrom(IntsOf(k), k.rank()); }

Status CheckBand(const Band& band) {
  const auto inside = [&](int64_t d) { return (-band.rows < d && d < band.cols) || d == 0; };
  if (!inside(band.low))
    return InvalidArgument("lower_diag_index is out of bound: {}. It must be between {} and {}", band.low, -band.rows,
                           band.cols);
  if (!inside(band.high))
    return InvalidArgument("upper_diag_index is out of bound: {}. It must be between {} and {}", band.high, -band.rows,
                           band.cols);
  return OkStatus();
}

int64_t BatchOf(const Shape& shape, int inner) {
  int64_t batch = 1;
  for (int i = 0; i + inner < shape.rank(); ++i) batch *= shape[i];
  return batch;
}

// Copies the diagonals of `batch` matrices to their rows, or back.
void CopyBand(const KernelContext& ctx, const Band& band, const Alignment& align, int64_t batch, const Tensor& from,
              const Tensor& to, bool to_matrix) {
  const Elements elements(from.dtype());
  const int64_t length = band.length(), rows_size = band.count() * length, matrix_size = band.rows * band.cols;
  for (int64_t d = band.high; d >= band.low; --d) {
    const int64_t size = band.LengthOf(d);
    if (size <= 0 || batch == 0) continue;
    const int64_t in_rows = (band.high - d) * length + band.OffsetOf(d, align), in_matrix = band.StartOf(d);
    if (to_matrix) {
      StridedCopy(ctx, from.dtype(), {{batch, rows_size, matrix_size}, {size, 1, band.cols + 1}},
                  elements.At(from, in_rows), elements.At(to, in_matrix));
    } else {
      StridedCopy(ctx, from.dtype(), {{batch, matrix_size, rows_size}, {size, band.cols + 1, 1}},
                  elements.At(from, in_matrix), elements.At(to, in_rows));
    }
  }
}

Status CheckPadding(const Tensor& padding) {
  if (padding.num_elements() != 1)
    return InvalidArgument("padding_value must be a scalar, got shape {}", padding.shape());
  return OkStatus();
}

// The size of the matrices that hold the band; rows or cols are -1 if not given.
Result<Band> BandToFill(DiagonalRange range, int64_t longest, int64_t rows, int64_t cols) {
  const int64_t min_rows = longest - std::min<int64_t>(range.high, 0);
  const int64_t min_cols = longest + std::max<int64_t>(range.low, 0);
  if (rows != -1 && rows < min_rows) return InvalidArgument("The number of rows is too small: {} < {}", rows, min_rows);
  if (cols != -1 && cols < min_cols)
    return InvalidArgument("The number of columns is too small: {} < {}", cols, min_cols);
  if (rows == -1 && cols == -1) rows = cols = std::max(min_rows, min_cols);
  if (rows == -1) rows = min_rows;
  if (cols == -1) cols = min_cols;
  if (rows != min_rows && cols != min_cols)
    return InvalidArgument("The number of rows or columns is not consistent with the specified diagonals: {} x {}",
                           rows, cols);
  return Band{range.low, range.high, rows, cols};
}

Status FillMatrices(KernelContext& ctx, const Alignment& align) {
  const Tensor& diagonal = ctx.input(0);
  WEIR_ASSIGN(const DiagonalRange range, DiagonalRangeFrom(ctx.input(1)));
  WEIR_ASSIGN(const int64_t rows, ScalarInt(ctx.input(2), "num_rows"));
  WEIR_ASSIGN(const int64_t cols, ScalarInt(ctx.input(3), "num_cols"));
  WEIR_TRY(CheckPadding(ctx.input(4)));
  const bool one = range.low == range.high;
  if (diagonal.rank() < (one ? 1 : 2))
    return InvalidArgument("diagonal must be at least {}-dim, received shape: {}", one ? 1 : 2, diagonal.shape());
  const int inner = one ? 1 : 2;
  if (!one && diagonal.dim(diagonal.rank() - 2) != range.high - range.low + 1)
    return InvalidArgument(
        "The number of diagonals provided in the input does not match the lower_diag_index and "
        "upper_diag_index range: shape {}, range [{}, {}]",
        diagonal.shape(), range.low, range.high);
  WEIR_ASSIGN(const Band band, BandToFill(range, diagonal.dim(diagonal.rank() - 1), rows, cols));
  WEIR_TRY(CheckBand(band));
  Shape shape = diagonal.shape();
  shape.RemoveLastDims(inner);
  WEIR_TRY(shape.AddDim(band.rows));
  WEIR_TRY(shape.AddDim(band.cols));
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  Elements(out.dtype()).Fill(out.raw(), ctx.input(4).raw(), out.num_elements());
  CopyBand(ctx, band, align, BatchOf(shape, 2), diagonal, out, /*to_matrix=*/true);
  return OkStatus();
}

// The band of the matrices in `t`, checked.
Result<Band> BandOf(const Tensor& t, const Tensor& k) {
  if (t.rank() < 2) return InvalidArgument("input must be at least 2-dim, received shape: {}", t.shape());
  WEIR_ASSIGN(const DiagonalRange range, DiagonalRangeFrom(k));
  const Band band{range.low, range.high, t.dim(t.rank() - 2), t.dim(t.rank() - 1)};
  WEIR_TRY(CheckBand(band));
  return band;
}

Result<Shape> DiagonalsShape(const Shape& matrices, const Band& band) {
  Shape shape = matrices;
  shape.RemoveLastDims(2);
  if (band.low != band.high) WEIR_TRY(shape.AddDim(band.count()));
  WEIR_TRY(shape.AddDim(band.length()));
  return shape;
}

Status ReadBand(KernelContext& ctx, const Alignment& align) {
  const Tensor& t = ctx.input(0);
  WEIR_ASSIGN(const Band band, BandOf(t, ctx.input(1)));
  WEIR_TRY(CheckPadding(ctx.input(2)));
  WEIR_ASSIGN(const Shape shape, DiagonalsShape(t.shape(), band));
  WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, shape));
  if (out.num_elements() == 0) return OkStatus();
  Elements(out.dtype()).Fill(out.raw(), ctx.input(2).raw(), out.num_elements());
  CopyBand(ctx, band, align, BatchOf(t.shape(), 2), t, out, /*to_matrix=*/false);
  return OkStatus();
}

Status WriteBand(KernelContext& ctx, const Alignment& align) {
  const Tensor& t = ctx.input(0);
  const Tensor diagonal = ctx.input(1);
  WEIR_ASSIGN(const Band band, BandOf(t, ctx.input(2)));
  WEIR_ASSIGN(const Shape expected, DiagonalsShape(t.shape(), band));
  if (!(diagonal.shape() == expected))
    return InvalidArgument(
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is "
        "not equal to the longests diagonal in range [lower_diag_index:upper_diag_index]: input {}, "
        "diagonal {}, expected {}",
        t.shape(), diagonal.shape(), expected);
  const int64_t batch = BatchOf(t.shape(), 2);
  WEIR_ASSIGN(const Tensor out, CopyOrForward(ctx, 0, 0));
  if (out.num_elements() == 0 || diagonal.num_elements() == 0) return OkStatus();
  CopyBand(ctx, band, align, batch, diagonal, out, /*to_matrix=*/true);
  return OkStatus();
}

template <Status (*Run)(KernelContext&, const Alignment&), bool kHasAlign>
Result<Kernel> MakeBandKernel(KernelSetup& setup) {
  WEIR_ASSIGN(const Alignment align, AlignmentOf(setup, kHasAlign));
  return Kernel::Sync([align](KernelContext& ctx) { return Run(ctx, align); });
}

// --- shapes

// The range in input i; nullopt if it is not constant.
Result<std::optional<DiagonalRange>> ConstantRange(ShapeContext& ctx, int i) {
  WEIR_TRY(ctx.WithRankAtMost(i, 1).status());
  const Tensor* k = ctx.constant(i);
  if (k == nullptr) return std::optional<DiagonalRange>();
  WEIR_ASSIGN(const DiagonalRange range, DiagonalRangeFrom(*k));
  return std::optional(range);
}

Status FillMatricesShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRankAtLeast(0, 1));
  WEIR_TRY(ctx.WithRank(2, 0).status());
  WEIR_TRY(ctx.WithRank(3, 0).status());
  WEIR_TRY(ctx.WithRank(4, 0).status());
  WEIR_ASSIGN(const std::optional<DiagonalRange> range, ConstantRange(ctx, 1));
  if (!in.known_rank() || !range) return OkStatus();
  const int inner = range->low == range->high ? 1 : 2;
  WEIR_TRY(ctx.WithRankAtLeast(0, inner).status());
  if (inner == 2) WEIR_TRY(MergeDims(in[in.rank() - 2], range->high - range->low + 1).status());
  WEIR_ASSIGN(PartialShape out, in.Sub(0, in.rank() - inner));
  const std::optional<int64_t> rows = ConstantInt(ctx, 2), cols = ConstantInt(ctx, 3);
  const int64_t longest = in[in.rank() - 1];
  if (longest < 0 || !rows || !cols) {
    out.AddDim(rows && *rows >= 0 ? *rows : kUnknownDim);
    out.AddDim(cols && *cols >= 0 ? *cols : kUnknownDim);
  } else {
    WEIR_ASSIGN(const Band band, BandToFill(*range, longest, *rows, *cols));
    out.AddDim(band.rows);
    out.AddDim(band.cols);
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

// The shape of the diagonals of input 0; unknown if it depends on values.
Result<PartialShape> PartialDiagonals(ShapeContext& ctx, int k) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRankAtLeast(0, 2));
  WEIR_ASSIGN(const std::optional<DiagonalRange> range, ConstantRange(ctx, k));
  if (!in.known_rank() || !range) return PartialShape();
  const int64_t rows = in[in.rank() - 2], cols = in[in.rank() - 1];
  const Band band{range->low, range->high, rows, cols};
  if (rows >= 0 && cols >= 0) WEIR_TRY(CheckBand(band));
  WEIR_ASSIGN(PartialShape out, in.Sub(0, in.rank() - 2));
  if (range->low != range->high) out.AddDim(band.count());
  out.AddDim(rows >= 0 && cols >= 0 ? band.length() : kUnknownDim);
  return out;
}

Status ReadBandShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRank(2, 0).status());
  if (!ctx.input(0).known_rank()) return ctx.WithRankAtMost(1, 1).status();
  WEIR_ASSIGN(PartialShape out, PartialDiagonals(ctx, 1));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Status WriteBandShape(ShapeContext& ctx) {
  WEIR_TRY(ctx.WithRankAtLeast(1, 1).status());
  WEIR_ASSIGN(PartialShape diagonals, PartialDiagonals(ctx, 2));
  // As in TensorFlow, the kernel checks the number and the length of the diagonals.
  for (int i = ctx.input(0).rank() - 2; diagonals.known_rank() && i < diagonals.rank(); ++i)
    diagonals.SetDim(i, kUnknownDim);
  WEIR_TRY(diagonals.Merge(ctx.input(1)).status());
  ctx.set_output(0, ctx.input(0));
  return OkStatus();
}

// --- gradients

template <bool kHasAlign>
Result<std::string> AlignText(GradientContext& g) {
  if constexpr (!kHasAlign) return std::string("LEFT_LEFT");
  return g.Attr<std::string>("align");
}

template <bool kHasAlign>
Result<Gradients> FillGradient(GradientContext& g) {
  WEIR_ASSIGN(const std::string align, AlignText<kHasAlign>(g));
  const Output dy = g.d_output(0);
  const Output zero = Cast(Constant(dy.graph(), Tensor::Scalar(0.0f)), dy.base_dtype());
  return Gradients{MatrixDiagPartV3(dy, g.input(1), zero, {.align = align}), std::monostate{}, std::monostate{},
                   std::monostate{}, std::monostate{}};
}

template <bool kHasAlign>
Result<Gradients> ReadGradient(GradientContext& g) {
  WEIR_ASSIGN(const std::string align, AlignText<kHasAlign>(g));
  return Gradients{MatrixSetDiagV3(ZerosLike(g.input(0)), g.d_output(0), g.input(1), {.align = align}),
                   std::monostate{}, std::monostate{}};
}

template <bool kHasAlign>
Result<Gradients> WriteGradient(GradientContext& g) {
  WEIR_ASSIGN(const std::string align, AlignText<kHasAlign>(g));
  const Output dy = g.d_output(0);
  const Output zero = Cast(Constant(dy.graph(), Tensor::Scalar(0.0f)), dy.base_dtype());
  return Gradients{MatrixSetDiagV3(dy, ZerosLike(g.input(1)), g.input(2), {.align = align}),
                   MatrixDiagPartV3(dy, g.input(2), zero, {.align = align}), std::monostate{}};
}

// The names of the three ops of a version.
struct BandOpNames {
  const char* fill;
  const char* read;
  const char* write;
};

template <bool kHasAlign>
void AddBandOps(OpRegistry& registry, const BandOpNames& names) {
  std::vector<std::string> attrs = {"T: type"};
  if (kHasAlign) attrs.push_back("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'");
  registry.Add({
      .name = names.fill,
      .signature = "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T",
      .attrs = attrs,
      .shape = FillMatricesShape,
      .gradient = FillGradient<kHasAlign>,
      .kernels = CpuKernel(MakeBandKernel<FillMatrices, kHasAlign>),
  });
  registry.Add({
      .name = names.read,
      .signature = "input: T, k: int32, padding_value: T -> diagonal: T",
      .attrs = attrs,
      .shape = ReadBandShape,
      .gradient = ReadGradient<kHasAlign>,
      .kernels = CpuKernel(MakeBandKernel<ReadBand, kHasAlign>),
  });
  registry.Add({
      .name = names.write,
      .signature = "input: T, diagonal: T, k: int32 -> output: T",
      .attrs = attrs,
      .shape = WriteBandShape,
      .gradient = WriteGradient<kHasAlign>,
      .kernels = CpuKernel(MakeBandKernel<WriteBand, kHasAlign>),
  });
}

}  // namespace

void RegisterBandDiagonals(OpRegistry& registry) {
  AddBandOps<false>(registry, {"MatrixDiagV2", "MatrixDiagPartV2", "MatrixSetDiagV2"});
  AddBandOps<true>(registry, {"MatrixDiagV3", "MatrixDiagPartV3", "MatrixSetDiagV3"});
}

}  // namespace weir::ops
