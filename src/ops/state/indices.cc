#include "ops/state/indices.h"

#include <algorithm>

namespace weir::ops {
namespace {

template <class I>
Result<std::vector<int64_t>> Check(const I* in, int64_t n, int64_t limit) {
  std::vector<int64_t> rows(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = in[i];
    if (row < 0 || row >= limit)
      return InvalidArgument("indices[{}] = {} is not in [0, {}): Index {} at offset {} in indices is out of range", i,
                             row, limit, row, i);
    rows[static_cast<size_t>(i)] = row;
  }
  return rows;
}

}  // namespace

Result<std::vector<int64_t>> CheckedIndices(const Tensor& indices, int64_t limit) {
  const int64_t n = indices.num_elements();
  if (indices.dtype() == kInt32) return Check(indices.data<int32_t>(), n, limit);
  if (indices.dtype() == kInt64) return Check(indices.data<int64_t>(), n, limit);
  return InvalidArgument("indices must be int32 or int64, they are {}", indices.dtype());
}

int64_t RowShards(KernelContext& ctx, int64_t rows, int64_t cost_per_row) {
  if (ctx.step().pool == nullptr) return 1;
  return std::clamp<int64_t>(rows * cost_per_row / 50000, 1, std::max(1, ctx.step().pool->num_threads()));
}

}  // namespace weir::ops
