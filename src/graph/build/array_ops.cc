// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/array_ops.h"

namespace weir {

Output BatchToSpace(Graph& graph, const Input& input, const Input& crops, int64_t block_size, const BatchToSpaceAttrs& attrs) {
  NodeBuilder node(graph, "BatchToSpace", attrs.name);
  node.In(input);
  node.In(crops);
  node.Attr("block_size", block_size);
  return node.BuildOutput();
}
Output BatchToSpace(const Input& input, const Input& crops, int64_t block_size, const BatchToSpaceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{crops}});
  if (graph == nullptr) return {};
  return BatchToSpace(*graph, input, crops, block_size, attrs);
}

Output BatchToSpaceND(Graph& graph, const Input& input, const Input& block_shape, const Input& crops, const BatchToSpaceNDAttrs& attrs) {
  NodeBuilder node(graph, "BatchToSpaceND", attrs.name);
  node.In(input);
  node.In(block_shape);
  node.In(crops);
  return node.BuildOutput();
}
Output BatchToSpaceND(const Input& input, const Input& block_shape, const Input& crops, const BatchToSpaceNDAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{block_shape}, InputList{crops}});
  if (graph == nullptr) return {};
  return BatchToSpaceND(*graph, input, block_shape, crops, attrs);
}

Output Bitcast(Graph& graph, const Input& input, DType type, const BitcastAttrs& attrs) {
  NodeBuilder node(graph, "Bitcast", attrs.name);
  node.In(input);
  node.Attr("type", type);
  return node.BuildOutput();
}
Output Bitcast(const Input& input, DType type, const BitcastAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Bitcast(*graph, input, type, attrs);
}

Output BroadcastArgs(Graph& graph, const Input& s0, const Input& s1, const BroadcastArgsAttrs& attrs) {
  NodeBuilder node(graph, "BroadcastArgs", attrs.name);
  node.In(s0);
  node.In(s1);
  return node.BuildOutput();
}
Output BroadcastArgs(const Input& s0, const Input& s1, const BroadcastArgsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{s0}, InputList{s1}});
  if (graph == nullptr) return {};
  return BroadcastArgs(*graph, s0, s1, attrs);
}

BroadcastGradientArgsResult BroadcastGradientArgs(Graph& graph, const Input& s0, const Input& s1, const BroadcastGradientArgsAttrs& attrs) {
  NodeBuilder node(graph, "BroadcastGradientArgs", attrs.name);
  node.In(s0);
  node.In(s1);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
BroadcastGradientArgsResult BroadcastGradientArgs(const Input& s0, const Input& s1, const BroadcastGradientArgsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{s0}, InputList{s1}});
  if (graph == nullptr) return {};
  return BroadcastGradientArgs(*graph, s0, s1, attrs);
}

Output BroadcastTo(Graph& graph, const Input& input, const Input& shape, const BroadcastToAttrs& attrs) {
  NodeBuilder node(graph, "BroadcastTo", attrs.name);
  node.In(input);
  node.In(shape);
  return node.BuildOutput();
}
Output BroadcastTo(const Input& input, const Input& shape, const BroadcastToAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{shape}});
  if (graph == nullptr) return {};
  return BroadcastTo(*graph, input, shape, attrs);
}

Output CheckNumerics(Graph& graph, const Input& tensor, const std::string& message, const CheckNumericsAttrs& attrs) {
  NodeBuilder node(graph, "CheckNumerics", attrs.name);
  node.In(tensor);
  node.Attr("message", message);
  return node.BuildOutput();
}
Output CheckNumerics(const Input& tensor, const std::string& message, const CheckNumericsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}});
  if (graph == nullptr) return {};
  return CheckNumerics(*graph, tensor, message, attrs);
}

Output Concat(Graph& graph, const Input& concat_dim, const InputList& values, const ConcatAttrs& attrs) {
  NodeBuilder node(graph, "Concat", attrs.name);
  node.In(concat_dim);
  node.In(values);
  return node.BuildOutput();
}
Output Concat(const Input& concat_dim, const InputList& values, const ConcatAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{concat_dim}, values});
  if (graph == nullptr) return {};
  return Concat(*graph, concat_dim, values, attrs);
}

OutputList ConcatOffset(Graph& graph, const Input& concat_dim, const InputList& shape, const ConcatOffsetAttrs& attrs) {
  NodeBuilder node(graph, "ConcatOffset", attrs.name);
  node.In(concat_dim);
  node.In(shape);
  return node.BuildOutputs();
}
OutputList ConcatOffset(const Input& concat_dim, const InputList& shape, const ConcatOffsetAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{concat_dim}, shape});
  if (graph == nullptr) return {};
  return ConcatOffset(*graph, concat_dim, shape, attrs);
}

Output ConcatV2(Graph& graph, const InputList& values, const Input& axis, const ConcatV2Attrs& attrs) {
  NodeBuilder node(graph, "ConcatV2", attrs.name);
  node.In(values);
  node.In(axis);
  return node.BuildOutput();
}
Output ConcatV2(const InputList& values, const Input& axis, const ConcatV2Attrs& attrs) {
  Graph* graph = GraphOfAll({values, InputList{axis}});
  if (graph == nullptr) return {};
  return ConcatV2(*graph, values, axis, attrs);
}

Output ConjugateTranspose(Graph& graph, const Input& x, const Input& perm, const ConjugateTransposeAttrs& attrs) {
  NodeBuilder node(graph, "ConjugateTranspose", attrs.name);
  node.In(x);
  node.In(perm);
  return node.BuildOutput();
}
Output ConjugateTranspose(const Input& x, const Input& perm, const ConjugateTransposeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{perm}});
  if (graph == nullptr) return {};
  return ConjugateTranspose(*graph, x, perm, attrs);
}

Output Const(Graph& graph, const Tensor& value, DType dtype, const ConstAttrs& attrs) {
  NodeBuilder node(graph, "Const", attrs.name);
  node.Attr("value", value);
  node.Attr("dtype", dtype);
  return node.BuildOutput();
}

Output DeepCopy(Graph& graph, const Input& x, const DeepCopyAttrs& attrs) {
  NodeBuilder node(graph, "DeepCopy", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output DeepCopy(const Input& x, const DeepCopyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return DeepCopy(*graph, x, attrs);
}

DenseToDenseSetOperationResult DenseToDenseSetOperation(Graph& graph, const Input& set1, const Input& set2, const std::string& set_operation, const DenseToDenseSetOperationAttrs& attrs) {
  NodeBuilder node(graph, "DenseToDenseSetOperation", attrs.name);
  node.In(set1);
  node.In(set2);
  node.Attr("set_operation", set_operation);
  node.Attr("validate_indices", attrs.validate_indices);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
DenseToDenseSetOperationResult DenseToDenseSetOperation(const Input& set1, const Input& set2, const std::string& set_operation, const DenseToDenseSetOperationAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{set1}, InputList{set2}});
  if (graph == nullptr) return {};
  return DenseToDenseSetOperation(*graph, set1, set2, set_operation, attrs);
}

DenseToSparseSetOperationResult DenseToSparseSetOperation(Graph& graph, const Input& set1, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const DenseToSparseSetOperationAttrs& attrs) {
  NodeBuilder node(graph, "DenseToSparseSetOperation", attrs.name);
  node.In(set1);
  node.In(set2_indices);
  node.In(set2_values);
  node.In(set2_shape);
  node.Attr("set_operation", set_operation);
  node.Attr("validate_indices", attrs.validate_indices);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
DenseToSparseSetOperationResult DenseToSparseSetOperation(const Input& set1, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const DenseToSparseSetOperationAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{set1}, InputList{set2_indices}, InputList{set2_values}, InputList{set2_shape}});
  if (graph == nullptr) return {};
  return DenseToSparseSetOperation(*graph, set1, set2_indices, set2_values, set2_shape, set_operation, attrs);
}

Output DepthToSpace(Graph& graph, const Input& input, int64_t block_size, const DepthToSpaceAttrs& attrs) {
  NodeBuilder node(graph, "DepthToSpace", attrs.name);
  node.In(input);
  node.Attr("block_size", block_size);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output DepthToSpace(const Input& input, int64_t block_size, const DepthToSpaceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return DepthToSpace(*graph, input, block_size, attrs);
}

Output Diag(Graph& graph, const Input& diagonal, const DiagAttrs& attrs) {
  NodeBuilder node(graph, "Diag", attrs.name);
  node.In(diagonal);
  return node.BuildOutput();
}
Output Diag(const Input& diagonal, const DiagAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{diagonal}});
  if (graph == nullptr) return {};
  return Diag(*graph, diagonal, attrs);
}

