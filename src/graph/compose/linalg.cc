#include "graph/compose/linalg.h"

#include <algorithm>
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"
#include "op/shape_context.h"

namespace weir {
namespace {

// Whether the input is absent or a literal with this single value.
bool IsDefault(const Input& x, int64_t value, DType type) {
  if (x.absent()) return true;
  if (x.literal() == nullptr) return false;
  const std::optional<Tensor> t = x.literal()->Value(type);
  if (!t || t->num_elements() != 1 || t->rank() != 0) return false;
  return type == kInt32 ? t->Int(0) == value : *t->data<double>() == static_cast<double>(value);
}

Input OrInt(const Input& x, int value) { return x.absent() ? Input(value) : x; }

Output PaddingOf(Graph& graph, const Input& padding, DType dtype) {
  if (!padding.absent() && !IsDefault(padding, 0, kDouble)) return ValueOf(graph, padding, dtype, "padding_value");
  return raw_ops::Cast(graph, Constant(graph, Tensor::Scalar(0.0f)), dtype);
}

double EpsilonOf(DType dtype) {
  switch (dtype) {
    case kHalf:
      return 0.000977;
    case kDouble:
    case kComplex128:
      return std::numeric_limits<double>::epsilon();
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

// The larger of rows and columns, as a float of the type.
Output LargerDimension(Graph& graph, Output a, DType dtype) {
  const PartialShape shape = a.shape();
  if (shape.known_rank() && shape.rank() >= 2) {
    const int64_t rows = shape[shape.rank() - 2], cols = shape[shape.rank() - 1];
    if (rows >= 0 && cols >= 0) return ValueOf(graph, Input(static_cast<double>(std::max(rows, cols))), dtype, "Const");
  }
  const Output sizes = raw_ops::StridedSlice(graph, ShapeValue(graph, a), {-2}, {0}, {1}, {.end_mask = 1});
  return CastValue(graph, raw_ops::Max(graph, sizes, 0), dtype);
}

bool HasRank(Output x, int rank) { return x.shape().known_rank() && x.shape().rank() == rank; }

}  // namespace

// --- diagonals ---

Output MatrixWithDiagonals(Graph& graph, const Input& diagonals_in, const DiagonalBand& band, const Input& rows,
                           const Input& cols, const Input& padding, std::string name) {
  const Output diagonals = ValueOf(graph, diagonals_in, kInvalidType, "diagonal");
  if (!diagonals.valid()) return diagonals;
  if (IsDefault(band.k, 0, kInt32) && IsDefault(rows, -1, kInt32) && IsDefault(cols, -1, kInt32) &&
      IsDefault(padding, 0, kDouble))
    return raw_ops::MatrixDiag(graph, diagonals, {.name = std::move(name)});
  NameScope scope(graph, NameOrDefault(std::move(name), "diag"));
  return raw_ops::MatrixDiagV3(graph, diagonals, OrInt(band.k, 0), OrInt(rows, -1), OrInt(cols, -1),
                               PaddingOf(graph, padding, diagonals.base_dtype()),
                               {.align = band.align, .name = ExactScopeName(scope)});
}

Output DiagonalsOfMatrix(Graph& graph, const Input& matrix_in, const DiagonalBand& band, const Input& padding,
                         std::string name) {
  const Output matrix = ValueOf(graph, matrix_in, kInvalidType, "input");
  if (!matrix.valid()) return matrix;
  if (IsDefault(band.k, 0, kInt32) && IsDefault(padding, 0, kDouble))
    return raw_ops::MatrixDiagPart(graph, matrix, {.name = std::move(name)});
  NameScope scope(graph, NameOrDefault(std::move(name), "diag_part"));
  return raw_ops::MatrixDiagPartV3(graph, matrix, OrInt(band.k, 0), PaddingOf(graph, padding, matrix.base_dtype()),
                                   {.align = band.align, .name = ExactScopeName(scope)});
}

Output MatrixWithDiagonalsSet(Graph& graph, const Input& matrix_in, const Input& diagonals, const DiagonalBand& band,
                              std::string name) {
  const Output matrix = ValueOf(graph, matrix_in, kInvalidType, "input");
  if (!matrix.valid()) return matrix;
  if (IsDefault(band.k, 0, kInt32)) return raw_ops::MatrixSetDiag(graph, matrix, diagonals, {.name = std::move(name)});
  return raw_ops::MatrixSetDiagV3(graph, matrix, diagonals, band.k, {.align = band.align, .name = std::move(name)});
}

// --- singular values ---

Output PseudoInverse(Graph& graph, const Input& a_in, const Input& rcond_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "pinv"));
  const Output a = ValueOf(graph, a_in, kInvalidType, "a");
  if (!a.valid()) return a;
  const DType dtype = a.base_dtype();
  if (!IsFloating(dtype) && !IsComplex(dtype))
    return FailedOutput(graph,
                        MarkTypeError(InvalidArgument("Input `a` must have `float`-like `dtype` (saw {}).", dtype)));
  if (a.shape().known_rank() && a.shape().rank() < 2)
    return FailedOutput(graph,
                        InvalidArgument("Input `a` must have at least 2 dimensions (saw: {}).", a.shape().rank()));
  const raw_ops::SvdResult svd = raw_ops::Svd(graph, a);
  const Output s = RealPart(graph, svd.s);
  if (!s.valid()) return s;
  const DType real = s.base_dtype();
  const Output rcond = rcond_in.absent() ? LargerDimension(graph, a, real) * (10 * EpsilonOf(dtype))
                                         : ValueOf(graph, rcond_in, real, "rcond");
  if (!rcond.valid()) return rcond;
  const Output cutoff = raw_ops::ExpandDims(graph, rcond * ReduceMax(s, -1), -1);
  const Output kept = raw_ops::Greater(graph, s, cutoff);
  const Output ones = raw_ops::OnesLike(graph, s);
  const Output inverse =
      raw_ops::Select(graph, kept, ones / raw_ops::Select(graph, kept, s, ones), raw_ops::ZerosLike(graph, s));
  const Output scaled = svd.v * raw_ops::ExpandDims(graph, CastValue(graph, inverse, dtype), -2);
  return MatrixMultiply(graph, scaled, svd.u, {.adjoint_b = true}, ExactScopeName(scope));
}

Output MatrixRankOf(Graph& graph, const Input& a_in, const Input& tol_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "matrix_rank"));
  const Output a = ValueOf(graph, a_in, kInvalidType, "a");
  if (!a.valid()) return a;
  if (a.shape().known_rank() && a.shape().rank() < 2)
    return FailedOutput(graph,
                        InvalidArgument("Input `a` must have at least 2 dimensions (saw: {}).", a.shape().rank()));
  const Output s = RealPart(graph, raw_ops::Svd(graph, a, {.compute_uv = false}).s);
  if (!s.valid()) return s;
  const DType real = s.base_dtype();
  const Output tol = tol_in.absent() ? ReduceMax(s, -1, kKeepDims) * LargerDimension(graph, a, real) * EpsilonOf(real)
                                     : ValueOf(graph, tol_in, real, "tol");
  if (!tol.valid()) return tol;
  return raw_ops::Sum(graph, raw_ops::Cast(graph, raw_ops::Greater(graph, s, tol), kInt32), -1,
                      {.name = ExactScopeName(scope)});
}

