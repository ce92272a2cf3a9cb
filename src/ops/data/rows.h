// Rows of tensors: between a batch, which has one more dimension, and its elements.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace weir::ops {

// Row `row` as a tensor of its own. REQUIRES: at least one dimension.
Result<Tensor> CopyOfRow(const Tensor& batch, int64_t row);
// Copies `from` into the low corner of row `row` of `to`, whose further dimensions are those of `from` or larger.
void CopyIntoRow(const Tensor& from, const Tensor& to, int64_t row);
// Fills all of `to` with the scalar `value` of its type.
void FillWith(const Tensor& value, const Tensor& to);

}  // namespace weir::ops