Output DiagPart(Graph& graph, const Input& input, const DiagPartAttrs& attrs) {
  NodeBuilder node(graph, "DiagPart", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output DiagPart(const Input& input, const DiagPartAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return DiagPart(*graph, input, attrs);
}

OutputList DynamicPartition(Graph& graph, const Input& data, const Input& partitions, int64_t num_partitions, const DynamicPartitionAttrs& attrs) {
  NodeBuilder node(graph, "DynamicPartition", attrs.name);
  node.In(data);
  node.In(partitions);
  node.Attr("num_partitions", num_partitions);
  return node.BuildOutputs();
}
OutputList DynamicPartition(const Input& data, const Input& partitions, int64_t num_partitions, const DynamicPartitionAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{partitions}});
  if (graph == nullptr) return {};
  return DynamicPartition(*graph, data, partitions, num_partitions, attrs);
}

Output DynamicStitch(Graph& graph, const InputList& indices, const InputList& data, const DynamicStitchAttrs& attrs) {
  NodeBuilder node(graph, "DynamicStitch", attrs.name);
  node.In(indices);
  node.In(data);
  return node.BuildOutput();
}
Output DynamicStitch(const InputList& indices, const InputList& data, const DynamicStitchAttrs& attrs) {
  Graph* graph = GraphOfAll({indices, data});
  if (graph == nullptr) return {};
  return DynamicStitch(*graph, indices, data, attrs);
}

Output EditDistance(Graph& graph, const Input& hypothesis_indices, const Input& hypothesis_values, const Input& hypothesis_shape, const Input& truth_indices, const Input& truth_values, const Input& truth_shape, const EditDistanceAttrs& attrs) {
  NodeBuilder node(graph, "EditDistance", attrs.name);
  node.In(hypothesis_indices);
  node.In(hypothesis_values);
  node.In(hypothesis_shape);
  node.In(truth_indices);
  node.In(truth_values);
  node.In(truth_shape);
  node.Attr("normalize", attrs.normalize);
  return node.BuildOutput();
}
Output EditDistance(const Input& hypothesis_indices, const Input& hypothesis_values, const Input& hypothesis_shape, const Input& truth_indices, const Input& truth_values, const Input& truth_shape, const EditDistanceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{hypothesis_indices}, InputList{hypothesis_values}, InputList{hypothesis_shape}, InputList{truth_indices}, InputList{truth_values}, InputList{truth_shape}});
  if (graph == nullptr) return {};
  return EditDistance(*graph, hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape, attrs);
}

Output Empty(Graph& graph, const Input& shape, DType dtype, const EmptyAttrs& attrs) {
  NodeBuilder node(graph, "Empty", attrs.name);
  node.In(shape);
  node.Attr("dtype", dtype);
  node.Attr("init", attrs.init);
  return node.BuildOutput();
}
Output Empty(const Input& shape, DType dtype, const EmptyAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}});
  if (graph == nullptr) return {};
  return Empty(*graph, shape, dtype, attrs);
}

Output EnsureShape(Graph& graph, const Input& input, const PartialShape& shape, const EnsureShapeAttrs& attrs) {
  NodeBuilder node(graph, "EnsureShape", attrs.name);
  node.In(input);
  node.Attr("shape", shape);
  return node.BuildOutput();
}
Output EnsureShape(const Input& input, const PartialShape& shape, const EnsureShapeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return EnsureShape(*graph, input, shape, attrs);
}

Output ExpandDims(Graph& graph, const Input& input, const Input& dim, const ExpandDimsAttrs& attrs) {
  NodeBuilder node(graph, "ExpandDims", attrs.name);
  node.In(input);
  node.In(dim);
  return node.BuildOutput();
}
Output ExpandDims(const Input& input, const Input& dim, const ExpandDimsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{dim}});
  if (graph == nullptr) return {};
  return ExpandDims(*graph, input, dim, attrs);
}

Output ExtractImagePatches(Graph& graph, const Input& images, const std::vector<int64_t>& ksizes, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, const ExtractImagePatchesAttrs& attrs) {
  NodeBuilder node(graph, "ExtractImagePatches", attrs.name);
  node.In(images);
  node.Attr("ksizes", ksizes);
  node.Attr("strides", strides);
  node.Attr("rates", rates);
  node.Attr("padding", padding);
  return node.BuildOutput();
}
Output ExtractImagePatches(const Input& images, const std::vector<int64_t>& ksizes, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, const ExtractImagePatchesAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{images}});
  if (graph == nullptr) return {};
  return ExtractImagePatches(*graph, images, ksizes, strides, rates, padding, attrs);
}

Output FakeQuantWithMinMaxArgs(Graph& graph, const Input& inputs, const FakeQuantWithMinMaxArgsAttrs& attrs) {
  NodeBuilder node(graph, "FakeQuantWithMinMaxArgs", attrs.name);
  node.In(inputs);
  node.Attr("min", attrs.min);
  node.Attr("max", attrs.max);
  node.Attr("num_bits", attrs.num_bits);
  node.Attr("narrow_range", attrs.narrow_range);
  return node.BuildOutput();
}
Output FakeQuantWithMinMaxArgs(const Input& inputs, const FakeQuantWithMinMaxArgsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{inputs}});
  if (graph == nullptr) return {};
  return FakeQuantWithMinMaxArgs(*graph, inputs, attrs);
}

Output FakeQuantWithMinMaxVars(Graph& graph, const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsAttrs& attrs) {
  NodeBuilder node(graph, "FakeQuantWithMinMaxVars", attrs.name);
  node.In(inputs);
  node.In(min);
  node.In(max);
  node.Attr("num_bits", attrs.num_bits);
  node.Attr("narrow_range", attrs.narrow_range);
  return node.BuildOutput();
}
Output FakeQuantWithMinMaxVars(const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{inputs}, InputList{min}, InputList{max}});
  if (graph == nullptr) return {};
  return FakeQuantWithMinMaxVars(*graph, inputs, min, max, attrs);
}

Output Fill(Graph& graph, const Input& dims, const Input& value, const FillAttrs& attrs) {
  NodeBuilder node(graph, "Fill", attrs.name);
  node.In(dims);
  node.In(value);
  return node.BuildOutput();
}
Output Fill(const Input& dims, const Input& value, const FillAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{dims}, InputList{value}});
  if (graph == nullptr) return {};
  return Fill(*graph, dims, value, attrs);
}

Output Gather(Graph& graph, const Input& params, const Input& indices, const GatherAttrs& attrs) {
  NodeBuilder node(graph, "Gather", attrs.name);
  node.In(params);
  node.In(indices);
  node.Attr("validate_indices", attrs.validate_indices);
  return node.BuildOutput();
}
Output Gather(const Input& params, const Input& indices, const GatherAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{params}, InputList{indices}});
  if (graph == nullptr) return {};
  return Gather(*graph, params, indices, attrs);
}

Output GatherNd(Graph& graph, const Input& params, const Input& indices, const GatherNdAttrs& attrs) {
  NodeBuilder node(graph, "GatherNd", attrs.name);
  node.In(params);
  node.In(indices);
  return node.BuildOutput();
}
Output GatherNd(const Input& params, const Input& indices, const GatherNdAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{params}, InputList{indices}});
  if (graph == nullptr) return {};
  return GatherNd(*graph, params, indices, attrs);
}

Output GatherV2(Graph& graph, const Input& params, const Input& indices, const Input& axis, const GatherV2Attrs& attrs) {
  NodeBuilder node(graph, "GatherV2", attrs.name);
  node.In(params);
  node.In(indices);
  node.In(axis);
  node.Attr("batch_dims", attrs.batch_dims);
  return node.BuildOutput();
}
Output GatherV2(const Input& params, const Input& indices, const Input& axis, const GatherV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{params}, InputList{indices}, InputList{axis}});
  if (graph == nullptr) return {};
  return GatherV2(*graph, params, indices, axis, attrs);
}

