// The number of elements of a dataset, as far as it is known before the elements are read.
#pragma once

#include "ops/data/dataset.h"

namespace weir::ops {

// As in TensorFlow's `cardinality`.
constexpr int64_t kInfiniteCardinality = -1;

// The cardinality of the dataset in input 0.
Result<int64_t> SameCardinality(const KernelContext& ctx);
// The cardinality of the dataset in input 0 if the attribute preserve_cardinality is set, else unknown.
Result<int64_t> CardinalityIfPreserved(const KernelContext& ctx);
// The number of groups of `size` that `count` elements make.
int64_t BatchedCardinality(int64_t count, int64_t size, bool drop_remainder);
// Of `count` (negative: unlimited) passes over a dataset with cardinality `each`.
int64_t RepeatedCardinality(int64_t each, int64_t count);

}  // namespace weir::ops
