// Graph-building functions for the ops of ops/math, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_MATH_OPS_H_
#define WEIR_GRAPH_BUILD_MATH_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct AbsAttrs {
  std::string name = "";
};
Output Abs(Graph& graph, const Input& x, const AbsAttrs& attrs = {});
Output Abs(const Input& x, const AbsAttrs& attrs = {});

struct AccumulateNV2Attrs {
  std::string name = "";
};
Output AccumulateNV2(Graph& graph, const InputList& inputs, const PartialShape& shape, const AccumulateNV2Attrs& attrs = {});
Output AccumulateNV2(const InputList& inputs, const PartialShape& shape, const AccumulateNV2Attrs& attrs = {});

struct AcosAttrs {
  std::string name = "";
};
Output Acos(Graph& graph, const Input& x, const AcosAttrs& attrs = {});
Output Acos(const Input& x, const AcosAttrs& attrs = {});

struct AcoshAttrs {
  std::string name = "";
};
Output Acosh(Graph& graph, const Input& x, const AcoshAttrs& attrs = {});
Output Acosh(const Input& x, const AcoshAttrs& attrs = {});

struct AddAttrs {
  std::string name = "";
};
Output Add(Graph& graph, const Input& x, const Input& y, const AddAttrs& attrs = {});
Output Add(const Input& x, const Input& y, const AddAttrs& attrs = {});

struct AddNAttrs {
  std::string name = "";
};
Output AddN(Graph& graph, const InputList& inputs, const AddNAttrs& attrs = {});
Output AddN(const InputList& inputs, const AddNAttrs& attrs = {});

struct AddV2Attrs {
  std::string name = "";
};
Output AddV2(Graph& graph, const Input& x, const Input& y, const AddV2Attrs& attrs = {});
Output AddV2(const Input& x, const Input& y, const AddV2Attrs& attrs = {});

struct AllAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output All(Graph& graph, const Input& input, const Input& reduction_indices, const AllAttrs& attrs = {});
Output All(const Input& input, const Input& reduction_indices, const AllAttrs& attrs = {});

struct AngleAttrs {
  DType Tout = kFloat;
  std::string name = "";
};
Output Angle(Graph& graph, const Input& input, const AngleAttrs& attrs = {});
Output Angle(const Input& input, const AngleAttrs& attrs = {});

struct AnyAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output Any(Graph& graph, const Input& input, const Input& reduction_indices, const AnyAttrs& attrs = {});
Output Any(const Input& input, const Input& reduction_indices, const AnyAttrs& attrs = {});

struct ApproximateEqualAttrs {
  float tolerance = 1e-05f;
  std::string name = "";
};
Output ApproximateEqual(Graph& graph, const Input& x, const Input& y, const ApproximateEqualAttrs& attrs = {});
Output ApproximateEqual(const Input& x, const Input& y, const ApproximateEqualAttrs& attrs = {});

struct ArgMaxAttrs {
  DType output_type = kInt64;
  std::string name = "";
};
Output ArgMax(Graph& graph, const Input& input, const Input& dimension, const ArgMaxAttrs& attrs = {});
Output ArgMax(const Input& input, const Input& dimension, const ArgMaxAttrs& attrs = {});

struct ArgMinAttrs {
  DType output_type = kInt64;
  std::string name = "";
};
Output ArgMin(Graph& graph, const Input& input, const Input& dimension, const ArgMinAttrs& attrs = {});
Output ArgMin(const Input& input, const Input& dimension, const ArgMinAttrs& attrs = {});

struct AsinAttrs {
  std::string name = "";
};
Output Asin(Graph& graph, const Input& x, const AsinAttrs& attrs = {});
Output Asin(const Input& x, const AsinAttrs& attrs = {});

struct AsinhAttrs {
  std::string name = "";
};
Output Asinh(Graph& graph, const Input& x, const AsinhAttrs& attrs = {});
Output Asinh(const Input& x, const AsinhAttrs& attrs = {});

struct AtanAttrs {
  std::string name = "";
};
Output Atan(Graph& graph, const Input& x, const AtanAttrs& attrs = {});
Output Atan(const Input& x, const AtanAttrs& attrs = {});

struct Atan2Attrs {
  std::string name = "";
};
Output Atan2(Graph& graph, const Input& y, const Input& x, const Atan2Attrs& attrs = {});
Output Atan2(const Input& y, const Input& x, const Atan2Attrs& attrs = {});

struct AtanhAttrs {
  std::string name = "";
};
Output Atanh(Graph& graph, const Input& x, const AtanhAttrs& attrs = {});
Output Atanh(const Input& x, const AtanhAttrs& attrs = {});

struct BatchMatMulAttrs {
  bool adj_x = false;
  bool adj_y = false;
  std::string name = "";
};
Output BatchMatMul(Graph& graph, const Input& x, const Input& y, const BatchMatMulAttrs& attrs = {});
Output BatchMatMul(const Input& x, const Input& y, const BatchMatMulAttrs& attrs = {});

struct BatchMatMulV2Attrs {
  bool adj_x = false;
  bool adj_y = false;
  std::string name = "";
};
Output BatchMatMulV2(Graph& graph, const Input& x, const Input& y, const BatchMatMulV2Attrs& attrs = {});
Output BatchMatMulV2(const Input& x, const Input& y, const BatchMatMulV2Attrs& attrs = {});

struct BetaincAttrs {
  std::string name = "";
};
Output Betainc(Graph& graph, const Input& a, const Input& b, const Input& x, const BetaincAttrs& attrs = {});
Output Betainc(const Input& a, const Input& b, const Input& x, const BetaincAttrs& attrs = {});

struct BincountAttrs {
  std::string name = "";
};
Output Bincount(Graph& graph, const Input& arr, const Input& size, const Input& weights, const BincountAttrs& attrs = {});
Output Bincount(const Input& arr, const Input& size, const Input& weights, const BincountAttrs& attrs = {});

