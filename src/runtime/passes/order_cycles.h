// Which of the orders that are wished for cannot be kept because items would wait for each other in a circle.
#pragma once

#include <vector>

#include "runtime/passes/order_level.h"

namespace weir {

// Items of a level have their numbers; items to be added have those from level.num_items() on.
struct ItemEdge {
  int32_t before = 0;
  int32_t after = 0;
};

// Runs the level as a step would, with `edges` and `wishes` beside its own edges. Where nothing can go on, the item
// with the lowest number that waits for nothing but wishes goes on without those. Gives the numbers of the wishes that
// were given up. Linear, but for a look at all wishes each time that something is given up. REQUIRES: no circle without
// wishes.
std::vector<int32_t> FindImpossible(const OrderLevel& level, int32_t num_added, const std::vector<ItemEdge>& edges,
                                    const std::vector<ItemEdge>& wishes);

}  // namespace weir
