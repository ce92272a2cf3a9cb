// Graph-building functions for the ops of ops/io, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_IO_OPS_H_
#define WEIR_GRAPH_BUILD_IO_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct AddManySparseToTensorsMapAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output AddManySparseToTensorsMap(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddManySparseToTensorsMapAttrs& attrs = {});
Output AddManySparseToTensorsMap(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddManySparseToTensorsMapAttrs& attrs = {});

struct AddSparseToTensorsMapAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output AddSparseToTensorsMap(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddSparseToTensorsMapAttrs& attrs = {});
Output AddSparseToTensorsMap(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddSparseToTensorsMapAttrs& attrs = {});

struct AudioSummaryAttrs {
  int64_t max_outputs = 3;
  std::string name = "";
};
Output AudioSummary(Graph& graph, const Input& tag, const Input& tensor, float sample_rate, const AudioSummaryAttrs& attrs = {});
Output AudioSummary(const Input& tag, const Input& tensor, float sample_rate, const AudioSummaryAttrs& attrs = {});

struct AudioSummaryV2Attrs {
  int64_t max_outputs = 3;
  std::string name = "";
};
Output AudioSummaryV2(Graph& graph, const Input& tag, const Input& tensor, const Input& sample_rate, const AudioSummaryV2Attrs& attrs = {});
Output AudioSummaryV2(const Input& tag, const Input& tensor, const Input& sample_rate, const AudioSummaryV2Attrs& attrs = {});

struct DecodeCompressedAttrs {
  std::string compression_type = "";
  std::string name = "";
};
Output DecodeCompressed(Graph& graph, const Input& bytes, const DecodeCompressedAttrs& attrs = {});
Output DecodeCompressed(const Input& bytes, const DecodeCompressedAttrs& attrs = {});

struct DecodeJSONExampleAttrs {
  std::string name = "";
};
Output DecodeJSONExample(Graph& graph, const Input& json_examples, const DecodeJSONExampleAttrs& attrs = {});
Output DecodeJSONExample(const Input& json_examples, const DecodeJSONExampleAttrs& attrs = {});

struct DeserializeManySparseAttrs {
  std::string name = "";
};
struct DeserializeManySparseResult {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_shape;
};
DeserializeManySparseResult DeserializeManySparse(Graph& graph, const Input& serialized_sparse, DType dtype, const DeserializeManySparseAttrs& attrs = {});
DeserializeManySparseResult DeserializeManySparse(const Input& serialized_sparse, DType dtype, const DeserializeManySparseAttrs& attrs = {});

struct DeserializeSparseAttrs {
  std::string name = "";
};
struct DeserializeSparseResult {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_shape;
};
DeserializeSparseResult DeserializeSparse(Graph& graph, const Input& serialized_sparse, DType dtype, const DeserializeSparseAttrs& attrs = {});
DeserializeSparseResult DeserializeSparse(const Input& serialized_sparse, DType dtype, const DeserializeSparseAttrs& attrs = {});