Output GuaranteeConst(Graph& graph, const Input& input, const GuaranteeConstAttrs& attrs) {
  NodeBuilder node(graph, "GuaranteeConst", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output GuaranteeConst(const Input& input, const GuaranteeConstAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return GuaranteeConst(*graph, input, attrs);
}

Output Identity(Graph& graph, const Input& input, const IdentityAttrs& attrs) {
  NodeBuilder node(graph, "Identity", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output Identity(const Input& input, const IdentityAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Identity(*graph, input, attrs);
}

OutputList IdentityN(Graph& graph, const InputList& input, const IdentityNAttrs& attrs) {
  NodeBuilder node(graph, "IdentityN", attrs.name);
  node.In(input);
  return node.BuildOutputs();
}
OutputList IdentityN(const InputList& input, const IdentityNAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return IdentityN(*graph, input, attrs);
}

Output ImmutableConst(Graph& graph, DType dtype, const PartialShape& shape, const std::string& memory_region_name, const ImmutableConstAttrs& attrs) {
  NodeBuilder node(graph, "ImmutableConst", attrs.name);
  node.Attr("dtype", dtype);
  node.Attr("shape", shape);
  node.Attr("memory_region_name", memory_region_name);
  return node.BuildOutput();
}

Output InTopK(Graph& graph, const Input& predictions, const Input& targets, int64_t k, const InTopKAttrs& attrs) {
  NodeBuilder node(graph, "InTopK", attrs.name);
  node.In(predictions);
  node.In(targets);
  node.Attr("k", k);
  return node.BuildOutput();
}
Output InTopK(const Input& predictions, const Input& targets, int64_t k, const InTopKAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{predictions}, InputList{targets}});
  if (graph == nullptr) return {};
  return InTopK(*graph, predictions, targets, k, attrs);
}

Output InTopKV2(Graph& graph, const Input& predictions, const Input& targets, const Input& k, const InTopKV2Attrs& attrs) {
  NodeBuilder node(graph, "InTopKV2", attrs.name);
  node.In(predictions);
  node.In(targets);
  node.In(k);
  return node.BuildOutput();
}
Output InTopKV2(const Input& predictions, const Input& targets, const Input& k, const InTopKV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{predictions}, InputList{targets}, InputList{k}});
  if (graph == nullptr) return {};
  return InTopKV2(*graph, predictions, targets, k, attrs);
}

Output InvertPermutation(Graph& graph, const Input& x, const InvertPermutationAttrs& attrs) {
  NodeBuilder node(graph, "InvertPermutation", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output InvertPermutation(const Input& x, const InvertPermutationAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return InvertPermutation(*graph, x, attrs);
}

ListDiffResult ListDiff(Graph& graph, const Input& x, const Input& y, const ListDiffAttrs& attrs) {
  NodeBuilder node(graph, "ListDiff", attrs.name);
  node.In(x);
  node.In(y);
  node.Attr("out_idx", attrs.out_idx);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
ListDiffResult ListDiff(const Input& x, const Input& y, const ListDiffAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{y}});
  if (graph == nullptr) return {};
  return ListDiff(*graph, x, y, attrs);
}

Output LowerBound(Graph& graph, const Input& sorted_inputs, const Input& values, const LowerBoundAttrs& attrs) {
  NodeBuilder node(graph, "LowerBound", attrs.name);
  node.In(sorted_inputs);
  node.In(values);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output LowerBound(const Input& sorted_inputs, const Input& values, const LowerBoundAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sorted_inputs}, InputList{values}});
  if (graph == nullptr) return {};
  return LowerBound(*graph, sorted_inputs, values, attrs);
}

Output MatrixBandPart(Graph& graph, const Input& input, const Input& num_lower, const Input& num_upper, const MatrixBandPartAttrs& attrs) {
  NodeBuilder node(graph, "MatrixBandPart", attrs.name);
  node.In(input);
  node.In(num_lower);
  node.In(num_upper);
  return node.BuildOutput();
}
Output MatrixBandPart(const Input& input, const Input& num_lower, const Input& num_upper, const MatrixBandPartAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{num_lower}, InputList{num_upper}});
  if (graph == nullptr) return {};
  return MatrixBandPart(*graph, input, num_lower, num_upper, attrs);
}

Output MatrixDiag(Graph& graph, const Input& diagonal, const MatrixDiagAttrs& attrs) {
  NodeBuilder node(graph, "MatrixDiag", attrs.name);
  node.In(diagonal);
  return node.BuildOutput();
}
Output MatrixDiag(const Input& diagonal, const MatrixDiagAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{diagonal}});
  if (graph == nullptr) return {};
  return MatrixDiag(*graph, diagonal, attrs);
}

Output MatrixDiagPart(Graph& graph, const Input& input, const MatrixDiagPartAttrs& attrs) {
  NodeBuilder node(graph, "MatrixDiagPart", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output MatrixDiagPart(const Input& input, const MatrixDiagPartAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return MatrixDiagPart(*graph, input, attrs);
}

Output MatrixSetDiag(Graph& graph, const Input& input, const Input& diagonal, const MatrixSetDiagAttrs& attrs) {
  NodeBuilder node(graph, "MatrixSetDiag", attrs.name);
  node.In(input);
  node.In(diagonal);
  return node.BuildOutput();
}
Output MatrixSetDiag(const Input& input, const Input& diagonal, const MatrixSetDiagAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{diagonal}});
  if (graph == nullptr) return {};
  return MatrixSetDiag(*graph, input, diagonal, attrs);
}

Output MirrorPad(Graph& graph, const Input& input, const Input& paddings, const std::string& mode, const MirrorPadAttrs& attrs) {
  NodeBuilder node(graph, "MirrorPad", attrs.name);
  node.In(input);
  node.In(paddings);
  node.Attr("mode", mode);
  return node.BuildOutput();
}
Output MirrorPad(const Input& input, const Input& paddings, const std::string& mode, const MirrorPadAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{paddings}});
  if (graph == nullptr) return {};
  return MirrorPad(*graph, input, paddings, mode, attrs);
}

Output MirrorPadGrad(Graph& graph, const Input& input, const Input& paddings, const std::string& mode, const MirrorPadGradAttrs& attrs) {
  NodeBuilder node(graph, "MirrorPadGrad", attrs.name);
  node.In(input);
  node.In(paddings);
  node.Attr("mode", mode);
  return node.BuildOutput();
}
Output MirrorPadGrad(const Input& input, const Input& paddings, const std::string& mode, const MirrorPadGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{paddings}});
  if (graph == nullptr) return {};
  return MirrorPadGrad(*graph, input, paddings, mode, attrs);
}

Output NthElement(Graph& graph, const Input& input, const Input& n, const NthElementAttrs& attrs) {
  NodeBuilder node(graph, "NthElement", attrs.name);
  node.In(input);
  node.In(n);
  node.Attr("reverse", attrs.reverse);
  return node.BuildOutput();
}
Output NthElement(const Input& input, const Input& n, const NthElementAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{n}});
  if (graph == nullptr) return {};
  return NthElement(*graph, input, n, attrs);
}

Output OneHot(Graph& graph, const Input& indices, const Input& depth, const Input& on_value, const Input& off_value, const OneHotAttrs& attrs) {
  NodeBuilder node(graph, "OneHot", attrs.name);
  node.In(indices);
  node.In(depth);
  node.In(on_value);
  node.In(off_value);
  node.Attr("axis", attrs.axis);
  return node.BuildOutput();
}
Output OneHot(const Input& indices, const Input& depth, const Input& on_value, const Input& off_value, const OneHotAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{indices}, InputList{depth}, InputList{on_value}, InputList{off_value}});
  if (graph == nullptr) return {};
  return OneHot(*graph, indices, depth, on_value, off_value, attrs);
}

Output OnesLike(Graph& graph, const Input& x, const OnesLikeAttrs& attrs) {
  NodeBuilder node(graph, "OnesLike", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output OnesLike(const Input& x, const OnesLikeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return OnesLike(*graph, x, attrs);
}

Output Pack(Graph& graph, const InputList& values, const PackAttrs& attrs) {
  NodeBuilder node(graph, "Pack", attrs.name);
  node.In(values);
  node.Attr("axis", attrs.axis);
  return node.BuildOutput();
}
Output Pack(const InputList& values, const PackAttrs& attrs) {
  Graph* graph = GraphOfAll({values});
  if (graph == nullptr) return {};
  return Pack(*graph, values, attrs);
}

Output Pad(Graph& graph, const Input& input, const Input& paddings, const PadAttrs& attrs) {
  NodeBuilder node(graph, "Pad", attrs.name);
  node.In(input);
  node.In(paddings);
  return node.BuildOutput();
}
Output Pad(const Input& input, const Input& paddings, const PadAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{paddings}});
  if (graph == nullptr) return {};
  return Pad(*graph, input, paddings, attrs);
}

Output PadV2(Graph& graph, const Input& input, const Input& paddings, const Input& constant_values, const PadV2Attrs& attrs) {
  NodeBuilder node(graph, "PadV2", attrs.name);
  node.In(input);
  node.In(paddings);
  node.In(constant_values);
  return node.BuildOutput();
}
Output PadV2(const Input& input, const Input& paddings, const Input& constant_values, const PadV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{paddings}, InputList{constant_values}});
  if (graph == nullptr) return {};
  return PadV2(*graph, input, paddings, constant_values, attrs);
}

