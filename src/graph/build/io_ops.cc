// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/io_ops.h"

namespace weir {

Output AddManySparseToTensorsMap(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddManySparseToTensorsMapAttrs& attrs) {
  NodeBuilder node(graph, "AddManySparseToTensorsMap", attrs.name);
  node.In(sparse_indices);
  node.In(sparse_values);
  node.In(sparse_shape);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}
Output AddManySparseToTensorsMap(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddManySparseToTensorsMapAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sparse_indices}, InputList{sparse_values}, InputList{sparse_shape}});
  if (graph == nullptr) return {};
  return AddManySparseToTensorsMap(*graph, sparse_indices, sparse_values, sparse_shape, attrs);
}

Output AddSparseToTensorsMap(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddSparseToTensorsMapAttrs& attrs) {
  NodeBuilder node(graph, "AddSparseToTensorsMap", attrs.name);
  node.In(sparse_indices);
  node.In(sparse_values);
  node.In(sparse_shape);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}
Output AddSparseToTensorsMap(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddSparseToTensorsMapAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sparse_indices}, InputList{sparse_values}, InputList{sparse_shape}});
  if (graph == nullptr) return {};
  return AddSparseToTensorsMap(*graph, sparse_indices, sparse_values, sparse_shape, attrs);
}

Output AudioSummary(Graph& graph, const Input& tag, const Input& tensor, float sample_rate, const AudioSummaryAttrs& attrs) {
  NodeBuilder node(graph, "AudioSummary", attrs.name);
  node.In(tag);
  node.In(tensor);
  node.Attr("sample_rate", sample_rate);
  node.Attr("max_outputs", attrs.max_outputs);
  return node.BuildOutput();
}
Output AudioSummary(const Input& tag, const Input& tensor, float sample_rate, const AudioSummaryAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tag}, InputList{tensor}});
  if (graph == nullptr) return {};
  return AudioSummary(*graph, tag, tensor, sample_rate, attrs);
}

Output AudioSummaryV2(Graph& graph, const Input& tag, const Input& tensor, const Input& sample_rate, const AudioSummaryV2Attrs& attrs) {
  NodeBuilder node(graph, "AudioSummaryV2", attrs.name);
  node.In(tag);
  node.In(tensor);
  node.In(sample_rate);
  node.Attr("max_outputs", attrs.max_outputs);
  return node.BuildOutput();
}
Output AudioSummaryV2(const Input& tag, const Input& tensor, const Input& sample_rate, const AudioSummaryV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tag}, InputList{tensor}, InputList{sample_rate}});
  if (graph == nullptr) return {};
  return AudioSummaryV2(*graph, tag, tensor, sample_rate, attrs);
}

Output DecodeCompressed(Graph& graph, const Input& bytes, const DecodeCompressedAttrs& attrs) {
  NodeBuilder node(graph, "DecodeCompressed", attrs.name);
  node.In(bytes);
  node.Attr("compression_type", attrs.compression_type);
  return node.BuildOutput();
}
Output DecodeCompressed(const Input& bytes, const DecodeCompressedAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{bytes}});
  if (graph == nullptr) return {};
  return DecodeCompressed(*graph, bytes, attrs);
}

Output DecodeJSONExample(Graph& graph, const Input& json_examples, const DecodeJSONExampleAttrs& attrs) {
  NodeBuilder node(graph, "DecodeJSONExample", attrs.name);
  node.In(json_examples);
  return node.BuildOutput();
}
Output DecodeJSONExample(const Input& json_examples, const DecodeJSONExampleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{json_examples}});
  if (graph == nullptr) return {};
  return DecodeJSONExample(*graph, json_examples, attrs);
}

DeserializeManySparseResult DeserializeManySparse(Graph& graph, const Input& serialized_sparse, DType dtype, const DeserializeManySparseAttrs& attrs) {
  NodeBuilder node(graph, "DeserializeManySparse", attrs.name);
  node.In(serialized_sparse);
  node.Attr("dtype", dtype);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
DeserializeManySparseResult DeserializeManySparse(const Input& serialized_sparse, DType dtype, const DeserializeManySparseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized_sparse}});
  if (graph == nullptr) return {};
  return DeserializeManySparse(*graph, serialized_sparse, dtype, attrs);
}

