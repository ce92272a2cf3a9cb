// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/nn_ops.h"

namespace weir {

AllCandidateSamplerResult AllCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, const AllCandidateSamplerAttrs& attrs) {
  NodeBuilder node(graph, "AllCandidateSampler", attrs.name);
  node.In(true_classes);
  node.Attr("num_true", num_true);
  node.Attr("num_sampled", num_sampled);
  node.Attr("unique", unique);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
AllCandidateSamplerResult AllCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, const AllCandidateSamplerAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{true_classes}});
  if (graph == nullptr) return {};
  return AllCandidateSampler(*graph, true_classes, num_true, num_sampled, unique, attrs);
}

Output AvgPool(Graph& graph, const Input& value, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolAttrs& attrs) {
  NodeBuilder node(graph, "AvgPool", attrs.name);
  node.In(value);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output AvgPool(const Input& value, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{value}});
  if (graph == nullptr) return {};
  return AvgPool(*graph, value, ksize, strides, padding, attrs);
}

Output AvgPool3D(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DAttrs& attrs) {
  NodeBuilder node(graph, "AvgPool3D", attrs.name);
  node.In(input);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output AvgPool3D(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return AvgPool3D(*graph, input, ksize, strides, padding, attrs);
}

Output AvgPool3DGrad(Graph& graph, const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DGradAttrs& attrs) {
  NodeBuilder node(graph, "AvgPool3DGrad", attrs.name);
  node.In(orig_input_shape);
  node.In(grad);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output AvgPool3DGrad(const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{orig_input_shape}, InputList{grad}});
  if (graph == nullptr) return {};
  return AvgPool3DGrad(*graph, orig_input_shape, grad, ksize, strides, padding, attrs);
}

Output AvgPoolGrad(Graph& graph, const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolGradAttrs& attrs) {
  NodeBuilder node(graph, "AvgPoolGrad", attrs.name);
  node.In(orig_input_shape);
  node.In(grad);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output AvgPoolGrad(const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{orig_input_shape}, InputList{grad}});
  if (graph == nullptr) return {};
  return AvgPoolGrad(*graph, orig_input_shape, grad, ksize, strides, padding, attrs);
}

Output BiasAdd(Graph& graph, const Input& value, const Input& bias, const BiasAddAttrs& attrs) {
  NodeBuilder node(graph, "BiasAdd", attrs.name);
  node.In(value);
  node.In(bias);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output BiasAdd(const Input& value, const Input& bias, const BiasAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{value}, InputList{bias}});
  if (graph == nullptr) return {};
  return BiasAdd(*graph, value, bias, attrs);
}

Output BiasAddGrad(Graph& graph, const Input& out_backprop, const BiasAddGradAttrs& attrs) {
  NodeBuilder node(graph, "BiasAddGrad", attrs.name);
  node.In(out_backprop);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output BiasAddGrad(const Input& out_backprop, const BiasAddGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{out_backprop}});
  if (graph == nullptr) return {};
  return BiasAddGrad(*graph, out_backprop, attrs);
}

Output BiasAddV1(Graph& graph, const Input& value, const Input& bias, const BiasAddV1Attrs& attrs) {
  NodeBuilder node(graph, "BiasAddV1", attrs.name);
  node.In(value);
  node.In(bias);
  return node.BuildOutput();
}
Output BiasAddV1(const Input& value, const Input& bias, const BiasAddV1Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{value}, InputList{bias}});
  if (graph == nullptr) return {};
  return BiasAddV1(*graph, value, bias, attrs);
}

ComputeAccidentalHitsResult ComputeAccidentalHits(Graph& graph, const Input& true_classes, const Input& sampled_candidates, int64_t num_true, const ComputeAccidentalHitsAttrs& attrs) {
  NodeBuilder node(graph, "ComputeAccidentalHits", attrs.name);
  node.In(true_classes);
  node.In(sampled_candidates);
  node.Attr("num_true", num_true);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
ComputeAccidentalHitsResult ComputeAccidentalHits(const Input& true_classes, const Input& sampled_candidates, int64_t num_true, const ComputeAccidentalHitsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{true_classes}, InputList{sampled_candidates}});
  if (graph == nullptr) return {};
  return ComputeAccidentalHits(*graph, true_classes, sampled_candidates, num_true, attrs);
}