std::pair<Output, Output> NormalizedBy(Graph& graph, const Input& x_in, NormOrder order,
                                       const std::vector<int64_t>& axes, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "normalize"));
  const Output x = ValueOf(graph, x_in, kInvalidType, "tensor");
  if (!x.valid()) return {x, x};
  const Output norm = Norm(graph, x, order, axes, /*keep_dims=*/true);
  if (!norm.valid()) return {norm, norm};
  return {x / CastValue(graph, norm, x.base_dtype()), norm};
}

// --- LU decomposition ---

namespace {

// The size of the last dimension.
Output LastSizeOf(Graph& graph, Output x) {
  return raw_ops::StridedSlice(graph, ShapeValue(graph, x), {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1});
}

// The permutation p as matrices: row i of the product with a matrix is the matrix's row p[i].
Output PermutationMatrix(Graph& graph, Output p, DType dtype) {
  const Output n = LastSizeOf(graph, p);
  return CastValue(graph, raw_ops::OneHot(graph, p, n, 1.0f, 0.0f), dtype);
}
Output UnitLower(Graph& graph, Output lu) {
  const Output strict = lu - raw_ops::MatrixBandPart(graph, lu, 0, -1);
  return raw_ops::MatrixSetDiag(graph, strict, raw_ops::OnesLike(graph, raw_ops::MatrixDiagPart(graph, lu)));
}

}  // namespace

