// The common loop of slicing, padding, transposing, tiling, reversing and block rearrangements: copies a box of
// elements with a stride per dimension for source and destination. Dimensions are merged where possible.
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

// The strides, in elements, of a dense, row-major tensor.
DimVector RowMajorStrides(const Shape& shape);

// Copies `t`, with its dimensions permuted by `perm`, into `to` (dense, of the permuted shape).
void TransposeInto(const KernelContext& ctx, const Tensor& t, absl::Span<const int> perm, const Tensor& to);

}  // namespace weir::ops
