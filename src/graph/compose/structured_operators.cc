// Linear operators whose structure is a few vectors: zeros, reflections, low-rank updates, Toeplitz and circulant
// matrices.
#include <utility>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/signal_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/linear_operators.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"
#include "op/shape_context.h"

namespace weir {
namespace {

// The batch dimensions of a tensor whose last `inner` dimensions are not batch dimensions.
PartialShape OuterDims(const PartialShape& shape, int inner) {
  if (!shape.known_rank() || shape.rank() < inner) return PartialShape();
  return shape.Sub(0, shape.rank() - inner).value_or(PartialShape());
}
int64_t LastSize(const PartialShape& shape, int from_end = 1) {
  return shape.known_rank() && shape.rank() >= from_end ? shape[shape.rank() - from_end] : kUnknownDim;
}
Output OuterSizes(Output shape, int inner) { return StridedSlice(shape, {0}, {-inner}, {1}, {.begin_mask = 1}); }
Output InnerSizes(Output shape, int inner) { return StridedSlice(shape, {-inner}, {0}, {1}, {.end_mask = 1}); }
Output ProductOfSizes(Output sizes) { return ReduceProd(sizes, 0, kKeepDims); }

Output NumberOf(Graph& graph, double value, DType dtype) {
  return raw_ops::Cast(graph, Constant(graph, Tensor::Scalar(value)), dtype);
}
Output IdentityRows(Graph& graph, Output size, Output batch, DType dtype) {
  return MatrixDiag(Fill(ConcatV2({batch, size}, 0), NumberOf(graph, 1, dtype)));
}

class ZeroMatrix final : public LinearOperator {
 public:
  ZeroMatrix(Graph& graph, Output shape, PartialShape known, DType dtype)
      : LinearOperator(graph, dtype), shape_(shape), known_(std::move(known)) {}
  PartialShape shape() const override { return known_; }
  Output ShapeTensor() const override { return Identity(shape_); }
  Output ToDense() const override { return Fill(shape_, NumberOf(graph(), 0, dtype())); }
  Output DiagPart() const override {
    const Output size = ReduceMin(InnerSizes(shape_, 2), 0, kKeepDims);
    return Fill(ConcatV2({OuterSizes(shape_, 2), size}, 0), NumberOf(graph(), 0, dtype()));
  }
  Output Trace() const override { return Fill(OuterSizes(shape_, 2), NumberOf(graph(), 0, dtype())); }
  Output Determinant() const override { return Trace(); }

 private:
  Output shape_;
  PartialShape known_;
};

class Reflection final : public LinearOperator {
 public:
  explicit Reflection(Output axis) : LinearOperator(axis.graph(), axis.base_dtype()), axis_(axis) {}
  PartialShape shape() const override {
    PartialShape shape = axis_.shape();
    if (shape.known_rank() && shape.rank() > 0) shape.AddDim(shape[shape.rank() - 1]);
    return shape;
  }
  Output ShapeTensor() const override {
    const Output shape = ShapeValue(graph(), axis_);
    return ConcatV2({shape, InnerSizes(shape, 1)}, 0);
  }
  Output ToDense() const override {
    const Output shape = ShapeValue(graph(), axis_);
    const Output column = ExpandDims(Normalized(), -1);
    const Output rows = IdentityRows(graph(), InnerSizes(shape, 1), OuterSizes(shape, 1), dtype());
    return rows - 2 * MatrixMultiply(graph(), column, column, {.adjoint_b = true});
  }
  Output Multiply(Output x, bool) const override {
    const Output column = ExpandDims(Normalized(), -1);
    const Output product = ReduceSum(ConjugateValue(graph(), column) * x, -2, kKeepDims);
    return x - 2 * (column * product);
  }
  // A reflection is its own inverse and its own adjoint.
  Output Solve(Output rhs, bool adjoint) const override { return Multiply(rhs, adjoint); }
  Output DiagPart() const override {
    const Output axis = Normalized();
    return 1 - 2 * (axis * ConjugateValue(graph(), axis));
  }
  Output Trace() const override {
    const Output size = InnerSizes(ShapeValue(graph(), axis_), 1);
    return ReduceSum(ZerosLike(axis_), -1) + CastValue(graph(), Reshape(size, Input(std::vector<int64_t>{})), dtype()) -
           2;
  }
  Output Determinant() const override { return ReduceSum(ZerosLike(axis_), -1) - 1; }
  Output LogAbsDeterminant() const override { return ReduceSum(ZerosLike(axis_), -1); }