Output LuSolve(Graph& graph, const Input& lu_in, const Input& p_in, const Input& rhs_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "lu_solve"));
  const Output lu = ValueOf(graph, lu_in, kInvalidType, "lower_upper"), p = ValueOf(graph, p_in, kInvalidType, "perm");
  if (!lu.valid() || !p.valid()) return Output::Failed(graph);
  const Output rhs = ValueOf(graph, rhs_in, lu.base_dtype(), "rhs");
  if (!rhs.valid()) return rhs;
  const Output permuted = MatrixMultiply(graph, PermutationMatrix(graph, p, lu.base_dtype()), rhs);
  const Output half = raw_ops::MatrixTriangularSolve(graph, UnitLower(graph, lu), permuted);
  return raw_ops::MatrixTriangularSolve(graph, raw_ops::MatrixBandPart(graph, lu, 0, -1), half,
                                        {.lower = false, .name = ExactScopeName(scope)});
}

Output LuReconstruct(Graph& graph, const Input& lu_in, const Input& p_in, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "lu_reconstruct"));
  const Output lu = ValueOf(graph, lu_in, kInvalidType, "lower_upper"), p = ValueOf(graph, p_in, kInvalidType, "perm");
  if (!lu.valid() || !p.valid()) return Output::Failed(graph);
  const Output product = MatrixMultiply(graph, UnitLower(graph, lu), raw_ops::MatrixBandPart(graph, lu, 0, -1));
  return MatrixMultiply(graph, PermutationMatrix(graph, p, lu.base_dtype()), product, {.transpose_a = true},
                        ExactScopeName(scope));
}

// --- tridiagonal matrices ---