Output Conv2D(Graph& graph, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DAttrs& attrs) {
  NodeBuilder node(graph, "Conv2D", attrs.name);
  node.In(input);
  node.In(filter);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("use_cudnn_on_gpu", attrs.use_cudnn_on_gpu);
  node.Attr("explicit_paddings", attrs.explicit_paddings);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output Conv2D(const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{filter}});
  if (graph == nullptr) return {};
  return Conv2D(*graph, input, filter, strides, padding, attrs);
}

Output Conv2DBackpropFilter(Graph& graph, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropFilterAttrs& attrs) {
  NodeBuilder node(graph, "Conv2DBackpropFilter", attrs.name);
  node.In(input);
  node.In(filter_sizes);
  node.In(out_backprop);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("use_cudnn_on_gpu", attrs.use_cudnn_on_gpu);
  node.Attr("explicit_paddings", attrs.explicit_paddings);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output Conv2DBackpropFilter(const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropFilterAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{filter_sizes}, InputList{out_backprop}});
  if (graph == nullptr) return {};
  return Conv2DBackpropFilter(*graph, input, filter_sizes, out_backprop, strides, padding, attrs);
}

Output Conv2DBackpropInput(Graph& graph, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropInputAttrs& attrs) {
  NodeBuilder node(graph, "Conv2DBackpropInput", attrs.name);
  node.In(input_sizes);
  node.In(filter);
  node.In(out_backprop);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("use_cudnn_on_gpu", attrs.use_cudnn_on_gpu);
  node.Attr("explicit_paddings", attrs.explicit_paddings);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output Conv2DBackpropInput(const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropInputAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_sizes}, InputList{filter}, InputList{out_backprop}});
  if (graph == nullptr) return {};
  return Conv2DBackpropInput(*graph, input_sizes, filter, out_backprop, strides, padding, attrs);
}

Output Conv3D(Graph& graph, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DAttrs& attrs) {
  NodeBuilder node(graph, "Conv3D", attrs.name);
  node.In(input);
  node.In(filter);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output Conv3D(const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{filter}});
  if (graph == nullptr) return {};
  return Conv3D(*graph, input, filter, strides, padding, attrs);
}

Output Conv3DBackpropFilterV2(Graph& graph, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropFilterV2Attrs& attrs) {
  NodeBuilder node(graph, "Conv3DBackpropFilterV2", attrs.name);
  node.In(input);
  node.In(filter_sizes);
  node.In(out_backprop);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output Conv3DBackpropFilterV2(const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropFilterV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{filter_sizes}, InputList{out_backprop}});
  if (graph == nullptr) return {};
  return Conv3DBackpropFilterV2(*graph, input, filter_sizes, out_backprop, strides, padding, attrs);
}

Output Conv3DBackpropInputV2(Graph& graph, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropInputV2Attrs& attrs) {
  NodeBuilder node(graph, "Conv3DBackpropInputV2", attrs.name);
  node.In(input_sizes);
  node.In(filter);
  node.In(out_backprop);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output Conv3DBackpropInputV2(const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropInputV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_sizes}, InputList{filter}, InputList{out_backprop}});
  if (graph == nullptr) return {};
  return Conv3DBackpropInputV2(*graph, input_sizes, filter, out_backprop, strides, padding, attrs);
}

Output DepthwiseConv2dNative(Graph& graph, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeAttrs& attrs) {
  NodeBuilder node(graph, "DepthwiseConv2dNative", attrs.name);
  node.In(input);
  node.In(filter);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output DepthwiseConv2dNative(const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{filter}});
  if (graph == nullptr) return {};
  return DepthwiseConv2dNative(*graph, input, filter, strides, padding, attrs);
}

