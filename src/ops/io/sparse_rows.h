// Sparse tensors taken apart into rows and put together again: what serializing them, and keeping them beside a queue,
// have in common.
#pragma once

#include <vector>

#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {

struct SparseParts {
  Tensor indices;  // [n, rank]
  Tensor values;   // [n]
  Tensor shape;    // [rank]
};

// The sparse tensor in inputs 0 to 2 of a kernel, checked.
Result<SparseParts> SparseInputs(const KernelContext& ctx);
// Its rows, one for each index of dimension 0, without that dimension. REQUIRES: checked parts.
Result<std::vector<SparseParts>> RowsOfSparse(const SparseParts& sparse);
// Sparse tensors of one rank as one with `outer` dimensions in front, whose product is how many there are. Sizes are
// the largest among them. Everything is checked; errors name the number of the part.
Result<SparseParts> StackSparse(const std::vector<SparseParts>& parts, DType dtype, absl::Span<const int64_t> outer);
// Sets outputs 0 to 2.
void GiveSparse(KernelContext& ctx, SparseParts sparse);

// Shape functions: three inputs that are a sparse tensor; three outputs that are one of unknown rank, or of `rank`.
Status CheckSparseInputShapes(ShapeContext& ctx);
void SetSparseOutputShapes(ShapeContext& ctx, int64_t rank = kUnknownDim);

}  // namespace weir::ops