struct BitwiseAndAttrs {
  std::string name = "";
};
Output BitwiseAnd(Graph& graph, const Input& x, const Input& y, const BitwiseAndAttrs& attrs = {});
Output BitwiseAnd(const Input& x, const Input& y, const BitwiseAndAttrs& attrs = {});

struct BitwiseOrAttrs {
  std::string name = "";
};
Output BitwiseOr(Graph& graph, const Input& x, const Input& y, const BitwiseOrAttrs& attrs = {});
Output BitwiseOr(const Input& x, const Input& y, const BitwiseOrAttrs& attrs = {});

struct BitwiseXorAttrs {
  std::string name = "";
};
Output BitwiseXor(Graph& graph, const Input& x, const Input& y, const BitwiseXorAttrs& attrs = {});
Output BitwiseXor(const Input& x, const Input& y, const BitwiseXorAttrs& attrs = {});

struct BucketizeAttrs {
  std::string name = "";
};
Output Bucketize(Graph& graph, const Input& input, const std::vector<float>& boundaries, const BucketizeAttrs& attrs = {});
Output Bucketize(const Input& input, const std::vector<float>& boundaries, const BucketizeAttrs& attrs = {});

struct CastAttrs {
  bool Truncate = false;
  std::string name = "";
};
Output Cast(Graph& graph, const Input& x, DType DstT, const CastAttrs& attrs = {});
Output Cast(const Input& x, DType DstT, const CastAttrs& attrs = {});

struct CeilAttrs {
  std::string name = "";
};
Output Ceil(Graph& graph, const Input& x, const CeilAttrs& attrs = {});
Output Ceil(const Input& x, const CeilAttrs& attrs = {});

struct CholeskyAttrs {
  std::string name = "";
};
Output Cholesky(Graph& graph, const Input& input, const CholeskyAttrs& attrs = {});
Output Cholesky(const Input& input, const CholeskyAttrs& attrs = {});

struct CholeskyGradAttrs {
  std::string name = "";
};
Output CholeskyGrad(Graph& graph, const Input& l, const Input& grad, const CholeskyGradAttrs& attrs = {});
Output CholeskyGrad(const Input& l, const Input& grad, const CholeskyGradAttrs& attrs = {});

struct ClipByValueAttrs {
  std::string name = "";
};
Output ClipByValue(Graph& graph, const Input& t, const Input& clip_value_min, const Input& clip_value_max, const ClipByValueAttrs& attrs = {});
Output ClipByValue(const Input& t, const Input& clip_value_min, const Input& clip_value_max, const ClipByValueAttrs& attrs = {});

struct ComplexAttrs {
  DType Tout = kComplex64;
  std::string name = "";
};
Output Complex(Graph& graph, const Input& real, const Input& imag, const ComplexAttrs& attrs = {});
Output Complex(const Input& real, const Input& imag, const ComplexAttrs& attrs = {});

struct ComplexAbsAttrs {
  DType Tout = kFloat;
  std::string name = "";
};
Output ComplexAbs(Graph& graph, const Input& x, const ComplexAbsAttrs& attrs = {});
Output ComplexAbs(const Input& x, const ComplexAbsAttrs& attrs = {});

struct ConjAttrs {
  std::string name = "";
};
Output Conj(Graph& graph, const Input& input, const ConjAttrs& attrs = {});
Output Conj(const Input& input, const ConjAttrs& attrs = {});

struct CosAttrs {
  std::string name = "";
};
Output Cos(Graph& graph, const Input& x, const CosAttrs& attrs = {});
Output Cos(const Input& x, const CosAttrs& attrs = {});

struct CoshAttrs {
  std::string name = "";
};
Output Cosh(Graph& graph, const Input& x, const CoshAttrs& attrs = {});
Output Cosh(const Input& x, const CoshAttrs& attrs = {});

struct CrossAttrs {
  std::string name = "";
};
Output Cross(Graph& graph, const Input& a, const Input& b, const CrossAttrs& attrs = {});
Output Cross(const Input& a, const Input& b, const CrossAttrs& attrs = {});

struct CumprodAttrs {
  bool exclusive = false;
  bool reverse = false;
  std::string name = "";
};
Output Cumprod(Graph& graph, const Input& x, const Input& axis, const CumprodAttrs& attrs = {});
Output Cumprod(const Input& x, const Input& axis, const CumprodAttrs& attrs = {});

struct CumsumAttrs {
  bool exclusive = false;
  bool reverse = false;
  std::string name = "";
};
Output Cumsum(Graph& graph, const Input& x, const Input& axis, const CumsumAttrs& attrs = {});
Output Cumsum(const Input& x, const Input& axis, const CumsumAttrs& attrs = {});

struct DigammaAttrs {
  std::string name = "";
};
Output Digamma(Graph& graph, const Input& x, const DigammaAttrs& attrs = {});
Output Digamma(const Input& x, const DigammaAttrs& attrs = {});

struct DivAttrs {
  std::string name = "";
};
Output Div(Graph& graph, const Input& x, const Input& y, const DivAttrs& attrs = {});
Output Div(const Input& x, const Input& y, const DivAttrs& attrs = {});

struct DivNoNanAttrs {
  std::string name = "";
};
Output DivNoNan(Graph& graph, const Input& x, const Input& y, const DivNoNanAttrs& attrs = {});
Output DivNoNan(const Input& x, const Input& y, const DivNoNanAttrs& attrs = {});

struct EinsumAttrs {
  std::string name = "";
};
Output Einsum(Graph& graph, const InputList& inputs, const std::string& equation, const EinsumAttrs& attrs = {});
Output Einsum(const InputList& inputs, const std::string& equation, const EinsumAttrs& attrs = {});