struct FixedLengthRecordReaderAttrs {
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output FixedLengthRecordReader(Graph& graph, int64_t record_bytes, const FixedLengthRecordReaderAttrs& attrs = {});

struct FixedLengthRecordReaderV2Attrs {
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string encoding = "";
  std::string name = "";
};
Output FixedLengthRecordReaderV2(Graph& graph, int64_t record_bytes, const FixedLengthRecordReaderV2Attrs& attrs = {});

struct HistogramSummaryAttrs {
  std::string name = "";
};
Output HistogramSummary(Graph& graph, const Input& tag, const Input& values, const HistogramSummaryAttrs& attrs = {});
Output HistogramSummary(const Input& tag, const Input& values, const HistogramSummaryAttrs& attrs = {});

struct IdentityReaderAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output IdentityReader(Graph& graph, const IdentityReaderAttrs& attrs = {});

struct IdentityReaderV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output IdentityReaderV2(Graph& graph, const IdentityReaderV2Attrs& attrs = {});

struct ImageSummaryAttrs {
  int64_t max_images = 3;
  std::optional<Tensor> bad_color;
  std::string name = "";
};
Output ImageSummary(Graph& graph, const Input& tag, const Input& tensor, const ImageSummaryAttrs& attrs = {});
Output ImageSummary(const Input& tag, const Input& tensor, const ImageSummaryAttrs& attrs = {});

struct MergeSummaryAttrs {
  std::string name = "";
};
Output MergeSummary(Graph& graph, const InputList& inputs, const MergeSummaryAttrs& attrs = {});
Output MergeSummary(const InputList& inputs, const MergeSummaryAttrs& attrs = {});

struct MergeV2CheckpointsAttrs {
  bool delete_old_dirs = true;
  std::string name = "";
};
Node* MergeV2Checkpoints(Graph& graph, const Input& checkpoint_prefixes, const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs = {});
Node* MergeV2Checkpoints(const Input& checkpoint_prefixes, const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs = {});

struct ParseExampleAttrs {
  std::string name = "";
};
OutputList ParseExample(Graph& graph, const Input& serialized, const Input& names, const InputList& sparse_keys, const InputList& dense_keys, const InputList& dense_defaults, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleAttrs& attrs = {});
OutputList ParseExample(const Input& serialized, const Input& names, const InputList& sparse_keys, const InputList& dense_keys, const InputList& dense_defaults, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleAttrs& attrs = {});

struct ParseExampleV2Attrs {
  std::string name = "";
};
OutputList ParseExampleV2(Graph& graph, const Input& serialized, const Input& names, const Input& sparse_keys, const Input& dense_keys, const Input& ragged_keys, const InputList& dense_defaults, int64_t num_sparse, const std::vector<DType>& sparse_types, const std::vector<DType>& ragged_value_types, const std::vector<DType>& ragged_split_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleV2Attrs& attrs = {});
OutputList ParseExampleV2(const Input& serialized, const Input& names, const Input& sparse_keys, const Input& dense_keys, const Input& ragged_keys, const InputList& dense_defaults, int64_t num_sparse, const std::vector<DType>& sparse_types, const std::vector<DType>& ragged_value_types, const std::vector<DType>& ragged_split_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleV2Attrs& attrs = {});

struct ParseSequenceExampleAttrs {
  int64_t Ncontext_sparse = 0;
  int64_t Ncontext_dense = 0;
  int64_t Nfeature_list_sparse = 0;
  int64_t Nfeature_list_dense = 0;
  std::vector<DType> context_sparse_types = {};
  std::vector<DType> feature_list_dense_types = {};
  std::vector<PartialShape> context_dense_shapes = {};
  std::vector<DType> feature_list_sparse_types = {};
  std::vector<PartialShape> feature_list_dense_shapes = {};
  std::string name = "";
};
OutputList ParseSequenceExample(Graph& graph, const Input& serialized, const Input& debug_name, const InputList& context_dense_defaults, const std::vector<std::string>& feature_list_dense_missing_assumed_empty, const std::vector<std::string>& context_sparse_keys, const std::vector<std::string>& context_dense_keys, const std::vector<std::string>& feature_list_sparse_keys, const std::vector<std::string>& feature_list_dense_keys, const ParseSequenceExampleAttrs& attrs = {});
OutputList ParseSequenceExample(const Input& serialized, const Input& debug_name, const InputList& context_dense_defaults, const std::vector<std::string>& feature_list_dense_missing_assumed_empty, const std::vector<std::string>& context_sparse_keys, const std::vector<std::string>& context_dense_keys, const std::vector<std::string>& feature_list_sparse_keys, const std::vector<std::string>& feature_list_dense_keys, const ParseSequenceExampleAttrs& attrs = {});

struct ParseSingleExampleAttrs {
  std::string name = "";
};
OutputList ParseSingleExample(Graph& graph, const Input& serialized, const InputList& dense_defaults, int64_t num_sparse, const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseSingleExampleAttrs& attrs = {});
OutputList ParseSingleExample(const Input& serialized, const InputList& dense_defaults, int64_t num_sparse, const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseSingleExampleAttrs& attrs = {});

struct ParseSingleSequenceExampleAttrs {
  std::vector<DType> context_sparse_types = {};
  std::vector<DType> feature_list_dense_types = {};
  std::vector<PartialShape> context_dense_shapes = {};
  std::vector<DType> feature_list_sparse_types = {};
  std::vector<PartialShape> feature_list_dense_shapes = {};
  std::string name = "";
};
OutputList ParseSingleSequenceExample(Graph& graph, const Input& serialized, const Input& feature_list_dense_missing_assumed_empty, const InputList& context_sparse_keys, const InputList& context_dense_keys, const InputList& feature_list_sparse_keys, const InputList& feature_list_dense_keys, const InputList& context_dense_defaults, const Input& debug_name, const ParseSingleSequenceExampleAttrs& attrs = {});
OutputList ParseSingleSequenceExample(const Input& serialized, const Input& feature_list_dense_missing_assumed_empty, const InputList& context_sparse_keys, const InputList& context_dense_keys, const InputList& feature_list_sparse_keys, const InputList& feature_list_dense_keys, const InputList& context_dense_defaults, const Input& debug_name, const ParseSingleSequenceExampleAttrs& attrs = {});

struct ParseTensorAttrs {
  std::string name = "";
};
Output ParseTensor(Graph& graph, const Input& serialized, DType out_type, const ParseTensorAttrs& attrs = {});
Output ParseTensor(const Input& serialized, DType out_type, const ParseTensorAttrs& attrs = {});

struct ReaderNumRecordsProducedAttrs {
  std::string name = "";
};
Output ReaderNumRecordsProduced(Graph& graph, const Input& reader_handle, const ReaderNumRecordsProducedAttrs& attrs = {});
Output ReaderNumRecordsProduced(const Input& reader_handle, const ReaderNumRecordsProducedAttrs& attrs = {});

struct ReaderNumRecordsProducedV2Attrs {
  std::string name = "";
};
Output ReaderNumRecordsProducedV2(Graph& graph, const Input& reader_handle, const ReaderNumRecordsProducedV2Attrs& attrs = {});
Output ReaderNumRecordsProducedV2(const Input& reader_handle, const ReaderNumRecordsProducedV2Attrs& attrs = {});

struct ReaderNumWorkUnitsCompletedAttrs {
  std::string name = "";
};
Output ReaderNumWorkUnitsCompleted(Graph& graph, const Input& reader_handle, const ReaderNumWorkUnitsCompletedAttrs& attrs = {});
Output ReaderNumWorkUnitsCompleted(const Input& reader_handle, const ReaderNumWorkUnitsCompletedAttrs& attrs = {});

struct ReaderNumWorkUnitsCompletedV2Attrs {
  std::string name = "";
};
Output ReaderNumWorkUnitsCompletedV2(Graph& graph, const Input& reader_handle, const ReaderNumWorkUnitsCompletedV2Attrs& attrs = {});
Output ReaderNumWorkUnitsCompletedV2(const Input& reader_handle, const ReaderNumWorkUnitsCompletedV2Attrs& attrs = {});

struct ReaderReadAttrs {
  std::string name = "";
};
struct ReaderReadResult {
  Output key;
  Output value;
};
ReaderReadResult ReaderRead(Graph& graph, const Input& reader_handle, const Input& queue_handle, const ReaderReadAttrs& attrs = {});
ReaderReadResult ReaderRead(const Input& reader_handle, const Input& queue_handle, const ReaderReadAttrs& attrs = {});

struct ReaderReadUpToAttrs {
  std::string name = "";
};
struct ReaderReadUpToResult {
  Output keys;
  Output values;
};
ReaderReadUpToResult ReaderReadUpTo(Graph& graph, const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToAttrs& attrs = {});
ReaderReadUpToResult ReaderReadUpTo(const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToAttrs& attrs = {});

struct ReaderReadUpToV2Attrs {
  std::string name = "";
};
struct ReaderReadUpToV2Result {
  Output keys;
  Output values;
};
ReaderReadUpToV2Result ReaderReadUpToV2(Graph& graph, const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToV2Attrs& attrs = {});
ReaderReadUpToV2Result ReaderReadUpToV2(const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToV2Attrs& attrs = {});

struct ReaderReadV2Attrs {
  std::string name = "";
};
struct ReaderReadV2Result {
  Output key;
  Output value;
};
ReaderReadV2Result ReaderReadV2(Graph& graph, const Input& reader_handle, const Input& queue_handle, const ReaderReadV2Attrs& attrs = {});
ReaderReadV2Result ReaderReadV2(const Input& reader_handle, const Input& queue_handle, const ReaderReadV2Attrs& attrs = {});

struct ReaderResetAttrs {
  std::string name = "";
};
Node* ReaderReset(Graph& graph, const Input& reader_handle, const ReaderResetAttrs& attrs = {});
Node* ReaderReset(const Input& reader_handle, const ReaderResetAttrs& attrs = {});

struct ReaderResetV2Attrs {
  std::string name = "";
};
Node* ReaderResetV2(Graph& graph, const Input& reader_handle, const ReaderResetV2Attrs& attrs = {});
Node* ReaderResetV2(const Input& reader_handle, const ReaderResetV2Attrs& attrs = {});

struct ReaderRestoreStateAttrs {
  std::string name = "";
};
Node* ReaderRestoreState(Graph& graph, const Input& reader_handle, const Input& state, const ReaderRestoreStateAttrs& attrs = {});
Node* ReaderRestoreState(const Input& reader_handle, const Input& state, const ReaderRestoreStateAttrs& attrs = {});

struct ReaderRestoreStateV2Attrs {
  std::string name = "";
};
Node* ReaderRestoreStateV2(Graph& graph, const Input& reader_handle, const Input& state, const ReaderRestoreStateV2Attrs& attrs = {});
Node* ReaderRestoreStateV2(const Input& reader_handle, const Input& state, const ReaderRestoreStateV2Attrs& attrs = {});

struct ReaderSerializeStateAttrs {
  std::string name = "";
};
Output ReaderSerializeState(Graph& graph, const Input& reader_handle, const ReaderSerializeStateAttrs& attrs = {});
Output ReaderSerializeState(const Input& reader_handle, const ReaderSerializeStateAttrs& attrs = {});

struct ReaderSerializeStateV2Attrs {
  std::string name = "";
};
Output ReaderSerializeStateV2(Graph& graph, const Input& reader_handle, const ReaderSerializeStateV2Attrs& attrs = {});
Output ReaderSerializeStateV2(const Input& reader_handle, const ReaderSerializeStateV2Attrs& attrs = {});

struct RestoreAttrs {
  int64_t preferred_shard = -1;
  std::string name = "";
};
Output Restore(Graph& graph, const Input& file_pattern, const Input& tensor_name, DType dt, const RestoreAttrs& attrs = {});
Output Restore(const Input& file_pattern, const Input& tensor_name, DType dt, const RestoreAttrs& attrs = {});

struct RestoreSliceAttrs {
  int64_t preferred_shard = -1;
  std::string name = "";
};
Output RestoreSlice(Graph& graph, const Input& file_pattern, const Input& tensor_name, const Input& shape_and_slice, DType dt, const RestoreSliceAttrs& attrs = {});
Output RestoreSlice(const Input& file_pattern, const Input& tensor_name, const Input& shape_and_slice, DType dt, const RestoreSliceAttrs& attrs = {});

struct RestoreV2Attrs {
  std::string name = "";
};
OutputList RestoreV2(Graph& graph, const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const std::vector<DType>& dtypes, const RestoreV2Attrs& attrs = {});
OutputList RestoreV2(const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const std::vector<DType>& dtypes, const RestoreV2Attrs& attrs = {});

struct SaveAttrs {
  std::string name = "";
};
Node* Save(Graph& graph, const Input& filename, const Input& tensor_names, const InputList& data, const SaveAttrs& attrs = {});
Node* Save(const Input& filename, const Input& tensor_names, const InputList& data, const SaveAttrs& attrs = {});

struct SaveSlicesAttrs {
  std::string name = "";
};
Node* SaveSlices(Graph& graph, const Input& filename, const Input& tensor_names, const Input& shapes_and_slices, const InputList& data, const SaveSlicesAttrs& attrs = {});
Node* SaveSlices(const Input& filename, const Input& tensor_names, const Input& shapes_and_slices, const InputList& data, const SaveSlicesAttrs& attrs = {});

struct SaveV2Attrs {
  std::string name = "";
};
Node* SaveV2(Graph& graph, const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const InputList& tensors, const SaveV2Attrs& attrs = {});
Node* SaveV2(const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const InputList& tensors, const SaveV2Attrs& attrs = {});

struct ScalarSummaryAttrs {
  std::string name = "";
};
Output ScalarSummary(Graph& graph, const Input& tags, const Input& values, const ScalarSummaryAttrs& attrs = {});
Output ScalarSummary(const Input& tags, const Input& values, const ScalarSummaryAttrs& attrs = {});

struct SerializeManySparseAttrs {
  DType out_type = kString;
  std::string name = "";
};
Output SerializeManySparse(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeManySparseAttrs& attrs = {});
Output SerializeManySparse(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeManySparseAttrs& attrs = {});

struct SerializeSparseAttrs {
  DType out_type = kString;
  std::string name = "";
};
Output SerializeSparse(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeSparseAttrs& attrs = {});
Output SerializeSparse(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeSparseAttrs& attrs = {});

struct SerializeTensorAttrs {
  std::string name = "";
};
Output SerializeTensor(Graph& graph, const Input& tensor, const SerializeTensorAttrs& attrs = {});
Output SerializeTensor(const Input& tensor, const SerializeTensorAttrs& attrs = {});

struct ShardedFilenameAttrs {
  std::string name = "";
};
Output ShardedFilename(Graph& graph, const Input& basename, const Input& shard, const Input& num_shards, const ShardedFilenameAttrs& attrs = {});
Output ShardedFilename(const Input& basename, const Input& shard, const Input& num_shards, const ShardedFilenameAttrs& attrs = {});

struct ShardedFilespecAttrs {
  std::string name = "";
};
Output ShardedFilespec(Graph& graph, const Input& basename, const Input& num_shards, const ShardedFilespecAttrs& attrs = {});
Output ShardedFilespec(const Input& basename, const Input& num_shards, const ShardedFilespecAttrs& attrs = {});

struct TFRecordReaderAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string compression_type = "";
  std::string name = "";
};
Output TFRecordReader(Graph& graph, const TFRecordReaderAttrs& attrs = {});

