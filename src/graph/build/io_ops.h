// Graph-building functions for the ops of ops/io, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_IO_OPS_H_
#define WEIR_GRAPH_BUILD_IO_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct MergeV2CheckpointsAttrs {
  bool delete_old_dirs = true;
  std::string name = "";
};
Node* MergeV2Checkpoints(Graph& graph, const Input& checkpoint_prefixes, const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs = {});
Node* MergeV2Checkpoints(const Input& checkpoint_prefixes, const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs = {});

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

struct SaveV2Attrs {
  std::string name = "";
};
Node* SaveV2(Graph& graph, const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const InputList& tensors, const SaveV2Attrs& attrs = {});
Node* SaveV2(const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const InputList& tensors, const SaveV2Attrs& attrs = {});

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

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_IO_OPS_H_