DeserializeSparseResult DeserializeSparse(Graph& graph, const Input& serialized_sparse, DType dtype, const DeserializeSparseAttrs& attrs) {
  NodeBuilder node(graph, "DeserializeSparse", attrs.name);
  node.In(serialized_sparse);
  node.Attr("dtype", dtype);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
DeserializeSparseResult DeserializeSparse(const Input& serialized_sparse, DType dtype, const DeserializeSparseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized_sparse}});
  if (graph == nullptr) return {};
  return DeserializeSparse(*graph, serialized_sparse, dtype, attrs);
}

Output FixedLengthRecordReader(Graph& graph, int64_t record_bytes, const FixedLengthRecordReaderAttrs& attrs) {
  NodeBuilder node(graph, "FixedLengthRecordReader", attrs.name);
  node.Attr("record_bytes", record_bytes);
  node.Attr("header_bytes", attrs.header_bytes);
  node.Attr("footer_bytes", attrs.footer_bytes);
  node.Attr("hop_bytes", attrs.hop_bytes);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output FixedLengthRecordReaderV2(Graph& graph, int64_t record_bytes, const FixedLengthRecordReaderV2Attrs& attrs) {
  NodeBuilder node(graph, "FixedLengthRecordReaderV2", attrs.name);
  node.Attr("record_bytes", record_bytes);
  node.Attr("header_bytes", attrs.header_bytes);
  node.Attr("footer_bytes", attrs.footer_bytes);
  node.Attr("hop_bytes", attrs.hop_bytes);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("encoding", attrs.encoding);
  return node.BuildOutput();
}

Output HistogramSummary(Graph& graph, const Input& tag, const Input& values, const HistogramSummaryAttrs& attrs) {
  NodeBuilder node(graph, "HistogramSummary", attrs.name);
  node.In(tag);
  node.In(values);
  return node.BuildOutput();
}
Output HistogramSummary(const Input& tag, const Input& values, const HistogramSummaryAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tag}, InputList{values}});
  if (graph == nullptr) return {};
  return HistogramSummary(*graph, tag, values, attrs);
}

Output IdentityReader(Graph& graph, const IdentityReaderAttrs& attrs) {
  NodeBuilder node(graph, "IdentityReader", attrs.name);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output IdentityReaderV2(Graph& graph, const IdentityReaderV2Attrs& attrs) {
  NodeBuilder node(graph, "IdentityReaderV2", attrs.name);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output ImageSummary(Graph& graph, const Input& tag, const Input& tensor, const ImageSummaryAttrs& attrs) {
  NodeBuilder node(graph, "ImageSummary", attrs.name);
  node.In(tag);
  node.In(tensor);
  node.Attr("max_images", attrs.max_images);
  if (attrs.bad_color.has_value()) node.Attr("bad_color", *attrs.bad_color);
  return node.BuildOutput();
}
Output ImageSummary(const Input& tag, const Input& tensor, const ImageSummaryAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tag}, InputList{tensor}});
  if (graph == nullptr) return {};
  return ImageSummary(*graph, tag, tensor, attrs);
}

Output MergeSummary(Graph& graph, const InputList& inputs, const MergeSummaryAttrs& attrs) {
  NodeBuilder node(graph, "MergeSummary", attrs.name);
  node.In(inputs);
  return node.BuildOutput();
}
Output MergeSummary(const InputList& inputs, const MergeSummaryAttrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return MergeSummary(*graph, inputs, attrs);
}

Node* MergeV2Checkpoints(Graph& graph, const Input& checkpoint_prefixes, const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs) {
  NodeBuilder node(graph, "MergeV2Checkpoints", attrs.name);
  node.In(checkpoint_prefixes);
  node.In(destination_prefix);
  node.Attr("delete_old_dirs", attrs.delete_old_dirs);
  return node.BuildNode();
}
Node* MergeV2Checkpoints(const Input& checkpoint_prefixes, const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{checkpoint_prefixes}, InputList{destination_prefix}});
  if (graph == nullptr) return {};
  return MergeV2Checkpoints(*graph, checkpoint_prefixes, destination_prefix, attrs);
}

