// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/io_ops.h"

namespace weir {

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

}  // namespace weir
