// Shared by the ops that make batches.
#pragma once

#include "ops/data/dataset.h"

namespace weir::ops {

// Stacks the elements: each component gets a new dimension 0. An error if shapes differ. REQUIRES: at least one
// element.
Result<Element> BatchOf(const std::vector<Element>& rows);
// Reads a batch size; an error if it is not positive.
Result<int64_t> BatchSize(const KernelContext& ctx, int input);

}  // namespace weir::ops