OutputList ParseExample(Graph& graph, const Input& serialized, const Input& names, const InputList& sparse_keys, const InputList& dense_keys, const InputList& dense_defaults, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleAttrs& attrs) {
  NodeBuilder node(graph, "ParseExample", attrs.name);
  node.In(serialized);
  node.In(names);
  node.In(sparse_keys);
  node.In(dense_keys);
  node.In(dense_defaults);
  node.Attr("sparse_types", sparse_types);
  node.Attr("dense_shapes", dense_shapes);
  return node.BuildOutputs();
}
OutputList ParseExample(const Input& serialized, const Input& names, const InputList& sparse_keys, const InputList& dense_keys, const InputList& dense_defaults, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized}, InputList{names}, sparse_keys, dense_keys, dense_defaults});
  if (graph == nullptr) return {};
  return ParseExample(*graph, serialized, names, sparse_keys, dense_keys, dense_defaults, sparse_types, dense_shapes, attrs);
}

OutputList ParseExampleV2(Graph& graph, const Input& serialized, const Input& names, const Input& sparse_keys, const Input& dense_keys, const Input& ragged_keys, const InputList& dense_defaults, int64_t num_sparse, const std::vector<DType>& sparse_types, const std::vector<DType>& ragged_value_types, const std::vector<DType>& ragged_split_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleV2Attrs& attrs) {
  NodeBuilder node(graph, "ParseExampleV2", attrs.name);
  node.In(serialized);
  node.In(names);
  node.In(sparse_keys);
  node.In(dense_keys);
  node.In(ragged_keys);
  node.In(dense_defaults);
  node.Attr("num_sparse", num_sparse);
  node.Attr("sparse_types", sparse_types);
  node.Attr("ragged_value_types", ragged_value_types);
  node.Attr("ragged_split_types", ragged_split_types);
  node.Attr("dense_shapes", dense_shapes);
  return node.BuildOutputs();
}
OutputList ParseExampleV2(const Input& serialized, const Input& names, const Input& sparse_keys, const Input& dense_keys, const Input& ragged_keys, const InputList& dense_defaults, int64_t num_sparse, const std::vector<DType>& sparse_types, const std::vector<DType>& ragged_value_types, const std::vector<DType>& ragged_split_types, const std::vector<PartialShape>& dense_shapes, const ParseExampleV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized}, InputList{names}, InputList{sparse_keys}, InputList{dense_keys}, InputList{ragged_keys}, dense_defaults});
  if (graph == nullptr) return {};
  return ParseExampleV2(*graph, serialized, names, sparse_keys, dense_keys, ragged_keys, dense_defaults, num_sparse, sparse_types, ragged_value_types, ragged_split_types, dense_shapes, attrs);
}

OutputList ParseSequenceExample(Graph& graph, const Input& serialized, const Input& debug_name, const InputList& context_dense_defaults, const std::vector<std::string>& feature_list_dense_missing_assumed_empty, const std::vector<std::string>& context_sparse_keys, const std::vector<std::string>& context_dense_keys, const std::vector<std::string>& feature_list_sparse_keys, const std::vector<std::string>& feature_list_dense_keys, const ParseSequenceExampleAttrs& attrs) {
  NodeBuilder node(graph, "ParseSequenceExample", attrs.name);
  node.In(serialized);
  node.In(debug_name);
  node.In(context_dense_defaults);
  node.Attr("feature_list_dense_missing_assumed_empty", feature_list_dense_missing_assumed_empty);
  node.Attr("context_sparse_keys", context_sparse_keys);
  node.Attr("context_dense_keys", context_dense_keys);
  node.Attr("feature_list_sparse_keys", feature_list_sparse_keys);
  node.Attr("feature_list_dense_keys", feature_list_dense_keys);
  node.Attr("Ncontext_sparse", attrs.Ncontext_sparse);
  node.Attr("Ncontext_dense", attrs.Ncontext_dense);
  node.Attr("Nfeature_list_sparse", attrs.Nfeature_list_sparse);
  node.Attr("Nfeature_list_dense", attrs.Nfeature_list_dense);
  node.Attr("context_sparse_types", attrs.context_sparse_types);
  node.Attr("feature_list_dense_types", attrs.feature_list_dense_types);
  node.Attr("context_dense_shapes", attrs.context_dense_shapes);
  node.Attr("feature_list_sparse_types", attrs.feature_list_sparse_types);
  node.Attr("feature_list_dense_shapes", attrs.feature_list_dense_shapes);
  return node.BuildOutputs();
}
OutputList ParseSequenceExample(const Input& serialized, const Input& debug_name, const InputList& context_dense_defaults, const std::vector<std::string>& feature_list_dense_missing_assumed_empty, const std::vector<std::string>& context_sparse_keys, const std::vector<std::string>& context_dense_keys, const std::vector<std::string>& feature_list_sparse_keys, const std::vector<std::string>& feature_list_dense_keys, const ParseSequenceExampleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized}, InputList{debug_name}, context_dense_defaults});
  if (graph == nullptr) return {};
  return ParseSequenceExample(*graph, serialized, debug_name, context_dense_defaults, feature_list_dense_missing_assumed_empty, context_sparse_keys, context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys, attrs);
}

