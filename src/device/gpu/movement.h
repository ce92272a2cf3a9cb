// Ops on a GPU that move elements of any type: copies with strides, transpose, gather, one-hot.
#pragma once

#include <absl/types/span.h>

#include "device/gpu_stream.h"
#include "tensor/dtype.h"

namespace weir::gpu {

// Copies a block of `dims` elements, with separate strides (in elements) for each side. A stride of the source may be
// 0 or negative, those of the target may be negative. Serves slice, concat, split, pad, tile, reverse and strided slice
// with their gradients. REQUIRES: the ranges do not overlap.
struct StridedSide {
  void* data = nullptr;  // of element [0, ..., 0]
  absl::Span<const int64_t> strides;
};
Status StridedCopy(GpuStream& stream, size_t element_bytes, absl::Span<const int64_t> dims, const StridedSide& from,
                   const StridedSide& to);

// y[i] = x[permuted]: dimension d of y is dimension permutation[d] of x.
Status Transpose(GpuStream& stream, size_t element_bytes, const void* x, absl::Span<const int64_t> x_dims,
                 absl::Span<const int> permutation, void* y);

// y [outer, count, inner] = x [outer, limit, inner] at the indices (int32 or int64). An index out of range gives zeros
// and a fault (kIndex) of the node.
Status Gather(GpuStream& stream, size_t element_bytes, const void* x, DType index_type, const void* indices, void* y,
              int64_t outer, int64_t limit, int64_t count, int64_t inner, uint32_t node);

// y [count, inner] = slices of x [limits..., inner] at tuples of indices [count, limits.size()].
Status GatherTuples(GpuStream& stream, size_t element_bytes, const void* x, DType index_type, const void* indices,
                    void* y, int64_t count, absl::Span<const int64_t> limits, int64_t inner, uint32_t node);

// y [outer, depth, inner]; `on` and `off` are scalars in device memory. index_type: uint8, int32 or int64.
Status OneHot(GpuStream& stream, size_t element_bytes, DType index_type, const void* indices, const void* on,
              const void* off, void* y, int64_t outer, int64_t depth, int64_t inner);

// Every program of the element size, for tests that compile everything.
std::vector<GpuProgram> MovementPrograms(size_t element_bytes);

}  // namespace weir::gpu
