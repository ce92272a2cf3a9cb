// Partitioners of variable scopes: into how many partitions a variable is split along each axis.
#pragma once

#include <optional>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace weir {

// `num_shards` along one axis, or one per element if there are fewer.
Result<std::vector<int>> FixedSizePartitions(const PartialShape& shape, int num_shards, int axis);
// Splits along one axis into at most max_shards partitions of at most max_shard_bytes each, but at least one slice.
struct AxisSizePartition {
  int64_t max_shard_bytes = 0;
  int axis = 0;
  int64_t bytes_per_string_element = 16;
  std::optional<int64_t> max_shards = {};
};
Result<std::vector<int>> AxisSizePartitions(const PartialShape& shape, DType dtype, const AxisSizePartition& how);
// Splits along one axis into at most max_partitions partitions of at least min_slice_size bytes each.
struct MinMaxPartition {
  int64_t max_partitions = 1;
  int axis = 0;
  int64_t min_slice_size = 256 << 10;
  int64_t bytes_per_string_element = 16;
};
Result<std::vector<int>> MinMaxPartitions(const PartialShape& shape, DType dtype, const MinMaxPartition& how);

}  // namespace weir
