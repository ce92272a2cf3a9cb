// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/data_ops.h"

namespace weir {

Output BatchDataset(Graph& graph, const Input& input_dataset, const Input& batch_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetAttrs& attrs) {
  NodeBuilder node(graph, "BatchDataset", attrs.name);
  node.In(input_dataset);
  node.In(batch_size);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output BatchDataset(const Input& input_dataset, const Input& batch_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{batch_size}});
  if (graph == nullptr) return {};
  return BatchDataset(*graph, input_dataset, batch_size, output_types, output_shapes, attrs);
}

Output BatchDatasetV2(Graph& graph, const Input& input_dataset, const Input& batch_size, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetV2Attrs& attrs) {
  NodeBuilder node(graph, "BatchDatasetV2", attrs.name);
  node.In(input_dataset);
  node.In(batch_size);
  node.In(drop_remainder);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("parallel_copy", attrs.parallel_copy);
  return node.BuildOutput();
}
Output BatchDatasetV2(const Input& input_dataset, const Input& batch_size, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{batch_size}, InputList{drop_remainder}});
  if (graph == nullptr) return {};
  return BatchDatasetV2(*graph, input_dataset, batch_size, drop_remainder, output_types, output_shapes, attrs);
}

Output CacheDataset(Graph& graph, const Input& input_dataset, const Input& filename, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const CacheDatasetAttrs& attrs) {
  NodeBuilder node(graph, "CacheDataset", attrs.name);
  node.In(input_dataset);
  node.In(filename);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output CacheDataset(const Input& input_dataset, const Input& filename, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const CacheDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{filename}});
  if (graph == nullptr) return {};
  return CacheDataset(*graph, input_dataset, filename, output_types, output_shapes, attrs);
}

Output ConcatenateDataset(Graph& graph, const Input& input_dataset, const Input& another_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ConcatenateDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ConcatenateDataset", attrs.name);
  node.In(input_dataset);
  node.In(another_dataset);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output ConcatenateDataset(const Input& input_dataset, const Input& another_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ConcatenateDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{another_dataset}});
  if (graph == nullptr) return {};
  return ConcatenateDataset(*graph, input_dataset, another_dataset, output_types, output_shapes, attrs);
}

OutputList DatasetToSingleElement(Graph& graph, const Input& dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const DatasetToSingleElementAttrs& attrs) {
  NodeBuilder node(graph, "DatasetToSingleElement", attrs.name);
  node.In(dataset);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutputs();
}
OutputList DatasetToSingleElement(const Input& dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const DatasetToSingleElementAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{dataset}});
  if (graph == nullptr) return {};
  return DatasetToSingleElement(*graph, dataset, output_types, output_shapes, attrs);
}

Output FilterDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const FuncAttr& predicate, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FilterDatasetAttrs& attrs) {
  NodeBuilder node(graph, "FilterDataset", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.Attr("predicate", predicate);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output FilterDataset(const Input& input_dataset, const InputList& other_arguments, const FuncAttr& predicate, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FilterDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments});
  if (graph == nullptr) return {};
  return FilterDataset(*graph, input_dataset, other_arguments, predicate, output_types, output_shapes, attrs);
}

Output FixedLengthRecordDataset(Graph& graph, const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const FixedLengthRecordDatasetAttrs& attrs) {
  NodeBuilder node(graph, "FixedLengthRecordDataset", attrs.name);
  node.In(filenames);
  node.In(header_bytes);
  node.In(record_bytes);
  node.In(footer_bytes);
  node.In(buffer_size);
  return node.BuildOutput();
}
Output FixedLengthRecordDataset(const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const FixedLengthRecordDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filenames}, InputList{header_bytes}, InputList{record_bytes}, InputList{footer_bytes}, InputList{buffer_size}});
  if (graph == nullptr) return {};
  return FixedLengthRecordDataset(*graph, filenames, header_bytes, record_bytes, footer_bytes, buffer_size, attrs);
}