OutputList ParseSingleExample(Graph& graph, const Input& serialized, const InputList& dense_defaults, int64_t num_sparse, const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseSingleExampleAttrs& attrs) {
  NodeBuilder node(graph, "ParseSingleExample", attrs.name);
  node.In(serialized);
  node.In(dense_defaults);
  node.Attr("num_sparse", num_sparse);
  node.Attr("sparse_keys", sparse_keys);
  node.Attr("dense_keys", dense_keys);
  node.Attr("sparse_types", sparse_types);
  node.Attr("dense_shapes", dense_shapes);
  return node.BuildOutputs();
}
OutputList ParseSingleExample(const Input& serialized, const InputList& dense_defaults, int64_t num_sparse, const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, const ParseSingleExampleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized}, dense_defaults});
  if (graph == nullptr) return {};
  return ParseSingleExample(*graph, serialized, dense_defaults, num_sparse, sparse_keys, dense_keys, sparse_types, dense_shapes, attrs);
}

OutputList ParseSingleSequenceExample(Graph& graph, const Input& serialized, const Input& feature_list_dense_missing_assumed_empty, const InputList& context_sparse_keys, const InputList& context_dense_keys, const InputList& feature_list_sparse_keys, const InputList& feature_list_dense_keys, const InputList& context_dense_defaults, const Input& debug_name, const ParseSingleSequenceExampleAttrs& attrs) {
  NodeBuilder node(graph, "ParseSingleSequenceExample", attrs.name);
  node.In(serialized);
  node.In(feature_list_dense_missing_assumed_empty);
  node.In(context_sparse_keys);
  node.In(context_dense_keys);
  node.In(feature_list_sparse_keys);
  node.In(feature_list_dense_keys);
  node.In(context_dense_defaults);
  node.In(debug_name);
  node.Attr("context_sparse_types", attrs.context_sparse_types);
  node.Attr("feature_list_dense_types", attrs.feature_list_dense_types);
  node.Attr("context_dense_shapes", attrs.context_dense_shapes);
  node.Attr("feature_list_sparse_types", attrs.feature_list_sparse_types);
  node.Attr("feature_list_dense_shapes", attrs.feature_list_dense_shapes);
  return node.BuildOutputs();
}
OutputList ParseSingleSequenceExample(const Input& serialized, const Input& feature_list_dense_missing_assumed_empty, const InputList& context_sparse_keys, const InputList& context_dense_keys, const InputList& feature_list_sparse_keys, const InputList& feature_list_dense_keys, const InputList& context_dense_defaults, const Input& debug_name, const ParseSingleSequenceExampleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized}, InputList{feature_list_dense_missing_assumed_empty}, context_sparse_keys, context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys, context_dense_defaults, InputList{debug_name}});
  if (graph == nullptr) return {};
  return ParseSingleSequenceExample(*graph, serialized, feature_list_dense_missing_assumed_empty, context_sparse_keys, context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys, context_dense_defaults, debug_name, attrs);
}

Output ParseTensor(Graph& graph, const Input& serialized, DType out_type, const ParseTensorAttrs& attrs) {
  NodeBuilder node(graph, "ParseTensor", attrs.name);
  node.In(serialized);
  node.Attr("out_type", out_type);
  return node.BuildOutput();
}
Output ParseTensor(const Input& serialized, DType out_type, const ParseTensorAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{serialized}});
  if (graph == nullptr) return {};
  return ParseTensor(*graph, serialized, out_type, attrs);
}

Output ReaderNumRecordsProduced(Graph& graph, const Input& reader_handle, const ReaderNumRecordsProducedAttrs& attrs) {
  NodeBuilder node(graph, "ReaderNumRecordsProduced", attrs.name);
  node.In(reader_handle);
  return node.BuildOutput();
}
Output ReaderNumRecordsProduced(const Input& reader_handle, const ReaderNumRecordsProducedAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderNumRecordsProduced(*graph, reader_handle, attrs);
}

