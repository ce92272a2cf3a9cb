// Splits sparse tensors into rows and stacks them, for serialization and for SparseTensorsMap.
#pragma once

#include <vector>

#include "op/kernel.h"
#include "op/shape_context.h"
#include "ops/array/sparse_input.h"

namespace weir::ops {

struct SparseParts {
  Tensor indices;  // [n, rank]
  Tensor values;   // [n]
  Tensor shape;    // [rank]
};

// Returns the sparse tensor in inputs 0 to 2 of a kernel, checked.
Result<SparseParts> SparseInputs(const KernelContext& ctx, Entries entries);
// Likewise, but checks only the ranks of the three inputs.
Result<SparseParts> UncheckedSparseInputs(const KernelContext& ctx);
// Returns one sparse tensor per index of dimension 0, without that dimension. REQUIRES: `sparse` was checked, with
// Entries::kInside.
Result<std::vector<SparseParts>> RowsOfSparse(const SparseParts& sparse);
// Stacks sparse tensors of equal rank into one with additional leading dimensions `outer`; the product of `outer` is
// the number of parts. Each other dimension has the largest size of all parts. Checks all but whether entries lie in
// the shape; errors name the number of the part.
Result<SparseParts> StackSparse(const std::vector<SparseParts>& parts, DType dtype, absl::Span<const int64_t> outer);
// Sets outputs 0 to 2.
void SetSparseTensorOutputs(KernelContext& ctx, SparseParts sparse);

// For shape functions: check that inputs 0 to 2 are a sparse tensor; set outputs 0 to 2 to one of rank `rank`, or of
// unknown rank.
Status CheckSparseInputShapes(ShapeContext& ctx);
void SetSparseOutputShapes(ShapeContext& ctx, int64_t rank = kUnknownDim);

}  // namespace weir::ops