Output FixedLengthRecordDatasetV2(Graph& graph, const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const Input& compression_type, const FixedLengthRecordDatasetV2Attrs& attrs) {
  NodeBuilder node(graph, "FixedLengthRecordDatasetV2", attrs.name);
  node.In(filenames);
  node.In(header_bytes);
  node.In(record_bytes);
  node.In(footer_bytes);
  node.In(buffer_size);
  node.In(compression_type);
  return node.BuildOutput();
}
Output FixedLengthRecordDatasetV2(const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const Input& compression_type, const FixedLengthRecordDatasetV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filenames}, InputList{header_bytes}, InputList{record_bytes}, InputList{footer_bytes}, InputList{buffer_size}, InputList{compression_type}});
  if (graph == nullptr) return {};
  return FixedLengthRecordDatasetV2(*graph, filenames, header_bytes, record_bytes, footer_bytes, buffer_size, compression_type, attrs);
}

Output FlatMapDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FlatMapDatasetAttrs& attrs) {
  NodeBuilder node(graph, "FlatMapDataset", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output FlatMapDataset(const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FlatMapDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments});
  if (graph == nullptr) return {};
  return FlatMapDataset(*graph, input_dataset, other_arguments, f, output_types, output_shapes, attrs);
}

Output GeneratorDataset(Graph& graph, const InputList& init_func_other_args, const InputList& next_func_other_args, const InputList& finalize_func_other_args, const FuncAttr& init_func, const FuncAttr& next_func, const FuncAttr& finalize_func, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const GeneratorDatasetAttrs& attrs) {
  NodeBuilder node(graph, "GeneratorDataset", attrs.name);
  node.In(init_func_other_args);
  node.In(next_func_other_args);
  node.In(finalize_func_other_args);
  node.Attr("init_func", init_func);
  node.Attr("next_func", next_func);
  node.Attr("finalize_func", finalize_func);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output GeneratorDataset(const InputList& init_func_other_args, const InputList& next_func_other_args, const InputList& finalize_func_other_args, const FuncAttr& init_func, const FuncAttr& next_func, const FuncAttr& finalize_func, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const GeneratorDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({init_func_other_args, next_func_other_args, finalize_func_other_args});
  if (graph == nullptr) return {};
  return GeneratorDataset(*graph, init_func_other_args, next_func_other_args, finalize_func_other_args, init_func, next_func, finalize_func, output_types, output_shapes, attrs);
}

Output IgnoreErrorsDataset(Graph& graph, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IgnoreErrorsDatasetAttrs& attrs) {
  NodeBuilder node(graph, "IgnoreErrorsDataset", attrs.name);
  node.In(input_dataset);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("log_warning", attrs.log_warning);
  return node.BuildOutput();
}
Output IgnoreErrorsDataset(const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IgnoreErrorsDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}});
  if (graph == nullptr) return {};
  return IgnoreErrorsDataset(*graph, input_dataset, output_types, output_shapes, attrs);
}

Output InterleaveDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const InterleaveDatasetAttrs& attrs) {
  NodeBuilder node(graph, "InterleaveDataset", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.In(cycle_length);
  node.In(block_length);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output InterleaveDataset(const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const InterleaveDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments, InputList{cycle_length}, InputList{block_length}});
  if (graph == nullptr) return {};
  return InterleaveDataset(*graph, input_dataset, other_arguments, cycle_length, block_length, f, output_types, output_shapes, attrs);
}

Output Iterator(Graph& graph, const std::string& shared_name, const std::string& container, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorAttrs& attrs) {
  NodeBuilder node(graph, "Iterator", attrs.name);
  node.Attr("shared_name", shared_name);
  node.Attr("container", container);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}

Output IteratorFromStringHandle(Graph& graph, const Input& string_handle, const IteratorFromStringHandleAttrs& attrs) {
  NodeBuilder node(graph, "IteratorFromStringHandle", attrs.name);
  node.In(string_handle);
  node.Attr("output_types", attrs.output_types);
  node.Attr("output_shapes", attrs.output_shapes);
  return node.BuildOutput();
}
Output IteratorFromStringHandle(const Input& string_handle, const IteratorFromStringHandleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{string_handle}});
  if (graph == nullptr) return {};
  return IteratorFromStringHandle(*graph, string_handle, attrs);
}

Output IteratorFromStringHandleV2(Graph& graph, const Input& string_handle, const IteratorFromStringHandleV2Attrs& attrs) {
  NodeBuilder node(graph, "IteratorFromStringHandleV2", attrs.name);
  node.In(string_handle);
  node.Attr("output_types", attrs.output_types);
  node.Attr("output_shapes", attrs.output_shapes);
  return node.BuildOutput();
}
Output IteratorFromStringHandleV2(const Input& string_handle, const IteratorFromStringHandleV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{string_handle}});
  if (graph == nullptr) return {};
  return IteratorFromStringHandleV2(*graph, string_handle, attrs);
}

