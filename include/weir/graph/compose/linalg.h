// TensorFlow's linear algebra on (stacks of) matrices. Errors are recorded in the graph's build state; the result is
// then invalid. An empty name means TensorFlow's default.
#pragma once

#include <string>
#include <utility>

#include "weir/graph/compose/math.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// Which diagonals, and where shorter ones are padded. An absent input means the default: the main diagonal.
struct DiagonalBand {
  Input k;
  std::string align = "RIGHT_LEFT";
};
Output MatrixWithDiagonals(Graph& graph, const Input& diagonals, const DiagonalBand& band, const Input& rows = {},
                           const Input& cols = {}, const Input& padding = {}, std::string name = "");
Output DiagonalsOfMatrix(Graph& graph, const Input& matrix, const DiagonalBand& band, const Input& padding = {},
                         std::string name = "");
Output MatrixWithDiagonalsSet(Graph& graph, const Input& matrix, const Input& diagonals, const DiagonalBand& band,
                              std::string name = "");

// The Moore-Penrose inverse. Singular values below `rcond` times the largest
// one count as zero. By default, `rcond` is a bound for rounding errors.
Output PseudoInverse(Graph& graph, const Input& a, const Input& rcond = {}, std::string name = "");
// The number of singular values above `tol`.
Output MatrixRankOf(Graph& graph, const Input& a, const Input& tol = {}, std::string name = "");
// x divided by its norm, and the norm.
std::pair<Output, Output> NormalizedBy(Graph& graph, const Input& x, NormOrder order, const std::vector<int64_t>& axes,
                                       std::string name = "");

// Solves a system of equations with the results of Lu.
Output LuSolve(Graph& graph, const Input& lu, const Input& p, const Input& rhs, std::string name = "");
Output LuReconstruct(Graph& graph, const Input& lu, const Input& p, std::string name = "");

// `format`: "compact" ([..., 3, n] or a pair of axes), "sequence" (three vectors) or "matrix".
Output SolveTridiagonal(Graph& graph, const InputList& diagonals, const Input& rhs,
                        const std::string& format = "compact", bool transpose_rhs = false, bool conjugate_rhs = false,
                        bool partial_pivoting = true, std::string name = "");
Output MultiplyTridiagonal(Graph& graph, const InputList& diagonals, const Input& rhs,
                           const std::string& format = "compact", std::string name = "");

}  // namespace weir