Output ReaderNumRecordsProducedV2(Graph& graph, const Input& reader_handle, const ReaderNumRecordsProducedV2Attrs& attrs) {
  NodeBuilder node(graph, "ReaderNumRecordsProducedV2", attrs.name);
  node.In(reader_handle);
  return node.BuildOutput();
}
Output ReaderNumRecordsProducedV2(const Input& reader_handle, const ReaderNumRecordsProducedV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderNumRecordsProducedV2(*graph, reader_handle, attrs);
}

Output ReaderNumWorkUnitsCompleted(Graph& graph, const Input& reader_handle, const ReaderNumWorkUnitsCompletedAttrs& attrs) {
  NodeBuilder node(graph, "ReaderNumWorkUnitsCompleted", attrs.name);
  node.In(reader_handle);
  return node.BuildOutput();
}
Output ReaderNumWorkUnitsCompleted(const Input& reader_handle, const ReaderNumWorkUnitsCompletedAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderNumWorkUnitsCompleted(*graph, reader_handle, attrs);
}

Output ReaderNumWorkUnitsCompletedV2(Graph& graph, const Input& reader_handle, const ReaderNumWorkUnitsCompletedV2Attrs& attrs) {
  NodeBuilder node(graph, "ReaderNumWorkUnitsCompletedV2", attrs.name);
  node.In(reader_handle);
  return node.BuildOutput();
}
Output ReaderNumWorkUnitsCompletedV2(const Input& reader_handle, const ReaderNumWorkUnitsCompletedV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderNumWorkUnitsCompletedV2(*graph, reader_handle, attrs);
}

ReaderReadResult ReaderRead(Graph& graph, const Input& reader_handle, const Input& queue_handle, const ReaderReadAttrs& attrs) {
  NodeBuilder node(graph, "ReaderRead", attrs.name);
  node.In(reader_handle);
  node.In(queue_handle);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
ReaderReadResult ReaderRead(const Input& reader_handle, const Input& queue_handle, const ReaderReadAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}, InputList{queue_handle}});
  if (graph == nullptr) return {};
  return ReaderRead(*graph, reader_handle, queue_handle, attrs);
}

ReaderReadUpToResult ReaderReadUpTo(Graph& graph, const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToAttrs& attrs) {
  NodeBuilder node(graph, "ReaderReadUpTo", attrs.name);
  node.In(reader_handle);
  node.In(queue_handle);
  node.In(num_records);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
ReaderReadUpToResult ReaderReadUpTo(const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}, InputList{queue_handle}, InputList{num_records}});
  if (graph == nullptr) return {};
  return ReaderReadUpTo(*graph, reader_handle, queue_handle, num_records, attrs);
}

ReaderReadUpToV2Result ReaderReadUpToV2(Graph& graph, const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToV2Attrs& attrs) {
  NodeBuilder node(graph, "ReaderReadUpToV2", attrs.name);
  node.In(reader_handle);
  node.In(queue_handle);
  node.In(num_records);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
ReaderReadUpToV2Result ReaderReadUpToV2(const Input& reader_handle, const Input& queue_handle, const Input& num_records, const ReaderReadUpToV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}, InputList{queue_handle}, InputList{num_records}});
  if (graph == nullptr) return {};
  return ReaderReadUpToV2(*graph, reader_handle, queue_handle, num_records, attrs);
}

ReaderReadV2Result ReaderReadV2(Graph& graph, const Input& reader_handle, const Input& queue_handle, const ReaderReadV2Attrs& attrs) {
  NodeBuilder node(graph, "ReaderReadV2", attrs.name);
  node.In(reader_handle);
  node.In(queue_handle);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
ReaderReadV2Result ReaderReadV2(const Input& reader_handle, const Input& queue_handle, const ReaderReadV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}, InputList{queue_handle}});
  if (graph == nullptr) return {};
  return ReaderReadV2(*graph, reader_handle, queue_handle, attrs);
}

Node* ReaderReset(Graph& graph, const Input& reader_handle, const ReaderResetAttrs& attrs) {
  NodeBuilder node(graph, "ReaderReset", attrs.name);
  node.In(reader_handle);
  return node.BuildNode();
}
Node* ReaderReset(const Input& reader_handle, const ReaderResetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderReset(*graph, reader_handle, attrs);
}

