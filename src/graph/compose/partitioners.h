// How many pieces a variable is cut into along each axis: the partitioners of variable scopes.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace weir {

// `num_shards` along one axis, or as many as it has elements where those are fewer.
Result<std::vector<int>> FixedSizePartitions(const PartialShape& shape, int num_shards, int axis);
// Along one axis, so that no piece has more than max_shard_bytes (as far as one slice fits), in at most max_shards
// pieces.
struct AxisSizePartition {
  int64_t max_shard_bytes = 0;
  int axis = 0;
  int64_t bytes_per_string_element = 16;
  std::optional<int64_t> max_shards = {};
};
Result<std::vector<int>> AxisSizePartitions(const PartialShape& shape, DType dtype, const AxisSizePartition& how);
// Along one axis, at most max_partitions pieces of at least min_slice_size bytes.
struct MinMaxPartition {
  int64_t max_partitions = 1;
  int axis = 0;
  int64_t min_slice_size = 256 << 10;
  int64_t bytes_per_string_element = 16;
};
Result<std::vector<int>> MinMaxPartitions(const PartialShape& shape, DType dtype, const MinMaxPartition& how);

}  // namespace weir
