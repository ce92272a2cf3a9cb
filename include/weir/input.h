// Input pipelines: file name queues, readers, parsing, batching, datasets. Features and Batched wrap the results of
// parsing and batching, and throw weir::Error if building failed.
//
//   Queue files = ValueOrThrow(StringInputProducer(g, Tensor::Vector<std::string>({"train.tfrecords"})));
//   Output record = ReaderReadV2(TFRecordReaderV2(g), files.queue_ref()).value;
//   Features features = ParseSingleExample(g, record, {{"x", FixedLenFeature{{2}, kFloat}}});
//   Batched batch = ShuffleBatch(g, {features["x"]}, 32, {.min_after_dequeue = 1000}, {.capacity = 1200});
//   Output x = batch[0];
#pragma once

#include "graph/build/io_ops.h"
#include "graph/build/string_ops.h"  // DecodeRaw, ReadFile, ...
#include "graph/compose/dataset.h"
#include "graph/compose/image.h"
#include "graph/compose/image_files.h"
#include "graph/compose/parse.h"
#include "graph/compose/queue.h"
#include "io/record_file.h"
#include "train/batching.h"
#include "train/input_producers.h"
#include "weir/engine.h"

namespace weir {

// Parsed features by key.
class Features final {
 public:
  Features(Result<ParsedFeatures> parsed) : parsed_(ValueOrThrow(std::move(parsed))) {}
  // Throws if there is no such feature, or if it is sparse (operator[]) or dense (sparse()).
  Output operator[](const std::string& key) const { return Get<Output>(key, "dense"); }
  Sparse sparse(const std::string& key) const { return Get<Sparse>(key, "sparse"); }

 private:
  template <class T>
  T Get(const std::string& key, const char* kind) const {
    const auto found = parsed_.find(key);
    if (found == parsed_.end()) throw Error(NotFound("there is no feature '{}'", key));
    if (!std::holds_alternative<T>(found->second)) throw Error(InvalidArgument("feature '{}' is not {}", key, kind));
    return std::get<T>(found->second);
  }
  ParsedFeatures parsed_;
};

// The batched values, in the order of the inputs.
class Batched final {
 public:
  Batched(Result<BatchValues> values) : values_(ValueOrThrow(std::move(values))) {}
  size_t size() const { return values_.size(); }
  // Throws if there is no such value, or if it is sparse (operator[]) or dense (sparse()).
  Output operator[](size_t i) const {
    if (Get(i).sparse.has_value()) throw Error(InvalidArgument("value {} of the batch is sparse", i));
    return Get(i).dense.output();
  }
  Sparse sparse(size_t i) const {
    if (!Get(i).sparse.has_value()) throw Error(InvalidArgument("value {} of the batch is not sparse", i));
    return *Get(i).sparse;
  }

 private:
  const BatchValue& Get(size_t i) const {
    if (i >= values_.size()) throw Error(InvalidArgument("a batch of {} values has no value {}", values_.size(), i));
    return values_[i];
  }
  BatchValues values_;
};

// Returns the number of records in a file.
inline int64_t CountRecords(const std::string& path, Env& env = RealEnv()) {
  const auto reader = ValueOrThrow(io::RecordReader::Open(env, path));
  int64_t count = 0;
  while (ValueOrThrow(reader->Next()).has_value()) ++count;
  return count;
}

}  // namespace weir