Node* ReaderResetV2(Graph& graph, const Input& reader_handle, const ReaderResetV2Attrs& attrs) {
  NodeBuilder node(graph, "ReaderResetV2", attrs.name);
  node.In(reader_handle);
  return node.BuildNode();
}
Node* ReaderResetV2(const Input& reader_handle, const ReaderResetV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderResetV2(*graph, reader_handle, attrs);
}

Node* ReaderRestoreState(Graph& graph, const Input& reader_handle, const Input& state, const ReaderRestoreStateAttrs& attrs) {
  NodeBuilder node(graph, "ReaderRestoreState", attrs.name);
  node.In(reader_handle);
  node.In(state);
  return node.BuildNode();
}
Node* ReaderRestoreState(const Input& reader_handle, const Input& state, const ReaderRestoreStateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}, InputList{state}});
  if (graph == nullptr) return {};
  return ReaderRestoreState(*graph, reader_handle, state, attrs);
}

Node* ReaderRestoreStateV2(Graph& graph, const Input& reader_handle, const Input& state, const ReaderRestoreStateV2Attrs& attrs) {
  NodeBuilder node(graph, "ReaderRestoreStateV2", attrs.name);
  node.In(reader_handle);
  node.In(state);
  return node.BuildNode();
}
Node* ReaderRestoreStateV2(const Input& reader_handle, const Input& state, const ReaderRestoreStateV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}, InputList{state}});
  if (graph == nullptr) return {};
  return ReaderRestoreStateV2(*graph, reader_handle, state, attrs);
}

Output ReaderSerializeState(Graph& graph, const Input& reader_handle, const ReaderSerializeStateAttrs& attrs) {
  NodeBuilder node(graph, "ReaderSerializeState", attrs.name);
  node.In(reader_handle);
  return node.BuildOutput();
}
Output ReaderSerializeState(const Input& reader_handle, const ReaderSerializeStateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderSerializeState(*graph, reader_handle, attrs);
}

Output ReaderSerializeStateV2(Graph& graph, const Input& reader_handle, const ReaderSerializeStateV2Attrs& attrs) {
  NodeBuilder node(graph, "ReaderSerializeStateV2", attrs.name);
  node.In(reader_handle);
  return node.BuildOutput();
}
Output ReaderSerializeStateV2(const Input& reader_handle, const ReaderSerializeStateV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reader_handle}});
  if (graph == nullptr) return {};
  return ReaderSerializeStateV2(*graph, reader_handle, attrs);
}

Output Restore(Graph& graph, const Input& file_pattern, const Input& tensor_name, DType dt, const RestoreAttrs& attrs) {
  NodeBuilder node(graph, "Restore", attrs.name);
  node.In(file_pattern);
  node.In(tensor_name);
  node.Attr("dt", dt);
  node.Attr("preferred_shard", attrs.preferred_shard);
  return node.BuildOutput();
}
Output Restore(const Input& file_pattern, const Input& tensor_name, DType dt, const RestoreAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{file_pattern}, InputList{tensor_name}});
  if (graph == nullptr) return {};
  return Restore(*graph, file_pattern, tensor_name, dt, attrs);
}

Output RestoreSlice(Graph& graph, const Input& file_pattern, const Input& tensor_name, const Input& shape_and_slice, DType dt, const RestoreSliceAttrs& attrs) {
  NodeBuilder node(graph, "RestoreSlice", attrs.name);
  node.In(file_pattern);
  node.In(tensor_name);
  node.In(shape_and_slice);
  node.Attr("dt", dt);
  node.Attr("preferred_shard", attrs.preferred_shard);
  return node.BuildOutput();
}
Output RestoreSlice(const Input& file_pattern, const Input& tensor_name, const Input& shape_and_slice, DType dt, const RestoreSliceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{file_pattern}, InputList{tensor_name}, InputList{shape_and_slice}});
  if (graph == nullptr) return {};
  return RestoreSlice(*graph, file_pattern, tensor_name, shape_and_slice, dt, attrs);
}