 private:
  Output Normalized() const {
    const Output squared = ReduceSum(axis_ * ConjugateValue(graph(), axis_), -1, kKeepDims);
    return axis_ * Rsqrt(squared);
  }
  Output axis_;
};

class LowRankUpdate final : public LinearOperator {
 public:
  LowRankUpdate(LinearOperatorPtr base, Output u, Output diagonal, Output v)
      : LinearOperator(base->graph(), base->dtype()), base_(std::move(base)), u_(u), diagonal_(diagonal), v_(v) {}
  PartialShape shape() const override {
    const PartialShape base = base_->shape();
    PartialShape batch = OuterDims(base, 2);
    for (const Output& part : {u_, v_}) {
      batch = BroadcastShapes(batch, OuterDims(part.shape(), 2)).value_or(PartialShape());
    }
    return batch.Concat(PartialShape{LastSize(base, 2), LastSize(base)});
  }
  Output ShapeTensor() const override {
    const Output base = base_->ShapeTensor();
    Output batch = OuterSizes(base, 2);
    for (const Output& part : {u_, v_}) batch = BroadcastArgs(batch, OuterSizes(ShapeValue(graph(), part), 2));
    return ConcatV2({batch, InnerSizes(base, 2)}, 0);
  }
  Output ToDense() const override {
    return base_->ToDense() + MatrixMultiply(graph(), Scaled(u_), v_, {.adjoint_b = true});
  }
  Output Multiply(Output x, bool adjoint) const override {
    const Output left = adjoint ? v_ : u_, right = adjoint ? u_ : v_;
    const Output inner = MatrixMultiply(graph(), right, x, {.adjoint_a = true});
    return base_->Multiply(x, adjoint) + MatrixMultiply(graph(), left, ScaledRows(inner, adjoint));
  }
  Output Determinant() const override { return base_->Determinant() * MatrixDeterminant(Capacitance()) * Scales(); }
  Output LogAbsDeterminant() const override {
    const Output update = LogMatrixDeterminant(Capacitance()).log_abs_determinant;
    const Output sum = base_->LogAbsDeterminant() + update;
    return diagonal_.valid() ? sum + ReduceSum(Log(AbsoluteValue(graph(), diagonal_)), -1) : sum;
  }

 private:
  Output Scaled(Output x) const { return diagonal_.valid() ? x * ExpandDims(diagonal_, -2) : x; }
  Output ScaledRows(Output x, bool adjoint) const {
    if (!diagonal_.valid()) return x;
    return ExpandDims(adjoint ? ConjugateValue(graph(), diagonal_) : diagonal_, -1) * x;
  }
  Output Scales() const { return diagonal_.valid() ? ReduceProd(diagonal_, -1) : NumberOf(graph(), 1, dtype()); }
  // D^-1 + V^H base^-1 U
  Output Capacitance() const {
    const Output inner = MatrixMultiply(graph(), v_, base_->Solve(u_, false), {.adjoint_a = true});
    const Output ones = diagonal_.valid() ? Reciprocal(diagonal_) : OnesLike(MatrixDiagPart(inner));
    return inner + MatrixDiag(ones);
  }
  LinearOperatorPtr base_;
  Output u_, diagonal_, v_;
};

class ToeplitzMatrix final : public LinearOperator {
 public:
  ToeplitzMatrix(Output column, Output row)
      : LinearOperator(column.graph(), column.base_dtype()), column_(column), row_(row) {}
  PartialShape shape() const override {
    const PartialShape batch =
        BroadcastShapes(OuterDims(column_.shape(), 1), OuterDims(row_.shape(), 1)).value_or(PartialShape());
    return batch.Concat(PartialShape{LastSize(column_.shape()), LastSize(row_.shape())});
  }
  Output ShapeTensor() const override {
    const Output columns = ShapeValue(graph(), column_), rows = ShapeValue(graph(), row_);
    return ConcatV2(
        {BroadcastArgs(OuterSizes(columns, 1), OuterSizes(rows, 1)), InnerSizes(columns, 1), InnerSizes(rows, 1)}, 0);
  }
  // Entry (i, j) is element n - 1 + j - i of the reversed column followed by the rest of the row.
  Output ToDense() const override {
    const Output shape = ShapeTensor();
    const Output columns = BroadcastTo(column_, ConcatV2({OuterSizes(shape, 2), SizeAt(shape, -2)}, 0));
    const Output rows = BroadcastTo(row_, ConcatV2({OuterSizes(shape, 2), SizeAt(shape, -1)}, 0));
    const Output rest = StridedSlice(rows, {0, 1}, {0, 0}, {1, 1}, {.end_mask = 2, .ellipsis_mask = 1});
    const Output diagonals = ConcatV2({raw_ops::ReverseV2(graph(), columns, {-1}), rest}, -1);
    const Output down = raw_ops::Range(graph(), 0, Scalar(SizeAt(shape, -2)), 1);
    const Output across = raw_ops::Range(graph(), 0, Scalar(SizeAt(shape, -1)), 1);
    const Output at = ExpandDims(across, 0) - ExpandDims(down, 1) + (Scalar(SizeAt(shape, -2)) - 1);
    return raw_ops::GatherV2(graph(), diagonals, at, -1);
  }
  Output DiagPart() const override {
    const Output shape = ShapeTensor();
    const Output first = StridedSlice(column_, {0, 0}, {0, 1}, {1, 1}, {.ellipsis_mask = 1});
    return BroadcastTo(first, ConcatV2({OuterSizes(shape, 2), ReduceMin(InnerSizes(shape, 2), 0, kKeepDims)}, 0));
  }

