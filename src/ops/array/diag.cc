// Diagonals of tensors (Diag, DiagPart) and of matrices in the last two dimensions (MatrixDiag, MatrixDiagPart,
// MatrixSetDiag), and bands around them (MatrixBandPart).
#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

// Matrices [batch, rows, cols] and their diagonals [batch, min(rows, cols)].
struct Matrices {
  int64_t batch, rows, cols, diagonal;
};
Matrices MatricesOf(const Shape& shape) {
  const int64_t rows = shape[shape.rank() - 2], cols = shape[shape.rank() - 1];
  int64_t batch = 1;
  for (int i = 0; i + 2 < shape.rank(); ++i) batch *= shape[i];
  return {batch, rows, cols, std::min(rows, cols)};
}

void WriteDiagonals(const KernelContext& ctx, const Matrices& m, const Tensor& diagonals, const Tensor& out) {
  if (diagonals.num_elements() == 0) return;
  StridedCopy(ctx, out.dtype(), {{m.batch, m.diagonal, m.rows * m.cols}, {m.diagonal, 1, m.cols + 1}}, diagonals.raw(),
              out.raw());
}
void ReadDiagonals(const KernelContext& ctx, const Matrices& m, const Tensor& in, const Tensor& diagonals) {
  if (diagonals.num_elements() == 0) return;
  StridedCopy(ctx, in.dtype(), {{m.batch, m.rows * m.cols, m.diagonal}, {m.diagonal, m.cols + 1, 1}}, in.raw(),
              diagonals.raw());
}

Status RunDiag(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.rank() < 1) return InvalidArgument("Input must be at least rank 1, got shape {}", t.shape());
  const Shape& half = t.shape();
  DimVector dims(half.begin(), half.end());
  dims.insert(dims.end(), half.begin(), half.end());
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  out.ZeroFill();
  const int64_t n = t.num_elements();
  WriteDiagonals(ctx, {1, n, n, n}, t, out);
  return OkStatus();
}

Status RunDiagPart(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  const int half_rank = t.rank() / 2;
  if (t.rank() == 0 || t.rank() % 2 != 0)
    return InvalidArgument("The rank of the tensor should be even and positive, got shape {}", t.shape());
  DimVector dims;
  for (int i = 0; i < half_rank; ++i) {
    if (t.dim(i) != t.dim(i + half_rank))
      return InvalidArgument("Invalid shape {}: dimensions {} and {} do not match.", t.shape(), i, i + half_rank);
    dims.push_back(t.dim(i));
  }
  WEIR_ASSIGN(Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  const int64_t n = out.num_elements();
  ReadDiagonals(ctx, {1, n, n, n}, t, out);
  return OkStatus();
}

Status DiagShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape in, ctx.WithRankAtLeast(0, 1));
  if (in.known_rank()) ctx.set_output(0, in.Concat(in));
  return OkStatus();
}

Status DiagPartShape(ShapeContext& ctx) {
  const PartialShape& in = ctx.input(0);
  if (!in.known_rank()) return OkStatus();
  if (in.rank() % 2 != 0 || in.rank() == 0)
    return InvalidArgument("Input must have even and non-zero rank, input rank is {}", in.rank());
  WEIR_ASSIGN(PartialShape a, in.Sub(0, in.rank() / 2));
  WEIR_ASSIGN(PartialShape b, in.Sub(in.rank() / 2));
  WEIR_ASSIGN(a, a.Merge(b));
  ctx.set_output(0, std::move(a));
  return OkStatus();
}

Status RunMatrixDiag(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.rank() < 1) return InvalidArgument("input must be at least 1-dim, received shape: {}", t.shape());
  const int64_t n = t.dim(t.rank() - 1);
  Shape shape = t.shape();
  WEIR_TRY(shape.AddDim(n));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  Elements(out.dtype()).Clear(out.raw(), out.num_elements());
  WriteDiagonals(ctx, MatricesOf(shape), t, out);
  return OkStatus();
}

Status RunMatrixDiagPart(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.rank() < 2) return InvalidArgument("input must be at least 2-dim, received shape: {}", t.shape());
  const Matrices m = MatricesOf(t.shape());
  Shape shape = t.shape();
  shape.RemoveLastDims(2);
  WEIR_TRY(shape.AddDim(m.diagonal));
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
  ReadDiagonals(ctx, m, t, out);
  return OkStatus();
}

Status RunMatrixSetDiag(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  const Tensor& diagonal = ctx.input(1);
  if (t.rank() < 2) return InvalidArgument("input must be at least 2-dim, received shape: {}", t.shape());
  const Matrices m = MatricesOf(t.shape());
  Shape expected = t.shape();
  expected.RemoveLastDims(2);
  WEIR_TRY(expected.AddDim(m.diagonal));
  if (!(diagonal.shape() == expected))
    return InvalidArgument(
        "must have diagonal.shape == input.shape[:-2] + min(input.shape[-2:]), but received input shape: {} and "
        "diagonal shape: {}",
        t.shape(), diagonal.shape());
  WEIR_ASSIGN(Tensor out, CopyOrForward(ctx, 0, 0));
  WriteDiagonals(ctx, m, diagonal, out);
  return OkStatus();
}

Status MatrixDiagShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRankAtLeast(0, 1));
  if (in.known_rank()) {
    in.AddDim(in[in.rank() - 1]);
    ctx.set_output(0, std::move(in));
  }
  return OkStatus();
}

// [..., m, n] -> [..., min(m, n)]
Result<PartialShape> DiagonalOf(ShapeContext& ctx, int input) {
  WEIR_ASSIGN(PartialShape in, ctx.WithRankAtLeast(input, 2));
  if (!in.known_rank()) return in;
  const int64_t m = in[in.rank() - 2], n = in[in.rank() - 1];
  WEIR_ASSIGN(PartialShape out, in.Sub(0, in.rank() - 2));
  out.AddDim(m == 0 || n == 0 ? 0 : m < 0 || n < 0 ? kUnknownDim : std::min(m, n));
  return out;
}

