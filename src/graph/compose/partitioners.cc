#include "graph/compose/partitioners.h"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

Status CheckShape(const PartialShape& shape, int axis) {
  if (!shape.fully_defined()) return InvalidArgument("a partitioner needs a fully known shape, not {}", shape);
  if (axis < 0 || axis >= shape.rank())
    return InvalidArgument("cannot partition axis {} of a variable of shape {}", axis, shape);
  return OkStatus();
}

std::vector<int> AlongAxis(const PartialShape& shape, int axis, int64_t count) {
  std::vector<int> partitions(static_cast<size_t>(shape.rank()), 1);
  partitions[static_cast<size_t>(axis)] = static_cast<int>(std::max<int64_t>(count, 1));
  return partitions;
}

int64_t ElementBytes(DType dtype, int64_t bytes_per_string) {
  return BaseType(dtype) == kString ? bytes_per_string : static_cast<int64_t>(ElementSize(dtype));
}

}  // namespace

Result<std::vector<int>> FixedSizePartitions(const PartialShape& shape, int num_shards, int axis) {
  WEIR_TRY(CheckShape(shape, axis));
  return AlongAxis(shape, axis, std::min<int64_t>(num_shards, shape[axis]));
}

Result<std::vector<int>> AxisSizePartitions(const PartialShape& shape, DType dtype, const AxisSizePartition& how) {
  if (how.max_shard_bytes < 1 || how.bytes_per_string_element < 1)
    return InvalidArgument("max_shard_bytes and bytes_per_string_element must be positive");
  if (how.max_shards.has_value() && *how.max_shards < 1) return InvalidArgument("max_shards must be positive");
  WEIR_TRY(CheckShape(shape, how.axis));
  int64_t slice = ElementBytes(dtype, how.bytes_per_string_element);
  for (int d = 0; d < shape.rank(); ++d) {
    if (d == how.axis) continue;
    WEIR_ASSIGN(slice, CheckedMultiply(slice, shape[d]));
  }
  if (slice == 0) return AlongAxis(shape, how.axis, 1);
  // At least one slice per partition.
  const int64_t per_shard = std::max<int64_t>(1, how.max_shard_bytes / slice);
  int64_t shards = (shape[how.axis] + per_shard - 1) / per_shard;
  if (how.max_shards.has_value()) shards = std::min(shards, *how.max_shards);
  return AlongAxis(shape, how.axis, shards);
}

Result<std::vector<int>> MinMaxPartitions(const PartialShape& shape, DType dtype, const MinMaxPartition& how) {
  if (how.max_partitions < 1 || how.min_slice_size < 1)
    return InvalidArgument("max_partitions and min_slice_size must be positive");
  WEIR_TRY(CheckShape(shape, how.axis));
  int64_t bytes = ElementBytes(dtype, how.bytes_per_string_element);
  for (int d = 0; d < shape.rank(); ++d) {
    WEIR_ASSIGN(bytes, CheckedMultiply(bytes, shape[d]));
  }
  const int64_t pieces =
      std::min({std::max<int64_t>(1, bytes / how.min_slice_size), shape[how.axis], how.max_partitions});
  return AlongAxis(shape, how.axis, pieces);
}

}  // namespace weir