Output DepthwiseConv2dNativeBackpropFilter(Graph& graph, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropFilterAttrs& attrs) {
  NodeBuilder node(graph, "DepthwiseConv2dNativeBackpropFilter", attrs.name);
  node.In(input);
  node.In(filter_sizes);
  node.In(out_backprop);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output DepthwiseConv2dNativeBackpropFilter(const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropFilterAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{filter_sizes}, InputList{out_backprop}});
  if (graph == nullptr) return {};
  return DepthwiseConv2dNativeBackpropFilter(*graph, input, filter_sizes, out_backprop, strides, padding, attrs);
}

Output DepthwiseConv2dNativeBackpropInput(Graph& graph, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropInputAttrs& attrs) {
  NodeBuilder node(graph, "DepthwiseConv2dNativeBackpropInput", attrs.name);
  node.In(input_sizes);
  node.In(filter);
  node.In(out_backprop);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  node.Attr("dilations", attrs.dilations);
  return node.BuildOutput();
}
Output DepthwiseConv2dNativeBackpropInput(const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropInputAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_sizes}, InputList{filter}, InputList{out_backprop}});
  if (graph == nullptr) return {};
  return DepthwiseConv2dNativeBackpropInput(*graph, input_sizes, filter, out_backprop, strides, padding, attrs);
}

Output Elu(Graph& graph, const Input& features, const EluAttrs& attrs) {
  NodeBuilder node(graph, "Elu", attrs.name);
  node.In(features);
  return node.BuildOutput();
}
Output Elu(const Input& features, const EluAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}});
  if (graph == nullptr) return {};
  return Elu(*graph, features, attrs);
}

Output EluGrad(Graph& graph, const Input& gradients, const Input& outputs, const EluGradAttrs& attrs) {
  NodeBuilder node(graph, "EluGrad", attrs.name);
  node.In(gradients);
  node.In(outputs);
  return node.BuildOutput();
}
Output EluGrad(const Input& gradients, const Input& outputs, const EluGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{gradients}, InputList{outputs}});
  if (graph == nullptr) return {};
  return EluGrad(*graph, gradients, outputs, attrs);
}

FixedUnigramCandidateSamplerResult FixedUnigramCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const FixedUnigramCandidateSamplerAttrs& attrs) {
  NodeBuilder node(graph, "FixedUnigramCandidateSampler", attrs.name);
  node.In(true_classes);
  node.Attr("num_true", num_true);
  node.Attr("num_sampled", num_sampled);
  node.Attr("unique", unique);
  node.Attr("range_max", range_max);
  node.Attr("vocab_file", attrs.vocab_file);
  node.Attr("distortion", attrs.distortion);
  node.Attr("num_reserved_ids", attrs.num_reserved_ids);
  node.Attr("num_shards", attrs.num_shards);
  node.Attr("shard", attrs.shard);
  node.Attr("unigrams", attrs.unigrams);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
FixedUnigramCandidateSamplerResult FixedUnigramCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const FixedUnigramCandidateSamplerAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{true_classes}});
  if (graph == nullptr) return {};
  return FixedUnigramCandidateSampler(*graph, true_classes, num_true, num_sampled, unique, range_max, attrs);
}

FusedBatchNormResult FusedBatchNorm(Graph& graph, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormAttrs& attrs) {
  NodeBuilder node(graph, "FusedBatchNorm", attrs.name);
  node.In(x);
  node.In(scale);
  node.In(offset);
  node.In(mean);
  node.In(variance);
  node.Attr("epsilon", attrs.epsilon);
  node.Attr("data_format", attrs.data_format);
  node.Attr("is_training", attrs.is_training);
  const OutputList outputs = node.BuildOutputs(5);
  return {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]};
}
FusedBatchNormResult FusedBatchNorm(const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{scale}, InputList{offset}, InputList{mean}, InputList{variance}});
  if (graph == nullptr) return {};
  return FusedBatchNorm(*graph, x, scale, offset, mean, variance, attrs);
}

