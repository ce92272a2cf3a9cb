// Row indices of sparse updates, read and checked before anything is changed.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace weir::ops {

// All elements of an int32 or int64 tensor, each in [0, limit).
Result<std::vector<int64_t>> CheckedIndices(const Tensor& indices, int64_t limit);

}  // namespace weir::ops