OutputList IteratorGetNext(Graph& graph, const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextAttrs& attrs) {
  NodeBuilder node(graph, "IteratorGetNext", attrs.name);
  node.In(iterator);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutputs();
}
OutputList IteratorGetNext(const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{iterator}});
  if (graph == nullptr) return {};
  return IteratorGetNext(*graph, iterator, output_types, output_shapes, attrs);
}

OutputList IteratorGetNextSync(Graph& graph, const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextSyncAttrs& attrs) {
  NodeBuilder node(graph, "IteratorGetNextSync", attrs.name);
  node.In(iterator);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutputs();
}
OutputList IteratorGetNextSync(const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextSyncAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{iterator}});
  if (graph == nullptr) return {};
  return IteratorGetNextSync(*graph, iterator, output_types, output_shapes, attrs);
}

Output IteratorToStringHandle(Graph& graph, const Input& resource_handle, const IteratorToStringHandleAttrs& attrs) {
  NodeBuilder node(graph, "IteratorToStringHandle", attrs.name);
  node.In(resource_handle);
  return node.BuildOutput();
}
Output IteratorToStringHandle(const Input& resource_handle, const IteratorToStringHandleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource_handle}});
  if (graph == nullptr) return {};
  return IteratorToStringHandle(*graph, resource_handle, attrs);
}

Output IteratorV2(Graph& graph, const std::string& shared_name, const std::string& container, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorV2Attrs& attrs) {
  NodeBuilder node(graph, "IteratorV2", attrs.name);
  node.Attr("shared_name", shared_name);
  node.Attr("container", container);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}

Node* MakeIterator(Graph& graph, const Input& dataset, const Input& iterator, const MakeIteratorAttrs& attrs) {
  NodeBuilder node(graph, "MakeIterator", attrs.name);
  node.In(dataset);
  node.In(iterator);
  return node.BuildNode();
}
Node* MakeIterator(const Input& dataset, const Input& iterator, const MakeIteratorAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{dataset}, InputList{iterator}});
  if (graph == nullptr) return {};
  return MakeIterator(*graph, dataset, iterator, attrs);
}

Output MapAndBatchDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls, const Input& drop_remainder, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapAndBatchDatasetAttrs& attrs) {
  NodeBuilder node(graph, "MapAndBatchDataset", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.In(batch_size);
  node.In(num_parallel_calls);
  node.In(drop_remainder);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("preserve_cardinality", attrs.preserve_cardinality);
  return node.BuildOutput();
}
Output MapAndBatchDataset(const Input& input_dataset, const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls, const Input& drop_remainder, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapAndBatchDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments, InputList{batch_size}, InputList{num_parallel_calls}, InputList{drop_remainder}});
  if (graph == nullptr) return {};
  return MapAndBatchDataset(*graph, input_dataset, other_arguments, batch_size, num_parallel_calls, drop_remainder, f, output_types, output_shapes, attrs);
}

Output MapDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapDatasetAttrs& attrs) {
  NodeBuilder node(graph, "MapDataset", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("use_inter_op_parallelism", attrs.use_inter_op_parallelism);
  node.Attr("preserve_cardinality", attrs.preserve_cardinality);
  return node.BuildOutput();
}
Output MapDataset(const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments});
  if (graph == nullptr) return {};
  return MapDataset(*graph, input_dataset, other_arguments, f, output_types, output_shapes, attrs);
}

Output ModelDataset(Graph& graph, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ModelDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ModelDataset", attrs.name);
  node.In(input_dataset);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("algorithm", attrs.algorithm);
  node.Attr("cpu_budget", attrs.cpu_budget);
  return node.BuildOutput();
}
Output ModelDataset(const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ModelDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}});
  if (graph == nullptr) return {};
  return ModelDataset(*graph, input_dataset, output_types, output_shapes, attrs);
}

