// Iterator that prefetches elements in the background.
#pragma once

#include "ops/data/dataset.h"

namespace weir::ops {

// Returns an iterator over the same elements that keeps up to `size` of them ready. Prefetching starts at once if
// `eager`, else with the first GetNext. `on_change` is called from the background thread after each new element and at
// the end. REQUIRES: size > 0.
IteratorPtr MakePrefetchIterator(PassContext& pass, IteratorPtr input, size_t size, bool eager,
                                 std::function<void()> on_change = {});

}  // namespace weir::ops