 private:
  Output Scalar(Output x) const { return Reshape(x, Input(std::vector<int64_t>{})); }
  Output SizeAt(Output shape, int at) const {
    return at == -1 ? InnerSizes(shape, 1) : StridedSlice(shape, {-2}, {-1}, {1});
  }
  Output column_, row_;
};

Output Transformed(Output x, int depth, bool inverse) {
  Graph& graph = x.graph();
  if (depth == 1) return inverse ? raw_ops::IFFT(graph, x) : raw_ops::FFT(graph, x);
  if (depth == 2) return inverse ? raw_ops::IFFT2D(graph, x) : raw_ops::FFT2D(graph, x);
  return inverse ? raw_ops::IFFT3D(graph, x) : raw_ops::FFT3D(graph, x);
}

// A complex value as a number of the operator's type: real operators drop the imaginary part.
Output AsOperatorType(Output x, DType dtype) {
  const bool complex = dtype == kComplex64 || dtype == kComplex128;
  return CastValue(x.graph(), complex ? x : RealPart(x.graph(), x), dtype);
}

class CirculantMatrix final : public LinearOperator {
 public:
  CirculantMatrix(Output spectrum, DType dtype, int depth)
      : LinearOperator(spectrum.graph(), dtype), spectrum_(spectrum), depth_(depth) {}
  PartialShape shape() const override {
    const PartialShape dims = spectrum_.shape();
    int64_t size = 1;
    for (int i = 1; i <= depth_; ++i) {
      const int64_t one = LastSize(dims, i);
      size = one < 0 || size < 0 ? kUnknownDim : size * one;
    }
    return OuterDims(dims, depth_).Concat(PartialShape{size, size});
  }
  Output ShapeTensor() const override {
    const Output dims = ShapeValue(graph(), spectrum_);
    const Output size = ProductOfSizes(InnerSizes(dims, depth_));
    return ConcatV2({OuterSizes(dims, depth_), size, size}, 0);
  }
  Output ToDense() const override {
    const Output shape = ShapeTensor();
    return Multiply(IdentityRows(graph(), InnerSizes(shape, 1), OuterSizes(shape, 2), dtype()), false);
  }
  Output Multiply(Output x, bool adjoint) const override {
    return InFrequencies(x, adjoint ? ConjugateValue(graph(), spectrum_) : spectrum_);
  }
  Output Solve(Output rhs, bool adjoint) const override {
    return InFrequencies(rhs, Reciprocal(adjoint ? ConjugateValue(graph(), spectrum_) : spectrum_));
  }
  Output DiagPart() const override {
    const Output shape = ShapeTensor();
    const Output mean = ReduceMean(FlatSpectrum(), -1, kKeepDims);
    return BroadcastTo(AsOperatorType(mean, dtype()), OuterPlusRows(shape));
  }
  Output Trace() const override { return AsOperatorType(ReduceSum(FlatSpectrum(), -1), dtype()); }
  Output Determinant() const override { return AsOperatorType(ReduceProd(FlatSpectrum(), -1), dtype()); }
  Output LogAbsDeterminant() const override {
    return CastValue(graph(), ReduceSum(Log(AbsoluteValue(graph(), FlatSpectrum())), -1), dtype());
  }

