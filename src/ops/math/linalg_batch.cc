#include "ops/math/linalg_batch.h"

namespace weir::ops {
namespace {

template <class From, class C>
void LoadAs(const Tensor& t, int64_t index, Matrix<C>& m) {
  const From* from = t.data<From>() + index * static_cast<int64_t>(m.data.size());
  for (C& x : m.data) x = static_cast<C>(*from++);
}
template <class To, class C>
void StoreAs(const Matrix<C>& m, const Tensor& t, int64_t index) {
  To* to = t.data<To>() + index * static_cast<int64_t>(m.data.size());
  for (const C& x : m.data) *to++ = static_cast<To>(x);
}

}  // namespace

Status MustBeSquare(const MatrixSize& size) {
  if (size.rows == size.cols) return OkStatus();
  return InvalidArgument("Input matrix must be square, it is [{},{}]", size.rows, size.cols);
}

Result<DimVector> CommonBatch(const KernelContext& ctx, int count) {
  const Shape& first = ctx.input(0).shape();
  for (int i = 0; i < count; ++i) {
    const Shape& shape = ctx.input(i).shape();
    if (shape.rank() < 2) return InvalidArgument("Input tensor {} must have rank >= 2, got {}", i, shape.rank());
    if (shape.rank() != first.rank())
      return InvalidArgument("All input tensors must have the same rank: {} and {}", first, shape);
    if (!std::equal(first.begin(), first.end() - 2, shape.begin()))
      return InvalidArgument("All input tensors must have the same outer dimensions: {} and {}", first, shape);
  }
  return DimVector(first.begin(), first.end() - 2);
}

MatrixSize SizeOf(const Tensor& t) { return {t.dim(t.rank() - 2), t.dim(t.rank() - 1)}; }

void Load(const Tensor& t, int64_t index, Matrix<double>& m) {
  switch (t.dtype()) {
    case kHalf:
      return LoadAs<half>(t, index, m);
    case kBFloat16:
      return LoadAs<bfloat16>(t, index, m);
    case kFloat:
      return LoadAs<float>(t, index, m);
    default:
      return LoadAs<double>(t, index, m);
  }
}
void Load(const Tensor& t, int64_t index, Matrix<std::complex<double>>& m) {
  if (t.dtype() == kComplex64) return LoadAs<std::complex<float>>(t, index, m);
  return LoadAs<std::complex<double>>(t, index, m);
}
void Store(const Matrix<double>& m, const Tensor& t, int64_t index) {
  switch (t.dtype()) {
    case kHalf:
      return StoreAs<half>(m, t, index);
    case kBFloat16:
      return StoreAs<bfloat16>(m, t, index);
    case kFloat:
      return StoreAs<float>(m, t, index);
    default:
      return StoreAs<double>(m, t, index);
  }
}
void Store(const Matrix<std::complex<double>>& m, const Tensor& t, int64_t index) {
  if (t.dtype() == kComplex64) return StoreAs<std::complex<float>>(m, t, index);
  return StoreAs<std::complex<double>>(m, t, index);
}

Result<PartialMatrix> MatrixInput(const ShapeContext& ctx, int input) {
  WEIR_ASSIGN(const PartialShape shape, ctx.WithRankAtLeast(input, 2));
  PartialMatrix matrix;
  if (!shape.known_rank()) return matrix;
  WEIR_ASSIGN(matrix.batch, shape.Sub(0, shape.rank() - 2));
  matrix.rows = shape[shape.rank() - 2];
  matrix.cols = shape[shape.rank() - 1];
  return matrix;
}

Result<PartialMatrix> SquareInput(const ShapeContext& ctx, int input) {
  WEIR_ASSIGN(PartialMatrix matrix, MatrixInput(ctx, input));
  WEIR_ASSIGN(matrix.rows, MergeDims(matrix.rows, matrix.cols));
  matrix.cols = matrix.rows;
  return matrix;
}

ShapeFn SquareToSame() {
  return [](ShapeContext& ctx) -> Status {
    WEIR_ASSIGN(const PartialMatrix m, SquareInput(ctx, 0));
    ctx.set_output(0, m.batch.Concat(PartialShape{m.rows, m.rows}));
    return OkStatus();
  };
}

ShapeFn SquareToScalars() {
  return [](ShapeContext& ctx) -> Status {
    WEIR_ASSIGN(const PartialMatrix m, SquareInput(ctx, 0));
    for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, m.batch);
    return OkStatus();
  };
}

}  // namespace weir::ops