Output ParallelConcat(Graph& graph, const InputList& values, const PartialShape& shape, const ParallelConcatAttrs& attrs) {
  NodeBuilder node(graph, "ParallelConcat", attrs.name);
  node.In(values);
  node.Attr("shape", shape);
  return node.BuildOutput();
}
Output ParallelConcat(const InputList& values, const PartialShape& shape, const ParallelConcatAttrs& attrs) {
  Graph* graph = GraphOfAll({values});
  if (graph == nullptr) return {};
  return ParallelConcat(*graph, values, shape, attrs);
}

Output ParallelDynamicStitch(Graph& graph, const InputList& indices, const InputList& data, const ParallelDynamicStitchAttrs& attrs) {
  NodeBuilder node(graph, "ParallelDynamicStitch", attrs.name);
  node.In(indices);
  node.In(data);
  return node.BuildOutput();
}
Output ParallelDynamicStitch(const InputList& indices, const InputList& data, const ParallelDynamicStitchAttrs& attrs) {
  Graph* graph = GraphOfAll({indices, data});
  if (graph == nullptr) return {};
  return ParallelDynamicStitch(*graph, indices, data, attrs);
}

Output Placeholder(Graph& graph, DType dtype, const PlaceholderAttrs& attrs) {
  NodeBuilder node(graph, "Placeholder", attrs.name);
  node.Attr("dtype", dtype);
  node.Attr("shape", attrs.shape);
  return node.BuildOutput();
}

Output PlaceholderV2(Graph& graph, DType dtype, const PartialShape& shape, const PlaceholderV2Attrs& attrs) {
  NodeBuilder node(graph, "PlaceholderV2", attrs.name);
  node.Attr("dtype", dtype);
  node.Attr("shape", shape);
  return node.BuildOutput();
}

Output PlaceholderWithDefault(Graph& graph, const Input& input, const PartialShape& shape, const PlaceholderWithDefaultAttrs& attrs) {
  NodeBuilder node(graph, "PlaceholderWithDefault", attrs.name);
  node.In(input);
  node.Attr("shape", shape);
  return node.BuildOutput();
}
Output PlaceholderWithDefault(const Input& input, const PartialShape& shape, const PlaceholderWithDefaultAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return PlaceholderWithDefault(*graph, input, shape, attrs);
}

Output PreventGradient(Graph& graph, const Input& input, const PreventGradientAttrs& attrs) {
  NodeBuilder node(graph, "PreventGradient", attrs.name);
  node.In(input);
  node.Attr("message", attrs.message);
  return node.BuildOutput();
}
Output PreventGradient(const Input& input, const PreventGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return PreventGradient(*graph, input, attrs);
}

Output QuantizeAndDequantizeV2(Graph& graph, const Input& input, const Input& input_min, const Input& input_max, const QuantizeAndDequantizeV2Attrs& attrs) {
  NodeBuilder node(graph, "QuantizeAndDequantizeV2", attrs.name);
  node.In(input);
  node.In(input_min);
  node.In(input_max);
  node.Attr("signed_input", attrs.signed_input);
  node.Attr("num_bits", attrs.num_bits);
  node.Attr("range_given", attrs.range_given);
  node.Attr("round_mode", attrs.round_mode);
  node.Attr("narrow_range", attrs.narrow_range);
  node.Attr("axis", attrs.axis);
  return node.BuildOutput();
}
Output QuantizeAndDequantizeV2(const Input& input, const Input& input_min, const Input& input_max, const QuantizeAndDequantizeV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{input_min}, InputList{input_max}});
  if (graph == nullptr) return {};
  return QuantizeAndDequantizeV2(*graph, input, input_min, input_max, attrs);
}

Output Rank(Graph& graph, const Input& input, const RankAttrs& attrs) {
  NodeBuilder node(graph, "Rank", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output Rank(const Input& input, const RankAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Rank(*graph, input, attrs);
}

Output Reshape(Graph& graph, const Input& tensor, const Input& shape, const ReshapeAttrs& attrs) {
  NodeBuilder node(graph, "Reshape", attrs.name);
  node.In(tensor);
  node.In(shape);
  return node.BuildOutput();
}
Output Reshape(const Input& tensor, const Input& shape, const ReshapeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}, InputList{shape}});
  if (graph == nullptr) return {};
  return Reshape(*graph, tensor, shape, attrs);
}

Node* ResourceStridedSliceAssign(Graph& graph, const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const ResourceStridedSliceAssignAttrs& attrs) {
  NodeBuilder node(graph, "ResourceStridedSliceAssign", attrs.name);
  node.In(ref);
  node.In(begin);
  node.In(end);
  node.In(strides);
  node.In(value);
  node.Attr("begin_mask", attrs.begin_mask);
  node.Attr("end_mask", attrs.end_mask);
  node.Attr("ellipsis_mask", attrs.ellipsis_mask);
  node.Attr("new_axis_mask", attrs.new_axis_mask);
  node.Attr("shrink_axis_mask", attrs.shrink_axis_mask);
  return node.BuildNode();
}
Node* ResourceStridedSliceAssign(const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const ResourceStridedSliceAssignAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{begin}, InputList{end}, InputList{strides}, InputList{value}});
  if (graph == nullptr) return {};
  return ResourceStridedSliceAssign(*graph, ref, begin, end, strides, value, attrs);
}

Output Reverse(Graph& graph, const Input& tensor, const Input& dims, const ReverseAttrs& attrs) {
  NodeBuilder node(graph, "Reverse", attrs.name);
  node.In(tensor);
  node.In(dims);
  return node.BuildOutput();
}
Output Reverse(const Input& tensor, const Input& dims, const ReverseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}, InputList{dims}});
  if (graph == nullptr) return {};
  return Reverse(*graph, tensor, dims, attrs);
}

Output ReverseSequence(Graph& graph, const Input& input, const Input& seq_lengths, int64_t seq_dim, const ReverseSequenceAttrs& attrs) {
  NodeBuilder node(graph, "ReverseSequence", attrs.name);
  node.In(input);
  node.In(seq_lengths);
  node.Attr("seq_dim", seq_dim);
  node.Attr("batch_dim", attrs.batch_dim);
  return node.BuildOutput();
}
Output ReverseSequence(const Input& input, const Input& seq_lengths, int64_t seq_dim, const ReverseSequenceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{seq_lengths}});
  if (graph == nullptr) return {};
  return ReverseSequence(*graph, input, seq_lengths, seq_dim, attrs);
}

Output ReverseV2(Graph& graph, const Input& tensor, const Input& axis, const ReverseV2Attrs& attrs) {
  NodeBuilder node(graph, "ReverseV2", attrs.name);
  node.In(tensor);
  node.In(axis);
  return node.BuildOutput();
}
Output ReverseV2(const Input& tensor, const Input& axis, const ReverseV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}, InputList{axis}});
  if (graph == nullptr) return {};
  return ReverseV2(*graph, tensor, axis, attrs);
}

Output Roll(Graph& graph, const Input& input, const Input& shift, const Input& axis, const RollAttrs& attrs) {
  NodeBuilder node(graph, "Roll", attrs.name);
  node.In(input);
  node.In(shift);
  node.In(axis);
  return node.BuildOutput();
}
Output Roll(const Input& input, const Input& shift, const Input& axis, const RollAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{shift}, InputList{axis}});
  if (graph == nullptr) return {};
  return Roll(*graph, input, shift, axis, attrs);
}

Output ScatterNd(Graph& graph, const Input& indices, const Input& updates, const Input& shape, const ScatterNdAttrs& attrs) {
  NodeBuilder node(graph, "ScatterNd", attrs.name);
  node.In(indices);
  node.In(updates);
  node.In(shape);
  return node.BuildOutput();
}
Output ScatterNd(const Input& indices, const Input& updates, const Input& shape, const ScatterNdAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{indices}, InputList{updates}, InputList{shape}});
  if (graph == nullptr) return {};
  return ScatterNd(*graph, indices, updates, shape, attrs);
}

Output ScatterNdNonAliasingAdd(Graph& graph, const Input& input, const Input& indices, const Input& updates, const ScatterNdNonAliasingAddAttrs& attrs) {
  NodeBuilder node(graph, "ScatterNdNonAliasingAdd", attrs.name);
  node.In(input);
  node.In(indices);
  node.In(updates);
  return node.BuildOutput();
}
Output ScatterNdNonAliasingAdd(const Input& input, const Input& indices, const Input& updates, const ScatterNdNonAliasingAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterNdNonAliasingAdd(*graph, input, indices, updates, attrs);
}

