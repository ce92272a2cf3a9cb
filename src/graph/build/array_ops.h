// Graph-building functions for the ops of ops/array, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_ARRAY_OPS_H_
#define WEIR_GRAPH_BUILD_ARRAY_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct BatchToSpaceAttrs {
  std::string name = "";
};
Output BatchToSpace(Graph& graph, const Input& input, const Input& crops, int64_t block_size, const BatchToSpaceAttrs& attrs = {});
Output BatchToSpace(const Input& input, const Input& crops, int64_t block_size, const BatchToSpaceAttrs& attrs = {});

struct BatchToSpaceNDAttrs {
  std::string name = "";
};
Output BatchToSpaceND(Graph& graph, const Input& input, const Input& block_shape, const Input& crops, const BatchToSpaceNDAttrs& attrs = {});
Output BatchToSpaceND(const Input& input, const Input& block_shape, const Input& crops, const BatchToSpaceNDAttrs& attrs = {});

struct BitcastAttrs {
  std::string name = "";
};
Output Bitcast(Graph& graph, const Input& input, DType type, const BitcastAttrs& attrs = {});
Output Bitcast(const Input& input, DType type, const BitcastAttrs& attrs = {});

struct BroadcastArgsAttrs {
  std::string name = "";
};
Output BroadcastArgs(Graph& graph, const Input& s0, const Input& s1, const BroadcastArgsAttrs& attrs = {});
Output BroadcastArgs(const Input& s0, const Input& s1, const BroadcastArgsAttrs& attrs = {});

struct BroadcastGradientArgsAttrs {
  std::string name = "";
};
struct BroadcastGradientArgsResult {
  Output r0;
  Output r1;
};
BroadcastGradientArgsResult BroadcastGradientArgs(Graph& graph, const Input& s0, const Input& s1, const BroadcastGradientArgsAttrs& attrs = {});
BroadcastGradientArgsResult BroadcastGradientArgs(const Input& s0, const Input& s1, const BroadcastGradientArgsAttrs& attrs = {});

struct BroadcastToAttrs {
  std::string name = "";
};
Output BroadcastTo(Graph& graph, const Input& input, const Input& shape, const BroadcastToAttrs& attrs = {});
Output BroadcastTo(const Input& input, const Input& shape, const BroadcastToAttrs& attrs = {});

struct CheckNumericsAttrs {
  std::string name = "";
};
Output CheckNumerics(Graph& graph, const Input& tensor, const std::string& message, const CheckNumericsAttrs& attrs = {});
Output CheckNumerics(const Input& tensor, const std::string& message, const CheckNumericsAttrs& attrs = {});

struct ConcatAttrs {
  std::string name = "";
};
Output Concat(Graph& graph, const Input& concat_dim, const InputList& values, const ConcatAttrs& attrs = {});
Output Concat(const Input& concat_dim, const InputList& values, const ConcatAttrs& attrs = {});

struct ConcatOffsetAttrs {
  std::string name = "";
};
OutputList ConcatOffset(Graph& graph, const Input& concat_dim, const InputList& shape, const ConcatOffsetAttrs& attrs = {});
OutputList ConcatOffset(const Input& concat_dim, const InputList& shape, const ConcatOffsetAttrs& attrs = {});

struct ConcatV2Attrs {
  std::string name = "";
};
Output ConcatV2(Graph& graph, const InputList& values, const Input& axis, const ConcatV2Attrs& attrs = {});
Output ConcatV2(const InputList& values, const Input& axis, const ConcatV2Attrs& attrs = {});

struct ConjugateTransposeAttrs {
  std::string name = "";
};
Output ConjugateTranspose(Graph& graph, const Input& x, const Input& perm, const ConjugateTransposeAttrs& attrs = {});
Output ConjugateTranspose(const Input& x, const Input& perm, const ConjugateTransposeAttrs& attrs = {});

struct ConstAttrs {
  std::string name = "";
};
Output Const(Graph& graph, const Tensor& value, DType dtype, const ConstAttrs& attrs = {});

struct DeepCopyAttrs {
  std::string name = "";
};
Output DeepCopy(Graph& graph, const Input& x, const DeepCopyAttrs& attrs = {});
Output DeepCopy(const Input& x, const DeepCopyAttrs& attrs = {});

struct DenseToDenseSetOperationAttrs {
  bool validate_indices = true;
  std::string name = "";
};
struct DenseToDenseSetOperationResult {
  Output result_indices;
  Output result_values;
  Output result_shape;
};
DenseToDenseSetOperationResult DenseToDenseSetOperation(Graph& graph, const Input& set1, const Input& set2, const std::string& set_operation, const DenseToDenseSetOperationAttrs& attrs = {});
DenseToDenseSetOperationResult DenseToDenseSetOperation(const Input& set1, const Input& set2, const std::string& set_operation, const DenseToDenseSetOperationAttrs& attrs = {});

struct DenseToSparseSetOperationAttrs {
  bool validate_indices = true;
  std::string name = "";
};
struct DenseToSparseSetOperationResult {
  Output result_indices;
  Output result_values;
  Output result_shape;
};
DenseToSparseSetOperationResult DenseToSparseSetOperation(Graph& graph, const Input& set1, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const DenseToSparseSetOperationAttrs& attrs = {});
DenseToSparseSetOperationResult DenseToSparseSetOperation(const Input& set1, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const DenseToSparseSetOperationAttrs& attrs = {});