 private:
  Output OuterPlusRows(Output shape) const { return StridedSlice(shape, {0}, {-1}, {1}, {.begin_mask = 1}); }
  Output FlatSpectrum() const {
    const Output shape = ShapeTensor();
    return Reshape(spectrum_, OuterPlusRows(shape));
  }
  // The columns of x, multiplied by a spectrum.
  Output InFrequencies(Output x, Output factors) const {
    const Output columns = MatrixTransposeOf(graph(), CastValue(graph(), x, spectrum_.base_dtype()));
    const Output flat_dims = ShapeValue(graph(), columns);
    const Output block = InnerSizes(ShapeValue(graph(), spectrum_), depth_);
    const Output blocks = Reshape(columns, ConcatV2({OuterPlusRows(flat_dims), block}, 0));
    const Output product = Transformed(ExpandDims(factors, -depth_ - 1) * Transformed(blocks, depth_, false), depth_,
                                       /*inverse=*/true);
    const Output outer = OuterSizes(ShapeValue(graph(), product), depth_);
    const Output flat = Reshape(product, ConcatV2({outer, InnerSizes(flat_dims, 1)}, 0));
    return AsOperatorType(MatrixTransposeOf(graph(), flat), dtype());
  }
  Output spectrum_;
  int depth_;
};

// The value of an integer scalar if it is constant.
Result<int64_t> KnownSize(Graph& graph, Output size, const char* what) {
  const Tensor value = graph.ConstantValue(size);
  if (!value.valid()) return kUnknownDim;
  if (value.num_elements() != 1) return InvalidArgument("{} must be a scalar, got shape {}", what, value.shape());
  if (value.Int(0) < 0) return InvalidArgument("{} must be non-negative, got {}", what, value.Int(0));
  return value.Int(0);
}

}  // namespace

Result<LinearOperatorPtr> ZerosOperator(Graph& graph, const Input& rows_in, const Input& columns_in,
                                        const Input& batch_in, DType dtype) {
  const auto size = [&](const Input& x, const char* name) {
    return CastValue(graph, ValueOf(graph, x, kInvalidType, name), kInt32);
  };
  const Output rows = size(rows_in, "num_rows");
  const Output columns = columns_in.absent() ? rows : size(columns_in, "num_columns");
  const Output batch = batch_in.absent() ? Constant(graph, Tensor::Vector<int32_t>({})) : size(batch_in, "batch_shape");
  if (!rows.valid() || !columns.valid() || !batch.valid()) return LinearOperatorPtr();
  WEIR_ASSIGN(const int64_t known_rows, KnownSize(graph, rows, "num_rows"));
  WEIR_ASSIGN(const int64_t known_columns, KnownSize(graph, columns, "num_columns"));
  PartialShape known;
  if (const Tensor value = graph.ConstantValue(batch); value.valid()) {
    WEIR_ASSIGN(known, ShapeFromTensor(value));
  }
  const Output shape = ConcatV2({batch, Reshape(rows, {1}), Reshape(columns, {1})}, 0);
  if (!shape.valid()) return LinearOperatorPtr();
  return std::make_shared<const ZeroMatrix>(graph, shape, known.Concat(PartialShape{known_rows, known_columns}), dtype);
}

LinearOperatorPtr HouseholderOperator(Output axis) { return std::make_shared<const Reflection>(axis); }
LinearOperatorPtr LowRankUpdateOperator(LinearOperatorPtr base, Output u, Output diagonal, Output v) {
  return std::make_shared<const LowRankUpdate>(std::move(base), u, diagonal, v);
}
LinearOperatorPtr ToeplitzOperator(Output column, Output row) {
  return std::make_shared<const ToeplitzMatrix>(column, row);
}
LinearOperatorPtr CirculantOperator(Output spectrum, DType dtype, int depth) {
  return std::make_shared<const CirculantMatrix>(spectrum, dtype, depth);
}
Output ConvolutionKernelOf(Output spectrum, DType dtype, int depth) {
  return AsOperatorType(Transformed(spectrum, depth, /*inverse=*/true), dtype);
}

}  // namespace weir
