// Copies between a batch and its rows. A batch has one more dimension than its elements.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace weir::ops {

// Returns a copy of row `row`. REQUIRES: at least one dimension.
Result<Tensor> CopyOfRow(const Tensor& batch, int64_t row);
// Copies `from` into the low corner of row `row` of `to`. REQUIRES: the row has the rank of `from` and is at least as
// large in every dimension.
void CopyIntoRow(const Tensor& from, const Tensor& to, int64_t row);
// Fills all of `to` with the scalar `value`. REQUIRES: equal types.
void FillWith(const Tensor& value, const Tensor& to);

}  // namespace weir::ops
