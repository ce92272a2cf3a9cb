#include "graph/compose/linear_operators.h"

#include <utility>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"
#include "op/shape_context.h"

namespace weir {
namespace {

// x repeated over the batch dimensions that only `other` has.
Output WithBatchOf(Output x, Output other) {
  const PartialShape a = x.shape(), b = other.shape();
  if (a.known_rank() && b.known_rank()) {
    bool equal = a.rank() == b.rank();
    for (int i = 0; equal && i + 2 < a.rank(); ++i) equal = a[i] >= 0 && a[i] == b[i];
    if (equal) return x;
  }
  const Output corner =
      raw_ops::StridedSlice(x.graph(), other, {0, 0, 0}, {0, 1, 1}, {1, 1, 1}, {.begin_mask = 6, .ellipsis_mask = 1});
  return x + raw_ops::ZerosLike(x.graph(), corner);
}

Output Columnwise(Output diagonal) { return ExpandDims(diagonal, -1); }
Output Conjugated(Output x) { return ConjugateValue(x.graph(), x); }

PartialShape OperatorBatch(const PartialShape& shape) {
  if (!shape.known_rank() || shape.rank() < 2) return PartialShape();
  return shape.Sub(0, shape.rank() - 2).value_or(PartialShape());
}
int64_t OperatorRows(const PartialShape& shape) {
  return shape.known_rank() && shape.rank() >= 2 ? shape[shape.rank() - 2] : kUnknownDim;
}
int64_t OperatorCols(const PartialShape& shape) {
  return shape.known_rank() && shape.rank() >= 2 ? shape[shape.rank() - 1] : kUnknownDim;
}

// Parts of a vector of dimensions, as vectors.
Output BatchPart(Output shape) { return StridedSlice(shape, {0}, {-2}, {1}, {.begin_mask = 1}); }
Output LastPart(Output shape) { return StridedSlice(shape, {-1}, {0}, {1}, {.end_mask = 1}); }
Output RowPart(Output shape) { return StridedSlice(shape, {-2}, {-1}, {1}); }

class MatrixOperator final : public LinearOperator {
 public:
  MatrixOperator(Output matrix, bool triangular)
      : LinearOperator(matrix.graph(), matrix.base_dtype()),
        matrix_(triangular ? MatrixBandPart(matrix, -1, 0) : matrix),
        triangular_(triangular) {}
  PartialShape shape() const override { return matrix_.shape(); }
  Output ShapeTensor() const override { return ShapeValue(graph(), matrix_); }
  Output ToDense() const override { return Identity(matrix_); }
  Output Multiply(Output x, bool adjoint) const override {
    return MatrixMultiply(graph(), matrix_, x, {.adjoint_a = adjoint});
  }
  Output Solve(Output rhs, bool adjoint) const override {
    if (triangular_) return MatrixTriangularSolve(matrix_, rhs, {.lower = true, .adjoint = adjoint});
    return MatrixSolve(WithBatchOf(matrix_, rhs), WithBatchOf(rhs, matrix_), {.adjoint = adjoint});
  }
  Output DiagPart() const override { return MatrixDiagPart(matrix_); }
  Output Determinant() const override { return triangular_ ? ReduceProd(DiagPart(), -1) : MatrixDeterminant(matrix_); }
  Output LogAbsDeterminant() const override {
    if (triangular_) return ReduceSum(Log(AbsoluteValue(graph(), DiagPart())), -1);
    return LogMatrixDeterminant(matrix_).log_abs_determinant;
  }

 private:
  Output matrix_;
  bool triangular_;
};

class DiagonalMatrix final : public LinearOperator {
 public:
  explicit DiagonalMatrix(Output diagonal)
      : LinearOperator(diagonal.graph(), diagonal.base_dtype()), diagonal_(diagonal) {}
  PartialShape shape() const override {
    PartialShape shape = diagonal_.shape();
    if (shape.known_rank() && shape.rank() > 0) shape.AddDim(shape[shape.rank() - 1]);
    return shape;
  }
  Output ShapeTensor() const override {
    const Output shape = ShapeValue(graph(), diagonal_);
    return ConcatV2({shape, LastPart(shape)}, 0);
  }
  Output ToDense() const override { return MatrixDiag(diagonal_); }
  Output Multiply(Output x, bool adjoint) const override { return Columnwise(Entries(adjoint)) * x; }
  Output Solve(Output rhs, bool adjoint) const override { return rhs / Columnwise(Entries(adjoint)); }
  Output DiagPart() const override { return Identity(diagonal_); }
  Output Determinant() const override { return ReduceProd(diagonal_, -1); }
  Output LogAbsDeterminant() const override {
    return CastValue(graph(), ReduceSum(Log(AbsoluteValue(graph(), diagonal_)), -1), dtype());
  }

