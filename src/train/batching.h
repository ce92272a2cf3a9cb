// Batching: values that a step makes one by one (or some at a time) go into a queue, which queue runners keep filled,
// and come out as batches. Nodes, names, summaries and collections are those of tf.train.batch and its kin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/compose/queue.h"
#include "graph/compose/sparse.h"

namespace weir {

// A dense or a sparse value. Sparse ones wait in a map beside the queue.
struct BatchValue {
  BatchValue(Input value) : dense(std::move(value)) {}
  BatchValue(Output value) : dense(value) {}
  BatchValue(Sparse value) : sparse(value) {}
  Input dense = {};
  std::optional<Sparse> sparse = {};
};
using BatchValues = std::vector<BatchValue>;

struct BatchOptions {
  int num_threads = 1;  // that run the enqueue node; of a join one per list of values
  int64_t capacity = 32;
  bool enqueue_many = false;                             // the values are batches already, of any size
  std::optional<std::vector<PartialShape>> shapes = {};  // of one element; otherwise those of the values
  bool dynamic_pad = false;                              // sizes may differ: batches are filled up with zeros
  bool allow_smaller_final_batch = false;
  Input keep_input = true;  // a boolean, or with enqueue_many one per row: what is not kept goes into no batch
  std::string shared_name = "";
  std::string name = "";
};
struct ShuffleOptions {
  int64_t min_after_dequeue = 0;
  std::optional<int64_t> seed = {};
};

// One batch of each value, with a new first dimension.
Result<BatchValues> Batch(Graph& graph, const BatchValues& values, const Input& batch_size,
                          const BatchOptions& options = {});
// In random order; options.dynamic_pad is not used.
Result<BatchValues> ShuffleBatch(Graph& graph, const BatchValues& values, const Input& batch_size,
                                 const ShuffleOptions& shuffle, const BatchOptions& options = {});
// Of several lists of values, each with a thread of its own.
Result<BatchValues> BatchJoin(Graph& graph, const std::vector<BatchValues>& lists, const Input& batch_size,
                              const BatchOptions& options = {});
Result<BatchValues> ShuffleBatchJoin(Graph& graph, const std::vector<BatchValues>& lists, const Input& batch_size,
                                     const ShuffleOptions& shuffle, const BatchOptions& options = {});

}  // namespace weir
