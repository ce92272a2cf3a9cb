// Elements made ahead, by a thread that does not wait between them.
#pragma once

#include "ops/data/dataset.h"

namespace weir::ops {

// The same elements, up to `size` of them ready before they are asked for; the first ones are made at once if `eager`,
// else once somebody asks. `on_change` is called, from the thread that makes them, when there is one more, or no more.
// REQUIRES: size > 0.
IteratorPtr Prefetched(DatasetHome& home, IteratorPtr input, size_t size, bool eager,
                       std::function<void()> on_change = {});

}  // namespace weir::ops
