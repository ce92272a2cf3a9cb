// Batches of elements from the same bucket: each element goes to the queue of its bucket, and
// a batch comes from one of these queues. Queue runners fill the queues, as in batching.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/compose/queue.h"

namespace weir {

struct BucketOptions {
  int num_threads = 1;
  int64_t capacity = 32;                                 // of each bucket, and of the queue of batches
  std::optional<std::vector<int64_t>> capacities = {};   // one per bucket
  std::optional<std::vector<PartialShape>> shapes = {};  // of one element; default: those of the values
  bool dynamic_pad = false;
  bool allow_smaller_final_batch = false;
  Input keep_input = true;
  std::string shared_name = "";
  std::string name = "";
};
struct Buckets {
  Output bucket;  // the number of the batch's bucket
  OutputList values;
};
// `batch_sizes` has one size, or one per bucket.
Result<Buckets> BatchByBucket(Graph& graph, const InputList& values, const Input& which_bucket,
                              const std::vector<int64_t>& batch_sizes, int num_buckets,
                              const BucketOptions& options = {});
// The number of the interval that contains a length: [-inf, b0), [b0, b1), ..., [bn, inf).
Output IntervalOf(Graph& graph, const Input& length, const std::vector<int64_t>& boundaries);

}  // namespace weir