Output OneShotIterator(Graph& graph, const FuncAttr& dataset_factory, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OneShotIteratorAttrs& attrs) {
  NodeBuilder node(graph, "OneShotIterator", attrs.name);
  node.Attr("dataset_factory", dataset_factory);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output OptimizeDataset(Graph& graph, const Input& input_dataset, const Input& optimizations, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OptimizeDatasetAttrs& attrs) {
  NodeBuilder node(graph, "OptimizeDataset", attrs.name);
  node.In(input_dataset);
  node.In(optimizations);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("optimization_configs", attrs.optimization_configs);
  return node.BuildOutput();
}
Output OptimizeDataset(const Input& input_dataset, const Input& optimizations, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OptimizeDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{optimizations}});
  if (graph == nullptr) return {};
  return OptimizeDataset(*graph, input_dataset, optimizations, output_types, output_shapes, attrs);
}

Output PaddedBatchDataset(Graph& graph, const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetAttrs& attrs) {
  NodeBuilder node(graph, "PaddedBatchDataset", attrs.name);
  node.In(input_dataset);
  node.In(batch_size);
  node.In(padded_shapes);
  node.In(padding_values);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output PaddedBatchDataset(const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{batch_size}, padded_shapes, padding_values});
  if (graph == nullptr) return {};
  return PaddedBatchDataset(*graph, input_dataset, batch_size, padded_shapes, padding_values, output_shapes, attrs);
}

Output PaddedBatchDatasetV2(Graph& graph, const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const Input& drop_remainder, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetV2Attrs& attrs) {
  NodeBuilder node(graph, "PaddedBatchDatasetV2", attrs.name);
  node.In(input_dataset);
  node.In(batch_size);
  node.In(padded_shapes);
  node.In(padding_values);
  node.In(drop_remainder);
  node.Attr("output_shapes", output_shapes);
  node.Attr("parallel_copy", attrs.parallel_copy);
  return node.BuildOutput();
}
Output PaddedBatchDatasetV2(const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const Input& drop_remainder, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{batch_size}, padded_shapes, padding_values, InputList{drop_remainder}});
  if (graph == nullptr) return {};
  return PaddedBatchDatasetV2(*graph, input_dataset, batch_size, padded_shapes, padding_values, drop_remainder, output_shapes, attrs);
}

Output ParallelInterleaveDatasetV2(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV2Attrs& attrs) {
  NodeBuilder node(graph, "ParallelInterleaveDatasetV2", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.In(cycle_length);
  node.In(block_length);
  node.In(num_parallel_calls);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("sloppy", attrs.sloppy);
  return node.BuildOutput();
}
Output ParallelInterleaveDatasetV2(const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments, InputList{cycle_length}, InputList{block_length}, InputList{num_parallel_calls}});
  if (graph == nullptr) return {};
  return ParallelInterleaveDatasetV2(*graph, input_dataset, other_arguments, cycle_length, block_length, num_parallel_calls, f, output_types, output_shapes, attrs);
}

Output ParallelMapDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ParallelMapDataset", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.In(num_parallel_calls);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("use_inter_op_parallelism", attrs.use_inter_op_parallelism);
  node.Attr("sloppy", attrs.sloppy);
  node.Attr("preserve_cardinality", attrs.preserve_cardinality);
  return node.BuildOutput();
}
Output ParallelMapDataset(const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments, InputList{num_parallel_calls}});
  if (graph == nullptr) return {};
  return ParallelMapDataset(*graph, input_dataset, other_arguments, num_parallel_calls, f, output_types, output_shapes, attrs);
}

Output ParallelMapDatasetV2(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetV2Attrs& attrs) {
  NodeBuilder node(graph, "ParallelMapDatasetV2", attrs.name);
  node.In(input_dataset);
  node.In(other_arguments);
  node.In(num_parallel_calls);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("use_inter_op_parallelism", attrs.use_inter_op_parallelism);
  node.Attr("deterministic", attrs.deterministic);
  node.Attr("preserve_cardinality", attrs.preserve_cardinality);
  return node.BuildOutput();
}
Output ParallelMapDatasetV2(const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, other_arguments, InputList{num_parallel_calls}});
  if (graph == nullptr) return {};
  return ParallelMapDatasetV2(*graph, input_dataset, other_arguments, num_parallel_calls, f, output_types, output_shapes, attrs);
}