struct DepthToSpaceAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output DepthToSpace(Graph& graph, const Input& input, int64_t block_size, const DepthToSpaceAttrs& attrs = {});
Output DepthToSpace(const Input& input, int64_t block_size, const DepthToSpaceAttrs& attrs = {});

struct DiagAttrs {
  std::string name = "";
};
Output Diag(Graph& graph, const Input& diagonal, const DiagAttrs& attrs = {});
Output Diag(const Input& diagonal, const DiagAttrs& attrs = {});

struct DiagPartAttrs {
  std::string name = "";
};
Output DiagPart(Graph& graph, const Input& input, const DiagPartAttrs& attrs = {});
Output DiagPart(const Input& input, const DiagPartAttrs& attrs = {});

struct DynamicPartitionAttrs {
  std::string name = "";
};
OutputList DynamicPartition(Graph& graph, const Input& data, const Input& partitions, int64_t num_partitions, const DynamicPartitionAttrs& attrs = {});
OutputList DynamicPartition(const Input& data, const Input& partitions, int64_t num_partitions, const DynamicPartitionAttrs& attrs = {});

struct DynamicStitchAttrs {
  std::string name = "";
};
Output DynamicStitch(Graph& graph, const InputList& indices, const InputList& data, const DynamicStitchAttrs& attrs = {});
Output DynamicStitch(const InputList& indices, const InputList& data, const DynamicStitchAttrs& attrs = {});

struct EditDistanceAttrs {
  bool normalize = true;
  std::string name = "";
};
Output EditDistance(Graph& graph, const Input& hypothesis_indices, const Input& hypothesis_values, const Input& hypothesis_shape, const Input& truth_indices, const Input& truth_values, const Input& truth_shape, const EditDistanceAttrs& attrs = {});
Output EditDistance(const Input& hypothesis_indices, const Input& hypothesis_values, const Input& hypothesis_shape, const Input& truth_indices, const Input& truth_values, const Input& truth_shape, const EditDistanceAttrs& attrs = {});

struct EmptyAttrs {
  bool init = false;
  std::string name = "";
};
Output Empty(Graph& graph, const Input& shape, DType dtype, const EmptyAttrs& attrs = {});
Output Empty(const Input& shape, DType dtype, const EmptyAttrs& attrs = {});

struct EnsureShapeAttrs {
  std::string name = "";
};
Output EnsureShape(Graph& graph, const Input& input, const PartialShape& shape, const EnsureShapeAttrs& attrs = {});
Output EnsureShape(const Input& input, const PartialShape& shape, const EnsureShapeAttrs& attrs = {});

struct ExpandDimsAttrs {
  std::string name = "";
};
Output ExpandDims(Graph& graph, const Input& input, const Input& dim, const ExpandDimsAttrs& attrs = {});
Output ExpandDims(const Input& input, const Input& dim, const ExpandDimsAttrs& attrs = {});

struct ExtractImagePatchesAttrs {
  std::string name = "";
};
Output ExtractImagePatches(Graph& graph, const Input& images, const std::vector<int64_t>& ksizes, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, const ExtractImagePatchesAttrs& attrs = {});
Output ExtractImagePatches(const Input& images, const std::vector<int64_t>& ksizes, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, const ExtractImagePatchesAttrs& attrs = {});

struct FakeQuantWithMinMaxArgsAttrs {
  float min = -6.0f;
  float max = 6.0f;
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string name = "";
};
Output FakeQuantWithMinMaxArgs(Graph& graph, const Input& inputs, const FakeQuantWithMinMaxArgsAttrs& attrs = {});
Output FakeQuantWithMinMaxArgs(const Input& inputs, const FakeQuantWithMinMaxArgsAttrs& attrs = {});

struct FakeQuantWithMinMaxVarsAttrs {
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string name = "";
};
Output FakeQuantWithMinMaxVars(Graph& graph, const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsAttrs& attrs = {});
Output FakeQuantWithMinMaxVars(const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsAttrs& attrs = {});

struct FillAttrs {
  std::string name = "";
};
Output Fill(Graph& graph, const Input& dims, const Input& value, const FillAttrs& attrs = {});
Output Fill(const Input& dims, const Input& value, const FillAttrs& attrs = {});

struct GatherAttrs {
  bool validate_indices = true;
  std::string name = "";
};
Output Gather(Graph& graph, const Input& params, const Input& indices, const GatherAttrs& attrs = {});
Output Gather(const Input& params, const Input& indices, const GatherAttrs& attrs = {});

struct GatherNdAttrs {
  std::string name = "";
};
Output GatherNd(Graph& graph, const Input& params, const Input& indices, const GatherNdAttrs& attrs = {});
Output GatherNd(const Input& params, const Input& indices, const GatherNdAttrs& attrs = {});

struct GatherV2Attrs {
  int64_t batch_dims = 0;
  std::string name = "";
};
Output GatherV2(Graph& graph, const Input& params, const Input& indices, const Input& axis, const GatherV2Attrs& attrs = {});
Output GatherV2(const Input& params, const Input& indices, const Input& axis, const GatherV2Attrs& attrs = {});