 private:
  Output Entries(bool adjoint) const { return adjoint ? Conjugated(diagonal_) : diagonal_; }
  Output diagonal_;
};

class ScaledIdentity final : public LinearOperator {
 public:
  ScaledIdentity(Output rows, int64_t known_rows, Output multiplier)
      : LinearOperator(multiplier.graph(), multiplier.base_dtype()),
        rows_(rows),
        known_rows_(known_rows),
        multiplier_(multiplier) {}
  PartialShape shape() const override { return multiplier_.shape().Concat(PartialShape{known_rows_, known_rows_}); }
  Output ShapeTensor() const override {
    const Output rows = Reshape(rows_, {1});
    return ConcatV2({ShapeValue(graph(), multiplier_), rows, rows}, 0);
  }
  Output ToDense() const override { return MatrixDiag(DiagPart()); }
  Output Multiply(Output x, bool adjoint) const override { return Scale(adjoint) * x; }
  Output Solve(Output rhs, bool adjoint) const override { return rhs / Scale(adjoint); }
  Output DiagPart() const override {
    const Output dims = ConcatV2({ShapeValue(graph(), multiplier_), Reshape(rows_, {1})}, 0);
    return BroadcastTo(Columnwise(multiplier_), dims);
  }
  Output Trace() const override { return multiplier_ * CastValue(graph(), rows_, dtype()); }
  Output Determinant() const override { return Pow(multiplier_, CastValue(graph(), rows_, dtype())); }
  Output LogAbsDeterminant() const override {
    return CastValue(graph(), Log(AbsoluteValue(graph(), multiplier_)), dtype()) * CastValue(graph(), rows_, dtype());
  }

 private:
  Output Scale(bool adjoint) const { return Columnwise(Columnwise(adjoint ? Conjugated(multiplier_) : multiplier_)); }
  Output rows_;
  int64_t known_rows_;
  Output multiplier_;
};

// The adjoint or the inverse of an operator.
class ReversedOperator final : public LinearOperator {
 public:
  ReversedOperator(LinearOperatorPtr op, bool inverse)
      : LinearOperator(op->graph(), op->dtype()), op_(std::move(op)), inverse_(inverse) {}
  PartialShape shape() const override {
    const PartialShape shape = op_->shape();
    return OperatorBatch(shape).Concat(PartialShape{OperatorCols(shape), OperatorRows(shape)});
  }
  Output ShapeTensor() const override {
    const Output shape = op_->ShapeTensor();
    return ConcatV2({BatchPart(shape), LastPart(shape), RowPart(shape)}, 0);
  }
  Output ToDense() const override {
    return inverse_ ? MatrixInverse(op_->ToDense()) : MatrixTransposeOf(graph(), op_->ToDense(), /*conjugate=*/true);
  }
  Output Multiply(Output x, bool adjoint) const override {
    return inverse_ ? op_->Solve(x, adjoint) : op_->Multiply(x, !adjoint);
  }
  Output Solve(Output rhs, bool adjoint) const override {
    return inverse_ ? op_->Multiply(rhs, adjoint) : op_->Solve(rhs, !adjoint);
  }
  Output Determinant() const override {
    return inverse_ ? Reciprocal(op_->Determinant()) : Conjugated(op_->Determinant());
  }
  Output LogAbsDeterminant() const override { return inverse_ ? -op_->LogAbsDeterminant() : op_->LogAbsDeterminant(); }

 private:
  LinearOperatorPtr op_;
  bool inverse_;
};

// For a product of operators and for operators along the diagonal. REQUIRES: the list is not empty.
Output ProductOfDeterminants(const std::vector<LinearOperatorPtr>& operators) {
  Output product = operators[0]->Determinant();
  for (size_t i = 1; i < operators.size(); ++i) product = product * operators[i]->Determinant();
  return product;
}
Output SumOfLogDeterminants(const std::vector<LinearOperatorPtr>& operators) {
  Output sum = operators[0]->LogAbsDeterminant();
  for (size_t i = 1; i < operators.size(); ++i) sum = sum + operators[i]->LogAbsDeterminant();
  return sum;
}

// The product of square or rectangular operators.
class ProductOperator final : public LinearOperator {
 public:
  explicit ProductOperator(std::vector<LinearOperatorPtr> operators)
      : LinearOperator(operators[0]->graph(), operators[0]->dtype()), operators_(std::move(operators)) {}
  PartialShape shape() const override {
    PartialShape batch = PartialShape::Scalar();
    for (const auto& op : operators_)
      batch = BroadcastShapes(batch, OperatorBatch(op->shape())).value_or(PartialShape());
    return batch.Concat(
        PartialShape{OperatorRows(operators_.front()->shape()), OperatorCols(operators_.back()->shape())});
  }
  Output ShapeTensor() const override {
    Output batch = BatchPart(operators_[0]->ShapeTensor());
    for (const auto& op : operators_) batch = BroadcastArgs(batch, BatchPart(op->ShapeTensor()));
    return ConcatV2({batch, RowPart(operators_.front()->ShapeTensor()), LastPart(operators_.back()->ShapeTensor())}, 0);
  }
  Output ToDense() const override {
    Output product = operators_.back()->ToDense();
    for (size_t i = operators_.size() - 1; i-- > 0;) product = operators_[i]->Multiply(product, false);
    return product;
  }
  Output Multiply(Output x, bool adjoint) const override {
    return Apply(x, !adjoint, [&](const LinearOperator& op, Output v) { return op.Multiply(v, adjoint); });
  }
  Output Solve(Output rhs, bool adjoint) const override {
    return Apply(rhs, adjoint, [&](const LinearOperator& op, Output v) { return op.Solve(v, adjoint); });
  }
  Output Determinant() const override { return ProductOfDeterminants(operators_); }
  Output LogAbsDeterminant() const override { return SumOfLogDeterminants(operators_); }

