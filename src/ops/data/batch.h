// What ops that make batches share.
#pragma once

#include "ops/data/dataset.h"

namespace weir::ops {

// The elements one behind the other, each component in a new dimension 0. They must have the same shapes.
// REQUIRES: at least one.
Result<Element> BatchOf(const std::vector<Element>& rows);
// A positive size.
Result<int64_t> BatchSize(const KernelContext& ctx, int input);

}  // namespace weir::ops