FusedBatchNormGradResult FusedBatchNormGrad(Graph& graph, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradAttrs& attrs) {
  NodeBuilder node(graph, "FusedBatchNormGrad", attrs.name);
  node.In(y_backprop);
  node.In(x);
  node.In(scale);
  node.In(reserve_space_1);
  node.In(reserve_space_2);
  node.Attr("epsilon", attrs.epsilon);
  node.Attr("data_format", attrs.data_format);
  node.Attr("is_training", attrs.is_training);
  const OutputList outputs = node.BuildOutputs(5);
  return {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]};
}
FusedBatchNormGradResult FusedBatchNormGrad(const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y_backprop}, InputList{x}, InputList{scale}, InputList{reserve_space_1}, InputList{reserve_space_2}});
  if (graph == nullptr) return {};
  return FusedBatchNormGrad(*graph, y_backprop, x, scale, reserve_space_1, reserve_space_2, attrs);
}

FusedBatchNormGradV2Result FusedBatchNormGradV2(Graph& graph, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradV2Attrs& attrs) {
  NodeBuilder node(graph, "FusedBatchNormGradV2", attrs.name);
  node.In(y_backprop);
  node.In(x);
  node.In(scale);
  node.In(reserve_space_1);
  node.In(reserve_space_2);
  node.Attr("epsilon", attrs.epsilon);
  node.Attr("data_format", attrs.data_format);
  node.Attr("is_training", attrs.is_training);
  const OutputList outputs = node.BuildOutputs(5);
  return {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]};
}
FusedBatchNormGradV2Result FusedBatchNormGradV2(const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y_backprop}, InputList{x}, InputList{scale}, InputList{reserve_space_1}, InputList{reserve_space_2}});
  if (graph == nullptr) return {};
  return FusedBatchNormGradV2(*graph, y_backprop, x, scale, reserve_space_1, reserve_space_2, attrs);
}

FusedBatchNormGradV3Result FusedBatchNormGradV3(Graph& graph, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const Input& reserve_space_3, const FusedBatchNormGradV3Attrs& attrs) {
  NodeBuilder node(graph, "FusedBatchNormGradV3", attrs.name);
  node.In(y_backprop);
  node.In(x);
  node.In(scale);
  node.In(reserve_space_1);
  node.In(reserve_space_2);
  node.In(reserve_space_3);
  node.Attr("epsilon", attrs.epsilon);
  node.Attr("data_format", attrs.data_format);
  node.Attr("is_training", attrs.is_training);
  const OutputList outputs = node.BuildOutputs(5);
  return {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]};
}
FusedBatchNormGradV3Result FusedBatchNormGradV3(const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const Input& reserve_space_3, const FusedBatchNormGradV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{y_backprop}, InputList{x}, InputList{scale}, InputList{reserve_space_1}, InputList{reserve_space_2}, InputList{reserve_space_3}});
  if (graph == nullptr) return {};
  return FusedBatchNormGradV3(*graph, y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3, attrs);
}

FusedBatchNormV2Result FusedBatchNormV2(Graph& graph, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV2Attrs& attrs) {
  NodeBuilder node(graph, "FusedBatchNormV2", attrs.name);
  node.In(x);
  node.In(scale);
  node.In(offset);
  node.In(mean);
  node.In(variance);
  node.Attr("epsilon", attrs.epsilon);
  node.Attr("data_format", attrs.data_format);
  node.Attr("is_training", attrs.is_training);
  const OutputList outputs = node.BuildOutputs(5);
  return {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4]};
}
FusedBatchNormV2Result FusedBatchNormV2(const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{scale}, InputList{offset}, InputList{mean}, InputList{variance}});
  if (graph == nullptr) return {};
  return FusedBatchNormV2(*graph, x, scale, offset, mean, variance, attrs);
}

FusedBatchNormV3Result FusedBatchNormV3(Graph& graph, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV3Attrs& attrs) {
  NodeBuilder node(graph, "FusedBatchNormV3", attrs.name);
  node.In(x);
  node.In(scale);
  node.In(offset);
  node.In(mean);
  node.In(variance);
  node.Attr("epsilon", attrs.epsilon);
  node.Attr("data_format", attrs.data_format);
  node.Attr("is_training", attrs.is_training);
  const OutputList outputs = node.BuildOutputs(6);
  return {outputs[0], outputs[1], outputs[2], outputs[3], outputs[4], outputs[5]};
}
FusedBatchNormV3Result FusedBatchNormV3(const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{x}, InputList{scale}, InputList{offset}, InputList{mean}, InputList{variance}});
  if (graph == nullptr) return {};
  return FusedBatchNormV3(*graph, x, scale, offset, mean, variance, attrs);
}