 private:
  template <class F>
  Output Apply(Output x, bool last_first, F f) const {
    const size_t n = operators_.size();
    for (size_t i = 0; i < n; ++i) x = f(*operators_[last_first ? n - 1 - i : i], x);
    return x;
  }
  std::vector<LinearOperatorPtr> operators_;
};

// Operators along the diagonal.
class BlockDiagonal final : public LinearOperator {
 public:
  explicit BlockDiagonal(std::vector<LinearOperatorPtr> operators)
      : LinearOperator(operators[0]->graph(), operators[0]->dtype()), operators_(std::move(operators)) {}
  PartialShape shape() const override {
    PartialShape batch = PartialShape::Scalar();
    int64_t rows = 0, cols = 0;
    for (const auto& op : operators_) {
      batch = BroadcastShapes(batch, OperatorBatch(op->shape())).value_or(PartialShape());
      rows = AddDims(rows, OperatorRows(op->shape()));
      cols = AddDims(cols, OperatorCols(op->shape()));
    }
    return batch.Concat(PartialShape{rows, cols});
  }
  Output ShapeTensor() const override {
    Output batch = BatchPart(operators_[0]->ShapeTensor()), rows, cols;
    for (const auto& op : operators_) {
      const Output shape = op->ShapeTensor();
      batch = BroadcastArgs(batch, BatchPart(shape));
      rows = rows.valid() ? rows + RowPart(shape) : RowPart(shape);
      cols = cols.valid() ? cols + LastPart(shape) : LastPart(shape);
    }
    return ConcatV2({batch, rows, cols}, 0);
  }
  Output ToDense() const override {
    const Output shape = ShapeTensor();
    const Output dims = ConcatV2({BatchPart(shape), LastPart(shape)}, 0);
    const Output ones = Fill(dims, raw_ops::Cast(graph(), Constant(graph(), Tensor::Scalar(1.0f)), dtype()));
    return Multiply(MatrixDiag(ones), false);
  }
  Output Multiply(Output x, bool adjoint) const override {
    return PerBlock(x, adjoint, [&](const LinearOperator& op, Output part) { return op.Multiply(part, adjoint); });
  }
  Output Solve(Output rhs, bool adjoint) const override {
    return PerBlock(rhs, !adjoint, [&](const LinearOperator& op, Output part) { return op.Solve(part, adjoint); });
  }
  Output DiagPart() const override {
    InputList parts;
    for (const auto& op : operators_) parts.push_back(op->DiagPart());
    return raw_ops::ConcatV2(graph(), parts, -1);
  }
  Output Determinant() const override { return ProductOfDeterminants(operators_); }
  Output LogAbsDeterminant() const override { return SumOfLogDeterminants(operators_); }