struct GuaranteeConstAttrs {
  std::string name = "";
};
Output GuaranteeConst(Graph& graph, const Input& input, const GuaranteeConstAttrs& attrs = {});
Output GuaranteeConst(const Input& input, const GuaranteeConstAttrs& attrs = {});

struct IdentityAttrs {
  std::string name = "";
};
Output Identity(Graph& graph, const Input& input, const IdentityAttrs& attrs = {});
Output Identity(const Input& input, const IdentityAttrs& attrs = {});

struct IdentityNAttrs {
  std::string name = "";
};
OutputList IdentityN(Graph& graph, const InputList& input, const IdentityNAttrs& attrs = {});
OutputList IdentityN(const InputList& input, const IdentityNAttrs& attrs = {});

struct ImmutableConstAttrs {
  std::string name = "";
};
Output ImmutableConst(Graph& graph, DType dtype, const PartialShape& shape, const std::string& memory_region_name, const ImmutableConstAttrs& attrs = {});

struct InTopKAttrs {
  std::string name = "";
};
Output InTopK(Graph& graph, const Input& predictions, const Input& targets, int64_t k, const InTopKAttrs& attrs = {});
Output InTopK(const Input& predictions, const Input& targets, int64_t k, const InTopKAttrs& attrs = {});

struct InTopKV2Attrs {
  std::string name = "";
};
Output InTopKV2(Graph& graph, const Input& predictions, const Input& targets, const Input& k, const InTopKV2Attrs& attrs = {});
Output InTopKV2(const Input& predictions, const Input& targets, const Input& k, const InTopKV2Attrs& attrs = {});

struct InvertPermutationAttrs {
  std::string name = "";
};
Output InvertPermutation(Graph& graph, const Input& x, const InvertPermutationAttrs& attrs = {});
Output InvertPermutation(const Input& x, const InvertPermutationAttrs& attrs = {});

struct ListDiffAttrs {
  DType out_idx = kInt32;
  std::string name = "";
};
struct ListDiffResult {
  Output out;
  Output idx;
};
ListDiffResult ListDiff(Graph& graph, const Input& x, const Input& y, const ListDiffAttrs& attrs = {});
ListDiffResult ListDiff(const Input& x, const Input& y, const ListDiffAttrs& attrs = {});

struct LowerBoundAttrs {
  DType out_type = kInt32;
  std::string name = "";
};
Output LowerBound(Graph& graph, const Input& sorted_inputs, const Input& values, const LowerBoundAttrs& attrs = {});
Output LowerBound(const Input& sorted_inputs, const Input& values, const LowerBoundAttrs& attrs = {});

struct MatrixBandPartAttrs {
  std::string name = "";
};
Output MatrixBandPart(Graph& graph, const Input& input, const Input& num_lower, const Input& num_upper, const MatrixBandPartAttrs& attrs = {});
Output MatrixBandPart(const Input& input, const Input& num_lower, const Input& num_upper, const MatrixBandPartAttrs& attrs = {});

struct MatrixDiagAttrs {
  std::string name = "";
};
Output MatrixDiag(Graph& graph, const Input& diagonal, const MatrixDiagAttrs& attrs = {});
Output MatrixDiag(const Input& diagonal, const MatrixDiagAttrs& attrs = {});

struct MatrixDiagPartAttrs {
  std::string name = "";
};
Output MatrixDiagPart(Graph& graph, const Input& input, const MatrixDiagPartAttrs& attrs = {});
Output MatrixDiagPart(const Input& input, const MatrixDiagPartAttrs& attrs = {});

struct MatrixSetDiagAttrs {
  std::string name = "";
};
Output MatrixSetDiag(Graph& graph, const Input& input, const Input& diagonal, const MatrixSetDiagAttrs& attrs = {});
Output MatrixSetDiag(const Input& input, const Input& diagonal, const MatrixSetDiagAttrs& attrs = {});

struct MirrorPadAttrs {
  std::string name = "";
};
Output MirrorPad(Graph& graph, const Input& input, const Input& paddings, const std::string& mode, const MirrorPadAttrs& attrs = {});
Output MirrorPad(const Input& input, const Input& paddings, const std::string& mode, const MirrorPadAttrs& attrs = {});

struct MirrorPadGradAttrs {
  std::string name = "";
};
Output MirrorPadGrad(Graph& graph, const Input& input, const Input& paddings, const std::string& mode, const MirrorPadGradAttrs& attrs = {});
Output MirrorPadGrad(const Input& input, const Input& paddings, const std::string& mode, const MirrorPadGradAttrs& attrs = {});

struct NthElementAttrs {
  bool reverse = false;
  std::string name = "";
};
Output NthElement(Graph& graph, const Input& input, const Input& n, const NthElementAttrs& attrs = {});
Output NthElement(const Input& input, const Input& n, const NthElementAttrs& attrs = {});

struct OneHotAttrs {
  int64_t axis = -1;
  std::string name = "";
};
Output OneHot(Graph& graph, const Input& indices, const Input& depth, const Input& on_value, const Input& off_value, const OneHotAttrs& attrs = {});
Output OneHot(const Input& indices, const Input& depth, const Input& on_value, const Input& off_value, const OneHotAttrs& attrs = {});

struct OnesLikeAttrs {
  std::string name = "";
};
Output OnesLike(Graph& graph, const Input& x, const OnesLikeAttrs& attrs = {});
Output OnesLike(const Input& x, const OnesLikeAttrs& attrs = {});

