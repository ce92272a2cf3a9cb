// Graph-building functions for the ops of ops/data, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_DATA_OPS_H_
#define WEIR_GRAPH_BUILD_DATA_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct BatchDatasetAttrs {
  std::string name = "";
};
Output BatchDataset(Graph& graph, const Input& input_dataset, const Input& batch_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetAttrs& attrs = {});
Output BatchDataset(const Input& input_dataset, const Input& batch_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetAttrs& attrs = {});

struct BatchDatasetV2Attrs {
  bool parallel_copy = false;
  std::string name = "";
};
Output BatchDatasetV2(Graph& graph, const Input& input_dataset, const Input& batch_size, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetV2Attrs& attrs = {});
Output BatchDatasetV2(const Input& input_dataset, const Input& batch_size, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetV2Attrs& attrs = {});

struct CacheDatasetAttrs {
  std::string name = "";
};
Output CacheDataset(Graph& graph, const Input& input_dataset, const Input& filename, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const CacheDatasetAttrs& attrs = {});
Output CacheDataset(const Input& input_dataset, const Input& filename, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const CacheDatasetAttrs& attrs = {});

struct ConcatenateDatasetAttrs {
  std::string name = "";
};
Output ConcatenateDataset(Graph& graph, const Input& input_dataset, const Input& another_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ConcatenateDatasetAttrs& attrs = {});
Output ConcatenateDataset(const Input& input_dataset, const Input& another_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ConcatenateDatasetAttrs& attrs = {});

struct DatasetToSingleElementAttrs {
  std::string name = "";
};
OutputList DatasetToSingleElement(Graph& graph, const Input& dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const DatasetToSingleElementAttrs& attrs = {});
OutputList DatasetToSingleElement(const Input& dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const DatasetToSingleElementAttrs& attrs = {});

struct FilterDatasetAttrs {
  std::string name = "";
};
Output FilterDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const FuncAttr& predicate, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FilterDatasetAttrs& attrs = {});
Output FilterDataset(const Input& input_dataset, const InputList& other_arguments, const FuncAttr& predicate, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FilterDatasetAttrs& attrs = {});

struct FixedLengthRecordDatasetAttrs {
  std::string name = "";
};
Output FixedLengthRecordDataset(Graph& graph, const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const FixedLengthRecordDatasetAttrs& attrs = {});
Output FixedLengthRecordDataset(const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const FixedLengthRecordDatasetAttrs& attrs = {});

struct FixedLengthRecordDatasetV2Attrs {
  std::string name = "";
};
Output FixedLengthRecordDatasetV2(Graph& graph, const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const Input& compression_type, const FixedLengthRecordDatasetV2Attrs& attrs = {});
Output FixedLengthRecordDatasetV2(const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const Input& compression_type, const FixedLengthRecordDatasetV2Attrs& attrs = {});

struct FlatMapDatasetAttrs {
  std::string name = "";
};
Output FlatMapDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FlatMapDatasetAttrs& attrs = {});
Output FlatMapDataset(const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FlatMapDatasetAttrs& attrs = {});

struct GeneratorDatasetAttrs {
  std::string name = "";
};
Output GeneratorDataset(Graph& graph, const InputList& init_func_other_args, const InputList& next_func_other_args, const InputList& finalize_func_other_args, const FuncAttr& init_func, const FuncAttr& next_func, const FuncAttr& finalize_func, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const GeneratorDatasetAttrs& attrs = {});
Output GeneratorDataset(const InputList& init_func_other_args, const InputList& next_func_other_args, const InputList& finalize_func_other_args, const FuncAttr& init_func, const FuncAttr& next_func, const FuncAttr& finalize_func, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const GeneratorDatasetAttrs& attrs = {});

struct IgnoreErrorsDatasetAttrs {
  bool log_warning = false;
  std::string name = "";
};
Output IgnoreErrorsDataset(Graph& graph, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IgnoreErrorsDatasetAttrs& attrs = {});
Output IgnoreErrorsDataset(const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IgnoreErrorsDatasetAttrs& attrs = {});

struct InterleaveDatasetAttrs {
  std::string name = "";
};
Output InterleaveDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const InterleaveDatasetAttrs& attrs = {});
Output InterleaveDataset(const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const InterleaveDatasetAttrs& attrs = {});

struct IteratorAttrs {
  std::string name = "";
};
Output Iterator(Graph& graph, const std::string& shared_name, const std::string& container, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorAttrs& attrs = {});

struct IteratorFromStringHandleAttrs {
  std::vector<DType> output_types = {};
  std::vector<PartialShape> output_shapes = {};
  std::string name = "";
};
Output IteratorFromStringHandle(Graph& graph, const Input& string_handle, const IteratorFromStringHandleAttrs& attrs = {});
Output IteratorFromStringHandle(const Input& string_handle, const IteratorFromStringHandleAttrs& attrs = {});