Output PrefetchDataset(Graph& graph, const Input& input_dataset, const Input& buffer_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const PrefetchDatasetAttrs& attrs) {
  NodeBuilder node(graph, "PrefetchDataset", attrs.name);
  node.In(input_dataset);
  node.In(buffer_size);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("slack_period", attrs.slack_period);
  node.Attr("legacy_autotune", attrs.legacy_autotune);
  return node.BuildOutput();
}
Output PrefetchDataset(const Input& input_dataset, const Input& buffer_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const PrefetchDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{buffer_size}});
  if (graph == nullptr) return {};
  return PrefetchDataset(*graph, input_dataset, buffer_size, output_types, output_shapes, attrs);
}

Output RangeDataset(Graph& graph, const Input& start, const Input& stop, const Input& step, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RangeDatasetAttrs& attrs) {
  NodeBuilder node(graph, "RangeDataset", attrs.name);
  node.In(start);
  node.In(stop);
  node.In(step);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output RangeDataset(const Input& start, const Input& stop, const Input& step, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RangeDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{start}, InputList{stop}, InputList{step}});
  if (graph == nullptr) return {};
  return RangeDataset(*graph, start, stop, step, output_types, output_shapes, attrs);
}

OutputList ReduceDataset(Graph& graph, const Input& input_dataset, const InputList& initial_state, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ReduceDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ReduceDataset", attrs.name);
  node.In(input_dataset);
  node.In(initial_state);
  node.In(other_arguments);
  node.Attr("f", f);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("use_inter_op_parallelism", attrs.use_inter_op_parallelism);
  return node.BuildOutputs();
}
OutputList ReduceDataset(const Input& input_dataset, const InputList& initial_state, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ReduceDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, initial_state, other_arguments});
  if (graph == nullptr) return {};
  return ReduceDataset(*graph, input_dataset, initial_state, other_arguments, f, output_types, output_shapes, attrs);
}

Output RepeatDataset(Graph& graph, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RepeatDatasetAttrs& attrs) {
  NodeBuilder node(graph, "RepeatDataset", attrs.name);
  node.In(input_dataset);
  node.In(count);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output RepeatDataset(const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RepeatDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{count}});
  if (graph == nullptr) return {};
  return RepeatDataset(*graph, input_dataset, count, output_types, output_shapes, attrs);
}

Output ShardDataset(Graph& graph, const Input& input_dataset, const Input& num_shards, const Input& index, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShardDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ShardDataset", attrs.name);
  node.In(input_dataset);
  node.In(num_shards);
  node.In(index);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("require_non_empty", attrs.require_non_empty);
  return node.BuildOutput();
}
Output ShardDataset(const Input& input_dataset, const Input& num_shards, const Input& index, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShardDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{num_shards}, InputList{index}});
  if (graph == nullptr) return {};
  return ShardDataset(*graph, input_dataset, num_shards, index, output_types, output_shapes, attrs);
}

Output ShuffleAndRepeatDataset(Graph& graph, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleAndRepeatDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ShuffleAndRepeatDataset", attrs.name);
  node.In(input_dataset);
  node.In(buffer_size);
  node.In(seed);
  node.In(seed2);
  node.In(count);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output ShuffleAndRepeatDataset(const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleAndRepeatDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{buffer_size}, InputList{seed}, InputList{seed2}, InputList{count}});
  if (graph == nullptr) return {};
  return ShuffleAndRepeatDataset(*graph, input_dataset, buffer_size, seed, seed2, count, output_types, output_shapes, attrs);
}

Output ShuffleDataset(Graph& graph, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ShuffleDataset", attrs.name);
  node.In(input_dataset);
  node.In(buffer_size);
  node.In(seed);
  node.In(seed2);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  node.Attr("reshuffle_each_iteration", attrs.reshuffle_each_iteration);
  return node.BuildOutput();
}
Output ShuffleDataset(const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{buffer_size}, InputList{seed}, InputList{seed2}});
  if (graph == nullptr) return {};
  return ShuffleDataset(*graph, input_dataset, buffer_size, seed, seed2, output_types, output_shapes, attrs);
}

Output SkipDataset(Graph& graph, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const SkipDatasetAttrs& attrs) {
  NodeBuilder node(graph, "SkipDataset", attrs.name);
  node.In(input_dataset);
  node.In(count);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output SkipDataset(const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const SkipDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{count}});
  if (graph == nullptr) return {};
  return SkipDataset(*graph, input_dataset, count, output_types, output_shapes, attrs);
}