struct PackAttrs {
  int64_t axis = 0;
  std::string name = "";
};
Output Pack(Graph& graph, const InputList& values, const PackAttrs& attrs = {});
Output Pack(const InputList& values, const PackAttrs& attrs = {});

struct PadAttrs {
  std::string name = "";
};
Output Pad(Graph& graph, const Input& input, const Input& paddings, const PadAttrs& attrs = {});
Output Pad(const Input& input, const Input& paddings, const PadAttrs& attrs = {});

struct PadV2Attrs {
  std::string name = "";
};
Output PadV2(Graph& graph, const Input& input, const Input& paddings, const Input& constant_values, const PadV2Attrs& attrs = {});
Output PadV2(const Input& input, const Input& paddings, const Input& constant_values, const PadV2Attrs& attrs = {});

struct ParallelConcatAttrs {
  std::string name = "";
};
Output ParallelConcat(Graph& graph, const InputList& values, const PartialShape& shape, const ParallelConcatAttrs& attrs = {});
Output ParallelConcat(const InputList& values, const PartialShape& shape, const ParallelConcatAttrs& attrs = {});

struct ParallelDynamicStitchAttrs {
  std::string name = "";
};
Output ParallelDynamicStitch(Graph& graph, const InputList& indices, const InputList& data, const ParallelDynamicStitchAttrs& attrs = {});
Output ParallelDynamicStitch(const InputList& indices, const InputList& data, const ParallelDynamicStitchAttrs& attrs = {});

struct PlaceholderAttrs {
  PartialShape shape = PartialShape();
  std::string name = "";
};
Output Placeholder(Graph& graph, DType dtype, const PlaceholderAttrs& attrs = {});

struct PlaceholderV2Attrs {
  std::string name = "";
};
Output PlaceholderV2(Graph& graph, DType dtype, const PartialShape& shape, const PlaceholderV2Attrs& attrs = {});

struct PlaceholderWithDefaultAttrs {
  std::string name = "";
};
Output PlaceholderWithDefault(Graph& graph, const Input& input, const PartialShape& shape, const PlaceholderWithDefaultAttrs& attrs = {});
Output PlaceholderWithDefault(const Input& input, const PartialShape& shape, const PlaceholderWithDefaultAttrs& attrs = {});

struct PreventGradientAttrs {
  std::string message = "";
  std::string name = "";
};
Output PreventGradient(Graph& graph, const Input& input, const PreventGradientAttrs& attrs = {});
Output PreventGradient(const Input& input, const PreventGradientAttrs& attrs = {});

struct QuantizeAndDequantizeV2Attrs {
  bool signed_input = true;
  int64_t num_bits = 8;
  bool range_given = false;
  std::string round_mode = "HALF_TO_EVEN";
  bool narrow_range = false;
  int64_t axis = -1;
  std::string name = "";
};
Output QuantizeAndDequantizeV2(Graph& graph, const Input& input, const Input& input_min, const Input& input_max, const QuantizeAndDequantizeV2Attrs& attrs = {});
Output QuantizeAndDequantizeV2(const Input& input, const Input& input_min, const Input& input_max, const QuantizeAndDequantizeV2Attrs& attrs = {});

struct RankAttrs {
  std::string name = "";
};
Output Rank(Graph& graph, const Input& input, const RankAttrs& attrs = {});
Output Rank(const Input& input, const RankAttrs& attrs = {});

struct ReshapeAttrs {
  std::string name = "";
};
Output Reshape(Graph& graph, const Input& tensor, const Input& shape, const ReshapeAttrs& attrs = {});
Output Reshape(const Input& tensor, const Input& shape, const ReshapeAttrs& attrs = {});

struct ResourceStridedSliceAssignAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string name = "";
};
Node* ResourceStridedSliceAssign(Graph& graph, const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const ResourceStridedSliceAssignAttrs& attrs = {});
Node* ResourceStridedSliceAssign(const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const ResourceStridedSliceAssignAttrs& attrs = {});

struct ReverseAttrs {
  std::string name = "";
};
Output Reverse(Graph& graph, const Input& tensor, const Input& dims, const ReverseAttrs& attrs = {});
Output Reverse(const Input& tensor, const Input& dims, const ReverseAttrs& attrs = {});

struct ReverseSequenceAttrs {
  int64_t batch_dim = 0;
  std::string name = "";
};
Output ReverseSequence(Graph& graph, const Input& input, const Input& seq_lengths, int64_t seq_dim, const ReverseSequenceAttrs& attrs = {});
Output ReverseSequence(const Input& input, const Input& seq_lengths, int64_t seq_dim, const ReverseSequenceAttrs& attrs = {});

struct ReverseV2Attrs {
  std::string name = "";
};
Output ReverseV2(Graph& graph, const Input& tensor, const Input& axis, const ReverseV2Attrs& attrs = {});
Output ReverseV2(const Input& tensor, const Input& axis, const ReverseV2Attrs& attrs = {});

struct RollAttrs {
  std::string name = "";
};
Output Roll(Graph& graph, const Input& input, const Input& shift, const Input& axis, const RollAttrs& attrs = {});
Output Roll(const Input& input, const Input& shift, const Input& axis, const RollAttrs& attrs = {});

