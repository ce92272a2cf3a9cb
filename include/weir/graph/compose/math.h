// TensorFlow's arithmetic, reductions and products. A function may choose between ops by type and shape. Errors are
// recorded in the graph's build state; the result is then invalid. An empty name means TensorFlow's default.
#pragma once

#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// Returns x if it already has the type.
Output CastValue(Graph& graph, const Input& x, DType dtype, std::string name = "");
// Clamps values outside of the range of dtype.
Output SaturateCastValue(Graph& graph, const Input& x, DType dtype, std::string name = "");

Output AbsoluteValue(Graph& graph, const Input& x, std::string name = "");
Output RoundedValue(Graph& graph, const Input& x, std::string name = "");
Output ConjugateValue(Graph& graph, const Input& x, std::string name = "");
// For complex numbers. The real part of a real tensor is the tensor itself; its imaginary part is zero.
Output RealPart(Graph& graph, const Input& x, std::string name = "");
Output ImaginaryPart(Graph& graph, const Input& x, std::string name = "");
Output AngleOf(Graph& graph, const Input& x, std::string name = "");
Output ComplexOf(Graph& graph, const Input& real, const Input& imag, std::string name = "");

Output TrueDivideValues(Graph& graph, const Input& x, const Input& y, std::string name = "");
// Python 2 division: integers round down.
Output DivideOldStyle(Graph& graph, const Input& x, const Input& y, std::string name = "");
Output ExclusiveOr(Graph& graph, const Input& x, const Input& y, std::string name = "");
Output ScalarTimes(Graph& graph, const Input& scalar, const Input& x, std::string name = "");

// A reduction op ("Sum", "Mean", "Max", ...) over `axis`, or over all axes if absent.
Output Reduction(Graph& graph, const char* op, const Input& x, const Input& axis, bool keep_dims = false,
                 std::string name = "");
Output ReduceLogSumExp(Graph& graph, const Input& x, const Input& axis, bool keep_dims = false, std::string name = "");
Output ReduceVariance(Graph& graph, const Input& x, const Input& axis, bool keep_dims = false, std::string name = "");
Output ReduceStd(Graph& graph, const Input& x, const Input& axis, bool keep_dims = false, std::string name = "");
Output CountNonzero(Graph& graph, const Input& x, const Input& axis, bool keep_dims = false, DType dtype = kInt64,
                    std::string name = "");

struct NormOrder {
  enum Kind { kEuclidean, kFrobenius, kInfinity, kPower } kind = kEuclidean;
  double power = 2;
};
// Over all elements, one axis (vector norm) or two axes (matrix norm).
Output Norm(Graph& graph, const Input& x, NormOrder order, const std::vector<int64_t>& axes, bool keep_dims = false,
            std::string name = "");

struct MatrixProduct {
  bool transpose_a = false;
  bool transpose_b = false;
  bool adjoint_a = false;
  bool adjoint_b = false;
  bool a_is_sparse = false;
  bool b_is_sparse = false;
};
// MatMul for matrices, BatchMatMulV2 if an operand has or may have more dimensions.
Output MatrixMultiply(Graph& graph, const Input& a, const Input& b, const MatrixProduct& how = {},
                      std::string name = "");
Output MatrixVector(Graph& graph, const Input& a, const Input& b, const MatrixProduct& how = {}, std::string name = "");
// Sums over pairs of axes, like numpy.tensordot. The ranks must be known.
Output TensorDot(Graph& graph, const Input& a, const Input& b, const std::vector<int64_t>& a_axes,
                 const std::vector<int64_t>& b_axes, std::string name = "");
// Contracts the last `count` axes of a with the first of b.
Output TensorDot(Graph& graph, const Input& a, const Input& b, int count, std::string name = "");
// "ij,jk->ik". Labels that occur in only one operand are summed first; then the operands are multiplied from left to
// right.
Output Einsum(Graph& graph, std::string_view equation, const InputList& inputs, std::string name = "");

Output Range(Graph& graph, const Input& start, const Input& limit, const Input& delta, DType dtype,
             std::string name = "range");
Output AccumulateAll(Graph& graph, const InputList& inputs, const PartialShape& shape = {}, std::string name = "");
Output ConfusionMatrix(Graph& graph, const Input& labels, const Input& predictions, const Input& num_classes,
                       DType dtype = kInt32, const Input& weights = {}, std::string name = "confusion_matrix");
Output CountValues(Graph& graph, const Input& arr, const Input& weights, const Input& minlength, const Input& maxlength,
                   DType dtype = kInt32);
// Horner's method; coefficients start with the highest power.
Output PolynomialValue(Graph& graph, const InputList& coefficients, const Input& x, std::string name = "");
Output LogBeta(Graph& graph, const Input& x, std::string name = "");
Output TraceOf(Graph& graph, const Input& x, std::string name = "");
Output UnsortedSegmentMean(Graph& graph, const Input& data, const Input& ids, const Input& count, bool square_root,
                           std::string name = "");
// The index of the bin of each value, for nbins of equal width in value_range. Values outside of the range go to the
// first or last bin.
Output FixedWidthBins(Graph& graph, const Input& values, const Input& value_range, const Input& nbins,
                      DType dtype = kInt32, std::string name = "");
Output LogDeterminant(Graph& graph, const Input& matrix, std::string name = "");
Output CholeskySolve(Graph& graph, const Input& chol, const Input& rhs, std::string name = "");

}  // namespace weir