Output TFRecordDataset(Graph& graph, const Input& filenames, const Input& compression_type, const Input& buffer_size, const TFRecordDatasetAttrs& attrs) {
  NodeBuilder node(graph, "TFRecordDataset", attrs.name);
  node.In(filenames);
  node.In(compression_type);
  node.In(buffer_size);
  return node.BuildOutput();
}
Output TFRecordDataset(const Input& filenames, const Input& compression_type, const Input& buffer_size, const TFRecordDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filenames}, InputList{compression_type}, InputList{buffer_size}});
  if (graph == nullptr) return {};
  return TFRecordDataset(*graph, filenames, compression_type, buffer_size, attrs);
}

Output TakeDataset(Graph& graph, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const TakeDatasetAttrs& attrs) {
  NodeBuilder node(graph, "TakeDataset", attrs.name);
  node.In(input_dataset);
  node.In(count);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output TakeDataset(const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const TakeDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{count}});
  if (graph == nullptr) return {};
  return TakeDataset(*graph, input_dataset, count, output_types, output_shapes, attrs);
}

Output TensorDataset(Graph& graph, const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorDatasetAttrs& attrs) {
  NodeBuilder node(graph, "TensorDataset", attrs.name);
  node.In(components);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output TensorDataset(const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({components});
  if (graph == nullptr) return {};
  return TensorDataset(*graph, components, output_shapes, attrs);
}

Output TensorSliceDataset(Graph& graph, const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorSliceDatasetAttrs& attrs) {
  NodeBuilder node(graph, "TensorSliceDataset", attrs.name);
  node.In(components);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output TensorSliceDataset(const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorSliceDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({components});
  if (graph == nullptr) return {};
  return TensorSliceDataset(*graph, components, output_shapes, attrs);
}

Output TextLineDataset(Graph& graph, const Input& filenames, const Input& compression_type, const Input& buffer_size, const TextLineDatasetAttrs& attrs) {
  NodeBuilder node(graph, "TextLineDataset", attrs.name);
  node.In(filenames);
  node.In(compression_type);
  node.In(buffer_size);
  return node.BuildOutput();
}
Output TextLineDataset(const Input& filenames, const Input& compression_type, const Input& buffer_size, const TextLineDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filenames}, InputList{compression_type}, InputList{buffer_size}});
  if (graph == nullptr) return {};
  return TextLineDataset(*graph, filenames, compression_type, buffer_size, attrs);
}

Output UnbatchDataset(Graph& graph, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const UnbatchDatasetAttrs& attrs) {
  NodeBuilder node(graph, "UnbatchDataset", attrs.name);
  node.In(input_dataset);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output UnbatchDataset(const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const UnbatchDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}});
  if (graph == nullptr) return {};
  return UnbatchDataset(*graph, input_dataset, output_types, output_shapes, attrs);
}

Output WindowDataset(Graph& graph, const Input& input_dataset, const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const WindowDatasetAttrs& attrs) {
  NodeBuilder node(graph, "WindowDataset", attrs.name);
  node.In(input_dataset);
  node.In(size);
  node.In(shift);
  node.In(stride);
  node.In(drop_remainder);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output WindowDataset(const Input& input_dataset, const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const WindowDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_dataset}, InputList{size}, InputList{shift}, InputList{stride}, InputList{drop_remainder}});
  if (graph == nullptr) return {};
  return WindowDataset(*graph, input_dataset, size, shift, stride, drop_remainder, output_types, output_shapes, attrs);
}

Output ZipDataset(Graph& graph, const InputList& input_datasets, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ZipDatasetAttrs& attrs) {
  NodeBuilder node(graph, "ZipDataset", attrs.name);
  node.In(input_datasets);
  node.Attr("output_types", output_types);
  node.Attr("output_shapes", output_shapes);
  return node.BuildOutput();
}
Output ZipDataset(const InputList& input_datasets, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ZipDatasetAttrs& attrs) {
  Graph* graph = GraphOfAll({input_datasets});
  if (graph == nullptr) return {};
  return ZipDataset(*graph, input_datasets, output_types, output_shapes, attrs);
}

}  // namespace weir