struct EqualAttrs {
  bool incompatible_shape_error = true;
  std::string name = "";
};
Output Equal(Graph& graph, const Input& x, const Input& y, const EqualAttrs& attrs = {});
Output Equal(const Input& x, const Input& y, const EqualAttrs& attrs = {});

struct ErfAttrs {
  std::string name = "";
};
Output Erf(Graph& graph, const Input& x, const ErfAttrs& attrs = {});
Output Erf(const Input& x, const ErfAttrs& attrs = {});

struct ErfcAttrs {
  std::string name = "";
};
Output Erfc(Graph& graph, const Input& x, const ErfcAttrs& attrs = {});
Output Erfc(const Input& x, const ErfcAttrs& attrs = {});

struct ErfinvAttrs {
  std::string name = "";
};
Output Erfinv(Graph& graph, const Input& x, const ErfinvAttrs& attrs = {});
Output Erfinv(const Input& x, const ErfinvAttrs& attrs = {});

struct EuclideanNormAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output EuclideanNorm(Graph& graph, const Input& input, const Input& reduction_indices, const EuclideanNormAttrs& attrs = {});
Output EuclideanNorm(const Input& input, const Input& reduction_indices, const EuclideanNormAttrs& attrs = {});

struct ExpAttrs {
  std::string name = "";
};
Output Exp(Graph& graph, const Input& x, const ExpAttrs& attrs = {});
Output Exp(const Input& x, const ExpAttrs& attrs = {});

struct Expm1Attrs {
  std::string name = "";
};
Output Expm1(Graph& graph, const Input& x, const Expm1Attrs& attrs = {});
Output Expm1(const Input& x, const Expm1Attrs& attrs = {});

struct FloorAttrs {
  std::string name = "";
};
Output Floor(Graph& graph, const Input& x, const FloorAttrs& attrs = {});
Output Floor(const Input& x, const FloorAttrs& attrs = {});

struct FloorDivAttrs {
  std::string name = "";
};
Output FloorDiv(Graph& graph, const Input& x, const Input& y, const FloorDivAttrs& attrs = {});
Output FloorDiv(const Input& x, const Input& y, const FloorDivAttrs& attrs = {});

struct FloorModAttrs {
  std::string name = "";
};
Output FloorMod(Graph& graph, const Input& x, const Input& y, const FloorModAttrs& attrs = {});
Output FloorMod(const Input& x, const Input& y, const FloorModAttrs& attrs = {});

struct GreaterAttrs {
  std::string name = "";
};
Output Greater(Graph& graph, const Input& x, const Input& y, const GreaterAttrs& attrs = {});
Output Greater(const Input& x, const Input& y, const GreaterAttrs& attrs = {});

struct GreaterEqualAttrs {
  std::string name = "";
};
Output GreaterEqual(Graph& graph, const Input& x, const Input& y, const GreaterEqualAttrs& attrs = {});
Output GreaterEqual(const Input& x, const Input& y, const GreaterEqualAttrs& attrs = {});

struct HistogramFixedWidthAttrs {
  DType dtype = kInt32;
  std::string name = "";
};
Output HistogramFixedWidth(Graph& graph, const Input& values, const Input& value_range, const Input& nbins, const HistogramFixedWidthAttrs& attrs = {});
Output HistogramFixedWidth(const Input& values, const Input& value_range, const Input& nbins, const HistogramFixedWidthAttrs& attrs = {});

struct IgammaAttrs {
  std::string name = "";
};
Output Igamma(Graph& graph, const Input& a, const Input& x, const IgammaAttrs& attrs = {});
Output Igamma(const Input& a, const Input& x, const IgammaAttrs& attrs = {});

struct IgammaGradAAttrs {
  std::string name = "";
};
Output IgammaGradA(Graph& graph, const Input& a, const Input& x, const IgammaGradAAttrs& attrs = {});
Output IgammaGradA(const Input& a, const Input& x, const IgammaGradAAttrs& attrs = {});

struct IgammacAttrs {
  std::string name = "";
};
Output Igammac(Graph& graph, const Input& a, const Input& x, const IgammacAttrs& attrs = {});
Output Igammac(const Input& a, const Input& x, const IgammacAttrs& attrs = {});

struct ImagAttrs {
  DType Tout = kFloat;
  std::string name = "";
};
Output Imag(Graph& graph, const Input& input, const ImagAttrs& attrs = {});
Output Imag(const Input& input, const ImagAttrs& attrs = {});

struct InvAttrs {
  std::string name = "";
};
Output Inv(Graph& graph, const Input& x, const InvAttrs& attrs = {});
Output Inv(const Input& x, const InvAttrs& attrs = {});

struct InvGradAttrs {
  std::string name = "";
};
Output InvGrad(Graph& graph, const Input& y, const Input& dy, const InvGradAttrs& attrs = {});
Output InvGrad(const Input& y, const Input& dy, const InvGradAttrs& attrs = {});

struct InvertAttrs {
  std::string name = "";
};
Output Invert(Graph& graph, const Input& x, const InvertAttrs& attrs = {});
Output Invert(const Input& x, const InvertAttrs& attrs = {});

struct IsFiniteAttrs {
  std::string name = "";
};
Output IsFinite(Graph& graph, const Input& x, const IsFiniteAttrs& attrs = {});
Output IsFinite(const Input& x, const IsFiniteAttrs& attrs = {});

struct IsInfAttrs {
  std::string name = "";
};
Output IsInf(Graph& graph, const Input& x, const IsInfAttrs& attrs = {});
Output IsInf(const Input& x, const IsInfAttrs& attrs = {});

struct IsNanAttrs {
  std::string name = "";
};
Output IsNan(Graph& graph, const Input& x, const IsNanAttrs& attrs = {});
Output IsNan(const Input& x, const IsNanAttrs& attrs = {});