Output SetSize(Graph& graph, const Input& set_indices, const Input& set_values, const Input& set_shape, const SetSizeAttrs& attrs) {
  NodeBuilder node(graph, "SetSize", attrs.name);
  node.In(set_indices);
  node.In(set_values);
  node.In(set_shape);
  node.Attr("validate_indices", attrs.validate_indices);
  return node.BuildOutput();
}
Output SetSize(const Input& set_indices, const Input& set_values, const Input& set_shape, const SetSizeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{set_indices}, InputList{set_values}, InputList{set_shape}});
  if (graph == nullptr) return {};
  return SetSize(*graph, set_indices, set_values, set_shape, attrs);
}

Output ShapeOf(Graph& graph, const Input& input, const ShapeOfAttrs& attrs) {
  NodeBuilder node(graph, "Shape", attrs.name);
  node.In(input);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output ShapeOf(const Input& input, const ShapeOfAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return ShapeOf(*graph, input, attrs);
}

OutputList ShapeN(Graph& graph, const InputList& input, const ShapeNAttrs& attrs) {
  NodeBuilder node(graph, "ShapeN", attrs.name);
  node.In(input);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutputs();
}
OutputList ShapeN(const InputList& input, const ShapeNAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return ShapeN(*graph, input, attrs);
}

Output Size(Graph& graph, const Input& input, const SizeAttrs& attrs) {
  NodeBuilder node(graph, "Size", attrs.name);
  node.In(input);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output Size(const Input& input, const SizeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Size(*graph, input, attrs);
}

Output Slice(Graph& graph, const Input& input, const Input& begin, const Input& size, const SliceAttrs& attrs) {
  NodeBuilder node(graph, "Slice", attrs.name);
  node.In(input);
  node.In(begin);
  node.In(size);
  return node.BuildOutput();
}
Output Slice(const Input& input, const Input& begin, const Input& size, const SliceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{begin}, InputList{size}});
  if (graph == nullptr) return {};
  return Slice(*graph, input, begin, size, attrs);
}

Output Snapshot(Graph& graph, const Input& input, const SnapshotAttrs& attrs) {
  NodeBuilder node(graph, "Snapshot", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output Snapshot(const Input& input, const SnapshotAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Snapshot(*graph, input, attrs);
}

Output SpaceToBatch(Graph& graph, const Input& input, const Input& paddings, int64_t block_size, const SpaceToBatchAttrs& attrs) {
  NodeBuilder node(graph, "SpaceToBatch", attrs.name);
  node.In(input);
  node.In(paddings);
  node.Attr("block_size", block_size);
  return node.BuildOutput();
}
Output SpaceToBatch(const Input& input, const Input& paddings, int64_t block_size, const SpaceToBatchAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{paddings}});
  if (graph == nullptr) return {};
  return SpaceToBatch(*graph, input, paddings, block_size, attrs);
}

Output SpaceToBatchND(Graph& graph, const Input& input, const Input& block_shape, const Input& paddings, const SpaceToBatchNDAttrs& attrs) {
  NodeBuilder node(graph, "SpaceToBatchND", attrs.name);
  node.In(input);
  node.In(block_shape);
  node.In(paddings);
  return node.BuildOutput();
}
Output SpaceToBatchND(const Input& input, const Input& block_shape, const Input& paddings, const SpaceToBatchNDAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{block_shape}, InputList{paddings}});
  if (graph == nullptr) return {};
  return SpaceToBatchND(*graph, input, block_shape, paddings, attrs);
}

Output SpaceToDepth(Graph& graph, const Input& input, int64_t block_size, const SpaceToDepthAttrs& attrs) {
  NodeBuilder node(graph, "SpaceToDepth", attrs.name);
  node.In(input);
  node.Attr("block_size", block_size);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output SpaceToDepth(const Input& input, int64_t block_size, const SpaceToDepthAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return SpaceToDepth(*graph, input, block_size, attrs);
}

SparseAddResult SparseAdd(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const Input& thresh, const SparseAddAttrs& attrs) {
  NodeBuilder node(graph, "SparseAdd", attrs.name);
  node.In(a_indices);
  node.In(a_values);
  node.In(a_shape);
  node.In(b_indices);
  node.In(b_values);
  node.In(b_shape);
  node.In(thresh);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SparseAddResult SparseAdd(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const Input& thresh, const SparseAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a_indices}, InputList{a_values}, InputList{a_shape}, InputList{b_indices}, InputList{b_values}, InputList{b_shape}, InputList{thresh}});
  if (graph == nullptr) return {};
  return SparseAdd(*graph, a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh, attrs);
}

SparseAddGradResult SparseAddGrad(Graph& graph, const Input& backprop_val_grad, const Input& a_indices, const Input& b_indices, const Input& sum_indices, const SparseAddGradAttrs& attrs) {
  NodeBuilder node(graph, "SparseAddGrad", attrs.name);
  node.In(backprop_val_grad);
  node.In(a_indices);
  node.In(b_indices);
  node.In(sum_indices);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SparseAddGradResult SparseAddGrad(const Input& backprop_val_grad, const Input& a_indices, const Input& b_indices, const Input& sum_indices, const SparseAddGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{backprop_val_grad}, InputList{a_indices}, InputList{b_indices}, InputList{sum_indices}});
  if (graph == nullptr) return {};
  return SparseAddGrad(*graph, backprop_val_grad, a_indices, b_indices, sum_indices, attrs);
}

SparseConcatResult SparseConcat(Graph& graph, const InputList& indices, const InputList& values, const InputList& shapes, int64_t concat_dim, const SparseConcatAttrs& attrs) {
  NodeBuilder node(graph, "SparseConcat", attrs.name);
  node.In(indices);
  node.In(values);
  node.In(shapes);
  node.Attr("concat_dim", concat_dim);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SparseConcatResult SparseConcat(const InputList& indices, const InputList& values, const InputList& shapes, int64_t concat_dim, const SparseConcatAttrs& attrs) {
  Graph* graph = GraphOfAll({indices, values, shapes});
  if (graph == nullptr) return {};
  return SparseConcat(*graph, indices, values, shapes, concat_dim, attrs);
}

Output SparseDenseCwiseAdd(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseAddAttrs& attrs) {
  NodeBuilder node(graph, "SparseDenseCwiseAdd", attrs.name);
  node.In(sp_indices);
  node.In(sp_values);
  node.In(sp_shape);
  node.In(dense);
  return node.BuildOutput();
}
Output SparseDenseCwiseAdd(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sp_indices}, InputList{sp_values}, InputList{sp_shape}, InputList{dense}});
  if (graph == nullptr) return {};
  return SparseDenseCwiseAdd(*graph, sp_indices, sp_values, sp_shape, dense, attrs);
}

Output SparseDenseCwiseDiv(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseDivAttrs& attrs) {
  NodeBuilder node(graph, "SparseDenseCwiseDiv", attrs.name);
  node.In(sp_indices);
  node.In(sp_values);
  node.In(sp_shape);
  node.In(dense);
  return node.BuildOutput();
}
Output SparseDenseCwiseDiv(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseDivAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sp_indices}, InputList{sp_values}, InputList{sp_shape}, InputList{dense}});
  if (graph == nullptr) return {};
  return SparseDenseCwiseDiv(*graph, sp_indices, sp_values, sp_shape, dense, attrs);
}

Output SparseDenseCwiseMul(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseMulAttrs& attrs) {
  NodeBuilder node(graph, "SparseDenseCwiseMul", attrs.name);
  node.In(sp_indices);
  node.In(sp_values);
  node.In(sp_shape);
  node.In(dense);
  return node.BuildOutput();
}
Output SparseDenseCwiseMul(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, const SparseDenseCwiseMulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sp_indices}, InputList{sp_values}, InputList{sp_shape}, InputList{dense}});
  if (graph == nullptr) return {};
  return SparseDenseCwiseMul(*graph, sp_indices, sp_values, sp_shape, dense, attrs);
}

SparseFillEmptyRowsResult SparseFillEmptyRows(Graph& graph, const Input& indices, const Input& values, const Input& dense_shape, const Input& default_value, const SparseFillEmptyRowsAttrs& attrs) {
  NodeBuilder node(graph, "SparseFillEmptyRows", attrs.name);
  node.In(indices);
  node.In(values);
  node.In(dense_shape);
  node.In(default_value);
  const OutputList outputs = node.BuildOutputs(4);
  return {outputs[0], outputs[1], outputs[2], outputs[3]};
}
SparseFillEmptyRowsResult SparseFillEmptyRows(const Input& indices, const Input& values, const Input& dense_shape, const Input& default_value, const SparseFillEmptyRowsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{indices}, InputList{values}, InputList{dense_shape}, InputList{default_value}});
  if (graph == nullptr) return {};
  return SparseFillEmptyRows(*graph, indices, values, dense_shape, default_value, attrs);
}