namespace {

// The last dimension of x padded to `n` elements, with zeros before or after.
Output PaddedDiagonal(Graph& graph, Output x, Output like, bool before) {
  const Output last = LastSizeOf(graph, like);
  const Output missing = raw_ops::Reshape(graph, last - LastSizeOf(graph, x), {1});
  const Output outer =
      raw_ops::ZerosLike(graph, raw_ops::StridedSlice(graph, ShapeValue(graph, x), {0}, {-1}, {1}, {.begin_mask = 1}));
  const Output amount = raw_ops::ConcatV2(graph, {outer, missing}, 0), none = raw_ops::ZerosLike(graph, amount);
  return raw_ops::Pad(graph, x,
                      raw_ops::Pack(graph, before ? InputList{amount, none} : InputList{none, amount}, {.axis = 1}));
}

// Returns a single input as it is, and several ones stacked.
Output OneTensor(Graph& graph, const InputList& in) {
  return in.size() == 1 ? ValueOf(graph, in[0], kInvalidType, "diagonals") : Stack(graph, in);
}

// The diagonals above, on and below the main one, each [..., n].
Result<OutputList> ThreeDiagonals(Graph& graph, const InputList& in, const std::string& format) {
  if (format == "compact") {
    const Output all = OneTensor(graph, in);
    if (!all.valid()) return OutputList{};
    if (all.shape().known_rank() && all.shape().rank() < 2)
      return InvalidArgument("Expected diagonals to have rank at least 2, got {}", all.shape().rank());
    return raw_ops::Unpack(graph, all, 3, {.axis = -2});
  }
  OutputList diagonals;
  if (format == "sequence") {
    if (in.size() != 3) return InvalidArgument("Expected diagonals to be a sequence of length 3.");
    for (const Input& x : in) diagonals.push_back(ValueOf(graph, x, kInvalidType, "diagonals"));
  } else if (format == "matrix") {
    const Output matrix = OneTensor(graph, in);
    if (!matrix.valid()) return OutputList{};
    if (matrix.shape().known_rank() && matrix.shape().rank() >= 2) {
      const int rank = matrix.shape().rank();
      const Result<int64_t> n = MergeDims(matrix.shape()[rank - 2], matrix.shape()[rank - 1]);
      if (!n.ok())
        return InvalidArgument("Expected last two dimensions of diagonals to be same, got {} and {}",
                               matrix.shape()[rank - 2], matrix.shape()[rank - 1]);
    }
    for (const int k : {1, 0, -1}) diagonals.push_back(DiagonalsOfMatrix(graph, matrix, {.k = Input(k)}));
  } else {
    return InvalidArgument("Unrecognized diagonals_format: {}", format);
  }
  for (const Output& x : diagonals) {
    if (!x.valid()) return OutputList{};
  }
  diagonals[0] = PaddedDiagonal(graph, diagonals[0], diagonals[1], /*before=*/false);
  diagonals[2] = PaddedDiagonal(graph, diagonals[2], diagonals[1], /*before=*/true);
  return diagonals;
}

}  // namespace

Output SolveTridiagonal(Graph& graph, const InputList& in, const Input& rhs_in, const std::string& format,
                        bool transpose_rhs, bool conjugate_rhs, bool partial_pivoting, std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "tridiagonal_solve"));
  const Result<OutputList> parts = ThreeDiagonals(graph, in, format);
  if (!parts.ok()) return FailedOutput(graph, parts.status());
  if (parts->size() != 3) return Output::Failed(graph);
  const Output diagonals = raw_ops::Pack(graph, InputList(parts->begin(), parts->end()), {.axis = -2});
  if (!diagonals.valid()) return diagonals;
  Output rhs = ValueOf(graph, rhs_in, diagonals.base_dtype(), "rhs");
  if (!rhs.valid()) return rhs;
  const bool vector = diagonals.shape().known_rank() && HasRank(rhs, diagonals.shape().rank() - 1);
  if (vector && transpose_rhs)
    return FailedOutput(graph, InvalidArgument("transpose_rhs needs a matrix as right-hand side"));
  if (conjugate_rhs) rhs = ConjugateValue(graph, rhs);
  if (transpose_rhs) rhs = MatrixTransposeOf(graph, rhs);
  if (vector) rhs = raw_ops::ExpandDims(graph, rhs, -1);
  const Output x = raw_ops::TridiagonalSolve(graph, diagonals, rhs, {.partial_pivoting = partial_pivoting});
  if (vector) return raw_ops::Squeeze(graph, x, {.squeeze_dims = {-1}, .name = ExactScopeName(scope)});
  return raw_ops::Identity(graph, x, {.name = ExactScopeName(scope)});
}

Output MultiplyTridiagonal(Graph& graph, const InputList& in, const Input& rhs, const std::string& format,
                           std::string name) {
  NameScope scope(graph, NameOrDefault(std::move(name), "tridiagonal_matmul"));
  const Result<OutputList> parts = ThreeDiagonals(graph, in, format);
  if (!parts.ok()) return FailedOutput(graph, parts.status());
  if (parts->size() != 3) return Output::Failed(graph);
  const auto row = [&](size_t i) { return raw_ops::ExpandDims(graph, (*parts)[i], -2); };
  return raw_ops::TridiagonalMatMul(graph, row(0), row(1), row(2), rhs, {.name = ExactScopeName(scope)});
}

}  // namespace weir
