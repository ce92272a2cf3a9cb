// Linear operators: matrices whose structure makes products, solutions and determinants cheaper. Immutable; they build
// nodes in the graph of their parameters. Errors are recorded in the graph's build state; the result is then invalid.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

class LinearOperator;
using LinearOperatorPtr = std::shared_ptr<const LinearOperator>;

// Base of all operators, which computes everything that an operator does not override from its dense matrix.
// Thread-compatible.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  LinearOperator(const LinearOperator&) = delete;
  LinearOperator& operator=(const LinearOperator&) = delete;

  Graph& graph() const { return graph_; }
  DType dtype() const { return dtype_; }
  // [batch..., rows, columns]
  virtual PartialShape shape() const = 0;
  virtual Output ShapeTensor() const = 0;
  virtual Output ToDense() const = 0;
  // The operator, or its adjoint, times the matrices x.
  virtual Output Multiply(Output x, bool adjoint) const;
  // The x for which Multiply(x, adjoint) is rhs.
  virtual Output Solve(Output rhs, bool adjoint) const;
  virtual Output DiagPart() const;
  virtual Output Trace() const;
  virtual Output Determinant() const;
  virtual Output LogAbsDeterminant() const;

 protected:
  LinearOperator(Graph& graph, DType dtype) : graph_(graph), dtype_(dtype) {}

 private:
  Graph& graph_;
  DType dtype_;
};

LinearOperatorPtr FullMatrixOperator(Output matrix);
LinearOperatorPtr LowerTriangularOperator(Output matrix);
LinearOperatorPtr DiagonalOperator(Output diagonal);
// `multiplier` has the batch shape.
Result<LinearOperatorPtr> ScaledIdentityOperator(Graph& graph, const Input& rows, Output multiplier);
LinearOperatorPtr AdjointOperator(LinearOperatorPtr op);
LinearOperatorPtr InverseOperator(LinearOperatorPtr op);
// The product of the operators. REQUIRES, also below: the list is not empty.
LinearOperatorPtr CompositionOperator(std::vector<LinearOperatorPtr> operators);
LinearOperatorPtr BlockDiagonalOperator(std::vector<LinearOperatorPtr> operators);
LinearOperatorPtr KroneckerOperator(std::vector<LinearOperatorPtr> operators);

// All elements are 0. `batch` and the sizes are integer tensors or numbers.
Result<LinearOperatorPtr> ZerosOperator(Graph& graph, const Input& rows, const Input& columns, const Input& batch,
                                        DType dtype);
// The reflection at the hyperplane that is orthogonal to `axis`, which need not be normalized.
LinearOperatorPtr HouseholderOperator(Output axis);
// base + u diag(d) v^H. Without `diagonal`, d is 1.
LinearOperatorPtr LowRankUpdateOperator(LinearOperatorPtr base, Output u, Output diagonal, Output v);
// Constant along each diagonal: `column` is the first column, `row` the first row without its first element.
LinearOperatorPtr ToeplitzOperator(Output column, Output row);
// The circulant matrix with this spectrum, whose last `depth` dimensions (1 to 3) are those of a block.
LinearOperatorPtr CirculantOperator(Output spectrum, DType dtype, int depth);
// The kernel whose circular convolution with a signal is the product of CirculantOperator(spectrum) and the signal.
Output ConvolutionKernelOf(Output spectrum, DType dtype, int depth);

}  // namespace weir