struct LeftShiftAttrs {
  std::string name = "";
};
Output LeftShift(Graph& graph, const Input& x, const Input& y, const LeftShiftAttrs& attrs = {});
Output LeftShift(const Input& x, const Input& y, const LeftShiftAttrs& attrs = {});

struct LessAttrs {
  std::string name = "";
};
Output Less(Graph& graph, const Input& x, const Input& y, const LessAttrs& attrs = {});
Output Less(const Input& x, const Input& y, const LessAttrs& attrs = {});

struct LessEqualAttrs {
  std::string name = "";
};
Output LessEqual(Graph& graph, const Input& x, const Input& y, const LessEqualAttrs& attrs = {});
Output LessEqual(const Input& x, const Input& y, const LessEqualAttrs& attrs = {});

struct LgammaAttrs {
  std::string name = "";
};
Output Lgamma(Graph& graph, const Input& x, const LgammaAttrs& attrs = {});
Output Lgamma(const Input& x, const LgammaAttrs& attrs = {});

struct LinSpaceAttrs {
  std::string name = "";
};
Output LinSpace(Graph& graph, const Input& start, const Input& stop, const Input& num, const LinSpaceAttrs& attrs = {});
Output LinSpace(const Input& start, const Input& stop, const Input& num, const LinSpaceAttrs& attrs = {});

struct LogAttrs {
  std::string name = "";
};
Output Log(Graph& graph, const Input& x, const LogAttrs& attrs = {});
Output Log(const Input& x, const LogAttrs& attrs = {});

struct Log1pAttrs {
  std::string name = "";
};
Output Log1p(Graph& graph, const Input& x, const Log1pAttrs& attrs = {});
Output Log1p(const Input& x, const Log1pAttrs& attrs = {});

struct LogMatrixDeterminantAttrs {
  std::string name = "";
};
struct LogMatrixDeterminantResult {
  Output sign;
  Output log_abs_determinant;
};
LogMatrixDeterminantResult LogMatrixDeterminant(Graph& graph, const Input& input, const LogMatrixDeterminantAttrs& attrs = {});
LogMatrixDeterminantResult LogMatrixDeterminant(const Input& input, const LogMatrixDeterminantAttrs& attrs = {});

struct LogicalAndAttrs {
  std::string name = "";
};
Output LogicalAnd(Graph& graph, const Input& x, const Input& y, const LogicalAndAttrs& attrs = {});
Output LogicalAnd(const Input& x, const Input& y, const LogicalAndAttrs& attrs = {});

struct LogicalNotAttrs {
  std::string name = "";
};
Output LogicalNot(Graph& graph, const Input& x, const LogicalNotAttrs& attrs = {});
Output LogicalNot(const Input& x, const LogicalNotAttrs& attrs = {});

struct LogicalOrAttrs {
  std::string name = "";
};
Output LogicalOr(Graph& graph, const Input& x, const Input& y, const LogicalOrAttrs& attrs = {});
Output LogicalOr(const Input& x, const Input& y, const LogicalOrAttrs& attrs = {});

struct MatMulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
  std::string name = "";
};
Output MatMul(Graph& graph, const Input& a, const Input& b, const MatMulAttrs& attrs = {});
Output MatMul(const Input& a, const Input& b, const MatMulAttrs& attrs = {});

struct MatrixDeterminantAttrs {
  std::string name = "";
};
Output MatrixDeterminant(Graph& graph, const Input& input, const MatrixDeterminantAttrs& attrs = {});
Output MatrixDeterminant(const Input& input, const MatrixDeterminantAttrs& attrs = {});

struct MatrixInverseAttrs {
  bool adjoint = false;
  std::string name = "";
};
Output MatrixInverse(Graph& graph, const Input& input, const MatrixInverseAttrs& attrs = {});
Output MatrixInverse(const Input& input, const MatrixInverseAttrs& attrs = {});

struct MatrixSolveAttrs {
  bool adjoint = false;
  std::string name = "";
};
Output MatrixSolve(Graph& graph, const Input& matrix, const Input& rhs, const MatrixSolveAttrs& attrs = {});
Output MatrixSolve(const Input& matrix, const Input& rhs, const MatrixSolveAttrs& attrs = {});

struct MatrixSolveLsAttrs {
  bool fast = true;
  std::string name = "";
};
Output MatrixSolveLs(Graph& graph, const Input& matrix, const Input& rhs, const Input& l2_regularizer, const MatrixSolveLsAttrs& attrs = {});
Output MatrixSolveLs(const Input& matrix, const Input& rhs, const Input& l2_regularizer, const MatrixSolveLsAttrs& attrs = {});

struct MatrixSquareRootAttrs {
  std::string name = "";
};
Output MatrixSquareRoot(Graph& graph, const Input& input, const MatrixSquareRootAttrs& attrs = {});
Output MatrixSquareRoot(const Input& input, const MatrixSquareRootAttrs& attrs = {});

struct MatrixTriangularSolveAttrs {
  bool lower = true;
  bool adjoint = false;
  std::string name = "";
};
Output MatrixTriangularSolve(Graph& graph, const Input& matrix, const Input& rhs, const MatrixTriangularSolveAttrs& attrs = {});
Output MatrixTriangularSolve(const Input& matrix, const Input& rhs, const MatrixTriangularSolveAttrs& attrs = {});

struct MaxAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output Max(Graph& graph, const Input& input, const Input& reduction_indices, const MaxAttrs& attrs = {});
Output Max(const Input& input, const Input& reduction_indices, const MaxAttrs& attrs = {});

struct MaximumAttrs {
  std::string name = "";
};
Output Maximum(Graph& graph, const Input& x, const Input& y, const MaximumAttrs& attrs = {});
Output Maximum(const Input& x, const Input& y, const MaximumAttrs& attrs = {});

