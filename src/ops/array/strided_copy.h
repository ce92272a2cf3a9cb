// The one loop under slicing, padding, transposing, tiling, reversing and the block rearrangements: copies a box of
// elements whose source and destination each have a stride per dimension. Dimensions that can be walked as one are
// merged.
#pragma once

#include "op/kernel.h"

namespace weir::ops {

// Strides are in elements; they may be negative, and a source stride may be 0 (broadcasting).
struct CopyDim {
  int64_t size;
  int64_t from_stride;
  int64_t to_stride;
};

// REQUIRES: every element that the dimensions reach lies within the memory, and no destination is reached twice.
void StridedCopy(const KernelContext& ctx, DType dtype, absl::Span<const CopyDim> dims, const void* from, void* to);

// Elements between neighbours along each dimension of a dense, row-major tensor.
DimVector RowMajorStrides(const Shape& shape);

// `t` with the dimensions put in the order `perm`, copied into `to` (dense, of the permuted shape).
void TransposeInto(const KernelContext& ctx, const Tensor& t, absl::Span<const int> perm, const Tensor& to);

}  // namespace weir::ops
