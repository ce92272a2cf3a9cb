// Indices of gather_nd and scatter_nd: the last dimension of `indices` is a position in the first dimensions of a
// tensor; what lies under such a position is a slice. Resolved once into flat slice numbers, all of them checked.
#pragma once

#include "op/kernel.h"

namespace weir::ops {

struct NdIndices {
  int depth = 0;                     // dimensions that a position covers
  int64_t slice = 1;                 // elements per slice
  absl::Span<const int64_t> slices;  // one number per position
  Tensor storage;                    // of the numbers
};

// Errors say that the position "does not index into {target_name} shape ...".
Result<NdIndices> ResolveNdIndices(const Tensor& indices, const Shape& target, std::string_view target_name);

}  // namespace weir::ops