struct MeanAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output Mean(Graph& graph, const Input& input, const Input& reduction_indices, const MeanAttrs& attrs = {});
Output Mean(const Input& input, const Input& reduction_indices, const MeanAttrs& attrs = {});

struct MinAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output Min(Graph& graph, const Input& input, const Input& reduction_indices, const MinAttrs& attrs = {});
Output Min(const Input& input, const Input& reduction_indices, const MinAttrs& attrs = {});

struct MinimumAttrs {
  std::string name = "";
};
Output Minimum(Graph& graph, const Input& x, const Input& y, const MinimumAttrs& attrs = {});
Output Minimum(const Input& x, const Input& y, const MinimumAttrs& attrs = {});

struct ModAttrs {
  std::string name = "";
};
Output Mod(Graph& graph, const Input& x, const Input& y, const ModAttrs& attrs = {});
Output Mod(const Input& x, const Input& y, const ModAttrs& attrs = {});

struct MulAttrs {
  std::string name = "";
};
Output Mul(Graph& graph, const Input& x, const Input& y, const MulAttrs& attrs = {});
Output Mul(const Input& x, const Input& y, const MulAttrs& attrs = {});

struct MulNoNanAttrs {
  std::string name = "";
};
Output MulNoNan(Graph& graph, const Input& x, const Input& y, const MulNoNanAttrs& attrs = {});
Output MulNoNan(const Input& x, const Input& y, const MulNoNanAttrs& attrs = {});

struct MultinomialAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  DType output_dtype = kInt64;
  std::string name = "";
};
Output Multinomial(Graph& graph, const Input& logits, const Input& num_samples, const MultinomialAttrs& attrs = {});
Output Multinomial(const Input& logits, const Input& num_samples, const MultinomialAttrs& attrs = {});

struct NdtriAttrs {
  std::string name = "";
};
Output Ndtri(Graph& graph, const Input& x, const NdtriAttrs& attrs = {});
Output Ndtri(const Input& x, const NdtriAttrs& attrs = {});

struct NegAttrs {
  std::string name = "";
};
Output Neg(Graph& graph, const Input& x, const NegAttrs& attrs = {});
Output Neg(const Input& x, const NegAttrs& attrs = {});

struct NextAfterAttrs {
  std::string name = "";
};
Output NextAfter(Graph& graph, const Input& x1, const Input& x2, const NextAfterAttrs& attrs = {});
Output NextAfter(const Input& x1, const Input& x2, const NextAfterAttrs& attrs = {});

struct NotEqualAttrs {
  bool incompatible_shape_error = true;
  std::string name = "";
};
Output NotEqual(Graph& graph, const Input& x, const Input& y, const NotEqualAttrs& attrs = {});
Output NotEqual(const Input& x, const Input& y, const NotEqualAttrs& attrs = {});

struct ParameterizedTruncatedNormalAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
Output ParameterizedTruncatedNormal(Graph& graph, const Input& shape, const Input& means, const Input& stdevs, const Input& minvals, const Input& maxvals, const ParameterizedTruncatedNormalAttrs& attrs = {});
Output ParameterizedTruncatedNormal(const Input& shape, const Input& means, const Input& stdevs, const Input& minvals, const Input& maxvals, const ParameterizedTruncatedNormalAttrs& attrs = {});

struct PolygammaAttrs {
  std::string name = "";
};
Output Polygamma(Graph& graph, const Input& a, const Input& x, const PolygammaAttrs& attrs = {});
Output Polygamma(const Input& a, const Input& x, const PolygammaAttrs& attrs = {});

struct PopulationCountAttrs {
  std::string name = "";
};
Output PopulationCount(Graph& graph, const Input& x, const PopulationCountAttrs& attrs = {});
Output PopulationCount(const Input& x, const PopulationCountAttrs& attrs = {});

struct PowAttrs {
  std::string name = "";
};
Output Pow(Graph& graph, const Input& x, const Input& y, const PowAttrs& attrs = {});
Output Pow(const Input& x, const Input& y, const PowAttrs& attrs = {});

struct ProdAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output Prod(Graph& graph, const Input& input, const Input& reduction_indices, const ProdAttrs& attrs = {});
Output Prod(const Input& input, const Input& reduction_indices, const ProdAttrs& attrs = {});

struct QrAttrs {
  bool full_matrices = false;
  std::string name = "";
};
struct QrResult {
  Output q;
  Output r;
};
QrResult Qr(Graph& graph, const Input& input, const QrAttrs& attrs = {});
QrResult Qr(const Input& input, const QrAttrs& attrs = {});

struct RandomGammaAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
Output RandomGamma(Graph& graph, const Input& shape, const Input& alpha, const RandomGammaAttrs& attrs = {});
Output RandomGamma(const Input& shape, const Input& alpha, const RandomGammaAttrs& attrs = {});

struct RandomGammaGradAttrs {
  std::string name = "";
};
Output RandomGammaGrad(Graph& graph, const Input& alpha, const Input& sample, const RandomGammaGradAttrs& attrs = {});
Output RandomGammaGrad(const Input& alpha, const Input& sample, const RandomGammaGradAttrs& attrs = {});

struct RandomPoissonV2Attrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  DType dtype = kInt64;
  std::string name = "";
};
Output RandomPoissonV2(Graph& graph, const Input& shape, const Input& rate, const RandomPoissonV2Attrs& attrs = {});
Output RandomPoissonV2(const Input& shape, const Input& rate, const RandomPoissonV2Attrs& attrs = {});

struct RandomShuffleAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
Output RandomShuffle(Graph& graph, const Input& value, const RandomShuffleAttrs& attrs = {});
Output RandomShuffle(const Input& value, const RandomShuffleAttrs& attrs = {});

