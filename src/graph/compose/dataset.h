// Dataset: an input pipeline of a graph: where elements come from and what is done with them on their way. An element
// is a list of tensors, its components. DatasetIterator takes them out, one per step. Both are values, and the errors
// of building stay with the graph.
//
//   Dataset numbers = Dataset::Range(graph, 0, 100, 1).Map(*TraceDatasetFunction(...)).Shuffle(100, 7).Batch(10);
//   OutputList batch = DatasetIterator::OneShot(numbers).GetNext();
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/compose/sparse.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// What is known of the components of an element before any run.
struct ElementType {
  std::vector<DType> types;
  std::vector<PartialShape> shapes;
};

// A function of the graph's library that is called for elements.
struct DatasetFunction {
  FuncAttr function;
  OutputList captured;  // values of the graph that it takes after the components
  ElementType result;
};
// Runs `body` once, on placeholders in a graph of its own, and puts what it has built into the library of `graph`.
Result<DatasetFunction> TraceDatasetFunction(Graph& graph, const ElementType& arguments,
                                             const std::function<OutputList(Graph&, const OutputList&)>& body);

constexpr int64_t kAutotune = -1;  // as a number of parallel calls or a size of a buffer: the machine decides

class Dataset final {
 public:
  Dataset() = default;  // invalid
  // A dataset that there is already.
  Dataset(Output variant, ElementType element) : variant_(variant), element_(std::move(element)) {}

  // --- sources
  static Dataset FromTensors(Graph& graph, const InputList& components);
  // The rows of the components.
  static Dataset FromTensorSlices(Graph& graph, const InputList& components);
  static Dataset Range(Graph& graph, const Input& start, const Input& stop, const Input& step);
  // `next` is called with what `init` gave until it fails with OutOfRange, then `finalize`.
  static Dataset Generate(Graph& graph, const DatasetFunction& init, const DatasetFunction& next,
                          const DatasetFunction& finalize, ElementType element);
  static Dataset TextLines(Graph& graph, const Input& filenames, const Input& compression, const Input& buffer_size);
  static Dataset Records(Graph& graph, const Input& filenames, const Input& compression, const Input& buffer_size);
  static Dataset FixedLengthRecords(Graph& graph, const Input& filenames, const Input& record_bytes,
                                    const Input& header_bytes, const Input& footer_bytes, const Input& buffer_size,
                                    const Input& compression);
  // The files that match a pattern, or several.
  static Dataset ListFiles(Graph& graph, const Input& pattern, bool shuffle, std::optional<int64_t> seed);
  // Elements of all datasets side by side, as long as the shortest.
  static Dataset Zip(const std::vector<Dataset>& datasets);

  // --- what is done with elements
  Dataset Map(const DatasetFunction& f, bool preserve_cardinality = false) const;
  // `deterministic`: whether results come in the order of the elements or as they are ready; not said: as the whole
  // pipeline is told (InAnyOrder).
  Dataset ParallelMap(const DatasetFunction& f, const Input& num_parallel_calls, bool preserve_cardinality = false,
                      std::optional<bool> deterministic = {}) const;
  Dataset MapAndBatch(const DatasetFunction& f, const Input& batch_size, const Input& num_parallel_calls,
                      const Input& drop_remainder) const;
  // The function gives a dataset; `element` is what those hold.
  Dataset FlatMap(const DatasetFunction& f, ElementType element) const;
  Dataset Interleave(const DatasetFunction& f, ElementType element, const Input& cycle_length,
                     const Input& block_length) const;
  Dataset ParallelInterleave(const DatasetFunction& f, ElementType element, const Input& cycle_length,
                             const Input& block_length, const Input& num_parallel_calls, bool sloppy = false) const;
  Dataset Filter(const DatasetFunction& predicate) const;
  Dataset Batch(const Input& batch_size, const Input& drop_remainder = false) const;
  // One shape (a vector; -1: as large as the largest) and one value per component.
  Dataset PaddedBatch(const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values,
                      const Input& drop_remainder = false) const;
  Dataset Unbatch() const;
  // Elements are datasets: one per component, of up to `size` elements.
  Dataset Window(const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder) const;
  Dataset Repeat(const Input& count = -1) const;
  Dataset Take(const Input& count) const;
  Dataset Skip(const Input& count) const;
  Dataset Shard(const Input& num_shards, const Input& index) const;
  Dataset Concatenate(const Dataset& other) const;
  // Leaves out what cannot be had because of an error; `log_warning`: says so each time.
  Dataset IgnoreErrors(bool log_warning = false) const;
  Dataset Shuffle(const Input& buffer_size, std::optional<int64_t> seed = {}, bool each_iteration = true) const;
  Dataset ShuffleAndRepeat(const Input& buffer_size, const Input& count, std::optional<int64_t> seed = {}) const;
  Dataset Prefetch(const Input& buffer_size) const;
  // What runs in parallel up to here gives its elements as they are ready, where it was not told otherwise.
  Dataset InAnyOrder() const;
  // In memory, or in files whose names begin with `filename`.
  Dataset Cache(const Input& filename = "") const;

  // --- values out of it
  // The last state: f(state, element) of each element gives the next one.
  OutputList Reduce(const InputList& initial_state, const DatasetFunction& f) const;
  // The only element there is.
  OutputList SingleElement() const;

  bool valid() const { return variant_.valid(); }
  Graph& graph() const { return variant_.graph(); }
  Output variant() const { return variant_; }
  const ElementType& element() const { return element_; }

 private:
  Output variant_;
  ElementType element_;
};

// A sparse tensor as a component of elements: a vector of three strings. Components of several elements that are put
// together are a sparse tensor with one more dimension.
Output SparseComponent(const Sparse& value);
// The same for each row, as FromTensorSlices takes it: [rows, 3].
Output SparseRowComponents(const Sparse& value);
// The sparse tensor that a component, or a batch of them, stands for; `shape` is what is known of it.
Sparse SparseFromComponent(Output component, DType dtype, const PartialShape& shape = {});

class DatasetIterator final {
 public:
  DatasetIterator() = default;  // invalid
  DatasetIterator(Output resource, ElementType element) : resource_(resource), element_(std::move(element)) {}

  // Needs no initializer: the dataset is copied into a function. It may use neither variables nor placeholders.
  static Result<DatasetIterator> OneShot(const Dataset& dataset);
  // Of datasets with this type of elements: each MakeInitializer binds it to one.
  static DatasetIterator FromStructure(Graph& graph, ElementType element, const std::string& shared_name = "");
  // The one that a string names at run time.
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
