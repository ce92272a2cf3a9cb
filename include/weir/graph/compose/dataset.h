// Dataset: an input pipeline in a graph: a source of elements and their transformations. An element is a list of
// tensors, its components. DatasetIterator returns one element per step. Both are value types. Errors are recorded in
// the graph's build state.
//
//   Dataset numbers = Dataset::Range(graph, 0, 100, 1).Map(*TraceDatasetFunction(...)).Shuffle(100, 7).Batch(10);
//   OutputList batch = ValueOrThrow(DatasetIterator::OneShot(numbers)).GetNext();
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weir/graph/compose/random.h"
#include "weir/graph/compose/sparse.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// Static types and shapes of the components of an element.
struct ElementType {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

// A function of the graph's library that is called with elements.
struct DatasetFunction {
  FuncAttr function;
  OutputList captured;  // values of the graph, passed after the components
  ElementType result;
};
// Calls `body` once with placeholders in a separate graph, and adds the result to the library of `graph` as a function.
Result<DatasetFunction> TraceDatasetFunction(Graph& graph, const ElementType& arguments,
                                             const std::function<OutputList(Graph&, const OutputList&)>& body);

constexpr int64_t kAutotune = -1;  // number of parallel calls or buffer size: chosen at run time

class Dataset final {
 public:
  Dataset() = default;  // invalid
  // Wraps an existing dataset.
  Dataset(Output variant, ElementType element) : variant_(variant), element_(std::move(element)) {}

  // --- Sources ---
  static Dataset FromTensors(Graph& graph, const InputList& components);
  // The elements are the rows of the components.
  static Dataset FromTensorSlices(Graph& graph, const InputList& components);
  static Dataset Range(Graph& graph, const Input& start, const Input& stop, const Input& step);
  // Calls `next` with the result of `init` until it fails with OutOfRange, then calls `finalize`.
  static Dataset Generate(Graph& graph, const DatasetFunction& init, const DatasetFunction& next,
                          const DatasetFunction& finalize, ElementType element);
  static Dataset TextLines(Graph& graph, const Input& filenames, const Input& compression, const Input& buffer_size);
  static Dataset Records(Graph& graph, const Input& filenames, const Input& compression, const Input& buffer_size);
  static Dataset FixedLengthRecords(Graph& graph, const Input& filenames, const Input& record_bytes,
                                    const Input& header_bytes, const Input& footer_bytes, const Input& buffer_size,
                                    const Input& compression);
  // The files that match one or several patterns.
  static Dataset ListFiles(Graph& graph, const Input& pattern, bool shuffle, std::optional<int64_t> seed);
  // Pairs the elements of all datasets; ends with the shortest.
  static Dataset Zip(const std::vector<Dataset>& datasets);

  // Unlimited random numbers: int64 scalars in [0, 2**32).
  static Dataset Random(Graph& graph, std::optional<int64_t> seed = {});
  // Takes each element from the dataset whose number comes next in `selector`. Numbers of datasets that have ended are
  // skipped.
  static Dataset Choose(const Dataset& selector, const std::vector<Dataset>& datasets);
  // Takes each element from a random dataset. `weights` are relative probabilities; absent: equal ones. SampleBy takes
  // new weights from a dataset for each element.
  static Dataset Sample(const std::vector<Dataset>& datasets, const Input& weights, std::optional<int64_t> seed = {});
  static Dataset SampleBy(const Dataset& weights, const std::vector<Dataset>& datasets,
                          std::optional<int64_t> seed = {});

