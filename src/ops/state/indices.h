// Reads and checks the row indices of sparse updates, before anything is changed.
#pragma once

#include <vector>

#include "op/kernel.h"

namespace weir::ops {

// Returns all elements of an int32 or int64 tensor. An error if one is not in [0, limit).
Result<std::vector<int64_t>> CheckedIndices(const Tensor& indices, int64_t limit);

// Returns the number of shards for a parallel update of `rows` rows. Row r belongs to shard r % shards, so that updates
// of one row stay in order.
int64_t RowShards(KernelContext& ctx, int64_t rows, int64_t cost_per_row);

// Calls work(k, rows[k]) for every k, in parallel. Calls with equal rows[k] run in order of k, on one thread.
template <class F>
Status ForRowsInOrder(KernelContext& ctx, const std::vector<int64_t>& rows, int64_t cost_per_row, F&& work) {
  const int64_t n = static_cast<int64_t>(rows.size());
  const int64_t shards = RowShards(ctx, n, cost_per_row);
  return ctx.ParallelFor(shards, n * cost_per_row / shards, [&](int64_t shard) {
    for (int64_t k = 0; k < n; ++k) {
      const int64_t row = rows[static_cast<size_t>(k)];
      if (shards == 1 || row % shards == shard) work(k, row);
    }
  });
}

}  // namespace weir::ops