struct ScatterNdAttrs {
  std::string name = "";
};
Output ScatterNd(Graph& graph, const Input& indices, const Input& updates, const Input& shape, const ScatterNdAttrs& attrs = {});
Output ScatterNd(const Input& indices, const Input& updates, const Input& shape, const ScatterNdAttrs& attrs = {});

struct ScatterNdNonAliasingAddAttrs {
  std::string name = "";
};
Output ScatterNdNonAliasingAdd(Graph& graph, const Input& input, const Input& indices, const Input& updates, const ScatterNdNonAliasingAddAttrs& attrs = {});
Output ScatterNdNonAliasingAdd(const Input& input, const Input& indices, const Input& updates, const ScatterNdNonAliasingAddAttrs& attrs = {});

struct SetSizeAttrs {
  bool validate_indices = true;
  std::string name = "";
};
Output SetSize(Graph& graph, const Input& set_indices, const Input& set_values, const Input& set_shape, const SetSizeAttrs& attrs = {});
Output SetSize(const Input& set_indices, const Input& set_values, const Input& set_shape, const SetSizeAttrs& attrs = {});

struct ShapeOfAttrs {
  DType out_type = kInt32;
  std::string name = "";
};
Output ShapeOf(Graph& graph, const Input& input, const ShapeOfAttrs& attrs = {});
Output ShapeOf(const Input& input, const ShapeOfAttrs& attrs = {});

struct ShapeNAttrs {
  DType out_type = kInt32;
  std::string name = "";
};
OutputList ShapeN(Graph& graph, const InputList& input, const ShapeNAttrs& attrs = {});
OutputList ShapeN(const InputList& input, const ShapeNAttrs& attrs = {});

struct SizeAttrs {
  DType out_type = kInt32;
  std::string name = "";
};
Output Size(Graph& graph, const Input& input, const SizeAttrs& attrs = {});
Output Size(const Input& input, const SizeAttrs& attrs = {});

struct SliceAttrs {
  std::string name = "";
};
Output Slice(Graph& graph, const Input& input, const Input& begin, const Input& size, const SliceAttrs& attrs = {});
Output Slice(const Input& input, const Input& begin, const Input& size, const SliceAttrs& attrs = {});

struct SnapshotAttrs {
  std::string name = "";
};
Output Snapshot(Graph& graph, const Input& input, const SnapshotAttrs& attrs = {});
Output Snapshot(const Input& input, const SnapshotAttrs& attrs = {});

struct SpaceToBatchAttrs {
  std::string name = "";
};
Output SpaceToBatch(Graph& graph, const Input& input, const Input& paddings, int64_t block_size, const SpaceToBatchAttrs& attrs = {});
Output SpaceToBatch(const Input& input, const Input& paddings, int64_t block_size, const SpaceToBatchAttrs& attrs = {});

struct SpaceToBatchNDAttrs {
  std::string name = "";
};
Output SpaceToBatchND(Graph& graph, const Input& input, const Input& block_shape, const Input& paddings, const SpaceToBatchNDAttrs& attrs = {});
Output SpaceToBatchND(const Input& input, const Input& block_shape, const Input& paddings, const SpaceToBatchNDAttrs& attrs = {});

struct SpaceToDepthAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output SpaceToDepth(Graph& graph, const Input& input, int64_t block_size, const SpaceToDepthAttrs& attrs = {});
Output SpaceToDepth(const Input& input, int64_t block_size, const SpaceToDepthAttrs& attrs = {});

struct SparseAddAttrs {
  std::string name = "";
};
struct SparseAddResult {
  Output sum_indices;
  Output sum_values;
  Output sum_shape;
};
SparseAddResult SparseAdd(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const Input& thresh, const SparseAddAttrs& attrs = {});
SparseAddResult SparseAdd(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const Input& thresh, const SparseAddAttrs& attrs = {});

struct SparseAddGradAttrs {
  std::string name = "";
};
struct SparseAddGradResult {
  Output a_val_grad;
  Output b_val_grad;
};
SparseAddGradResult SparseAddGrad(Graph& graph, const Input& backprop_val_grad, const Input& a_indices, const Input& b_indices, const Input& sum_indices, const SparseAddGradAttrs& attrs = {});
SparseAddGradResult SparseAddGrad(const Input& backprop_val_grad, const Input& a_indices, const Input& b_indices, const Input& sum_indices, const SparseAddGradAttrs& attrs = {});

struct SparseConcatAttrs {
  std::string name = "";
};
struct SparseConcatResult {
  Output output_indices;
  Output output_values;
  Output output_shape;
};
SparseConcatResult SparseConcat(Graph& graph, const InputList& indices, const InputList& values, const InputList& shapes, int64_t concat_dim, const SparseConcatAttrs& attrs = {});
SparseConcatResult SparseConcat(const InputList& indices, const InputList& values, const InputList& shapes, int64_t concat_dim, const SparseConcatAttrs& attrs = {});

struct SparseDenseCwiseAddAttrs {
  std::string name = "";
};
Output SparseDenseCwiseAdd(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseAddAttrs& attrs = {});
Output SparseDenseCwiseAdd(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseAddAttrs& attrs = {});

struct SparseDenseCwiseDivAttrs {
  std::string name = "";
};
Output SparseDenseCwiseDiv(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseDivAttrs& attrs = {});
Output SparseDenseCwiseDiv(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseDivAttrs& attrs = {});