Output L2Loss(Graph& graph, const Input& t, const L2LossAttrs& attrs) {
  NodeBuilder node(graph, "L2Loss", attrs.name);
  node.In(t);
  return node.BuildOutput();
}
Output L2Loss(const Input& t, const L2LossAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{t}});
  if (graph == nullptr) return {};
  return L2Loss(*graph, t, attrs);
}

Output LRN(Graph& graph, const Input& input, const LRNAttrs& attrs) {
  NodeBuilder node(graph, "LRN", attrs.name);
  node.In(input);
  node.Attr("depth_radius", attrs.depth_radius);
  node.Attr("bias", attrs.bias);
  node.Attr("alpha", attrs.alpha);
  node.Attr("beta", attrs.beta);
  return node.BuildOutput();
}
Output LRN(const Input& input, const LRNAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return LRN(*graph, input, attrs);
}

Output LRNGrad(Graph& graph, const Input& input_grads, const Input& input_image, const Input& output_image, const LRNGradAttrs& attrs) {
  NodeBuilder node(graph, "LRNGrad", attrs.name);
  node.In(input_grads);
  node.In(input_image);
  node.In(output_image);
  node.Attr("depth_radius", attrs.depth_radius);
  node.Attr("bias", attrs.bias);
  node.Attr("alpha", attrs.alpha);
  node.Attr("beta", attrs.beta);
  return node.BuildOutput();
}
Output LRNGrad(const Input& input_grads, const Input& input_image, const Input& output_image, const LRNGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input_grads}, InputList{input_image}, InputList{output_image}});
  if (graph == nullptr) return {};
  return LRNGrad(*graph, input_grads, input_image, output_image, attrs);
}

Output LeakyRelu(Graph& graph, const Input& features, const LeakyReluAttrs& attrs) {
  NodeBuilder node(graph, "LeakyRelu", attrs.name);
  node.In(features);
  node.Attr("alpha", attrs.alpha);
  return node.BuildOutput();
}
Output LeakyRelu(const Input& features, const LeakyReluAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}});
  if (graph == nullptr) return {};
  return LeakyRelu(*graph, features, attrs);
}

Output LeakyReluGrad(Graph& graph, const Input& gradients, const Input& features, const LeakyReluGradAttrs& attrs) {
  NodeBuilder node(graph, "LeakyReluGrad", attrs.name);
  node.In(gradients);
  node.In(features);
  node.Attr("alpha", attrs.alpha);
  return node.BuildOutput();
}
Output LeakyReluGrad(const Input& gradients, const Input& features, const LeakyReluGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{gradients}, InputList{features}});
  if (graph == nullptr) return {};
  return LeakyReluGrad(*graph, gradients, features, attrs);
}

LearnedUnigramCandidateSamplerResult LearnedUnigramCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LearnedUnigramCandidateSamplerAttrs& attrs) {
  NodeBuilder node(graph, "LearnedUnigramCandidateSampler", attrs.name);
  node.In(true_classes);
  node.Attr("num_true", num_true);
  node.Attr("num_sampled", num_sampled);
  node.Attr("unique", unique);
  node.Attr("range_max", range_max);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
LearnedUnigramCandidateSamplerResult LearnedUnigramCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LearnedUnigramCandidateSamplerAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{true_classes}});
  if (graph == nullptr) return {};
  return LearnedUnigramCandidateSampler(*graph, true_classes, num_true, num_sampled, unique, range_max, attrs);
}

Output LogSoftmax(Graph& graph, const Input& logits, const LogSoftmaxAttrs& attrs) {
  NodeBuilder node(graph, "LogSoftmax", attrs.name);
  node.In(logits);
  return node.BuildOutput();
}
Output LogSoftmax(const Input& logits, const LogSoftmaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{logits}});
  if (graph == nullptr) return {};
  return LogSoftmax(*graph, logits, attrs);
}

