// Binds datasets and iterators. A dataset or iterator is passed as a tuple (variant or resource, types, shapes), a
// function as (DefinedFunction, types, shapes). weir/lib/datasets.py adds TensorFlow's classes,
// data_elements.py nested element structures.
#include "bind/dataset.h"

#include "bind/arguments.h"
#include "bind/sparse.h"
#include "graph/compose/dataset.h"
#include "graph/compose/dims.h"
#include "graph/node_builder.h"

namespace weir::python {

// A traced function. Resolve adds it, and what it depends on, to a graph's library.
struct FunctionArgument {
  py::object function;
  ElementType result;
};

}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::ElementType> {
  PYBIND11_TYPE_CASTER(weir::ElementType, const_name("Tuple[List[DType], List[TensorShape]]"));
  bool load(handle source, bool) {
    const auto parts = reinterpret_borrow<tuple>(source);
    value.types = parts[0].cast<std::vector<weir::DType>>();
    value.shapes = parts[1].cast<std::vector<weir::PartialShape>>();
    return true;
  }
};

// Converts datasets and iterators. While a function is traced, those of outer graphs are captured.
template <class T>
struct element_source_caster {
  PYBIND11_TYPE_CASTER(T, const_name("Tuple[Tensor, List[DType], List[TensorShape]]"));
  bool load(handle source, bool) {
    const auto parts = reinterpret_borrow<tuple>(source);
    if (!PyTuple_Check(parts.ptr()) || parts.size() != 3) return false;
    value = T(weir::python::InputFrom(parts[0]).output(),
              {parts[1].cast<std::vector<weir::DType>>(), parts[2].cast<std::vector<weir::PartialShape>>()});
    return true;
  }
  static weir::Output OutputOf(const weir::Dataset& dataset) { return dataset.variant(); }
  static weir::Output OutputOf(const weir::DatasetIterator& iterator) { return iterator.resource(); }
  static handle cast(const T& object, return_value_policy, handle) {
    list types;
    for (const weir::DType type : object.element().types) types.append(weir::python::DTypeObjectOf(type));
    list shapes;
    for (const weir::PartialShape& shape : object.element().shapes) shapes.append(weir::python::ShapeObjectOf(shape));
    return make_tuple(weir::python::Wrap(OutputOf(object)), types, shapes).release();
  }
};
template <>
struct type_caster<weir::Dataset> : element_source_caster<weir::Dataset> {};
template <>
struct type_caster<weir::DatasetIterator> : element_source_caster<weir::DatasetIterator> {};

template <>
struct type_caster<weir::python::FunctionArgument> {
  PYBIND11_TYPE_CASTER(weir::python::FunctionArgument,
                       const_name("Tuple[DefinedFunction, List[DType], List[TensorShape]]"));
  bool load(handle source, bool) {
    const auto parts = reinterpret_borrow<tuple>(source);
    value.function = parts[0];
    value.result = {parts[1].cast<std::vector<weir::DType>>(), parts[2].cast<std::vector<weir::PartialShape>>()};
    return true;
  }
};

}  // namespace pybind11::detail