OutputList RestoreV2(Graph& graph, const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const std::vector<DType>& dtypes, const RestoreV2Attrs& attrs) {
  NodeBuilder node(graph, "RestoreV2", attrs.name);
  node.In(prefix);
  node.In(tensor_names);
  node.In(shape_and_slices);
  node.Attr("dtypes", dtypes);
  return node.BuildOutputs();
}
OutputList RestoreV2(const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const std::vector<DType>& dtypes, const RestoreV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{prefix}, InputList{tensor_names}, InputList{shape_and_slices}});
  if (graph == nullptr) return {};
  return RestoreV2(*graph, prefix, tensor_names, shape_and_slices, dtypes, attrs);
}

Node* Save(Graph& graph, const Input& filename, const Input& tensor_names, const InputList& data, const SaveAttrs& attrs) {
  NodeBuilder node(graph, "Save", attrs.name);
  node.In(filename);
  node.In(tensor_names);
  node.In(data);
  return node.BuildNode();
}
Node* Save(const Input& filename, const Input& tensor_names, const InputList& data, const SaveAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filename}, InputList{tensor_names}, data});
  if (graph == nullptr) return {};
  return Save(*graph, filename, tensor_names, data, attrs);
}

Node* SaveSlices(Graph& graph, const Input& filename, const Input& tensor_names, const Input& shapes_and_slices, const InputList& data, const SaveSlicesAttrs& attrs) {
  NodeBuilder node(graph, "SaveSlices", attrs.name);
  node.In(filename);
  node.In(tensor_names);
  node.In(shapes_and_slices);
  node.In(data);
  return node.BuildNode();
}
Node* SaveSlices(const Input& filename, const Input& tensor_names, const Input& shapes_and_slices, const InputList& data, const SaveSlicesAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{filename}, InputList{tensor_names}, InputList{shapes_and_slices}, data});
  if (graph == nullptr) return {};
  return SaveSlices(*graph, filename, tensor_names, shapes_and_slices, data, attrs);
}

Node* SaveV2(Graph& graph, const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const InputList& tensors, const SaveV2Attrs& attrs) {
  NodeBuilder node(graph, "SaveV2", attrs.name);
  node.In(prefix);
  node.In(tensor_names);
  node.In(shape_and_slices);
  node.In(tensors);
  return node.BuildNode();
}
Node* SaveV2(const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const InputList& tensors, const SaveV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{prefix}, InputList{tensor_names}, InputList{shape_and_slices}, tensors});
  if (graph == nullptr) return {};
  return SaveV2(*graph, prefix, tensor_names, shape_and_slices, tensors, attrs);
}

Output ScalarSummary(Graph& graph, const Input& tags, const Input& values, const ScalarSummaryAttrs& attrs) {
  NodeBuilder node(graph, "ScalarSummary", attrs.name);
  node.In(tags);
  node.In(values);
  return node.BuildOutput();
}
Output ScalarSummary(const Input& tags, const Input& values, const ScalarSummaryAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tags}, InputList{values}});
  if (graph == nullptr) return {};
  return ScalarSummary(*graph, tags, values, attrs);
}

Output SerializeManySparse(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeManySparseAttrs& attrs) {
  NodeBuilder node(graph, "SerializeManySparse", attrs.name);
  node.In(sparse_indices);
  node.In(sparse_values);
  node.In(sparse_shape);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output SerializeManySparse(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeManySparseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sparse_indices}, InputList{sparse_values}, InputList{sparse_shape}});
  if (graph == nullptr) return {};
  return SerializeManySparse(*graph, sparse_indices, sparse_values, sparse_shape, attrs);
}

Output SerializeSparse(Graph& graph, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeSparseAttrs& attrs) {
  NodeBuilder node(graph, "SerializeSparse", attrs.name);
  node.In(sparse_indices);
  node.In(sparse_values);
  node.In(sparse_shape);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output SerializeSparse(const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeSparseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sparse_indices}, InputList{sparse_values}, InputList{sparse_shape}});
  if (graph == nullptr) return {};
  return SerializeSparse(*graph, sparse_indices, sparse_values, sparse_shape, attrs);
}

Output SerializeTensor(Graph& graph, const Input& tensor, const SerializeTensorAttrs& attrs) {
  NodeBuilder node(graph, "SerializeTensor", attrs.name);
  node.In(tensor);
  return node.BuildOutput();
}
Output SerializeTensor(const Input& tensor, const SerializeTensorAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}});
  if (graph == nullptr) return {};
  return SerializeTensor(*graph, tensor, attrs);
}