SparseFillEmptyRowsGradResult SparseFillEmptyRowsGrad(Graph& graph, const Input& reverse_index_map, const Input& grad_values, const SparseFillEmptyRowsGradAttrs& attrs) {
  NodeBuilder node(graph, "SparseFillEmptyRowsGrad", attrs.name);
  node.In(reverse_index_map);
  node.In(grad_values);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SparseFillEmptyRowsGradResult SparseFillEmptyRowsGrad(const Input& reverse_index_map, const Input& grad_values, const SparseFillEmptyRowsGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{reverse_index_map}, InputList{grad_values}});
  if (graph == nullptr) return {};
  return SparseFillEmptyRowsGrad(*graph, reverse_index_map, grad_values, attrs);
}

Output SparseReduceMax(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxAttrs& attrs) {
  NodeBuilder node(graph, "SparseReduceMax", attrs.name);
  node.In(input_indices);
  node.In(input_values);
  node.In(input_shape);
  node.In(reduction_axes);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output SparseReduceMax(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_indices}, InputList{input_values}, InputList{input_shape}, InputList{reduction_axes}});
  if (graph == nullptr) return {};
  return SparseReduceMax(*graph, input_indices, input_values, input_shape, reduction_axes, attrs);
}

SparseReduceMaxSparseResult SparseReduceMaxSparse(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxSparseAttrs& attrs) {
  NodeBuilder node(graph, "SparseReduceMaxSparse", attrs.name);
  node.In(input_indices);
  node.In(input_values);
  node.In(input_shape);
  node.In(reduction_axes);
  node.Attr("keep_dims", attrs.keep_dims);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SparseReduceMaxSparseResult SparseReduceMaxSparse(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxSparseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_indices}, InputList{input_values}, InputList{input_shape}, InputList{reduction_axes}});
  if (graph == nullptr) return {};
  return SparseReduceMaxSparse(*graph, input_indices, input_values, input_shape, reduction_axes, attrs);
}

Output SparseReduceSum(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumAttrs& attrs) {
  NodeBuilder node(graph, "SparseReduceSum", attrs.name);
  node.In(input_indices);
  node.In(input_values);
  node.In(input_shape);
  node.In(reduction_axes);
  node.Attr("keep_dims", attrs.keep_dims);
  return node.BuildOutput();
}
Output SparseReduceSum(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_indices}, InputList{input_values}, InputList{input_shape}, InputList{reduction_axes}});
  if (graph == nullptr) return {};
  return SparseReduceSum(*graph, input_indices, input_values, input_shape, reduction_axes, attrs);
}

SparseReduceSumSparseResult SparseReduceSumSparse(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumSparseAttrs& attrs) {
  NodeBuilder node(graph, "SparseReduceSumSparse", attrs.name);
  node.In(input_indices);
  node.In(input_values);
  node.In(input_shape);
  node.In(reduction_axes);
  node.Attr("keep_dims", attrs.keep_dims);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SparseReduceSumSparseResult SparseReduceSumSparse(const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumSparseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_indices}, InputList{input_values}, InputList{input_shape}, InputList{reduction_axes}});
  if (graph == nullptr) return {};
  return SparseReduceSumSparse(*graph, input_indices, input_values, input_shape, reduction_axes, attrs);
}

SparseReorderResult SparseReorder(Graph& graph, const Input& input_indices, const Input& input_values, const Input& input_shape, const SparseReorderAttrs& attrs) {
  NodeBuilder node(graph, "SparseReorder", attrs.name);
  node.In(input_indices);
  node.In(input_values);
  node.In(input_shape);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SparseReorderResult SparseReorder(const Input& input_indices, const Input& input_values, const Input& input_shape, const SparseReorderAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_indices}, InputList{input_values}, InputList{input_shape}});
  if (graph == nullptr) return {};
  return SparseReorder(*graph, input_indices, input_values, input_shape, attrs);
}

SparseReshapeResult SparseReshape(Graph& graph, const Input& input_indices, const Input& input_shape, const Input& new_shape, const SparseReshapeAttrs& attrs) {
  NodeBuilder node(graph, "SparseReshape", attrs.name);
  node.In(input_indices);
  node.In(input_shape);
  node.In(new_shape);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SparseReshapeResult SparseReshape(const Input& input_indices, const Input& input_shape, const Input& new_shape, const SparseReshapeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_indices}, InputList{input_shape}, InputList{new_shape}});
  if (graph == nullptr) return {};
  return SparseReshape(*graph, input_indices, input_shape, new_shape, attrs);
}

SparseSliceResult SparseSlice(Graph& graph, const Input& indices, const Input& values, const Input& shape, const Input& start, const Input& size, const SparseSliceAttrs& attrs) {
  NodeBuilder node(graph, "SparseSlice", attrs.name);
  node.In(indices);
  node.In(values);
  node.In(shape);
  node.In(start);
  node.In(size);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SparseSliceResult SparseSlice(const Input& indices, const Input& values, const Input& shape, const Input& start, const Input& size, const SparseSliceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{indices}, InputList{values}, InputList{shape}, InputList{start}, InputList{size}});
  if (graph == nullptr) return {};
  return SparseSlice(*graph, indices, values, shape, start, size, attrs);
}

Output SparseSliceGrad(Graph& graph, const Input& backprop_val_grad, const Input& input_indices, const Input& input_start, const Input& output_indices, const SparseSliceGradAttrs& attrs) {
  NodeBuilder node(graph, "SparseSliceGrad", attrs.name);
  node.In(backprop_val_grad);
  node.In(input_indices);
  node.In(input_start);
  node.In(output_indices);
  return node.BuildOutput();
}
Output SparseSliceGrad(const Input& backprop_val_grad, const Input& input_indices, const Input& input_start, const Input& output_indices, const SparseSliceGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{backprop_val_grad}, InputList{input_indices}, InputList{input_start}, InputList{output_indices}});
  if (graph == nullptr) return {};
  return SparseSliceGrad(*graph, backprop_val_grad, input_indices, input_start, output_indices, attrs);
}

Output SparseSoftmax(Graph& graph, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const SparseSoftmaxAttrs& attrs) {
  NodeBuilder node(graph, "SparseSoftmax", attrs.name);
  node.In(sp_indices);
  node.In(sp_values);
  node.In(sp_shape);
  return node.BuildOutput();
}
Output SparseSoftmax(const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const SparseSoftmaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sp_indices}, InputList{sp_values}, InputList{sp_shape}});
  if (graph == nullptr) return {};
  return SparseSoftmax(*graph, sp_indices, sp_values, sp_shape, attrs);
}

SparseSparseMaximumResult SparseSparseMaximum(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMaximumAttrs& attrs) {
  NodeBuilder node(graph, "SparseSparseMaximum", attrs.name);
  node.In(a_indices);
  node.In(a_values);
  node.In(a_shape);
  node.In(b_indices);
  node.In(b_values);
  node.In(b_shape);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SparseSparseMaximumResult SparseSparseMaximum(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMaximumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a_indices}, InputList{a_values}, InputList{a_shape}, InputList{b_indices}, InputList{b_values}, InputList{b_shape}});
  if (graph == nullptr) return {};
  return SparseSparseMaximum(*graph, a_indices, a_values, a_shape, b_indices, b_values, b_shape, attrs);
}

SparseSparseMinimumResult SparseSparseMinimum(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMinimumAttrs& attrs) {
  NodeBuilder node(graph, "SparseSparseMinimum", attrs.name);
  node.In(a_indices);
  node.In(a_values);
  node.In(a_shape);
  node.In(b_indices);
  node.In(b_values);
  node.In(b_shape);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SparseSparseMinimumResult SparseSparseMinimum(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const SparseSparseMinimumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a_indices}, InputList{a_values}, InputList{a_shape}, InputList{b_indices}, InputList{b_values}, InputList{b_shape}});
  if (graph == nullptr) return {};
  return SparseSparseMinimum(*graph, a_indices, a_values, a_shape, b_indices, b_values, b_shape, attrs);
}

