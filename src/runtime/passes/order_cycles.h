// Finds optional edges that must be dropped because they would form cycles.
#pragma once

#include <vector>

#include "runtime/passes/order_level.h"

namespace weir {

// Items of the level have their own numbers. Added items are numbered from level.num_items().
struct ItemEdge {
  int32_t before = 0;
  int32_t after = 0;
};

// Returns the indices of `optional_edges` (optional edges) to drop. Simulates the execution of the level with its own
// edges, `edges` and `optional_edges`. When no item can run, the lowest-numbered item that waits only for
// optional_edges runs without them, and these are dropped. Linear, plus a scan of all optional_edges each time that
// some are dropped. REQUIRES: there is no cycle without optional_edges.
std::vector<int32_t> FindEdgesToDrop(const OrderLevel& level, int32_t num_added, const std::vector<ItemEdge>& edges,
                                     const std::vector<ItemEdge>& optional_edges);

}  // namespace weir
