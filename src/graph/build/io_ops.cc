// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/io_ops.h"

namespace weir {

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

}  // namespace weir