struct SparseDenseCwiseMulAttrs {
  std::string name = "";
};
Output SparseDenseCwiseMul(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseMulAttrs& attrs = {});
Output SparseDenseCwiseMul(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseMulAttrs& attrs = {});

struct SparseFillEmptyRowsAttrs {
  std::string name = "";
};
struct SparseFillEmptyRowsResult {
  Output output_indices;
  Output output_values;
  Output empty_row_indicator;
  Output reverse_index_map;
};
SparseFillEmptyRowsResult SparseFillEmptyRows(Graph& graph, const Input& indices, const Input& values, const Input& dense_shape, const Input& default_value, const SparseFillEmptyRowsAttrs& attrs = {});
SparseFillEmptyRowsResult SparseFillEmptyRows(const Input& indices, const Input& values, const Input& dense_shape, const Input& default_value, const SparseFillEmptyRowsAttrs& attrs = {});

struct SparseFillEmptyRowsGradAttrs {
  std::string name = "";
};
struct SparseFillEmptyRowsGradResult {
  Output d_values;
  Output d_default_value;
};
SparseFillEmptyRowsGradResult SparseFillEmptyRowsGrad(Graph& graph, const Input& reverse_index_map, const Input& grad_values, const SparseFillEmptyRowsGradAttrs& attrs = {});
SparseFillEmptyRowsGradResult SparseFillEmptyRowsGrad(const Input& reverse_index_map, const Input& grad_values, const SparseFillEmptyRowsGradAttrs& attrs = {});

struct SparseReduceMaxAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output SparseReduceMax(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxAttrs& attrs = {});
Output SparseReduceMax(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxAttrs& attrs = {});

struct SparseReduceMaxSparseAttrs {
  bool keep_dims = false;
  std::string name = "";
};
struct SparseReduceMaxSparseResult {
  Output output_indices;
  Output output_values;
  Output output_shape;
};
SparseReduceMaxSparseResult SparseReduceMaxSparse(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxSparseAttrs& attrs = {});
SparseReduceMaxSparseResult SparseReduceMaxSparse(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxSparseAttrs& attrs = {});

struct SparseReduceSumAttrs {
  bool keep_dims = false;
  std::string name = "";
};
Output SparseReduceSum(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumAttrs& attrs = {});
Output SparseReduceSum(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumAttrs& attrs = {});

struct SparseReduceSumSparseAttrs {
  bool keep_dims = false;
  std::string name = "";
};
struct SparseReduceSumSparseResult {
  Output output_indices;
  Output output_values;
  Output output_shape;
};
SparseReduceSumSparseResult SparseReduceSumSparse(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumSparseAttrs& attrs = {});
SparseReduceSumSparseResult SparseReduceSumSparse(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumSparseAttrs& attrs = {});

struct SparseReorderAttrs {
  std::string name = "";
};
struct SparseReorderResult {
  Output output_indices;
  Output output_values;
};
SparseReorderResult SparseReorder(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const SparseReorderAttrs& attrs = {});
SparseReorderResult SparseReorder(const Input& input_indices, const Input& input_values, const Input& input_shape, const SparseReorderAttrs& attrs = {});

struct SparseReshapeAttrs {
  std::string name = "";
};
struct SparseReshapeResult {
  Output output_indices;
  Output output_shape;
};
SparseReshapeResult SparseReshape(Graph& graph, const Input& input_indices, const Input& input_shape, const Input& new_shape, const SparseReshapeAttrs& attrs = {});
SparseReshapeResult SparseReshape(const Input& input_indices, const Input& input_shape, const Input& new_shape, const SparseReshapeAttrs& attrs = {});

struct SparseSliceAttrs {
  std::string name = "";
};
struct SparseSliceResult {
  Output output_indices;
  Output output_values;
  Output output_shape;
};
SparseSliceResult SparseSlice(Graph& graph, const Input& indices, const Input& values, const Input& shape, const Input& start, const Input& size, const SparseSliceAttrs& attrs = {});
SparseSliceResult SparseSlice(const Input& indices, const Input& values, const Input& shape, const Input& start, const Input& size, const SparseSliceAttrs& attrs = {});

struct SparseSliceGradAttrs {
  std::string name = "";
};
Output SparseSliceGrad(Graph& graph, const Input& backprop_val_grad, const Input& input_indices, const Input& input_start, const Input& output_indices, const SparseSliceGradAttrs& attrs = {});
Output SparseSliceGrad(const Input& backprop_val_grad, const Input& input_indices, const Input& input_start, const Input& output_indices, const SparseSliceGradAttrs& attrs = {});

struct SparseSoftmaxAttrs {
  std::string name = "";
};
Output SparseSoftmax(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const SparseSoftmaxAttrs& attrs = {});
Output SparseSoftmax(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const SparseSoftmaxAttrs& attrs = {});

struct SparseSparseMaximumAttrs {
  std::string name = "";
};
struct SparseSparseMaximumResult {
  Output output_indices;
  Output output_values;
};
SparseSparseMaximumResult SparseSparseMaximum(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMaximumAttrs& attrs = {});
SparseSparseMaximumResult SparseSparseMaximum(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMaximumAttrs& attrs = {});