struct IteratorFromStringHandleV2Attrs {
  std::vector<DType> output_types = {};
  std::vector<PartialShape> output_shapes = {};
  std::string name = "";
};
Output IteratorFromStringHandleV2(Graph& graph, const Input& string_handle, const IteratorFromStringHandleV2Attrs& attrs = {});
Output IteratorFromStringHandleV2(const Input& string_handle, const IteratorFromStringHandleV2Attrs& attrs = {});

struct IteratorGetNextAttrs {
  std::string name = "";
};
OutputList IteratorGetNext(Graph& graph, const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextAttrs& attrs = {});
OutputList IteratorGetNext(const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextAttrs& attrs = {});

struct IteratorGetNextSyncAttrs {
  std::string name = "";
};
OutputList IteratorGetNextSync(Graph& graph, const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextSyncAttrs& attrs = {});
OutputList IteratorGetNextSync(const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorGetNextSyncAttrs& attrs = {});

struct IteratorToStringHandleAttrs {
  std::string name = "";
};
Output IteratorToStringHandle(Graph& graph, const Input& resource_handle, const IteratorToStringHandleAttrs& attrs = {});
Output IteratorToStringHandle(const Input& resource_handle, const IteratorToStringHandleAttrs& attrs = {});

struct IteratorV2Attrs {
  std::string name = "";
};
Output IteratorV2(Graph& graph, const std::string& shared_name, const std::string& container, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const IteratorV2Attrs& attrs = {});

struct MakeIteratorAttrs {
  std::string name = "";
};
Node* MakeIterator(Graph& graph, const Input& dataset, const Input& iterator, const MakeIteratorAttrs& attrs = {});
Node* MakeIterator(const Input& dataset, const Input& iterator, const MakeIteratorAttrs& attrs = {});

struct MapAndBatchDatasetAttrs {
  bool preserve_cardinality = false;
  std::string name = "";
};
Output MapAndBatchDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls, const Input& drop_remainder, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapAndBatchDatasetAttrs& attrs = {});
Output MapAndBatchDataset(const Input& input_dataset, const InputList& other_arguments, const Input& batch_size, const Input& num_parallel_calls, const Input& drop_remainder, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapAndBatchDatasetAttrs& attrs = {});

struct MapDatasetAttrs {
  bool use_inter_op_parallelism = true;
  bool preserve_cardinality = false;
  std::string name = "";
};
Output MapDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapDatasetAttrs& attrs = {});
Output MapDataset(const Input& input_dataset, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapDatasetAttrs& attrs = {});

struct ModelDatasetAttrs {
  int64_t algorithm = 0;
  int64_t cpu_budget = 0;
  std::string name = "";
};
Output ModelDataset(Graph& graph, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ModelDatasetAttrs& attrs = {});
Output ModelDataset(const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ModelDatasetAttrs& attrs = {});

struct OneShotIteratorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output OneShotIterator(Graph& graph, const FuncAttr& dataset_factory, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OneShotIteratorAttrs& attrs = {});

struct OptimizeDatasetAttrs {
  std::vector<std::string> optimization_configs = {};
  std::string name = "";
};
Output OptimizeDataset(Graph& graph, const Input& input_dataset, const Input& optimizations, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OptimizeDatasetAttrs& attrs = {});
Output OptimizeDataset(const Input& input_dataset, const Input& optimizations, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OptimizeDatasetAttrs& attrs = {});

struct PaddedBatchDatasetAttrs {
  std::string name = "";
};
Output PaddedBatchDataset(Graph& graph, const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetAttrs& attrs = {});
Output PaddedBatchDataset(const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetAttrs& attrs = {});

struct PaddedBatchDatasetV2Attrs {
  bool parallel_copy = false;
  std::string name = "";
};
Output PaddedBatchDatasetV2(Graph& graph, const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const Input& drop_remainder, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetV2Attrs& attrs = {});
Output PaddedBatchDatasetV2(const Input& input_dataset, const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values, const Input& drop_remainder, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetV2Attrs& attrs = {});

struct ParallelInterleaveDatasetV2Attrs {
  bool sloppy = false;
  std::string name = "";
};
Output ParallelInterleaveDatasetV2(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV2Attrs& attrs = {});
Output ParallelInterleaveDatasetV2(const Input& input_dataset, const InputList& other_arguments, const Input& cycle_length, const Input& block_length, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV2Attrs& attrs = {});

struct ParallelMapDatasetAttrs {
  bool use_inter_op_parallelism = true;
  bool sloppy = false;
  bool preserve_cardinality = false;
  std::string name = "";
};
Output ParallelMapDataset(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetAttrs& attrs = {});
Output ParallelMapDataset(const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetAttrs& attrs = {});

struct ParallelMapDatasetV2Attrs {
  bool use_inter_op_parallelism = true;
  std::string deterministic = "default";
  bool preserve_cardinality = false;
  std::string name = "";
};
Output ParallelMapDatasetV2(Graph& graph, const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetV2Attrs& attrs = {});
Output ParallelMapDatasetV2(const Input& input_dataset, const InputList& other_arguments, const Input& num_parallel_calls, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetV2Attrs& attrs = {});