Status MatrixDiagPartShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape out, DiagonalOf(ctx, 0));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Status MatrixSetDiagShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape diagonal, DiagonalOf(ctx, 0));
  WEIR_TRY(ctx.WithRankAtLeast(1, 1).status());
  WEIR_ASSIGN(diagonal, diagonal.Merge(ctx.input(1)));
  PartialShape out = ctx.input(0);
  if (!out.known_rank() && diagonal.known_rank()) {
    WEIR_ASSIGN(out, diagonal.Sub(0, diagonal.rank() - 1));
    out.AddDim(kUnknownDim);
    out.AddDim(kUnknownDim);
  } else if (out.known_rank() && diagonal.known_rank()) {
    for (int i = 0; i + 2 < out.rank(); ++i) out.SetDim(i, diagonal[i]);
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Status RunMatrixBandPart(KernelContext& ctx) {
  const Tensor t = ctx.input(0);
  if (t.rank() < 2) return InvalidArgument("input must be at least 2-dim, received shape: {}", t.shape());
  const Matrices m = MatricesOf(t.shape());
  if (ctx.input(1).rank() != 0 || ctx.input(2).rank() != 0) {
    return InvalidArgument("num_lower and num_upper must be scalars, received shapes: {} and {}", ctx.input(1).shape(),
                           ctx.input(2).shape());
  }
  WEIR_ASSIGN(int64_t lower, ScalarInt(ctx.input(1), "num_lower"));
  WEIR_ASSIGN(int64_t upper, ScalarInt(ctx.input(2), "num_upper"));
  if (lower > m.rows)
    return InvalidArgument("num_lower must be negative or less or equal to number of rows ({}) got: {}", m.rows, lower);
  if (upper > m.cols)
    return InvalidArgument("num_upper must be negative or less or equal to number of columns ({}) got: {}", m.cols,
                           upper);
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, t.shape()));
  if (t.num_elements() == 0) return OkStatus();
  const Elements elements(t.dtype());
  return ctx.ParallelFor(m.batch * m.rows, elements.Cost(m.cols), [&](int64_t line) {
    const int64_t i = line % m.rows;
    const int64_t begin = lower < 0 ? 0 : std::clamp<int64_t>(i - lower, 0, m.cols);
    const int64_t end = upper < 0 ? m.cols : std::clamp<int64_t>(i + upper + 1, begin, m.cols);
    const int64_t at = line * m.cols;
    elements.Clear(elements.At(out, at), begin);
    elements.Copy(elements.At(out, at + begin), elements.At(t, at + begin), end - begin);
    elements.Clear(elements.At(out, at + end), m.cols - end);
  });
}

template <Status (*Run)(KernelContext&)>
Result<Kernel> Make(KernelSetup&) {
  return Kernel::Sync(Run);
}

Result<Gradients> MatrixDiagPartGradient(GradientContext& g) {
  const Output x = g.input(0), dy = g.d_output(0);
  const PartialShape shape = x.shape();
  if (shape.known_rank() && shape.rank() >= 2) {
    const int64_t m = shape[shape.rank() - 2], n = shape[shape.rank() - 1];
    if (m >= 0 && m == n) return Gradients{MatrixDiag(dy)};
  }
  return Gradients{MatrixSetDiag(ZerosLike(x), dy)};
}

}  // namespace

void RegisterDiag(OpRegistry& registry) {
  const std::string types = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";
  registry.Add({
      .name = "Diag",
      .signature = "diagonal: T -> output: T",
      .attrs = {types},
      .shape = DiagShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{DiagPart(g.d_output(0))}; },
      .kernels = CpuKernel(Make<RunDiag>),
  });
  registry.Add({
      .name = "DiagPart",
      .signature = "input: T -> diagonal: T",
      .attrs = {types},
      .shape = DiagPartShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{Diag(g.d_output(0))}; },
      .kernels = CpuKernel(Make<RunDiagPart>),
  });
  registry.Add({
      .name = "MatrixDiag",
      .signature = "diagonal: T -> output: T",
      .attrs = {"T: type"},
      .shape = MatrixDiagShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> { return Gradients{MatrixDiagPart(g.d_output(0))}; },
      .kernels = CpuKernel(Make<RunMatrixDiag>),
  });
  registry.Add({
      .name = "MatrixDiagPart",
      .signature = "input: T -> diagonal: T",
      .attrs = {"T: type"},
      .shape = MatrixDiagPartShape,
      .gradient = MatrixDiagPartGradient,
      .kernels = CpuKernel(Make<RunMatrixDiagPart>),
  });
  registry.Add({
      .name = "MatrixSetDiag",
      .signature = "input: T, diagonal: T -> output: T",
      .attrs = {"T: type"},
      .shape = MatrixSetDiagShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const Output dy = g.d_output(0);
        const Output d_diagonal = MatrixDiagPart(dy);
        return Gradients{MatrixSetDiag(dy, ZerosLike(d_diagonal)), d_diagonal};
      },
      .kernels = CpuKernel(Make<RunMatrixSetDiag>),
  });
  registry.Add({
      .name = "MatrixBandPart",
      .signature = "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
      .attrs = {"T: type", "Tindex: {int32, int64} = DT_INT64"},
      .shape = SameAsInput(0),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        return Gradients{MatrixBandPart(g.d_output(0), g.input(1), g.input(2)), std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernel(Make<RunMatrixBandPart>),
  });
}

}  // namespace weir::ops