LogUniformCandidateSamplerResult LogUniformCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LogUniformCandidateSamplerAttrs& attrs) {
  NodeBuilder node(graph, "LogUniformCandidateSampler", attrs.name);
  node.In(true_classes);
  node.Attr("num_true", num_true);
  node.Attr("num_sampled", num_sampled);
  node.Attr("unique", unique);
  node.Attr("range_max", range_max);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
LogUniformCandidateSamplerResult LogUniformCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LogUniformCandidateSamplerAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{true_classes}});
  if (graph == nullptr) return {};
  return LogUniformCandidateSampler(*graph, true_classes, num_true, num_sampled, unique, range_max, attrs);
}

Output MaxPool(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolAttrs& attrs) {
  NodeBuilder node(graph, "MaxPool", attrs.name);
  node.In(input);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output MaxPool(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return MaxPool(*graph, input, ksize, strides, padding, attrs);
}

Output MaxPool3D(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DAttrs& attrs) {
  NodeBuilder node(graph, "MaxPool3D", attrs.name);
  node.In(input);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output MaxPool3D(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return MaxPool3D(*graph, input, ksize, strides, padding, attrs);
}

Output MaxPool3DGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradAttrs& attrs) {
  NodeBuilder node(graph, "MaxPool3DGrad", attrs.name);
  node.In(orig_input);
  node.In(orig_output);
  node.In(grad);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output MaxPool3DGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{orig_input}, InputList{orig_output}, InputList{grad}});
  if (graph == nullptr) return {};
  return MaxPool3DGrad(*graph, orig_input, orig_output, grad, ksize, strides, padding, attrs);
}

Output MaxPool3DGradGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradGradAttrs& attrs) {
  NodeBuilder node(graph, "MaxPool3DGradGrad", attrs.name);
  node.In(orig_input);
  node.In(orig_output);
  node.In(grad);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output MaxPool3DGradGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{orig_input}, InputList{orig_output}, InputList{grad}});
  if (graph == nullptr) return {};
  return MaxPool3DGradGrad(*graph, orig_input, orig_output, grad, ksize, strides, padding, attrs);
}

Output MaxPoolGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradAttrs& attrs) {
  NodeBuilder node(graph, "MaxPoolGrad", attrs.name);
  node.In(orig_input);
  node.In(orig_output);
  node.In(grad);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output MaxPoolGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{orig_input}, InputList{orig_output}, InputList{grad}});
  if (graph == nullptr) return {};
  return MaxPoolGrad(*graph, orig_input, orig_output, grad, ksize, strides, padding, attrs);
}

Output MaxPoolGradGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradGradAttrs& attrs) {
  NodeBuilder node(graph, "MaxPoolGradGrad", attrs.name);
  node.In(orig_input);
  node.In(orig_output);
  node.In(grad);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("data_format", attrs.data_format);
  return node.BuildOutput();
}
Output MaxPoolGradGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{orig_input}, InputList{orig_output}, InputList{grad}});
  if (graph == nullptr) return {};
  return MaxPoolGradGrad(*graph, orig_input, orig_output, grad, ksize, strides, padding, attrs);
}

Output MaxPoolGradWithArgmax(Graph& graph, const Input& input, const Input& grad, const Input& argmax, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradWithArgmaxAttrs& attrs) {
  NodeBuilder node(graph, "MaxPoolGradWithArgmax", attrs.name);
  node.In(input);
  node.In(grad);
  node.In(argmax);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("include_batch_in_index", attrs.include_batch_in_index);
  return node.BuildOutput();
}
Output MaxPoolGradWithArgmax(const Input& input, const Input& grad, const Input& argmax, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradWithArgmaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, InputList{grad}, InputList{argmax}});
  if (graph == nullptr) return {};
  return MaxPoolGradWithArgmax(*graph, input, grad, argmax, ksize, strides, padding, attrs);
}