Output ShardedFilename(Graph& graph, const Input& basename, const Input& shard, const Input& num_shards, const ShardedFilenameAttrs& attrs) {
  NodeBuilder node(graph, "ShardedFilename", attrs.name);
  node.In(basename);
  node.In(shard);
  node.In(num_shards);
  return node.BuildOutput();
}
Output ShardedFilename(const Input& basename, const Input& shard, const Input& num_shards, const ShardedFilenameAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{basename}, InputList{shard}, InputList{num_shards}});
  if (graph == nullptr) return {};
  return ShardedFilename(*graph, basename, shard, num_shards, attrs);
}

Output ShardedFilespec(Graph& graph, const Input& basename, const Input& num_shards, const ShardedFilespecAttrs& attrs) {
  NodeBuilder node(graph, "ShardedFilespec", attrs.name);
  node.In(basename);
  node.In(num_shards);
  return node.BuildOutput();
}
Output ShardedFilespec(const Input& basename, const Input& num_shards, const ShardedFilespecAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{basename}, InputList{num_shards}});
  if (graph == nullptr) return {};
  return ShardedFilespec(*graph, basename, num_shards, attrs);
}

Output TFRecordReader(Graph& graph, const TFRecordReaderAttrs& attrs) {
  NodeBuilder node(graph, "TFRecordReader", attrs.name);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("compression_type", attrs.compression_type);
  return node.BuildOutput();
}

Output TFRecordReaderV2(Graph& graph, const TFRecordReaderV2Attrs& attrs) {
  NodeBuilder node(graph, "TFRecordReaderV2", attrs.name);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("compression_type", attrs.compression_type);
  return node.BuildOutput();
}

TakeManySparseFromTensorsMapResult TakeManySparseFromTensorsMap(Graph& graph, const Input& sparse_handles, DType dtype, const TakeManySparseFromTensorsMapAttrs& attrs) {
  NodeBuilder node(graph, "TakeManySparseFromTensorsMap", attrs.name);
  node.In(sparse_handles);
  node.Attr("dtype", dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
TakeManySparseFromTensorsMapResult TakeManySparseFromTensorsMap(const Input& sparse_handles, DType dtype, const TakeManySparseFromTensorsMapAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sparse_handles}});
  if (graph == nullptr) return {};
  return TakeManySparseFromTensorsMap(*graph, sparse_handles, dtype, attrs);
}

Output TensorSummary(Graph& graph, const Input& tensor, const TensorSummaryAttrs& attrs) {
  NodeBuilder node(graph, "TensorSummary", attrs.name);
  node.In(tensor);
  node.Attr("description", attrs.description);
  node.Attr("labels", attrs.labels);
  node.Attr("display_name", attrs.display_name);
  return node.BuildOutput();
}
Output TensorSummary(const Input& tensor, const TensorSummaryAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}});
  if (graph == nullptr) return {};
  return TensorSummary(*graph, tensor, attrs);
}

Output TensorSummaryV2(Graph& graph, const Input& tag, const Input& tensor, const Input& serialized_summary_metadata, const TensorSummaryV2Attrs& attrs) {
  NodeBuilder node(graph, "TensorSummaryV2", attrs.name);
  node.In(tag);
  node.In(tensor);
  node.In(serialized_summary_metadata);
  return node.BuildOutput();
}
Output TensorSummaryV2(const Input& tag, const Input& tensor, const Input& serialized_summary_metadata, const TensorSummaryV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tag}, InputList{tensor}, InputList{serialized_summary_metadata}});
  if (graph == nullptr) return {};
  return TensorSummaryV2(*graph, tag, tensor, serialized_summary_metadata, attrs);
}

Output TextLineReader(Graph& graph, const TextLineReaderAttrs& attrs) {
  NodeBuilder node(graph, "TextLineReader", attrs.name);
  node.Attr("skip_header_lines", attrs.skip_header_lines);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output TextLineReaderV2(Graph& graph, const TextLineReaderV2Attrs& attrs) {
  NodeBuilder node(graph, "TextLineReaderV2", attrs.name);
  node.Attr("skip_header_lines", attrs.skip_header_lines);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output WholeFileReader(Graph& graph, const WholeFileReaderAttrs& attrs) {
  NodeBuilder node(graph, "WholeFileReader", attrs.name);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output WholeFileReaderV2(Graph& graph, const WholeFileReaderV2Attrs& attrs) {
  NodeBuilder node(graph, "WholeFileReaderV2", attrs.name);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

}  // namespace weir