struct SparseSparseMinimumAttrs {
  std::string name = "";
};
struct SparseSparseMinimumResult {
  Output output_indices;
  Output output_values;
};
SparseSparseMinimumResult SparseSparseMinimum(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMinimumAttrs& attrs = {});
SparseSparseMinimumResult SparseSparseMinimum(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMinimumAttrs& attrs = {});

struct SparseSplitAttrs {
  std::string name = "";
};
OutputList SparseSplit(Graph& graph, const Input& split_dim, const Input& indices, const Input& values, const Input& shape, int64_t num_split, const SparseSplitAttrs& attrs = {});
OutputList SparseSplit(const Input& split_dim, const Input& indices, const Input& values, const Input& shape, int64_t num_split, const SparseSplitAttrs& attrs = {});

struct SparseTensorDenseAddAttrs {
  std::string name = "";
};
Output SparseTensorDenseAdd(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseAddAttrs& attrs = {});
Output SparseTensorDenseAdd(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseAddAttrs& attrs = {});

struct SparseTensorDenseMatMulAttrs {
  bool adjoint_a = false;
  bool adjoint_b = false;
  std::string name = "";
};
Output SparseTensorDenseMatMul(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseMatMulAttrs& attrs = {});
Output SparseTensorDenseMatMul(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseMatMulAttrs& attrs = {});

struct SparseToDenseAttrs {
  bool validate_indices = true;
  std::string name = "";
};
Output SparseToDense(Graph& graph, const Input& sparse_indices, const Input& output_shape, const Input& sparse_values, const Input& default_value, const SparseToDenseAttrs& attrs = {});
Output SparseToDense(const Input& sparse_indices, const Input& output_shape, const Input& sparse_values, const Input& default_value, const SparseToDenseAttrs& attrs = {});

struct SparseToSparseSetOperationAttrs {
  bool validate_indices = true;
  std::string name = "";
};
struct SparseToSparseSetOperationResult {
  Output result_indices;
  Output result_values;
  Output result_shape;
};
SparseToSparseSetOperationResult SparseToSparseSetOperation(Graph& graph, const Input& set1_indices, const Input& set1_values, const Input& set1_shape, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const SparseToSparseSetOperationAttrs& attrs = {});
SparseToSparseSetOperationResult SparseToSparseSetOperation(const Input& set1_indices, const Input& set1_values, const Input& set1_shape, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const SparseToSparseSetOperationAttrs& attrs = {});

struct SplitAttrs {
  std::string name = "";
};
OutputList Split(Graph& graph, const Input& split_dim, const Input& value, int64_t num_split, const SplitAttrs& attrs = {});
OutputList Split(const Input& split_dim, const Input& value, int64_t num_split, const SplitAttrs& attrs = {});

struct SplitVAttrs {
  std::string name = "";
};
OutputList SplitV(Graph& graph, const Input& value, const Input& size_splits, const Input& split_dim, int64_t num_split, const SplitVAttrs& attrs = {});
OutputList SplitV(const Input& value, const Input& size_splits, const Input& split_dim, int64_t num_split, const SplitVAttrs& attrs = {});

struct SqueezeAttrs {
  std::vector<int64_t> squeeze_dims = {};
  std::string name = "";
};
Output Squeeze(Graph& graph, const Input& input, const SqueezeAttrs& attrs = {});
Output Squeeze(const Input& input, const SqueezeAttrs& attrs = {});

struct StopGradientAttrs {
  std::string name = "";
};
Output StopGradient(Graph& graph, const Input& input, const StopGradientAttrs& attrs = {});
Output StopGradient(const Input& input, const StopGradientAttrs& attrs = {});

struct StridedSliceAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string name = "";
};
Output StridedSlice(Graph& graph, const Input& input, const Input& begin, const Input& end, const Input& strides, const StridedSliceAttrs& attrs = {});
Output StridedSlice(const Input& input, const Input& begin, const Input& end, const Input& strides, const StridedSliceAttrs& attrs = {});

struct StridedSliceAssignAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string name = "";
};
Output StridedSliceAssign(Graph& graph, const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const StridedSliceAssignAttrs& attrs = {});
Output StridedSliceAssign(const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const StridedSliceAssignAttrs& attrs = {});

struct StridedSliceGradAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string name = "";
};
Output StridedSliceGrad(Graph& graph, const Input& shape, const Input& begin, const Input& end, const Input& strides, const Input& dy, const StridedSliceGradAttrs& attrs = {});
Output StridedSliceGrad(const Input& shape, const Input& begin, const Input& end, const Input& strides, const Input& dy, const StridedSliceGradAttrs& attrs = {});

struct TensorScatterAddAttrs {
  std::string name = "";
};
Output TensorScatterAdd(Graph& graph, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterAddAttrs& attrs = {});
Output TensorScatterAdd(const Input& tensor, const Input& indices, const Input& updates, const TensorScatterAddAttrs& attrs = {});

struct TensorScatterSubAttrs {
  std::string name = "";
};
Output TensorScatterSub(Graph& graph, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterSubAttrs& attrs = {});
Output TensorScatterSub(const Input& tensor, const Input& indices, const Input& updates, const TensorScatterSubAttrs& attrs = {});

