// tf.train.string_input_producer, tf.train.batch and related functions. weir/lib/input.py adds TensorFlow's signatures.
#include <pybind11/stl.h>

#include "bind/arguments.h"
#include "bind/queue.h"
#include "bind/sparse.h"
#include "bind/variables.h"
#include "graph/node_builder.h"
#include "train/batching.h"
#include "train/input_producers.h"

namespace weir::python {
namespace {

ProducerOptions OptionsOf(std::optional<int64_t> num_epochs, bool shuffle, std::optional<int64_t> seed,
                          int64_t capacity, const Name& shared_name, const Name& name) {
  ProducerOptions options;
  options.num_epochs = num_epochs;
  options.shuffle = shuffle;
  options.seed = seed;
  options.capacity = capacity;
  options.shared_name = shared_name.text;
  options.name = name.text;
  return options;
}

// Converts a list of tensors and SparseTensors.
BatchValues ValuesOf(py::handle list) {
  BatchValues values;
  for (py::handle item : py::iter(list)) {
    if (std::optional<Sparse> sparse = SparseFrom(item))
      values.push_back(*sparse);
    else
      values.push_back(InputFrom(item));
  }
  return values;
}

Graph& GraphOfLists(const std::vector<BatchValues>& lists) {
  for (const BatchValues& list : lists) {
    for (const BatchValue& value : list) {
      if (value.sparse.has_value()) return value.sparse->values.graph();
      if (value.dense.is_output()) return value.dense.output().graph();
    }
  }
  return DefaultGraphRef();
}

py::list Batched(py::handle lists, bool join, const Input& batch_size, int num_threads, int64_t capacity,
                 bool enqueue_many, py::handle shapes, bool dynamic_pad, bool allow_smaller_final_batch,
                 const Input& keep_input, std::optional<int64_t> min_after_dequeue, std::optional<int64_t> seed,
                 const Name& shared_name, const Name& name) {
  std::vector<BatchValues> values;
  for (py::handle list : py::iter(lists)) values.push_back(ValuesOf(list));
  BatchOptions options;
  options.num_threads = num_threads;
  options.capacity = capacity;
  options.enqueue_many = enqueue_many;
  if (!shapes.is_none()) options.shapes = ShapesFrom(shapes);
  options.dynamic_pad = dynamic_pad;
  options.allow_smaller_final_batch = allow_smaller_final_batch;
  if (!keep_input.absent()) options.keep_input = keep_input;
  options.shared_name = shared_name.text;
  options.name = name.text;
  Graph& graph = GraphOfLists(values);
  const auto batch = [&]() -> Result<BatchValues> {
    if (!min_after_dequeue.has_value())
      return join ? BatchJoin(graph, values, batch_size, options) : Batch(graph, values.at(0), batch_size, options);
    const ShuffleOptions shuffle{*min_after_dequeue, seed};
    return join ? ShuffleBatchJoin(graph, values, batch_size, shuffle, options)
                : ShuffleBatch(graph, values.at(0), batch_size, shuffle, options);
  };
  py::list result;
  for (const BatchValue& value : FinishBuild(graph, batch())) {
    if (value.sparse.has_value())
      result.append(WrapSparse(value.sparse->indices, value.sparse->values, value.sparse->dense_shape));
    else
      result.append(Wrap(value.dense.output()));
  }
  return result;
}

void BindProducers(py::module_& m) {
  m.def(
      "input_producer",
      [](const Input& tensor, const PartialShape& element_shape, std::optional<int64_t> num_epochs, bool shuffle,
         std::optional<int64_t> seed, int64_t capacity, const Name& shared_name, const Name& summary_name,
         const Name& name, Node* cancel_op) {
        ProducerOptions options = OptionsOf(num_epochs, shuffle, seed, capacity, shared_name, name);
        options.summary_name = summary_name.text;
        options.cancel = cancel_op;
        Graph& graph = GraphOfInput(tensor);
        return WrapQueue(FinishBuild(graph, InputProducer(graph, tensor, options, element_shape)));
      },
      py::arg("input_tensor"), py::arg("element_shape"), py::arg("num_epochs"), py::arg("shuffle"), py::arg("seed"),
      py::arg("capacity"), py::arg("shared_name"), py::arg("summary_name"), py::arg("name"), py::arg("cancel_op"));
  m.def(
      "string_input_producer",
      [](const Input& strings, std::optional<int64_t> num_epochs, bool shuffle, std::optional<int64_t> seed,
         int64_t capacity, const Name& shared_name, const Name& name, Node* cancel_op) {
        ProducerOptions options = OptionsOf(num_epochs, shuffle, seed, capacity, shared_name, name);
        options.cancel = cancel_op;
        Graph& graph = GraphOfInput(strings);
        return WrapQueue(FinishBuild(graph, StringInputProducer(graph, strings, options)));
      },
      py::arg("string_tensor"), py::arg("num_epochs"), py::arg("shuffle"), py::arg("seed"), py::arg("capacity"),
      py::arg("shared_name"), py::arg("name"), py::arg("cancel_op"));
  m.def(
      "range_input_producer",
      [](const Input& limit, std::optional<int64_t> num_epochs, bool shuffle, std::optional<int64_t> seed,
         int64_t capacity, const Name& shared_name, const Name& name) {
        Graph& graph = GraphOfInput(limit);
        return WrapQueue(FinishBuild(
            graph,
            RangeInputProducer(graph, limit, OptionsOf(num_epochs, shuffle, seed, capacity, shared_name, name))));
      },
      py::arg("limit"), py::arg("num_epochs"), py::arg("shuffle"), py::arg("seed"), py::arg("capacity"),
      py::arg("shared_name"), py::arg("name"));
  Def(
      m, "slice_input_producer",
      +[](Graph& g, Values tensors, std::optional<int64_t> num_epochs, bool shuffle, std::optional<int64_t> seed,
          int64_t capacity, Name shared_name, Name name) {
        return SliceInputProducer(g, tensors.list, OptionsOf(num_epochs, shuffle, seed, capacity, shared_name, name));
      },
      py::arg("tensor_list"), py::arg("num_epochs") = py::none(), py::arg("shuffle") = true,
      py::arg("seed") = py::none(), py::arg("capacity") = 32, py::arg("shared_name") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "limit_epochs",
      +[](Graph& g, Input tensor, std::optional<int64_t> num_epochs, Name name) -> Result<Output> {
        if (!num_epochs.has_value()) return ToOutput(g, tensor);
        return LimitEpochs(g, tensor, *num_epochs, name.text);
      },
      py::arg("tensor"), py::arg("num_epochs") = py::none(), py::arg("name") = py::none());
  m.def(
      "match_filenames_once",
      [](const Input& pattern, const Name& name) {
        Graph& graph = GraphOfInput(pattern);
        return py::cast(FinishBuild(graph, MatchFilenamesOnce(graph, pattern, name.text)));
      },
      py::arg("pattern"), py::arg("name") = py::none());
}

}  // namespace

void BindInputPipelines(py::module_& m) {
  BindProducers(m);
  m.def("batch", &Batched, py::arg("lists"), py::arg("join"), py::arg("batch_size"), py::arg("num_threads"),
        py::arg("capacity"), py::arg("enqueue_many"), py::arg("shapes"), py::arg("dynamic_pad"),
        py::arg("allow_smaller_final_batch"), py::arg("keep_input"), py::arg("min_after_dequeue"), py::arg("seed"),
        py::arg("shared_name"), py::arg("name"));
}

}  // namespace weir::python
