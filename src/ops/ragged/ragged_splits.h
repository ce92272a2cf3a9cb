// Row splits of ragged tensors: row i holds the values [splits[i], splits[i + 1]).
#pragma once

#include "ops/array/int_inputs.h"

namespace weir::ops {

// Checks that the splits begin at 0, do not decrease and end at `size`. `what` names them in errors.
Status CheckRowSplits(const Ints& splits, int64_t size, std::string_view what);
// The nested splits in inputs [first, first + count), outermost first, over values with `size` rows.
Result<std::vector<Ints>> NestedSplits(const KernelContext& ctx, int first, int count, int64_t size);

}  // namespace weir::ops