OutputList SparseSplit(Graph& graph, const Input& split_dim, const Input& indices, const Input& values, const Input& shape, int64_t num_split, const SparseSplitAttrs& attrs) {
  NodeBuilder node(graph, "SparseSplit", attrs.name);
  node.In(split_dim);
  node.In(indices);
  node.In(values);
  node.In(shape);
  node.Attr("num_split", num_split);
  return node.BuildOutputs();
}
OutputList SparseSplit(const Input& split_dim, const Input& indices, const Input& values, const Input& shape, int64_t num_split, const SparseSplitAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{split_dim}, InputList{indices}, InputList{values}, InputList{shape}});
  if (graph == nullptr) return {};
  return SparseSplit(*graph, split_dim, indices, values, shape, num_split, attrs);
}

Output SparseTensorDenseAdd(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseAddAttrs& attrs) {
  NodeBuilder node(graph, "SparseTensorDenseAdd", attrs.name);
  node.In(a_indices);
  node.In(a_values);
  node.In(a_shape);
  node.In(b);
  return node.BuildOutput();
}
Output SparseTensorDenseAdd(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a_indices}, InputList{a_values}, InputList{a_shape}, InputList{b}});
  if (graph == nullptr) return {};
  return SparseTensorDenseAdd(*graph, a_indices, a_values, a_shape, b, attrs);
}

Output SparseTensorDenseMatMul(Graph& graph, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseMatMulAttrs& attrs) {
  NodeBuilder node(graph, "SparseTensorDenseMatMul", attrs.name);
  node.In(a_indices);
  node.In(a_values);
  node.In(a_shape);
  node.In(b);
  node.Attr("adjoint_a", attrs.adjoint_a);
  node.Attr("adjoint_b", attrs.adjoint_b);
  return node.BuildOutput();
}
Output SparseTensorDenseMatMul(const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b, const SparseTensorDenseMatMulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{a_indices}, InputList{a_values}, InputList{a_shape}, InputList{b}});
  if (graph == nullptr) return {};
  return SparseTensorDenseMatMul(*graph, a_indices, a_values, a_shape, b, attrs);
}

Output SparseToDense(Graph& graph, const Input& sparse_indices, const Input& output_shape, const Input& sparse_values, const Input& default_value, const SparseToDenseAttrs& attrs) {
  NodeBuilder node(graph, "SparseToDense", attrs.name);
  node.In(sparse_indices);
  node.In(output_shape);
  node.In(sparse_values);
  node.In(default_value);
  node.Attr("validate_indices", attrs.validate_indices);
  return node.BuildOutput();
}
Output SparseToDense(const Input& sparse_indices, const Input& output_shape, const Input& sparse_values, const Input& default_value, const SparseToDenseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sparse_indices}, InputList{output_shape}, InputList{sparse_values}, InputList{default_value}});
  if (graph == nullptr) return {};
  return SparseToDense(*graph, sparse_indices, output_shape, sparse_values, default_value, attrs);
}

SparseToSparseSetOperationResult SparseToSparseSetOperation(Graph& graph, const Input& set1_indices, const Input& set1_values, const Input& set1_shape, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const SparseToSparseSetOperationAttrs& attrs) {
  NodeBuilder node(graph, "SparseToSparseSetOperation", attrs.name);
  node.In(set1_indices);
  node.In(set1_values);
  node.In(set1_shape);
  node.In(set2_indices);
  node.In(set2_values);
  node.In(set2_shape);
  node.Attr("set_operation", set_operation);
  node.Attr("validate_indices", attrs.validate_indices);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
SparseToSparseSetOperationResult SparseToSparseSetOperation(const Input& set1_indices, const Input& set1_values, const Input& set1_shape, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const SparseToSparseSetOperationAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{set1_indices}, InputList{set1_values}, InputList{set1_shape}, InputList{set2_indices}, InputList{set2_values}, InputList{set2_shape}});
  if (graph == nullptr) return {};
  return SparseToSparseSetOperation(*graph, set1_indices, set1_values, set1_shape, set2_indices, set2_values, set2_shape, set_operation, attrs);
}

OutputList Split(Graph& graph, const Input& split_dim, const Input& value, int64_t num_split, const SplitAttrs& attrs) {
  NodeBuilder node(graph, "Split", attrs.name);
  node.In(split_dim);
  node.In(value);
  node.Attr("num_split", num_split);
  return node.BuildOutputs();
}
OutputList Split(const Input& split_dim, const Input& value, int64_t num_split, const SplitAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{split_dim}, InputList{value}});
  if (graph == nullptr) return {};
  return Split(*graph, split_dim, value, num_split, attrs);
}

OutputList SplitV(Graph& graph, const Input& value, const Input& size_splits, const Input& split_dim, int64_t num_split, const SplitVAttrs& attrs) {
  NodeBuilder node(graph, "SplitV", attrs.name);
  node.In(value);
  node.In(size_splits);
  node.In(split_dim);
  node.Attr("num_split", num_split);
  return node.BuildOutputs();
}
OutputList SplitV(const Input& value, const Input& size_splits, const Input& split_dim, int64_t num_split, const SplitVAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{value}, InputList{size_splits}, InputList{split_dim}});
  if (graph == nullptr) return {};
  return SplitV(*graph, value, size_splits, split_dim, num_split, attrs);
}

Output Squeeze(Graph& graph, const Input& input, const SqueezeAttrs& attrs) {
  NodeBuilder node(graph, "Squeeze", attrs.name);
  node.In(input);
  node.Attr("squeeze_dims", attrs.squeeze_dims);
  return node.BuildOutput();
}
Output Squeeze(const Input& input, const SqueezeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Squeeze(*graph, input, attrs);
}

Output StopGradient(Graph& graph, const Input& input, const StopGradientAttrs& attrs) {
  NodeBuilder node(graph, "StopGradient", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output StopGradient(const Input& input, const StopGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return StopGradient(*graph, input, attrs);
}

Output StridedSlice(Graph& graph, const Input& input, const Input& begin, const Input& end, const Input& strides, const StridedSliceAttrs& attrs) {
  NodeBuilder node(graph, "StridedSlice", attrs.name);
  node.In(input);
  node.In(begin);
  node.In(end);
  node.In(strides);
  node.Attr("begin_mask", attrs.begin_mask);
  node.Attr("end_mask", attrs.end_mask);
  node.Attr("ellipsis_mask", attrs.ellipsis_mask);
  node.Attr("new_axis_mask", attrs.new_axis_mask);
  node.Attr("shrink_axis_mask", attrs.shrink_axis_mask);
  return node.BuildOutput();
}
Output StridedSlice(const Input& input, const Input& begin, const Input& end, const Input& strides, const StridedSliceAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{begin}, InputList{end}, InputList{strides}});
  if (graph == nullptr) return {};
  return StridedSlice(*graph, input, begin, end, strides, attrs);
}

Output StridedSliceAssign(Graph& graph, const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const StridedSliceAssignAttrs& attrs) {
  NodeBuilder node(graph, "StridedSliceAssign", attrs.name);
  node.In(ref);
  node.In(begin);
  node.In(end);
  node.In(strides);
  node.In(value);
  node.Attr("begin_mask", attrs.begin_mask);
  node.Attr("end_mask", attrs.end_mask);
  node.Attr("ellipsis_mask", attrs.ellipsis_mask);
  node.Attr("new_axis_mask", attrs.new_axis_mask);
  node.Attr("shrink_axis_mask", attrs.shrink_axis_mask);
  return node.BuildOutput();
}
Output StridedSliceAssign(const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const StridedSliceAssignAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{begin}, InputList{end}, InputList{strides}, InputList{value}});
  if (graph == nullptr) return {};
  return StridedSliceAssign(*graph, ref, begin, end, strides, value, attrs);
}

Output StridedSliceGrad(Graph& graph, const Input& shape, const Input& begin, const Input& end, const Input& strides, const Input& dy, const StridedSliceGradAttrs& attrs) {
  NodeBuilder node(graph, "StridedSliceGrad", attrs.name);
  node.In(shape);
  node.In(begin);
  node.In(end);
  node.In(strides);
  node.In(dy);
  node.Attr("begin_mask", attrs.begin_mask);
  node.Attr("end_mask", attrs.end_mask);
  node.Attr("ellipsis_mask", attrs.ellipsis_mask);
  node.Attr("new_axis_mask", attrs.new_axis_mask);
  node.Attr("shrink_axis_mask", attrs.shrink_axis_mask);
  return node.BuildOutput();
}
Output StridedSliceGrad(const Input& shape, const Input& begin, const Input& end, const Input& strides, const Input& dy, const StridedSliceGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{shape}, InputList{begin}, InputList{end}, InputList{strides}, InputList{dy}});
  if (graph == nullptr) return {};
  return StridedSliceGrad(*graph, shape, begin, end, strides, dy, attrs);
}