struct RandomStandardNormalAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
Output RandomStandardNormal(Graph& graph, const Input& shape, DType dtype, const RandomStandardNormalAttrs& attrs = {});
Output RandomStandardNormal(const Input& shape, DType dtype, const RandomStandardNormalAttrs& attrs = {});

struct RandomUniformAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
Output RandomUniform(Graph& graph, const Input& shape, DType dtype, const RandomUniformAttrs& attrs = {});
Output RandomUniform(const Input& shape, DType dtype, const RandomUniformAttrs& attrs = {});

struct RandomUniformIntAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
Output RandomUniformInt(Graph& graph, const Input& shape, const Input& minval, const Input& maxval, const RandomUniformIntAttrs& attrs = {});
Output RandomUniformInt(const Input& shape, const Input& minval, const Input& maxval, const RandomUniformIntAttrs& attrs = {});

struct RangeAttrs {
  std::string name = "";
};
Output Range(Graph& graph, const Input& start, const Input& limit, const Input& delta, const RangeAttrs& attrs = {});
Output Range(const Input& start, const Input& limit, const Input& delta, const RangeAttrs& attrs = {});

struct RealAttrs {
  DType Tout = kFloat;
  std::string name = "";
};
Output Real(Graph& graph, const Input& input, const RealAttrs& attrs = {});
Output Real(const Input& input, const RealAttrs& attrs = {});

struct RealDivAttrs {
  std::string name = "";
};
Output RealDiv(Graph& graph, const Input& x, const Input& y, const RealDivAttrs& attrs = {});
Output RealDiv(const Input& x, const Input& y, const RealDivAttrs& attrs = {});

struct ReciprocalAttrs {
  std::string name = "";
};
Output Reciprocal(Graph& graph, const Input& x, const ReciprocalAttrs& attrs = {});
Output Reciprocal(const Input& x, const ReciprocalAttrs& attrs = {});

struct ReciprocalGradAttrs {
  std::string name = "";
};
Output ReciprocalGrad(Graph& graph, const Input& y, const Input& dy, const ReciprocalGradAttrs& attrs = {});
Output ReciprocalGrad(const Input& y, const Input& dy, const ReciprocalGradAttrs& attrs = {});

struct RightShiftAttrs {
  std::string name = "";
};
Output RightShift(Graph& graph, const Input& x, const Input& y, const RightShiftAttrs& attrs = {});
Output RightShift(const Input& x, const Input& y, const RightShiftAttrs& attrs = {});

struct RintAttrs {
  std::string name = "";
};
Output Rint(Graph& graph, const Input& x, const RintAttrs& attrs = {});
Output Rint(const Input& x, const RintAttrs& attrs = {});

struct RoundAttrs {
  std::string name = "";
};
Output Round(Graph& graph, const Input& x, const RoundAttrs& attrs = {});
Output Round(const Input& x, const RoundAttrs& attrs = {});

struct RsqrtAttrs {
  std::string name = "";
};
Output Rsqrt(Graph& graph, const Input& x, const RsqrtAttrs& attrs = {});
Output Rsqrt(const Input& x, const RsqrtAttrs& attrs = {});

struct RsqrtGradAttrs {
  std::string name = "";
};
Output RsqrtGrad(Graph& graph, const Input& y, const Input& dy, const RsqrtGradAttrs& attrs = {});
Output RsqrtGrad(const Input& y, const Input& dy, const RsqrtGradAttrs& attrs = {});

struct SegmentMaxAttrs {
  std::string name = "";
};
Output SegmentMax(Graph& graph, const Input& data, const Input& segment_ids, const SegmentMaxAttrs& attrs = {});
Output SegmentMax(const Input& data, const Input& segment_ids, const SegmentMaxAttrs& attrs = {});

struct SegmentMeanAttrs {
  std::string name = "";
};
Output SegmentMean(Graph& graph, const Input& data, const Input& segment_ids, const SegmentMeanAttrs& attrs = {});
Output SegmentMean(const Input& data, const Input& segment_ids, const SegmentMeanAttrs& attrs = {});

struct SegmentMinAttrs {
  std::string name = "";
};
Output SegmentMin(Graph& graph, const Input& data, const Input& segment_ids, const SegmentMinAttrs& attrs = {});
Output SegmentMin(const Input& data, const Input& segment_ids, const SegmentMinAttrs& attrs = {});

struct SegmentProdAttrs {
  std::string name = "";
};
Output SegmentProd(Graph& graph, const Input& data, const Input& segment_ids, const SegmentProdAttrs& attrs = {});
Output SegmentProd(const Input& data, const Input& segment_ids, const SegmentProdAttrs& attrs = {});

struct SegmentSumAttrs {
  std::string name = "";
};
Output SegmentSum(Graph& graph, const Input& data, const Input& segment_ids, const SegmentSumAttrs& attrs = {});
Output SegmentSum(const Input& data, const Input& segment_ids, const SegmentSumAttrs& attrs = {});

struct SelectAttrs {
  std::string name = "";
};
Output Select(Graph& graph, const Input& condition, const Input& t, const Input& e, const SelectAttrs& attrs = {});
Output Select(const Input& condition, const Input& t, const Input& e, const SelectAttrs& attrs = {});

struct SelectV2Attrs {
  std::string name = "";
};
Output SelectV2(Graph& graph, const Input& condition, const Input& t, const Input& e, const SelectV2Attrs& attrs = {});
Output SelectV2(const Input& condition, const Input& t, const Input& e, const SelectV2Attrs& attrs = {});

struct SelfAdjointEigV2Attrs {
  bool compute_v = true;
  std::string name = "";
};
struct SelfAdjointEigV2Result {
  Output e;
  Output v;
};
SelfAdjointEigV2Result SelfAdjointEigV2(Graph& graph, const Input& input, const SelfAdjointEigV2Attrs& attrs = {});
SelfAdjointEigV2Result SelfAdjointEigV2(const Input& input, const SelfAdjointEigV2Attrs& attrs = {});