struct TensorScatterUpdateAttrs {
  std::string name = "";
};
Output TensorScatterUpdate(Graph& graph, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterUpdateAttrs& attrs = {});
Output TensorScatterUpdate(const Input& tensor, const Input& indices, const Input& updates, const TensorScatterUpdateAttrs& attrs = {});

struct TensorStridedSliceUpdateAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string name = "";
};
Output TensorStridedSliceUpdate(Graph& graph, const Input& input, const Input& begin, const Input& end, const Input& strides, const Input& value, const TensorStridedSliceUpdateAttrs& attrs = {});
Output TensorStridedSliceUpdate(const Input& input, const Input& begin, const Input& end, const Input& strides, const Input& value, const TensorStridedSliceUpdateAttrs& attrs = {});

struct TileAttrs {
  std::string name = "";
};
Output Tile(Graph& graph, const Input& input, const Input& multiples, const TileAttrs& attrs = {});
Output Tile(const Input& input, const Input& multiples, const TileAttrs& attrs = {});

struct TileGradAttrs {
  std::string name = "";
};
Output TileGrad(Graph& graph, const Input& input, const Input& multiples, const TileGradAttrs& attrs = {});
Output TileGrad(const Input& input, const Input& multiples, const TileGradAttrs& attrs = {});

struct TopKAttrs {
  bool sorted = true;
  std::string name = "";
};
struct TopKResult {
  Output values;
  Output indices;
};
TopKResult TopK(Graph& graph, const Input& input, int64_t k, const TopKAttrs& attrs = {});
TopKResult TopK(const Input& input, int64_t k, const TopKAttrs& attrs = {});

struct TopKV2Attrs {
  bool sorted = true;
  std::string name = "";
};
struct TopKV2Result {
  Output values;
  Output indices;
};
TopKV2Result TopKV2(Graph& graph, const Input& input, const Input& k, const TopKV2Attrs& attrs = {});
TopKV2Result TopKV2(const Input& input, const Input& k, const TopKV2Attrs& attrs = {});

struct TransposeAttrs {
  std::string name = "";
};
Output Transpose(Graph& graph, const Input& x, const Input& perm, const TransposeAttrs& attrs = {});
Output Transpose(const Input& x, const Input& perm, const TransposeAttrs& attrs = {});

struct UniqueAttrs {
  DType out_idx = kInt32;
  std::string name = "";
};
struct UniqueResult {
  Output y;
  Output idx;
};
UniqueResult Unique(Graph& graph, const Input& x, const UniqueAttrs& attrs = {});
UniqueResult Unique(const Input& x, const UniqueAttrs& attrs = {});

struct UniqueV2Attrs {
  DType out_idx = kInt32;
  std::string name = "";
};
struct UniqueV2Result {
  Output y;
  Output idx;
};
UniqueV2Result UniqueV2(Graph& graph, const Input& x, const Input& axis, const UniqueV2Attrs& attrs = {});
UniqueV2Result UniqueV2(const Input& x, const Input& axis, const UniqueV2Attrs& attrs = {});

struct UniqueWithCountsAttrs {
  DType out_idx = kInt32;
  std::string name = "";
};
struct UniqueWithCountsResult {
  Output y;
  Output idx;
  Output count;
};
UniqueWithCountsResult UniqueWithCounts(Graph& graph, const Input& x, const UniqueWithCountsAttrs& attrs = {});
UniqueWithCountsResult UniqueWithCounts(const Input& x, const UniqueWithCountsAttrs& attrs = {});

struct UniqueWithCountsV2Attrs {
  DType out_idx = kInt32;
  std::string name = "";
};
struct UniqueWithCountsV2Result {
  Output y;
  Output idx;
  Output count;
};
UniqueWithCountsV2Result UniqueWithCountsV2(Graph& graph, const Input& x, const Input& axis, const UniqueWithCountsV2Attrs& attrs = {});
UniqueWithCountsV2Result UniqueWithCountsV2(const Input& x, const Input& axis, const UniqueWithCountsV2Attrs& attrs = {});

struct UnpackAttrs {
  int64_t axis = 0;
  std::string name = "";
};
OutputList Unpack(Graph& graph, const Input& value, int64_t num, const UnpackAttrs& attrs = {});
OutputList Unpack(const Input& value, int64_t num, const UnpackAttrs& attrs = {});

struct UnravelIndexAttrs {
  std::string name = "";
};
Output UnravelIndex(Graph& graph, const Input& indices, const Input& dims, const UnravelIndexAttrs& attrs = {});
Output UnravelIndex(const Input& indices, const Input& dims, const UnravelIndexAttrs& attrs = {});

struct UpperBoundAttrs {
  DType out_type = kInt32;
  std::string name = "";
};
Output UpperBound(Graph& graph, const Input& sorted_inputs, const Input& values, const UpperBoundAttrs& attrs = {});
Output UpperBound(const Input& sorted_inputs, const Input& values, const UpperBoundAttrs& attrs = {});

struct WhereAttrs {
  std::string name = "";
};
Output Where(Graph& graph, const Input& input, const WhereAttrs& attrs = {});
Output Where(const Input& input, const WhereAttrs& attrs = {});

struct ZerosLikeAttrs {
  std::string name = "";
};
Output ZerosLike(Graph& graph, const Input& x, const ZerosLikeAttrs& attrs = {});
Output ZerosLike(const Input& x, const ZerosLikeAttrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_ARRAY_OPS_H_
