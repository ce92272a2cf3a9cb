// Building blocks for gradients of linear algebra: products and transposes of the last two dimensions.
#ifndef WEIR_OPS_MATH_LINALG_BUILD_H_
#define WEIR_OPS_MATH_LINALG_BUILD_H_

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "ops/math/broadcast_gradient.h"

namespace weir::ops {

inline Output Times(Output a, Output b) { return BatchMatMulV2(a, b); }
inline Output AdjointTimes(Output a, Output b) { return BatchMatMulV2(a, b, {.adj_x = true}); }  // a^H b
inline Output TimesAdjoint(Output a, Output b) { return BatchMatMulV2(a, b, {.adj_y = true}); }  // a b^H

// Transposes the last two dimensions, and conjugates.
inline Output Adjoint(Output x) {
  const PartialShape shape = x.shape();
  if (shape.known_rank()) {
    std::vector<int64_t> perm;
    for (int i = 0; i < shape.rank() - 2; ++i) perm.push_back(i);
    perm.push_back(shape.rank() - 1);
    perm.push_back(shape.rank() - 2);
    return Transpose(ConjOf(x), perm);
  }
  const Output rank = Rank(x);
  return Transpose(ConjOf(x), ConcatV2({Range(0, rank - 2, 1), ExpandDims(rank - 1, 0), ExpandDims(rank - 2, 0)}, 0));
}

// Columns [begin, begin + count) of the last dimension; count -1: all from begin on.
inline Output Columns(Output x, int64_t begin, int64_t count) {
  const int rank = x.shape().rank();
  std::vector<int64_t> from(static_cast<size_t>(rank), 0), size(static_cast<size_t>(rank), -1);
  from.back() = begin;
  size.back() = count;
  return Slice(x, from, size);
}

// The lower or upper triangle, including the diagonal.
inline Output Lower(Output x) { return MatrixBandPart(x, -1, 0); }
inline Output Upper(Output x) { return MatrixBandPart(x, 0, -1); }

// Reshapes one number per matrix so that it broadcasts against the matrices.
inline Output PerMatrix(Output x) { return ExpandDims(ExpandDims(x, -1), -1); }

// 1 / x, and 0 for 0.
inline Output SafeReciprocal(Output x) { return x * Reciprocal(x * x + 1e-20); }

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_LINALG_BUILD_H_