  // --- Transformations ---
  Dataset Map(const DatasetFunction& f, bool preserve_cardinality = false) const;
  // `deterministic`: results in the order of the elements, or as they become ready. If not set, InAnyOrder decides.
  Dataset ParallelMap(const DatasetFunction& f, const Input& num_parallel_calls, bool preserve_cardinality = false,
                      std::optional<bool> deterministic = {}) const;
  Dataset MapAndBatch(const DatasetFunction& f, const Input& batch_size, const Input& num_parallel_calls,
                      const Input& drop_remainder) const;
  // `f` returns a dataset with elements of type `element`.
  Dataset FlatMap(const DatasetFunction& f, ElementType element) const;
  Dataset Interleave(const DatasetFunction& f, ElementType element, const Input& cycle_length,
                     const Input& block_length) const;
  Dataset ParallelInterleave(const DatasetFunction& f, ElementType element, const Input& cycle_length,
                             const Input& block_length, const Input& num_parallel_calls, bool sloppy = false) const;
  Dataset Filter(const DatasetFunction& predicate) const;
  Dataset TakeWhile(const DatasetFunction& predicate) const;
  // f(state, element) returns the next state and the components of an output element.
  Dataset Scan(const InputList& initial_state, const DatasetFunction& f) const;
  // Removes elements that equal an earlier one. Elements must have one component, of type int32, int64 or string.
  Dataset Unique() const;
  // Groups elements by the int64 scalar `key(element)`. Of up to `window_size(key)` elements, `reduce(key, dataset of
  // these)` makes a dataset with elements of type `element`.
  Dataset GroupByWindow(const DatasetFunction& key, const DatasetFunction& reduce, const DatasetFunction& window_size,
                        ElementType element) const;
  // Folds the elements of each key: init(key) is the first state, reduce(state, element) the next one, finalize(state)
  // an output element.
  Dataset GroupByReducer(const DatasetFunction& key, const DatasetFunction& init, const DatasetFunction& reduce,
                         const DatasetFunction& finalize) const;
  // Fails if there are more or fewer elements. -1: infinite.
  Dataset AssertCardinality(const Input& count) const;
  Dataset Batch(const Input& batch_size, const Input& drop_remainder = false) const;
  // One shape (a vector; -1: the largest size in the batch) and one padding value per component.
  Dataset PaddedBatch(const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values,
                      const Input& drop_remainder = false) const;
  Dataset Unbatch() const;
  // Each element is a list of datasets, one per component, with up to `size` elements.
  Dataset Window(const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder) const;
  Dataset Repeat(const Input& count = -1) const;
  Dataset Take(const Input& count) const;
  Dataset Skip(const Input& count) const;
  Dataset Shard(const Input& num_shards, const Input& index) const;
  Dataset Concatenate(const Dataset& other) const;
  // Skips elements that fail with an error. `log_warning` logs each one.
  Dataset IgnoreErrors(bool log_warning = false) const;
  Dataset Shuffle(const Input& buffer_size, std::optional<int64_t> seed = {}, bool each_iteration = true) const;
  Dataset ShuffleAndRepeat(const Input& buffer_size, const Input& count, std::optional<int64_t> seed = {}) const;
  Dataset Prefetch(const Input& buffer_size) const;
  // Parallel transformations before this one return elements as they become ready, unless they set `deterministic`.
  Dataset InAnyOrder() const;
  // Caches in memory, or in files whose names start with `filename`.
  Dataset Cache(const Input& filename = "") const;

  // --- Results ---
  // Folds the elements: f(state, element) is the next state. Returns the last one.
  OutputList Reduce(const InputList& initial_state, const DatasetFunction& f) const;
  // The only element. Any other number of elements is an error.
  OutputList SingleElement() const;
  // The number of elements, without reading them. -1: infinite; -2: unknown.
  Output Cardinality() const;

  bool valid() const { return variant_.valid(); }
  Graph& graph() const { return variant_.graph(); }
  Output variant() const { return variant_; }
  const ElementType& element() const { return element_; }

 private:
  Output variant_;
  ElementType element_;
};

// A sparse tensor as a component: a vector of three strings. Batching such components gives a sparse tensor with one
// more dimension.
Output SparseComponent(const Sparse& value);
// One such vector per row, for FromTensorSlices: [rows, 3].
Output SparseRowComponents(const Sparse& value);
// The sparse tensor of a component or of a batch of them. `shape` is its static shape.
Sparse SparseFromComponent(Output component, DType dtype, const PartialShape& shape = {});

// Batches of sequences of similar length. Bucket i has lengths in [boundaries[i - 1], boundaries[i]).
Output BucketOfLength(const Output& length, const std::vector<int64_t>& boundaries);
Output BucketBatchSize(const Output& bucket, const std::vector<int64_t>& batch_sizes);
// The largest length of the bucket. The last bucket has none: this fails in a step.
Output BucketPaddedLength(const Output& bucket, const std::vector<int64_t>& boundaries);

// Rejection of elements, so that the classes of those that remain have another distribution. Distributions are float
// vectors that need not add up to one.
// The probability to keep an element of each class.
Output ClassAcceptance(const Output& initial, const Output& target);
// The counts after one more element of the class.
Output CountClass(const Output& counts, const Output& number);
// Draws whether to keep an element of the class.
Output AcceptClass(const Output& number, const Output& acceptance, OpSeed seed);

class DatasetIterator final {
 public:
  DatasetIterator() = default;  // invalid
  DatasetIterator(Output resource, ElementType element) : resource_(resource), element_(std::move(element)) {}

  // Needs no initializer: the dataset is copied into a function, so it must not use variables or placeholders.
  static Result<DatasetIterator> OneShot(const Dataset& dataset);
  // An iterator for any dataset with this element type. Each MakeInitializer binds it to one dataset.
  static DatasetIterator FromStructure(Graph& graph, ElementType element, const std::string& shared_name = "");
  // The iterator that `handle` names at run time.
  static DatasetIterator FromStringHandle(Graph& graph, const Input& handle, ElementType element);

  bool valid() const { return resource_.valid(); }
  Output resource() const { return resource_; }
  const ElementType& element() const { return element_; }
  Node* MakeInitializer(const Dataset& dataset, const std::string& name = "") const;
  OutputList GetNext(const std::string& name = "") const;
  Output StringHandle(const std::string& name = "") const;

 private:
  Output resource_;
  ElementType element_;
};

}  // namespace weir
