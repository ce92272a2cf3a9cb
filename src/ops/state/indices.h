// Row indices of sparse updates, read and checked before anything is changed.
#pragma once

#include <vector>

#include "op/kernel.h"

namespace weir::ops {

// All elements of an int32 or int64 tensor, each in [0, limit).
Result<std::vector<int64_t>> CheckedIndices(const Tensor& indices, int64_t limit);

// How many threads share rows [0, n) when each row goes to the thread row % shards: updates of one row stay in order.
int64_t RowShards(KernelContext& ctx, int64_t rows, int64_t cost_per_row);

// work(k, rows[k]) for every k; those with equal rows[k] in order, on one thread.
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
