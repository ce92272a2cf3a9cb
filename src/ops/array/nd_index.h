// Indices of gather_nd and scatter_nd. The last dimension of `indices` is a position in the leading dimensions of a
// tensor and selects a slice of it. All positions are checked and converted to flat slice numbers.
#pragma once

#include "op/kernel.h"

namespace weir::ops {

struct NdIndices {
  int depth = 0;                     // number of dimensions that a position covers
  int64_t slice = 1;                 // elements per slice
  absl::Span<const int64_t> slices;  // slice number of each position
  Tensor storage;                    // owns the slice numbers
};

// Errors say that the position "does not index into {target_name} shape ...".
Result<NdIndices> ResolveNdIndices(const Tensor& indices, const Shape& target, std::string_view target_name);

// Checks what is known of the shapes of a scatter while the graph is built. Like in TensorFlow, updates that are a
// scalar and positions with more numbers than the target has dimensions are left to the kernel. REQUIRES: the rank of
// `indices` is unknown or at least 1.
Status CheckKnownNdShapes(const PartialShape& indices, const PartialShape& updates, const PartialShape& target);

}  // namespace weir::ops