namespace weir::python {
namespace {

Graph* GraphOfDatasets(const Dataset& dataset) { return dataset.valid() ? &dataset.graph() : nullptr; }
Graph* GraphOfDatasets(const DatasetIterator& iterator) {
  return iterator.valid() ? &iterator.resource().graph() : nullptr;
}

Graph* GraphOfDatasets(const std::vector<Dataset>& datasets) {
  return datasets.empty() ? nullptr : GraphOfDatasets(datasets.front());
}

DatasetFunction Resolve(Graph& graph, const FunctionArgument& f) {
  f.function.attr("add_to_graph")(GraphOf(graph));
  DatasetFunction resolved{{f.function.attr("name").cast<std::string>(), nullptr}, {}, f.result};
  for (py::handle value : f.function.attr("captured_inputs")) resolved.captured.push_back(InputFrom(value).output());
  return resolved;
}

// Like Def, for functions whose first argument is a dataset or an iterator.
template <class R, class First, class... Args, class... Extra>
void DefOn(py::module_& m, const char* name, R (*function)(Graph&, First, Args...), Extra&&... extra) {
  m.def(
      name,
      [function](First first, Args... args) {
        Graph* graph = GraphOfDatasets(first);
        if (graph == nullptr || GraphObjectOf(DefaultGraph()).building_function) graph = &DefaultGraphRef();
        R result = function(*graph, std::move(first), std::forward<Args>(args)...);
        RecordOrigins(*graph);
        Check(graph->TakeError());
        return Unwrapped(std::move(result));
      },
      std::forward<Extra>(extra)...);
}

using Seed = std::optional<int64_t>;

void BindSources(py::module_& m) {
  Def(
      m, "dataset_from_tensors", +[](Graph& g, InputList values) { return Dataset::FromTensors(g, values); },
      py::arg("components"));
  Def(
      m, "dataset_from_slices", +[](Graph& g, InputList values) { return Dataset::FromTensorSlices(g, values); },
      py::arg("components"));
  Def(
      m, "dataset_range",
      +[](Graph& g, Input start, Input stop, Input step) { return Dataset::Range(g, start, stop, step); },
      py::arg("start"), py::arg("stop"), py::arg("step"));
  Def(
      m, "dataset_generate",
      +[](Graph& g, FunctionArgument init, FunctionArgument next, FunctionArgument finalize, ElementType element) {
        return Dataset::Generate(g, Resolve(g, init), Resolve(g, next), Resolve(g, finalize), element);
      },
      py::arg("init"), py::arg("next"), py::arg("finalize"), py::arg("element"));
  Def(
      m, "dataset_text_lines",
      +[](Graph& g, Input filenames, Input compression, Input buffer_size) {
        return Dataset::TextLines(g, filenames, compression, buffer_size);
      },
      py::arg("filenames"), py::arg("compression_type"), py::arg("buffer_size"));
  Def(
      m, "dataset_records",
      +[](Graph& g, Input filenames, Input compression, Input buffer_size) {
        return Dataset::Records(g, filenames, compression, buffer_size);
      },
      py::arg("filenames"), py::arg("compression_type"), py::arg("buffer_size"));
  Def(
      m, "dataset_fixed_length_records",
      +[](Graph& g, Input filenames, Input record_bytes, Input header_bytes, Input footer_bytes, Input buffer_size,
          Input compression) {
        return Dataset::FixedLengthRecords(g, filenames, record_bytes, header_bytes, footer_bytes, buffer_size,
                                           compression);
      },
      py::arg("filenames"), py::arg("record_bytes"), py::arg("header_bytes"), py::arg("footer_bytes"),
      py::arg("buffer_size"), py::arg("compression_type"));
  Def(
      m, "dataset_list_files",
      +[](Graph& g, Input pattern, bool shuffle, Seed seed) { return Dataset::ListFiles(g, pattern, shuffle, seed); },
      py::arg("file_pattern"), py::arg("shuffle"), py::arg("seed"));
}

void BindSparseComponents(py::module_& m) {
  Def(
      m, "sparse_component", +[](Graph&, SparseArgument value) { return SparseComponent(value.sparse); },
      py::arg("value"));
  Def(
      m, "sparse_row_components", +[](Graph&, SparseArgument value) { return SparseRowComponents(value.sparse); },
      py::arg("value"));
  Def(
      m, "sparse_from_component",
      +[](Graph&, Output component, DType dtype, PartialShape shape) {
        return SparseFromComponent(component, dtype, shape);
      },
      py::arg("component"), py::arg("dtype"), py::arg("shape"));
}

void BindFunctionsOfElements(py::module_& m) {
  DefOn(
      m, "dataset_map",
      +[](Graph& g, Dataset d, FunctionArgument f, bool preserve) { return d.Map(Resolve(g, f), preserve); },
      py::arg("dataset"), py::arg("function"), py::arg("preserve_cardinality"));
  DefOn(
      m, "dataset_parallel_map",
      +[](Graph& g, Dataset d, FunctionArgument f, Input calls, bool preserve, std::optional<bool> deterministic) {
        return d.ParallelMap(Resolve(g, f), calls, preserve, deterministic);
      },
      py::arg("dataset"), py::arg("function"), py::arg("num_parallel_calls"), py::arg("preserve_cardinality"),
      py::arg("deterministic"));
  DefOn(
      m, "dataset_map_and_batch",
      +[](Graph& g, Dataset d, FunctionArgument f, Input batch_size, Input calls, Input drop_remainder) {
        return d.MapAndBatch(Resolve(g, f), batch_size, calls, drop_remainder);
      },
      py::arg("dataset"), py::arg("function"), py::arg("batch_size"), py::arg("num_parallel_calls"),
      py::arg("drop_remainder"));
  DefOn(
      m, "dataset_flat_map",
      +[](Graph& g, Dataset d, FunctionArgument f, ElementType element) { return d.FlatMap(Resolve(g, f), element); },
      py::arg("dataset"), py::arg("function"), py::arg("element"));
  DefOn(
      m, "dataset_interleave",
      +[](Graph& g, Dataset d, FunctionArgument f, ElementType element, Input cycle, Input block, Input calls,
          bool sloppy) {
        const DatasetFunction function = Resolve(g, f);
        return calls.absent() ? d.Interleave(function, element, cycle, block)
                              : d.ParallelInterleave(function, element, cycle, block, calls, sloppy);
      },
      py::arg("dataset"), py::arg("function"), py::arg("element"), py::arg("cycle_length"), py::arg("block_length"),
      py::arg("num_parallel_calls"), py::arg("sloppy"));
  DefOn(
      m, "dataset_filter", +[](Graph& g, Dataset d, FunctionArgument f) { return d.Filter(Resolve(g, f)); },
      py::arg("dataset"), py::arg("predicate"));
  DefOn(
      m, "dataset_reduce",
      +[](Graph& g, Dataset d, InputList state, FunctionArgument f) { return d.Reduce(state, Resolve(g, f)); },
      py::arg("dataset"), py::arg("initial_state"), py::arg("function"));
}

void BindGroups(py::module_& m) {
  DefOn(
      m, "dataset_group_by_window",
      +[](Graph& g, Dataset d, FunctionArgument key, FunctionArgument reduce, FunctionArgument size,
          ElementType element) {
        return d.GroupByWindow(Resolve(g, key), Resolve(g, reduce), Resolve(g, size), element);
      },
      py::arg("dataset"), py::arg("key_func"), py::arg("reduce_func"), py::arg("window_size_func"), py::arg("element"));
  DefOn(
      m, "dataset_group_by_reducer",
      +[](Graph& g, Dataset d, FunctionArgument key, FunctionArgument init, FunctionArgument reduce,
          FunctionArgument finalize) {
        return d.GroupByReducer(Resolve(g, key), Resolve(g, init), Resolve(g, reduce), Resolve(g, finalize));
      },
      py::arg("dataset"), py::arg("key_func"), py::arg("init_func"), py::arg("reduce_func"), py::arg("finalize_func"));
  Def(
      m, "bucket_of_length",
      +[](Graph& g, Input length, std::vector<int64_t> boundaries) {
        const Result<Output> converted = ToOutput(g, length, kInvalidType, "length");
        if (!converted.ok()) g.RecordError(converted.status());
        return BucketOfLength(converted.value_or(Output()), boundaries);
      },
      py::arg("length"), py::arg("boundaries"));
  Def(
      m, "bucket_batch_size",
      +[](Graph&, Output bucket, std::vector<int64_t> sizes) { return BucketBatchSize(bucket, sizes); },
      py::arg("bucket"), py::arg("batch_sizes"));
  Def(
      m, "bucket_padded_length",
      +[](Graph&, Output bucket, std::vector<int64_t> boundaries) { return BucketPaddedLength(bucket, boundaries); },
      py::arg("bucket"), py::arg("boundaries"));
  Def(
      m, "class_acceptance",
      +[](Graph& g, Input initial, Input target) {
        return ClassAcceptance(ValueOf(g, initial, kFloat, "initial_dist"), ValueOf(g, target, kFloat, "target_dist"));
      },
      py::arg("initial"), py::arg("target"));
  Def(
      m, "count_class", +[](Graph&, Output counts, Output number) { return CountClass(counts, number); },
      py::arg("counts"), py::arg("number"));
  Def(
      m, "accept_class",
      +[](Graph&, Output number, Output acceptance, OpSeed seed) { return AcceptClass(number, acceptance, seed); },
      py::arg("number"), py::arg("acceptance"), py::arg("seed"));
  DefOn(
      m, "dataset_scan",
      +[](Graph& g, Dataset d, InputList state, FunctionArgument f) { return d.Scan(state, Resolve(g, f)); },
      py::arg("dataset"), py::arg("initial_state"), py::arg("function"));
  DefOn(
      m, "dataset_take_while", +[](Graph& g, Dataset d, FunctionArgument f) { return d.TakeWhile(Resolve(g, f)); },
      py::arg("dataset"), py::arg("predicate"));
  DefOn(
      m, "dataset_unique", +[](Graph&, Dataset d) { return d.Unique(); }, py::arg("dataset"));
}

void BindChoices(py::module_& m) {
  Def(
      m, "dataset_random", +[](Graph& g, Seed seed) { return Dataset::Random(g, seed); }, py::arg("seed"));
  DefOn(
      m, "dataset_choose",
      +[](Graph&, Dataset selector, std::vector<Dataset> datasets) { return Dataset::Choose(selector, datasets); },
      py::arg("selector"), py::arg("datasets"));
  DefOn(
      m, "dataset_sample",
      +[](Graph&, std::vector<Dataset> datasets, Input weights, Seed seed) {
        return Dataset::Sample(datasets, weights, seed);
      },
      py::arg("datasets"), py::arg("weights"), py::arg("seed"));
  DefOn(
      m, "dataset_sample_by",
      +[](Graph&, Dataset weights, std::vector<Dataset> datasets, Seed seed) {
        return Dataset::SampleBy(weights, datasets, seed);
      },
      py::arg("weights"), py::arg("datasets"), py::arg("seed"));
  DefOn(
      m, "dataset_cardinality", +[](Graph&, Dataset d) { return d.Cardinality(); }, py::arg("dataset"));
  DefOn(
      m, "dataset_assert_cardinality", +[](Graph&, Dataset d, Input count) { return d.AssertCardinality(count); },
      py::arg("dataset"), py::arg("expected_cardinality"));
}

void BindRearrangements(py::module_& m) {
  DefOn(
      m, "dataset_zip", +[](Graph&, std::vector<Dataset> datasets) { return Dataset::Zip(datasets); },
      py::arg("datasets"));
  DefOn(
      m, "dataset_batch", +[](Graph&, Dataset d, Input size, Input drop) { return d.Batch(size, drop); },
      py::arg("dataset"), py::arg("batch_size"), py::arg("drop_remainder"));
  DefOn(
      m, "dataset_padded_batch",
      +[](Graph&, Dataset d, Input size, InputList shapes, InputList values, Input drop) {
        return d.PaddedBatch(size, shapes, values, drop);
      },
      py::arg("dataset"), py::arg("batch_size"), py::arg("padded_shapes"), py::arg("padding_values"),
      py::arg("drop_remainder"));
  DefOn(
      m, "dataset_unbatch", +[](Graph&, Dataset d) { return d.Unbatch(); }, py::arg("dataset"));
  DefOn(
      m, "dataset_window",
      +[](Graph&, Dataset d, Input size, Input shift, Input stride, Input drop) {
        return d.Window(size, shift, stride, drop);
      },
      py::arg("dataset"), py::arg("size"), py::arg("shift"), py::arg("stride"), py::arg("drop_remainder"));
  DefOn(
      m, "dataset_repeat", +[](Graph&, Dataset d, Input count) { return d.Repeat(count); }, py::arg("dataset"),
      py::arg("count"));
  DefOn(
      m, "dataset_take", +[](Graph&, Dataset d, Input count) { return d.Take(count); }, py::arg("dataset"),
      py::arg("count"));
  DefOn(
      m, "dataset_skip", +[](Graph&, Dataset d, Input count) { return d.Skip(count); }, py::arg("dataset"),
      py::arg("count"));
  DefOn(
      m, "dataset_shard", +[](Graph&, Dataset d, Input shards, Input index) { return d.Shard(shards, index); },
      py::arg("dataset"), py::arg("num_shards"), py::arg("index"));
  DefOn(
      m, "dataset_ignore_errors", +[](Graph&, Dataset d, bool warn) { return d.IgnoreErrors(warn); },
      py::arg("dataset"), py::arg("log_warning"));
  DefOn(
      m, "dataset_concatenate", +[](Graph&, Dataset d, Dataset other) { return d.Concatenate(other); },
      py::arg("dataset"), py::arg("other"));
  DefOn(
      m, "dataset_shuffle",
      +[](Graph&, Dataset d, Input size, Seed seed, bool each) { return d.Shuffle(size, seed, each); },
      py::arg("dataset"), py::arg("buffer_size"), py::arg("seed"), py::arg("reshuffle_each_iteration"));
  DefOn(
      m, "dataset_shuffle_and_repeat",
      +[](Graph&, Dataset d, Input size, Input count, Seed seed) { return d.ShuffleAndRepeat(size, count, seed); },
      py::arg("dataset"), py::arg("buffer_size"), py::arg("count"), py::arg("seed"));
  DefOn(
      m, "dataset_prefetch", +[](Graph&, Dataset d, Input size) { return d.Prefetch(size); }, py::arg("dataset"),
      py::arg("buffer_size"));
  DefOn(
      m, "dataset_in_any_order", +[](Graph&, Dataset d) { return d.InAnyOrder(); }, py::arg("dataset"));
  DefOn(
      m, "dataset_cache", +[](Graph&, Dataset d, Input filename) { return d.Cache(filename); }, py::arg("dataset"),
      py::arg("filename"));
  DefOn(
      m, "dataset_single_element", +[](Graph&, Dataset d) { return d.SingleElement(); }, py::arg("dataset"));
}

void BindIterators(py::module_& m) {
  DefOn(
      m, "iterator_one_shot", +[](Graph&, Dataset d) { return DatasetIterator::OneShot(d); }, py::arg("dataset"));
  Def(
      m, "iterator_from_structure",
      +[](Graph& g, ElementType element, Name shared_name) {
        return DatasetIterator::FromStructure(g, element, shared_name.text);
      },
      py::arg("element"), py::arg("shared_name"));
  Def(
      m, "iterator_from_string_handle",
      +[](Graph& g, Input handle, ElementType element) {
        return DatasetIterator::FromStringHandle(g, handle, element);
      },
      py::arg("string_handle"), py::arg("element"));
  DefOn(
      m, "iterator_make_initializer",
      +[](Graph&, DatasetIterator i, Dataset d, Name name) { return i.MakeInitializer(d, name.text); },
      py::arg("iterator"), py::arg("dataset"), py::arg("name"));
  DefOn(
      m, "iterator_get_next", +[](Graph&, DatasetIterator i, Name name) { return i.GetNext(name.text); },
      py::arg("iterator"), py::arg("name"));
  DefOn(
      m, "iterator_string_handle", +[](Graph&, DatasetIterator i, Name name) { return i.StringHandle(name.text); },
      py::arg("iterator"), py::arg("name"));
}

}  // namespace

void BindDataset(py::module_& m) {
  BindSources(m);
  BindSparseComponents(m);
  BindFunctionsOfElements(m);
  BindGroups(m);
  BindChoices(m);
  BindRearrangements(m);
  BindIterators(m);
}

}  // namespace weir::python
