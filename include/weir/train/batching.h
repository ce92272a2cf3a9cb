// Batching: values that steps produce (singly or several at a time) go into a queue, filled by queue runners, and come
// out as batches. Nodes, names, summaries and collections are those of tf.train.batch and related functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/compose/queue.h"
#include "weir/graph/compose/sparse.h"

namespace weir {

// A dense or a sparse value. Sparse values are stored in a map beside the queue.
struct BatchValue {
  BatchValue(Input value) : dense(std::move(value)) {}
  BatchValue(Output value) : dense(value) {}
  BatchValue(Sparse value) : sparse(value) {}
  Input dense = {};
  std::optional<Sparse> sparse = {};
};
using BatchValues = std::vector<BatchValue>;

struct BatchOptions {
  int num_threads = 1;  // threads that run the enqueue node; unused by the join functions, which use one per list
  int64_t capacity = 32;
  bool enqueue_many = false;                             // the values are already batches, of any size
  std::optional<std::vector<PartialShape>> shapes = {};  // shapes of one element; default: those of the values
  bool dynamic_pad = false;                              // sizes may differ: batches are padded with zeros
  bool allow_smaller_final_batch = false;
  Input keep_input = true;  // a bool, or with enqueue_many one per row; values that are not kept are dropped
  std::string shared_name = "";
  std::string name = "";
};
struct ShuffleOptions {
  int64_t min_after_dequeue = 0;
  std::optional<int64_t> seed = {};
};

// Returns one batch of each value, with a new first dimension.
Result<BatchValues> Batch(Graph& graph, const BatchValues& values, const Input& batch_size,
                          const BatchOptions& options = {});
// Batches in random order. options.dynamic_pad is ignored.
Result<BatchValues> ShuffleBatch(Graph& graph, const BatchValues& values, const Input& batch_size,
                                 const ShuffleOptions& shuffle, const BatchOptions& options = {});
// Batches from several lists of values; each list has its own thread.
Result<BatchValues> BatchJoin(Graph& graph, const std::vector<BatchValues>& lists, const Input& batch_size,
                              const BatchOptions& options = {});
Result<BatchValues> ShuffleBatchJoin(Graph& graph, const std::vector<BatchValues>& lists, const Input& batch_size,
                                     const ShuffleOptions& shuffle, const BatchOptions& options = {});

}  // namespace weir