struct TFRecordReaderV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  std::string compression_type = "";
  std::string name = "";
};
Output TFRecordReaderV2(Graph& graph, const TFRecordReaderV2Attrs& attrs = {});

struct TakeManySparseFromTensorsMapAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
struct TakeManySparseFromTensorsMapResult {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_shape;
};
TakeManySparseFromTensorsMapResult TakeManySparseFromTensorsMap(Graph& graph, const Input& sparse_handles, DType dtype, const TakeManySparseFromTensorsMapAttrs& attrs = {});
TakeManySparseFromTensorsMapResult TakeManySparseFromTensorsMap(const Input& sparse_handles, DType dtype, const TakeManySparseFromTensorsMapAttrs& attrs = {});

struct TensorSummaryAttrs {
  std::string description = "";
  std::vector<std::string> labels = {};
  std::string display_name = "";
  std::string name = "";
};
Output TensorSummary(Graph& graph, const Input& tensor, const TensorSummaryAttrs& attrs = {});
Output TensorSummary(const Input& tensor, const TensorSummaryAttrs& attrs = {});

struct TensorSummaryV2Attrs {
  std::string name = "";
};
Output TensorSummaryV2(Graph& graph, const Input& tag, const Input& tensor, const Input& serialized_summary_metadata, const TensorSummaryV2Attrs& attrs = {});
Output TensorSummaryV2(const Input& tag, const Input& tensor, const Input& serialized_summary_metadata, const TensorSummaryV2Attrs& attrs = {});

struct TextLineReaderAttrs {
  int64_t skip_header_lines = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output TextLineReader(Graph& graph, const TextLineReaderAttrs& attrs = {});

struct TextLineReaderV2Attrs {
  int64_t skip_header_lines = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output TextLineReaderV2(Graph& graph, const TextLineReaderV2Attrs& attrs = {});

struct WholeFileReaderAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output WholeFileReader(Graph& graph, const WholeFileReaderAttrs& attrs = {});

struct WholeFileReaderV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output WholeFileReaderV2(Graph& graph, const WholeFileReaderV2Attrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_IO_OPS_H_
