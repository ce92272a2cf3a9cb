// Graph-building functions for the ops of ops/io, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_IO_OPS_H_
#define WEIR_GRAPH_BUILD_IO_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

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

struct HistogramSummaryAttrs {
  std::string name = "";
};
Output HistogramSummary(Graph& graph, const Input& tag, const Input& values, const HistogramSummaryAttrs& attrs = {});
Output HistogramSummary(const Input& tag, const Input& values, const HistogramSummaryAttrs& attrs = {});

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

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_IO_OPS_H_