MaxPoolWithArgmaxResult MaxPoolWithArgmax(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolWithArgmaxAttrs& attrs) {
  NodeBuilder node(graph, "MaxPoolWithArgmax", attrs.name);
  node.In(input);
  node.Attr("ksize", ksize);
  node.Attr("strides", strides);
  node.Attr("padding", padding);
  node.Attr("Targmax", attrs.Targmax);
  node.Attr("include_batch_in_index", attrs.include_batch_in_index);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
MaxPoolWithArgmaxResult MaxPoolWithArgmax(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolWithArgmaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return MaxPoolWithArgmax(*graph, input, ksize, strides, padding, attrs);
}

Output Relu(Graph& graph, const Input& features, const ReluAttrs& attrs) {
  NodeBuilder node(graph, "Relu", attrs.name);
  node.In(features);
  return node.BuildOutput();
}
Output Relu(const Input& features, const ReluAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}});
  if (graph == nullptr) return {};
  return Relu(*graph, features, attrs);
}

Output Relu6(Graph& graph, const Input& features, const Relu6Attrs& attrs) {
  NodeBuilder node(graph, "Relu6", attrs.name);
  node.In(features);
  return node.BuildOutput();
}
Output Relu6(const Input& features, const Relu6Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}});
  if (graph == nullptr) return {};
  return Relu6(*graph, features, attrs);
}

Output Relu6Grad(Graph& graph, const Input& gradients, const Input& features, const Relu6GradAttrs& attrs) {
  NodeBuilder node(graph, "Relu6Grad", attrs.name);
  node.In(gradients);
  node.In(features);
  return node.BuildOutput();
}
Output Relu6Grad(const Input& gradients, const Input& features, const Relu6GradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{gradients}, InputList{features}});
  if (graph == nullptr) return {};
  return Relu6Grad(*graph, gradients, features, attrs);
}

Output ReluGrad(Graph& graph, const Input& gradients, const Input& features, const ReluGradAttrs& attrs) {
  NodeBuilder node(graph, "ReluGrad", attrs.name);
  node.In(gradients);
  node.In(features);
  return node.BuildOutput();
}
Output ReluGrad(const Input& gradients, const Input& features, const ReluGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{gradients}, InputList{features}});
  if (graph == nullptr) return {};
  return ReluGrad(*graph, gradients, features, attrs);
}

Output Selu(Graph& graph, const Input& features, const SeluAttrs& attrs) {
  NodeBuilder node(graph, "Selu", attrs.name);
  node.In(features);
  return node.BuildOutput();
}
Output Selu(const Input& features, const SeluAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}});
  if (graph == nullptr) return {};
  return Selu(*graph, features, attrs);
}

Output SeluGrad(Graph& graph, const Input& gradients, const Input& outputs, const SeluGradAttrs& attrs) {
  NodeBuilder node(graph, "SeluGrad", attrs.name);
  node.In(gradients);
  node.In(outputs);
  return node.BuildOutput();
}
Output SeluGrad(const Input& gradients, const Input& outputs, const SeluGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{gradients}, InputList{outputs}});
  if (graph == nullptr) return {};
  return SeluGrad(*graph, gradients, outputs, attrs);
}

Output Softmax(Graph& graph, const Input& logits, const SoftmaxAttrs& attrs) {
  NodeBuilder node(graph, "Softmax", attrs.name);
  node.In(logits);
  return node.BuildOutput();
}
Output Softmax(const Input& logits, const SoftmaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{logits}});
  if (graph == nullptr) return {};
  return Softmax(*graph, logits, attrs);
}

SoftmaxCrossEntropyWithLogitsResult SoftmaxCrossEntropyWithLogits(Graph& graph, const Input& features, const Input& labels, const SoftmaxCrossEntropyWithLogitsAttrs& attrs) {
  NodeBuilder node(graph, "SoftmaxCrossEntropyWithLogits", attrs.name);
  node.In(features);
  node.In(labels);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SoftmaxCrossEntropyWithLogitsResult SoftmaxCrossEntropyWithLogits(const Input& features, const Input& labels, const SoftmaxCrossEntropyWithLogitsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}, InputList{labels}});
  if (graph == nullptr) return {};
  return SoftmaxCrossEntropyWithLogits(*graph, features, labels, attrs);
}