 private:
  // Splits x into the rows that belong to each operator. Every part gets the batch of x.
  template <class F>
  Output PerBlock(Output x, bool by_rows, F f) const {
    InputList sizes, parts;
    for (const auto& op : operators_) {
      const PartialShape shape = op->shape();
      const int64_t size = by_rows ? OperatorRows(shape) : OperatorCols(shape);
      if (size >= 0) {
        sizes.push_back(Constant(graph(), Tensor::Scalar<int32_t>(static_cast<int32_t>(size))));
      } else {
        const Output dims = op->ShapeTensor();
        sizes.push_back(Reshape(by_rows ? RowPart(dims) : LastPart(dims), Input(std::vector<int64_t>{})));
      }
    }
    const OutputList rows =
        raw_ops::SplitV(graph(), x, raw_ops::Pack(graph(), sizes), -2, static_cast<int64_t>(operators_.size()));
    if (rows.size() != operators_.size()) return Output::Failed(graph());
    for (size_t i = 0; i < rows.size(); ++i) parts.push_back(f(*operators_[i], rows[i]));
    // An operator may have more batch dimensions than x. Broadcast the other results to its batch.
    for (size_t i = 0; i < parts.size(); ++i) {
      for (size_t j = 0; j < parts.size(); ++j) {
        if (i != j) parts[i] = WithBatchOf(parts[i].output(), parts[j].output());
      }
    }
    return raw_ops::ConcatV2(graph(), parts, -2);
  }
  std::vector<LinearOperatorPtr> operators_;
};

// [..., m, n] and [..., p, q] -> [..., m p, n q]
Output KroneckerProduct(Graph& graph, Output a, Output b) {
  const auto dim = [&](Output x, int axis) {
    return StridedSlice(ShapeValue(graph, x), {axis}, {axis == -1 ? 0 : axis + 1}, {1},
                        {.end_mask = axis == -1 ? 1 : 0, .shrink_axis_mask = 1});
  };
  // [..., m, 1, n, 1] * [..., 1, p, 1, q]
  const Output left = ExpandDims(ExpandDims(a, -1), -3), right = ExpandDims(ExpandDims(b, -2), -4);
  const Output product = left * right;
  const Output batch = StridedSlice(ShapeValue(graph, product), {0}, {-4}, {1}, {.begin_mask = 1});
  return Reshape(product, ConcatV2({batch, Pack({dim(a, -2) * dim(b, -2), dim(a, -1) * dim(b, -1)})}, 0));
}

LinearOperatorPtr MatrixFrom(Output matrix) { return std::make_shared<const MatrixOperator>(matrix, false); }

}  // namespace

Output LinearOperator::Multiply(Output x, bool adjoint) const {
  return MatrixMultiply(graph_, ToDense(), x, {.adjoint_a = adjoint});
}
Output LinearOperator::Solve(Output rhs, bool adjoint) const {
  const Output matrix = ToDense();
  return MatrixSolve(WithBatchOf(matrix, rhs), WithBatchOf(rhs, matrix), {.adjoint = adjoint});
}
Output LinearOperator::DiagPart() const { return MatrixDiagPart(ToDense()); }
Output LinearOperator::Trace() const { return ReduceSum(DiagPart(), -1); }
Output LinearOperator::Determinant() const { return MatrixDeterminant(ToDense()); }
Output LinearOperator::LogAbsDeterminant() const { return LogMatrixDeterminant(ToDense()).log_abs_determinant; }

LinearOperatorPtr FullMatrixOperator(Output matrix) { return MatrixFrom(matrix); }
LinearOperatorPtr LowerTriangularOperator(Output matrix) {
  return std::make_shared<const MatrixOperator>(matrix, true);
}
LinearOperatorPtr DiagonalOperator(Output diagonal) { return std::make_shared<const DiagonalMatrix>(diagonal); }
Result<LinearOperatorPtr> ScaledIdentityOperator(Graph& graph, const Input& rows_in, Output multiplier) {
  const Output rows = CastValue(graph, ValueOf(graph, rows_in, kInvalidType, "num_rows"), kInt32);
  if (!rows.valid()) return LinearOperatorPtr();
  int64_t known = kUnknownDim;
  if (const Tensor value = graph.ConstantValue(rows); value.valid()) {
    if (value.num_elements() != 1) return InvalidArgument("num_rows must be a scalar, got shape {}", value.shape());
    known = value.Int(0);
    if (known < 0) return InvalidArgument("num_rows must be non-negative, got {}", known);
  }
  return std::make_shared<const ScaledIdentity>(rows, known, multiplier);
}
LinearOperatorPtr AdjointOperator(LinearOperatorPtr op) {
  return std::make_shared<const ReversedOperator>(std::move(op), false);
}
LinearOperatorPtr InverseOperator(LinearOperatorPtr op) {
  return std::make_shared<const ReversedOperator>(std::move(op), true);
}
LinearOperatorPtr CompositionOperator(std::vector<LinearOperatorPtr> operators) {
  return std::make_shared<const ProductOperator>(std::move(operators));
}
LinearOperatorPtr BlockDiagonalOperator(std::vector<LinearOperatorPtr> operators) {
  return std::make_shared<const BlockDiagonal>(std::move(operators));
}
LinearOperatorPtr KroneckerOperator(std::vector<LinearOperatorPtr> operators) {
  Output product = operators[0]->ToDense();
  for (size_t i = 1; i < operators.size(); ++i)
    product = KroneckerProduct(product.graph(), product, operators[i]->ToDense());
  return MatrixFrom(product);
}

}  // namespace weir
