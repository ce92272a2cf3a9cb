// Input pipelines: file name queues, readers, parsing, batching, datasets. Features and Batched wrap the results of
// parsing and batching, and throw weir::Error if building failed.
//
//   Queue files = ValueOrThrow(StringInputProducer(g, Tensor::Vector<std::string>({"train.tfrecords"})));
//   Output record = ReaderReadV2(TFRecordReaderV2(g), files.queue_ref()).value;
//   Features features = ParseSingleExample(g, record, {{"x", FixedLenFeature{{2}, kFloat}}});
//   Batched batch = ShuffleBatch(g, {features["x"]}, 32, {.min_after_dequeue = 1000}, {.capacity = 1200});
//   Output x = batch[0];
#pragma once

#include "weir/error.h"
#include "weir/graph/build/io_ops.h"
#include "weir/graph/build/string_ops.h"  // DecodeRaw, ReadFile, ...
#include "weir/graph/compose/dataset.h"
#include "weir/graph/compose/image.h"
#include "weir/graph/compose/image_files.h"
#include "weir/graph/compose/parse.h"
#include "weir/graph/compose/queue.h"
#include "weir/graph/compose/work_queue.h"
#include "weir/io/record_file.h"
#include "weir/train/batching.h"
#include "weir/train/input_producers.h"

namespace weir {

// Parsed features by key.
class Features final {
 public:
  Features(Result<ParsedFeatures> parsed) : parsed_(ValueOrThrow(std::move(parsed))) {}
  // Throws if there is no such feature, or if it is sparse (operator[]) or dense (sparse()).
  Output operator[](const std::string& key) const;
  Sparse sparse(const std::string& key) const;

 private:
  ParsedFeatures parsed_;
};

// The batched values, in the order of the inputs.
class Batched final {
 public:
  Batched(Result<BatchValues> values) : values_(ValueOrThrow(std::move(values))) {}
  size_t size() const { return values_.size(); }
  // Throws if there is no such value, or if it is sparse (operator[]) or dense (sparse()).
  Output operator[](size_t i) const;
  Sparse sparse(size_t i) const;

 private:
  const BatchValue& Get(size_t i) const;
  BatchValues values_;
};

// Returns the number of records in a file.
int64_t CountRecords(const std::string& path, Env& env = RealEnv());

}  // namespace weir