Output Softplus(Graph& graph, const Input& features, const SoftplusAttrs& attrs) {
  NodeBuilder node(graph, "Softplus", attrs.name);
  node.In(features);
  return node.BuildOutput();
}
Output Softplus(const Input& features, const SoftplusAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}});
  if (graph == nullptr) return {};
  return Softplus(*graph, features, attrs);
}

Output SoftplusGrad(Graph& graph, const Input& gradients, const Input& features, const SoftplusGradAttrs& attrs) {
  NodeBuilder node(graph, "SoftplusGrad", attrs.name);
  node.In(gradients);
  node.In(features);
  return node.BuildOutput();
}
Output SoftplusGrad(const Input& gradients, const Input& features, const SoftplusGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{gradients}, InputList{features}});
  if (graph == nullptr) return {};
  return SoftplusGrad(*graph, gradients, features, attrs);
}

Output Softsign(Graph& graph, const Input& features, const SoftsignAttrs& attrs) {
  NodeBuilder node(graph, "Softsign", attrs.name);
  node.In(features);
  return node.BuildOutput();
}
Output Softsign(const Input& features, const SoftsignAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}});
  if (graph == nullptr) return {};
  return Softsign(*graph, features, attrs);
}

Output SoftsignGrad(Graph& graph, const Input& gradients, const Input& features, const SoftsignGradAttrs& attrs) {
  NodeBuilder node(graph, "SoftsignGrad", attrs.name);
  node.In(gradients);
  node.In(features);
  return node.BuildOutput();
}
Output SoftsignGrad(const Input& gradients, const Input& features, const SoftsignGradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{gradients}, InputList{features}});
  if (graph == nullptr) return {};
  return SoftsignGrad(*graph, gradients, features, attrs);
}

SparseSoftmaxCrossEntropyWithLogitsResult SparseSoftmaxCrossEntropyWithLogits(Graph& graph, const Input& features, const Input& labels, const SparseSoftmaxCrossEntropyWithLogitsAttrs& attrs) {
  NodeBuilder node(graph, "SparseSoftmaxCrossEntropyWithLogits", attrs.name);
  node.In(features);
  node.In(labels);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SparseSoftmaxCrossEntropyWithLogitsResult SparseSoftmaxCrossEntropyWithLogits(const Input& features, const Input& labels, const SparseSoftmaxCrossEntropyWithLogitsAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{features}, InputList{labels}});
  if (graph == nullptr) return {};
  return SparseSoftmaxCrossEntropyWithLogits(*graph, features, labels, attrs);
}

ThreadUnsafeUnigramCandidateSamplerResult ThreadUnsafeUnigramCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const ThreadUnsafeUnigramCandidateSamplerAttrs& attrs) {
  NodeBuilder node(graph, "ThreadUnsafeUnigramCandidateSampler", attrs.name);
  node.In(true_classes);
  node.Attr("num_true", num_true);
  node.Attr("num_sampled", num_sampled);
  node.Attr("unique", unique);
  node.Attr("range_max", range_max);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
ThreadUnsafeUnigramCandidateSamplerResult ThreadUnsafeUnigramCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const ThreadUnsafeUnigramCandidateSamplerAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{true_classes}});
  if (graph == nullptr) return {};
  return ThreadUnsafeUnigramCandidateSampler(*graph, true_classes, num_true, num_sampled, unique, range_max, attrs);
}

UniformCandidateSamplerResult UniformCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const UniformCandidateSamplerAttrs& attrs) {
  NodeBuilder node(graph, "UniformCandidateSampler", attrs.name);
  node.In(true_classes);
  node.Attr("num_true", num_true);
  node.Attr("num_sampled", num_sampled);
  node.Attr("unique", unique);
  node.Attr("range_max", range_max);
  node.Attr("seed", attrs.seed);
  node.Attr("seed2", attrs.seed2);
  const OutputList outputs = node.BuildOutputs(3);
  return {outputs[0], outputs[1], outputs[2]};
}
UniformCandidateSamplerResult UniformCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const UniformCandidateSamplerAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{true_classes}});
  if (graph == nullptr) return {};
  return UniformCandidateSampler(*graph, true_classes, num_true, num_sampled, unique, range_max, attrs);
}

}  // namespace weir