struct SigmoidAttrs {
  std::string name = "";
};
Output Sigmoid(Graph& graph, const Input& x, const SigmoidAttrs& attrs = {});
Output Sigmoid(const Input& x, const SigmoidAttrs& attrs = {});

struct SigmoidGradAttrs {
  std::string name = "";
};
Output SigmoidGrad(Graph& graph, const Input& y, const Input& dy, const SigmoidGradAttrs& attrs = {});
Output SigmoidGrad(const Input& y, const Input& dy, const SigmoidGradAttrs& attrs = {});

struct SignAttrs {
  std::string name = "";
};
Output Sign(Graph& graph, const Input& x, const SignAttrs& attrs = {});
Output Sign(const Input& x, const SignAttrs& attrs = {});

struct SinAttrs {
  std::string name = "";
};
Output Sin(Graph& graph, const Input& x, const SinAttrs& attrs = {});
Output Sin(const Input& x, const SinAttrs& attrs = {});

struct SinhAttrs {
  std::string name = "";
};
Output Sinh(Graph& graph, const Input& x, const SinhAttrs& attrs = {});
Output Sinh(const Input& x, const SinhAttrs& attrs = {});

struct SparseMatMulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
  bool a_is_sparse = false;
  bool b_is_sparse = false;
  std::string name = "";
};
Output SparseMatMul(Graph& graph, const Input& a, const Input& b, const SparseMatMulAttrs& attrs = {});
Output SparseMatMul(const Input& a, const Input& b, const SparseMatMulAttrs& attrs = {});

struct SparseSegmentMeanAttrs {
  std::string name = "";
};
Output SparseSegmentMean(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentMeanAttrs& attrs = {});
Output SparseSegmentMean(const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentMeanAttrs& attrs = {});

struct SparseSegmentMeanGradAttrs {
  std::string name = "";
};
Output SparseSegmentMeanGrad(Graph& graph, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentMeanGradAttrs& attrs = {});
Output SparseSegmentMeanGrad(const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentMeanGradAttrs& attrs = {});

struct SparseSegmentMeanWithNumSegmentsAttrs {
  std::string name = "";
};
Output SparseSegmentMeanWithNumSegments(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentMeanWithNumSegmentsAttrs& attrs = {});
Output SparseSegmentMeanWithNumSegments(const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentMeanWithNumSegmentsAttrs& attrs = {});

struct SparseSegmentSqrtNAttrs {
  std::string name = "";
};
Output SparseSegmentSqrtN(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSqrtNAttrs& attrs = {});
Output SparseSegmentSqrtN(const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSqrtNAttrs& attrs = {});

struct SparseSegmentSqrtNGradAttrs {
  std::string name = "";
};
Output SparseSegmentSqrtNGrad(Graph& graph, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSqrtNGradAttrs& attrs = {});
Output SparseSegmentSqrtNGrad(const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSqrtNGradAttrs& attrs = {});

struct SparseSegmentSqrtNWithNumSegmentsAttrs {
  std::string name = "";
};
Output SparseSegmentSqrtNWithNumSegments(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSqrtNWithNumSegmentsAttrs& attrs = {});
Output SparseSegmentSqrtNWithNumSegments(const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSqrtNWithNumSegmentsAttrs& attrs = {});

struct SparseSegmentSumAttrs {
  std::string name = "";
};
Output SparseSegmentSum(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSumAttrs& attrs = {});
Output SparseSegmentSum(const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSumAttrs& attrs = {});

struct SparseSegmentSumGradAttrs {
  std::string name = "";
};
Output SparseSegmentSumGrad(Graph& graph, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSumGradAttrs& attrs = {});
Output SparseSegmentSumGrad(const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, const SparseSegmentSumGradAttrs& attrs = {});

struct SparseSegmentSumWithNumSegmentsAttrs {
  std::string name = "";
};
Output SparseSegmentSumWithNumSegments(Graph& graph, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSumWithNumSegmentsAttrs& attrs = {});
Output SparseSegmentSumWithNumSegments(const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSumWithNumSegmentsAttrs& attrs = {});

struct SqrtAttrs {
  std::string name = "";
};
Output Sqrt(Graph& graph, const Input& x, const SqrtAttrs& attrs = {});
Output Sqrt(const Input& x, const SqrtAttrs& attrs = {});

struct SqrtGradAttrs {
  std::string name = "";
};
Output SqrtGrad(Graph& graph, const Input& y, const Input& dy, const SqrtGradAttrs& attrs = {});
Output SqrtGrad(const Input& y, const Input& dy, const SqrtGradAttrs& attrs = {});

struct SquareAttrs {
  std::string name = "";
};
Output Square(Graph& graph, const Input& x, const SquareAttrs& attrs = {});
Output Square(const Input& x, const SquareAttrs& attrs = {});

struct SquaredDifferenceAttrs {
  std::string name = "";
};
Output SquaredDifference(Graph& graph, const Input& x, const Input& y, const SquaredDifferenceAttrs& attrs = {});
Output SquaredDifference(const Input& x, const Input& y, const SquaredDifferenceAttrs& attrs = {});

struct StatelessMultinomialAttrs {
  DType output_dtype = kInt64;
  std::string name = "";
};
Output StatelessMultinomial(Graph& graph, const Input& logits, const Input& num_samples, const Input& seed, const StatelessMultinomialAttrs& attrs = {});
Output StatelessMultinomial(const Input& logits, const Input& num_samples, const Input& seed, const StatelessMultinomialAttrs& attrs = {});

