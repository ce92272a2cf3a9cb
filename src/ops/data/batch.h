// Shared by the ops that make batches.
#pragma once

#include "ops/data/dataset.h"

namespace weir::ops {

// Stacks the elements: each component gets a new dimension 0. An error if shapes differ. REQUIRES: at least one
// element.
Result<Element> BatchOf(const std::vector<Element>& rows);

using JoinRows = std::function<Result<Element>(const std::vector<Element>&)>;
// An iterator that joins up to `size` elements of `input` at a time. Errors of `join` get `title` and the number of the
// batch.
IteratorPtr MakeBatchIterator(IteratorPtr input, int64_t size, bool drop_remainder, JoinRows join, std::string title);
// Reads a batch size; an error if it is not positive.
Result<int64_t> BatchSize(const KernelContext& ctx, int input);

}  // namespace weir::ops