struct PrefetchDatasetAttrs {
  int64_t slack_period = 0;
  bool legacy_autotune = true;
  std::string name = "";
};
Output PrefetchDataset(Graph& graph, const Input& input_dataset, const Input& buffer_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const PrefetchDatasetAttrs& attrs = {});
Output PrefetchDataset(const Input& input_dataset, const Input& buffer_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const PrefetchDatasetAttrs& attrs = {});

struct RangeDatasetAttrs {
  std::string name = "";
};
Output RangeDataset(Graph& graph, const Input& start, const Input& stop, const Input& step, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RangeDatasetAttrs& attrs = {});
Output RangeDataset(const Input& start, const Input& stop, const Input& step, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RangeDatasetAttrs& attrs = {});

struct ReduceDatasetAttrs {
  bool use_inter_op_parallelism = true;
  std::string name = "";
};
OutputList ReduceDataset(Graph& graph, const Input& input_dataset, const InputList& initial_state, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ReduceDatasetAttrs& attrs = {});
OutputList ReduceDataset(const Input& input_dataset, const InputList& initial_state, const InputList& other_arguments, const FuncAttr& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ReduceDatasetAttrs& attrs = {});

struct RepeatDatasetAttrs {
  std::string name = "";
};
Output RepeatDataset(Graph& graph, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RepeatDatasetAttrs& attrs = {});
Output RepeatDataset(const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RepeatDatasetAttrs& attrs = {});

struct ShardDatasetAttrs {
  bool require_non_empty = false;
  std::string name = "";
};
Output ShardDataset(Graph& graph, const Input& input_dataset, const Input& num_shards, const Input& index, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShardDatasetAttrs& attrs = {});
Output ShardDataset(const Input& input_dataset, const Input& num_shards, const Input& index, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShardDatasetAttrs& attrs = {});

struct ShuffleAndRepeatDatasetAttrs {
  std::string name = "";
};
Output ShuffleAndRepeatDataset(Graph& graph, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleAndRepeatDatasetAttrs& attrs = {});
Output ShuffleAndRepeatDataset(const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleAndRepeatDatasetAttrs& attrs = {});

struct ShuffleDatasetAttrs {
  bool reshuffle_each_iteration = true;
  std::string name = "";
};
Output ShuffleDataset(Graph& graph, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleDatasetAttrs& attrs = {});
Output ShuffleDataset(const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleDatasetAttrs& attrs = {});

struct SkipDatasetAttrs {
  std::string name = "";
};
Output SkipDataset(Graph& graph, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const SkipDatasetAttrs& attrs = {});
Output SkipDataset(const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const SkipDatasetAttrs& attrs = {});

struct TFRecordDatasetAttrs {
  std::string name = "";
};
Output TFRecordDataset(Graph& graph, const Input& filenames, const Input& compression_type, const Input& buffer_size, const TFRecordDatasetAttrs& attrs = {});
Output TFRecordDataset(const Input& filenames, const Input& compression_type, const Input& buffer_size, const TFRecordDatasetAttrs& attrs = {});

struct TakeDatasetAttrs {
  std::string name = "";
};
Output TakeDataset(Graph& graph, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const TakeDatasetAttrs& attrs = {});
Output TakeDataset(const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const TakeDatasetAttrs& attrs = {});

struct TensorDatasetAttrs {
  std::string name = "";
};
Output TensorDataset(Graph& graph, const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorDatasetAttrs& attrs = {});
Output TensorDataset(const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorDatasetAttrs& attrs = {});

struct TensorSliceDatasetAttrs {
  std::string name = "";
};
Output TensorSliceDataset(Graph& graph, const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorSliceDatasetAttrs& attrs = {});
Output TensorSliceDataset(const InputList& components, const std::vector<PartialShape>& output_shapes, const TensorSliceDatasetAttrs& attrs = {});

struct TextLineDatasetAttrs {
  std::string name = "";
};
Output TextLineDataset(Graph& graph, const Input& filenames, const Input& compression_type, const Input& buffer_size, const TextLineDatasetAttrs& attrs = {});
Output TextLineDataset(const Input& filenames, const Input& compression_type, const Input& buffer_size, const TextLineDatasetAttrs& attrs = {});

struct UnbatchDatasetAttrs {
  std::string name = "";
};
Output UnbatchDataset(Graph& graph, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const UnbatchDatasetAttrs& attrs = {});
Output UnbatchDataset(const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const UnbatchDatasetAttrs& attrs = {});

struct WindowDatasetAttrs {
  std::string name = "";
};
Output WindowDataset(Graph& graph, const Input& input_dataset, const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const WindowDatasetAttrs& attrs = {});
Output WindowDataset(const Input& input_dataset, const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const WindowDatasetAttrs& attrs = {});

struct ZipDatasetAttrs {
  std::string name = "";
};
Output ZipDataset(Graph& graph, const InputList& input_datasets, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ZipDatasetAttrs& attrs = {});
Output ZipDataset(const InputList& input_datasets, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ZipDatasetAttrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_DATA_OPS_H_