struct StatelessRandomNormalAttrs {
  DType dtype = kFloat;
  std::string name = "";
};
Output StatelessRandomNormal(Graph& graph, const Input& shape, const Input& seed, const StatelessRandomNormalAttrs& attrs = {});
Output StatelessRandomNormal(const Input& shape, const Input& seed, const StatelessRandomNormalAttrs& attrs = {});

struct StatelessRandomUniformAttrs {
  DType dtype = kFloat;
  std::string name = "";
};
Output StatelessRandomUniform(Graph& graph, const Input& shape, const Input& seed, const StatelessRandomUniformAttrs& attrs = {});
Output StatelessRandomUniform(const Input& shape, const Input& seed, const StatelessRandomUniformAttrs& attrs = {});

struct StatelessRandomUniformIntAttrs {
  std::string name = "";
};
Output StatelessRandomUniformInt(Graph& graph, const Input& shape, const Input& seed, const Input& minval, const Input& maxval, const StatelessRandomUniformIntAttrs& attrs = {});
Output StatelessRandomUniformInt(const Input& shape, const Input& seed, const Input& minval, const Input& maxval, const StatelessRandomUniformIntAttrs& attrs = {});

struct StatelessTruncatedNormalAttrs {
  DType dtype = kFloat;
  std::string name = "";
};
Output StatelessTruncatedNormal(Graph& graph, const Input& shape, const Input& seed, const StatelessTruncatedNormalAttrs& attrs = {});
Output StatelessTruncatedNormal(const Input& shape, const Input& seed, const StatelessTruncatedNormalAttrs& attrs = {});

struct SubAttrs {
  std::string name = "";
};
Output Sub(Graph& graph, const Input& x, const Input& y, const SubAttrs& attrs = {});
Output Sub(const Input& x, const Input& y, const SubAttrs& attrs = {});

struct SumAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output Sum(Graph& graph, const Input& input, const Input& reduction_indices, const SumAttrs& attrs = {});
Output Sum(const Input& input, const Input& reduction_indices, const SumAttrs& attrs = {});

struct SvdAttrs {
  bool compute_uv = true;
  bool full_matrices = false;
  std::string name = "";
};
struct SvdResult {
  Output s;
  Output u;
  Output v;
};
SvdResult Svd(Graph& graph, const Input& input, const SvdAttrs& attrs = {});
SvdResult Svd(const Input& input, const SvdAttrs& attrs = {});

struct TanAttrs {
  std::string name = "";
};
Output Tan(Graph& graph, const Input& x, const TanAttrs& attrs = {});
Output Tan(const Input& x, const TanAttrs& attrs = {});

struct TanhAttrs {
  std::string name = "";
};
Output Tanh(Graph& graph, const Input& x, const TanhAttrs& attrs = {});
Output Tanh(const Input& x, const TanhAttrs& attrs = {});

struct TanhGradAttrs {
  std::string name = "";
};
Output TanhGrad(Graph& graph, const Input& y, const Input& dy, const TanhGradAttrs& attrs = {});
Output TanhGrad(const Input& y, const Input& dy, const TanhGradAttrs& attrs = {});

struct TruncateDivAttrs {
  std::string name = "";
};
Output TruncateDiv(Graph& graph, const Input& x, const Input& y, const TruncateDivAttrs& attrs = {});
Output TruncateDiv(const Input& x, const Input& y, const TruncateDivAttrs& attrs = {});

struct TruncateModAttrs {
  std::string name = "";
};
Output TruncateMod(Graph& graph, const Input& x, const Input& y, const TruncateModAttrs& attrs = {});
Output TruncateMod(const Input& x, const Input& y, const TruncateModAttrs& attrs = {});

struct TruncatedNormalAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
Output TruncatedNormal(Graph& graph, const Input& shape, DType dtype, const TruncatedNormalAttrs& attrs = {});
Output TruncatedNormal(const Input& shape, DType dtype, const TruncatedNormalAttrs& attrs = {});

struct UnsortedSegmentMaxAttrs {
  std::string name = "";
};
Output UnsortedSegmentMax(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMaxAttrs& attrs = {});
Output UnsortedSegmentMax(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMaxAttrs& attrs = {});

struct UnsortedSegmentMinAttrs {
  std::string name = "";
};
Output UnsortedSegmentMin(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMinAttrs& attrs = {});
Output UnsortedSegmentMin(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentMinAttrs& attrs = {});

struct UnsortedSegmentProdAttrs {
  std::string name = "";
};
Output UnsortedSegmentProd(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentProdAttrs& attrs = {});
Output UnsortedSegmentProd(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentProdAttrs& attrs = {});

struct UnsortedSegmentSumAttrs {
  std::string name = "";
};
Output UnsortedSegmentSum(Graph& graph, const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentSumAttrs& attrs = {});
Output UnsortedSegmentSum(const Input& data, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentSumAttrs& attrs = {});

struct XdivyAttrs {
  std::string name = "";
};
Output Xdivy(Graph& graph, const Input& x, const Input& y, const XdivyAttrs& attrs = {});
Output Xdivy(const Input& x, const Input& y, const XdivyAttrs& attrs = {});

struct Xlog1pyAttrs {
  std::string name = "";
};
Output Xlog1py(Graph& graph, const Input& x, const Input& y, const Xlog1pyAttrs& attrs = {});
Output Xlog1py(const Input& x, const Input& y, const Xlog1pyAttrs& attrs = {});

struct XlogyAttrs {
  std::string name = "";
};
Output Xlogy(Graph& graph, const Input& x, const Input& y, const XlogyAttrs& attrs = {});
Output Xlogy(const Input& x, const Input& y, const XlogyAttrs& attrs = {});

struct ZetaAttrs {
  std::string name = "";
};
Output Zeta(Graph& graph, const Input& x, const Input& q, const ZetaAttrs& attrs = {});
Output Zeta(const Input& x, const Input& q, const ZetaAttrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_MATH_OPS_H_