Output TensorScatterAdd(Graph& graph, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterAddAttrs& attrs) {
  NodeBuilder node(graph, "TensorScatterAdd", attrs.name);
  node.In(tensor);
  node.In(indices);
  node.In(updates);
  return node.BuildOutput();
}
Output TensorScatterAdd(const Input& tensor, const Input& indices, const Input& updates, const TensorScatterAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return TensorScatterAdd(*graph, tensor, indices, updates, attrs);
}

Output TensorScatterSub(Graph& graph, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterSubAttrs& attrs) {
  NodeBuilder node(graph, "TensorScatterSub", attrs.name);
  node.In(tensor);
  node.In(indices);
  node.In(updates);
  return node.BuildOutput();
}
Output TensorScatterSub(const Input& tensor, const Input& indices, const Input& updates, const TensorScatterSubAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return TensorScatterSub(*graph, tensor, indices, updates, attrs);
}

Output TensorScatterUpdate(Graph& graph, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterUpdateAttrs& attrs) {
  NodeBuilder node(graph, "TensorScatterUpdate", attrs.name);
  node.In(tensor);
  node.In(indices);
  node.In(updates);
  return node.BuildOutput();
}
Output TensorScatterUpdate(const Input& tensor, const Input& indices, const Input& updates, const TensorScatterUpdateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{tensor}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return TensorScatterUpdate(*graph, tensor, indices, updates, attrs);
}

Output TensorStridedSliceUpdate(Graph& graph, const Input& input, const Input& begin, const Input& end, const Input& strides, const Input& value, const TensorStridedSliceUpdateAttrs& attrs) {
  NodeBuilder node(graph, "TensorStridedSliceUpdate", attrs.name);
  node.In(input);
  node.In(begin);
  node.In(end);
  node.In(strides);
  node.In(value);
  node.Attr("begin_mask", attrs.begin_mask);
  node.Attr("end_mask", attrs.end_mask);
  node.Attr("ellipsis_mask", attrs.ellipsis_mask);
  node.Attr("new_axis_mask", attrs.new_axis_mask);
  node.Attr("shrink_axis_mask", attrs.shrink_axis_mask);
  return node.BuildOutput();
}
Output TensorStridedSliceUpdate(const Input& input, const Input& begin, const Input& end, const Input& strides, const Input& value, const TensorStridedSliceUpdateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{begin}, InputList{end}, InputList{strides}, InputList{value}});
  if (graph == nullptr) return {};
  return TensorStridedSliceUpdate(*graph, input, begin, end, strides, value, attrs);
}

Output Tile(Graph& graph, const Input& input, const Input& multiples, const TileAttrs& attrs) {
  NodeBuilder node(graph, "Tile", attrs.name);
  node.In(input);
  node.In(multiples);
  return node.BuildOutput();
}
Output Tile(const Input& input, const Input& multiples, const TileAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{multiples}});
  if (graph == nullptr) return {};
  return Tile(*graph, input, multiples, attrs);
}

Output TileGrad(Graph& graph, const Input& input, const Input& multiples, const TileGradAttrs& attrs) {
  NodeBuilder node(graph, "TileGrad", attrs.name);
  node.In(input);
  node.In(multiples);
  return node.BuildOutput();
}
Output TileGrad(const Input& input, const Input& multiples, const TileGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{multiples}});
  if (graph == nullptr) return {};
  return TileGrad(*graph, input, multiples, attrs);
}

TopKResult TopK(Graph& graph, const Input& input, int64_t k, const TopKAttrs& attrs) {
  NodeBuilder node(graph, "TopK", attrs.name);
  node.In(input);
  node.Attr("k", k);
  node.Attr("sorted", attrs.sorted);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
TopKResult TopK(const Input& input, int64_t k, const TopKAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return TopK(*graph, input, k, attrs);
}

TopKV2Result TopKV2(Graph& graph, const Input& input, const Input& k, const TopKV2Attrs& attrs) {
  NodeBuilder node(graph, "TopKV2", attrs.name);
  node.In(input);
  node.In(k);
  node.Attr("sorted", attrs.sorted);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
TopKV2Result TopKV2(const Input& input, const Input& k, const TopKV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{k}});
  if (graph == nullptr) return {};
  return TopKV2(*graph, input, k, attrs);
}

Output Transpose(Graph& graph, const Input& x, const Input& perm, const TransposeAttrs& attrs) {
  NodeBuilder node(graph, "Transpose", attrs.name);
  node.In(x);
  node.In(perm);
  return node.BuildOutput();
}
Output Transpose(const Input& x, const Input& perm, const TransposeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{perm}});
  if (graph == nullptr) return {};
  return Transpose(*graph, x, perm, attrs);
}

UniqueResult Unique(Graph& graph, const Input& x, const UniqueAttrs& attrs) {
  NodeBuilder node(graph, "Unique", attrs.name);
  node.In(x);
  node.Attr("out_idx", attrs.out_idx);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
UniqueResult Unique(const Input& x, const UniqueAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return Unique(*graph, x, attrs);
}

UniqueV2Result UniqueV2(Graph& graph, const Input& x, const Input& axis, const UniqueV2Attrs& attrs) {
  NodeBuilder node(graph, "UniqueV2", attrs.name);
  node.In(x);
  node.In(axis);
  node.Attr("out_idx", attrs.out_idx);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
UniqueV2Result UniqueV2(const Input& x, const Input& axis, const UniqueV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{axis}});
  if (graph == nullptr) return {};
  return UniqueV2(*graph, x, axis, attrs);
}

UniqueWithCountsResult UniqueWithCounts(Graph& graph, const Input& x, const UniqueWithCountsAttrs& attrs) {
  NodeBuilder node(graph, "UniqueWithCounts", attrs.name);
  node.In(x);
  node.Attr("out_idx", attrs.out_idx);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
UniqueWithCountsResult UniqueWithCounts(const Input& x, const UniqueWithCountsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return UniqueWithCounts(*graph, x, attrs);
}

UniqueWithCountsV2Result UniqueWithCountsV2(Graph& graph, const Input& x, const Input& axis, const UniqueWithCountsV2Attrs& attrs) {
  NodeBuilder node(graph, "UniqueWithCountsV2", attrs.name);
  node.In(x);
  node.In(axis);
  node.Attr("out_idx", attrs.out_idx);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
UniqueWithCountsV2Result UniqueWithCountsV2(const Input& x, const Input& axis, const UniqueWithCountsV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{axis}});
  if (graph == nullptr) return {};
  return UniqueWithCountsV2(*graph, x, axis, attrs);
}

OutputList Unpack(Graph& graph, const Input& value, int64_t num, const UnpackAttrs& attrs) {
  NodeBuilder node(graph, "Unpack", attrs.name);
  node.In(value);
  node.Attr("num", num);
  node.Attr("axis", attrs.axis);
  return node.BuildOutputs();
}
OutputList Unpack(const Input& value, int64_t num, const UnpackAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{value}});
  if (graph == nullptr) return {};
  return Unpack(*graph, value, num, attrs);
}

Output UnravelIndex(Graph& graph, const Input& indices, const Input& dims, const UnravelIndexAttrs& attrs) {
  NodeBuilder node(graph, "UnravelIndex", attrs.name);
  node.In(indices);
  node.In(dims);
  return node.BuildOutput();
}
Output UnravelIndex(const Input& indices, const Input& dims, const UnravelIndexAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{indices}, InputList{dims}});
  if (graph == nullptr) return {};
  return UnravelIndex(*graph, indices, dims, attrs);
}

Output UpperBound(Graph& graph, const Input& sorted_inputs, const Input& values, const UpperBoundAttrs& attrs) {
  NodeBuilder node(graph, "UpperBound", attrs.name);
  node.In(sorted_inputs);
  node.In(values);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output UpperBound(const Input& sorted_inputs, const Input& values, const UpperBoundAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{sorted_inputs}, InputList{values}});
  if (graph == nullptr) return {};
  return UpperBound(*graph, sorted_inputs, values, attrs);
}

Output Where(Graph& graph, const Input& input, const WhereAttrs& attrs) {
  NodeBuilder node(graph, "Where", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output Where(const Input& input, const WhereAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return Where(*graph, input, attrs);
}

Output ZerosLike(Graph& graph, const Input& x, const ZerosLikeAttrs& attrs) {
  NodeBuilder node(graph, "ZerosLike", attrs.name);
  node.In(x);
  return node.BuildOutput();
}
Output ZerosLike(const Input& x, const ZerosLikeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}});
  if (graph == nullptr) return {};
  return ZerosLike(*graph, x, attrs);
}

}  // namespace weir
