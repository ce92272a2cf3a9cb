// Graph-building functions for the ops of ops/nn, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_NN_OPS_H_
#define WEIR_GRAPH_BUILD_NN_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct AllCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
struct AllCandidateSamplerResult {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
};
AllCandidateSamplerResult AllCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, const AllCandidateSamplerAttrs& attrs = {});
AllCandidateSamplerResult AllCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, const AllCandidateSamplerAttrs& attrs = {});

struct AvgPoolAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output AvgPool(Graph& graph, const Input& value, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolAttrs& attrs = {});
Output AvgPool(const Input& value, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolAttrs& attrs = {});

struct AvgPool3DAttrs {
  std::string data_format = "NDHWC";
  std::string name = "";
};
Output AvgPool3D(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DAttrs& attrs = {});
Output AvgPool3D(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DAttrs& attrs = {});

struct AvgPool3DGradAttrs {
  std::string data_format = "NDHWC";
  std::string name = "";
};
Output AvgPool3DGrad(Graph& graph, const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DGradAttrs& attrs = {});
Output AvgPool3DGrad(const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DGradAttrs& attrs = {});

struct AvgPoolGradAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output AvgPoolGrad(Graph& graph, const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolGradAttrs& attrs = {});
Output AvgPoolGrad(const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolGradAttrs& attrs = {});

struct BiasAddAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output BiasAdd(Graph& graph, const Input& value, const Input& bias, const BiasAddAttrs& attrs = {});
Output BiasAdd(const Input& value, const Input& bias, const BiasAddAttrs& attrs = {});

struct BiasAddGradAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output BiasAddGrad(Graph& graph, const Input& out_backprop, const BiasAddGradAttrs& attrs = {});
Output BiasAddGrad(const Input& out_backprop, const BiasAddGradAttrs& attrs = {});

struct BiasAddV1Attrs {
  std::string name = "";
};
Output BiasAddV1(Graph& graph, const Input& value, const Input& bias, const BiasAddV1Attrs& attrs = {});
Output BiasAddV1(const Input& value, const Input& bias, const BiasAddV1Attrs& attrs = {});

struct ComputeAccidentalHitsAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
struct ComputeAccidentalHitsResult {
  Output indices;
  Output ids;
  Output weights;
};
ComputeAccidentalHitsResult ComputeAccidentalHits(Graph& graph, const Input& true_classes, const Input& sampled_candidates, int64_t num_true, const ComputeAccidentalHitsAttrs& attrs = {});
ComputeAccidentalHitsResult ComputeAccidentalHits(const Input& true_classes, const Input& sampled_candidates, int64_t num_true, const ComputeAccidentalHitsAttrs& attrs = {});

struct Conv2DAttrs {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name = "";
};
Output Conv2D(Graph& graph, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DAttrs& attrs = {});
Output Conv2D(const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DAttrs& attrs = {});

struct Conv2DBackpropFilterAttrs {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name = "";
};
Output Conv2DBackpropFilter(Graph& graph, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropFilterAttrs& attrs = {});
Output Conv2DBackpropFilter(const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropFilterAttrs& attrs = {});

struct Conv2DBackpropInputAttrs {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name = "";
};
Output Conv2DBackpropInput(Graph& graph, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropInputAttrs& attrs = {});
Output Conv2DBackpropInput(const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropInputAttrs& attrs = {});

struct Conv3DAttrs {
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string name = "";
};
Output Conv3D(Graph& graph, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DAttrs& attrs = {});
Output Conv3D(const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DAttrs& attrs = {});

struct Conv3DBackpropFilterV2Attrs {
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string name = "";
};
Output Conv3DBackpropFilterV2(Graph& graph, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropFilterV2Attrs& attrs = {});
Output Conv3DBackpropFilterV2(const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropFilterV2Attrs& attrs = {});

struct Conv3DBackpropInputV2Attrs {
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string name = "";
};
Output Conv3DBackpropInputV2(Graph& graph, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropInputV2Attrs& attrs = {});
Output Conv3DBackpropInputV2(const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropInputV2Attrs& attrs = {});

struct DepthwiseConv2dNativeAttrs {
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name = "";
};
Output DepthwiseConv2dNative(Graph& graph, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeAttrs& attrs = {});
Output DepthwiseConv2dNative(const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeAttrs& attrs = {});

struct DepthwiseConv2dNativeBackpropFilterAttrs {
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name = "";
};
Output DepthwiseConv2dNativeBackpropFilter(Graph& graph, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropFilterAttrs& attrs = {});
Output DepthwiseConv2dNativeBackpropFilter(const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropFilterAttrs& attrs = {});

struct DepthwiseConv2dNativeBackpropInputAttrs {
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name = "";
};
Output DepthwiseConv2dNativeBackpropInput(Graph& graph, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropInputAttrs& attrs = {});
Output DepthwiseConv2dNativeBackpropInput(const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropInputAttrs& attrs = {});

struct EluAttrs {
  std::string name = "";
};
Output Elu(Graph& graph, const Input& features, const EluAttrs& attrs = {});
Output Elu(const Input& features, const EluAttrs& attrs = {});

struct EluGradAttrs {
  std::string name = "";
};
Output EluGrad(Graph& graph, const Input& gradients, const Input& outputs, const EluGradAttrs& attrs = {});
Output EluGrad(const Input& gradients, const Input& outputs, const EluGradAttrs& attrs = {});

struct FixedUnigramCandidateSamplerAttrs {
  std::string vocab_file = "";
  float distortion = 1.0f;
  int64_t num_reserved_ids = 0;
  int64_t num_shards = 1;
  int64_t shard = 0;
  std::vector<float> unigrams = {};
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
struct FixedUnigramCandidateSamplerResult {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
};
FixedUnigramCandidateSamplerResult FixedUnigramCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const FixedUnigramCandidateSamplerAttrs& attrs = {});
FixedUnigramCandidateSamplerResult FixedUnigramCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const FixedUnigramCandidateSamplerAttrs& attrs = {});

struct FusedBatchNormAttrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = "";
};
struct FusedBatchNormResult {
  Output y;
  Output batch_mean;
  Output batch_variance;
  Output reserve_space_1;
  Output reserve_space_2;
};
FusedBatchNormResult FusedBatchNorm(Graph& graph, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormAttrs& attrs = {});
FusedBatchNormResult FusedBatchNorm(const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormAttrs& attrs = {});

struct FusedBatchNormGradAttrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = "";
};
struct FusedBatchNormGradResult {
  Output x_backprop;
  Output scale_backprop;
  Output offset_backprop;
  Output reserve_space_3;
  Output reserve_space_4;
};
FusedBatchNormGradResult FusedBatchNormGrad(Graph& graph, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradAttrs& attrs = {});
FusedBatchNormGradResult FusedBatchNormGrad(const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradAttrs& attrs = {});

struct FusedBatchNormGradV2Attrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = "";
};
struct FusedBatchNormGradV2Result {
  Output x_backprop;
  Output scale_backprop;
  Output offset_backprop;
  Output reserve_space_3;
  Output reserve_space_4;
};
FusedBatchNormGradV2Result FusedBatchNormGradV2(Graph& graph, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradV2Attrs& attrs = {});
FusedBatchNormGradV2Result FusedBatchNormGradV2(const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradV2Attrs& attrs = {});

struct FusedBatchNormGradV3Attrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = "";
};
struct FusedBatchNormGradV3Result {
  Output x_backprop;
  Output scale_backprop;
  Output offset_backprop;
  Output reserve_space_4;
  Output reserve_space_5;
};
FusedBatchNormGradV3Result FusedBatchNormGradV3(Graph& graph, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const Input& reserve_space_3, const FusedBatchNormGradV3Attrs& attrs = {});
FusedBatchNormGradV3Result FusedBatchNormGradV3(const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const Input& reserve_space_3, const FusedBatchNormGradV3Attrs& attrs = {});

struct FusedBatchNormV2Attrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = "";
};
struct FusedBatchNormV2Result {
  Output y;
  Output batch_mean;
  Output batch_variance;
  Output reserve_space_1;
  Output reserve_space_2;
};
FusedBatchNormV2Result FusedBatchNormV2(Graph& graph, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV2Attrs& attrs = {});
FusedBatchNormV2Result FusedBatchNormV2(const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV2Attrs& attrs = {});

struct FusedBatchNormV3Attrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = "";
};
struct FusedBatchNormV3Result {
  Output y;
  Output batch_mean;
  Output batch_variance;
  Output reserve_space_1;
  Output reserve_space_2;
  Output reserve_space_3;
};
FusedBatchNormV3Result FusedBatchNormV3(Graph& graph, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV3Attrs& attrs = {});
FusedBatchNormV3Result FusedBatchNormV3(const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV3Attrs& attrs = {});

struct L2LossAttrs {
  std::string name = "";
};
Output L2Loss(Graph& graph, const Input& t, const L2LossAttrs& attrs = {});
Output L2Loss(const Input& t, const L2LossAttrs& attrs = {});

struct LRNAttrs {
  int64_t depth_radius = 5;
  float bias = 1.0f;
  float alpha = 1.0f;
  float beta = 0.5f;
  std::string name = "";
};
Output LRN(Graph& graph, const Input& input, const LRNAttrs& attrs = {});
Output LRN(const Input& input, const LRNAttrs& attrs = {});

struct LRNGradAttrs {
  int64_t depth_radius = 5;
  float bias = 1.0f;
  float alpha = 1.0f;
  float beta = 0.5f;
  std::string name = "";
};
Output LRNGrad(Graph& graph, const Input& input_grads, const Input& input_image, const Input& output_image, const LRNGradAttrs& attrs = {});
Output LRNGrad(const Input& input_grads, const Input& input_image, const Input& output_image, const LRNGradAttrs& attrs = {});

struct LeakyReluAttrs {
  float alpha = 0.2f;
  std::string name = "";
};
Output LeakyRelu(Graph& graph, const Input& features, const LeakyReluAttrs& attrs = {});
Output LeakyRelu(const Input& features, const LeakyReluAttrs& attrs = {});

struct LeakyReluGradAttrs {
  float alpha = 0.2f;
  std::string name = "";
};
Output LeakyReluGrad(Graph& graph, const Input& gradients, const Input& features, const LeakyReluGradAttrs& attrs = {});
Output LeakyReluGrad(const Input& gradients, const Input& features, const LeakyReluGradAttrs& attrs = {});

struct LearnedUnigramCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
struct LearnedUnigramCandidateSamplerResult {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
};
LearnedUnigramCandidateSamplerResult LearnedUnigramCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LearnedUnigramCandidateSamplerAttrs& attrs = {});
LearnedUnigramCandidateSamplerResult LearnedUnigramCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LearnedUnigramCandidateSamplerAttrs& attrs = {});

struct LogSoftmaxAttrs {
  std::string name = "";
};
Output LogSoftmax(Graph& graph, const Input& logits, const LogSoftmaxAttrs& attrs = {});
Output LogSoftmax(const Input& logits, const LogSoftmaxAttrs& attrs = {});

struct LogUniformCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
struct LogUniformCandidateSamplerResult {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
};
LogUniformCandidateSamplerResult LogUniformCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LogUniformCandidateSamplerAttrs& attrs = {});
LogUniformCandidateSamplerResult LogUniformCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const LogUniformCandidateSamplerAttrs& attrs = {});

struct MaxPoolAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output MaxPool(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolAttrs& attrs = {});
Output MaxPool(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolAttrs& attrs = {});

struct MaxPool3DAttrs {
  std::string data_format = "NDHWC";
  std::string name = "";
};
Output MaxPool3D(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DAttrs& attrs = {});
Output MaxPool3D(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DAttrs& attrs = {});

struct MaxPool3DGradAttrs {
  std::string data_format = "NDHWC";
  std::string name = "";
};
Output MaxPool3DGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradAttrs& attrs = {});
Output MaxPool3DGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradAttrs& attrs = {});

struct MaxPool3DGradGradAttrs {
  std::string data_format = "NDHWC";
  std::string name = "";
};
Output MaxPool3DGradGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradGradAttrs& attrs = {});
Output MaxPool3DGradGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradGradAttrs& attrs = {});

struct MaxPoolGradAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output MaxPoolGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradAttrs& attrs = {});
Output MaxPoolGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradAttrs& attrs = {});

struct MaxPoolGradGradAttrs {
  std::string data_format = "NHWC";
  std::string name = "";
};
Output MaxPoolGradGrad(Graph& graph, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradGradAttrs& attrs = {});
Output MaxPoolGradGrad(const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradGradAttrs& attrs = {});

struct MaxPoolGradWithArgmaxAttrs {
  bool include_batch_in_index = false;
  std::string name = "";
};
Output MaxPoolGradWithArgmax(Graph& graph, const Input& input, const Input& grad, const Input& argmax, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradWithArgmaxAttrs& attrs = {});
Output MaxPoolGradWithArgmax(const Input& input, const Input& grad, const Input& argmax, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradWithArgmaxAttrs& attrs = {});

struct MaxPoolWithArgmaxAttrs {
  DType Targmax = kInt64;
  bool include_batch_in_index = false;
  std::string name = "";
};
struct MaxPoolWithArgmaxResult {
  Output output;
  Output argmax;
};
MaxPoolWithArgmaxResult MaxPoolWithArgmax(Graph& graph, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolWithArgmaxAttrs& attrs = {});
MaxPoolWithArgmaxResult MaxPoolWithArgmax(const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolWithArgmaxAttrs& attrs = {});

struct ReluAttrs {
  std::string name = "";
};
Output Relu(Graph& graph, const Input& features, const ReluAttrs& attrs = {});
Output Relu(const Input& features, const ReluAttrs& attrs = {});

struct Relu6Attrs {
  std::string name = "";
};
Output Relu6(Graph& graph, const Input& features, const Relu6Attrs& attrs = {});
Output Relu6(const Input& features, const Relu6Attrs& attrs = {});

struct Relu6GradAttrs {
  std::string name = "";
};
Output Relu6Grad(Graph& graph, const Input& gradients, const Input& features, const Relu6GradAttrs& attrs = {});
Output Relu6Grad(const Input& gradients, const Input& features, const Relu6GradAttrs& attrs = {});

struct ReluGradAttrs {
  std::string name = "";
};
Output ReluGrad(Graph& graph, const Input& gradients, const Input& features, const ReluGradAttrs& attrs = {});
Output ReluGrad(const Input& gradients, const Input& features, const ReluGradAttrs& attrs = {});

struct SeluAttrs {
  std::string name = "";
};
Output Selu(Graph& graph, const Input& features, const SeluAttrs& attrs = {});
Output Selu(const Input& features, const SeluAttrs& attrs = {});

struct SeluGradAttrs {
  std::string name = "";
};
Output SeluGrad(Graph& graph, const Input& gradients, const Input& outputs, const SeluGradAttrs& attrs = {});
Output SeluGrad(const Input& gradients, const Input& outputs, const SeluGradAttrs& attrs = {});

struct SoftmaxAttrs {
  std::string name = "";
};
Output Softmax(Graph& graph, const Input& logits, const SoftmaxAttrs& attrs = {});
Output Softmax(const Input& logits, const SoftmaxAttrs& attrs = {});

struct SoftmaxCrossEntropyWithLogitsAttrs {
  std::string name = "";
};
struct SoftmaxCrossEntropyWithLogitsResult {
  Output loss;
  Output backprop;
};
SoftmaxCrossEntropyWithLogitsResult SoftmaxCrossEntropyWithLogits(Graph& graph, const Input& features, const Input& labels, const SoftmaxCrossEntropyWithLogitsAttrs& attrs = {});
SoftmaxCrossEntropyWithLogitsResult SoftmaxCrossEntropyWithLogits(const Input& features, const Input& labels, const SoftmaxCrossEntropyWithLogitsAttrs& attrs = {});

struct SoftplusAttrs {
  std::string name = "";
};
Output Softplus(Graph& graph, const Input& features, const SoftplusAttrs& attrs = {});
Output Softplus(const Input& features, const SoftplusAttrs& attrs = {});

struct SoftplusGradAttrs {
  std::string name = "";
};
Output SoftplusGrad(Graph& graph, const Input& gradients, const Input& features, const SoftplusGradAttrs& attrs = {});
Output SoftplusGrad(const Input& gradients, const Input& features, const SoftplusGradAttrs& attrs = {});

struct SoftsignAttrs {
  std::string name = "";
};
Output Softsign(Graph& graph, const Input& features, const SoftsignAttrs& attrs = {});
Output Softsign(const Input& features, const SoftsignAttrs& attrs = {});

struct SoftsignGradAttrs {
  std::string name = "";
};
Output SoftsignGrad(Graph& graph, const Input& gradients, const Input& features, const SoftsignGradAttrs& attrs = {});
Output SoftsignGrad(const Input& gradients, const Input& features, const SoftsignGradAttrs& attrs = {});

struct SparseSoftmaxCrossEntropyWithLogitsAttrs {
  std::string name = "";
};
struct SparseSoftmaxCrossEntropyWithLogitsResult {
  Output loss;
  Output backprop;
};
SparseSoftmaxCrossEntropyWithLogitsResult SparseSoftmaxCrossEntropyWithLogits(Graph& graph, const Input& features, const Input& labels, const SparseSoftmaxCrossEntropyWithLogitsAttrs& attrs = {});
SparseSoftmaxCrossEntropyWithLogitsResult SparseSoftmaxCrossEntropyWithLogits(const Input& features, const Input& labels, const SparseSoftmaxCrossEntropyWithLogitsAttrs& attrs = {});

struct ThreadUnsafeUnigramCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
struct ThreadUnsafeUnigramCandidateSamplerResult {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
};
ThreadUnsafeUnigramCandidateSamplerResult ThreadUnsafeUnigramCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const ThreadUnsafeUnigramCandidateSamplerAttrs& attrs = {});
ThreadUnsafeUnigramCandidateSamplerResult ThreadUnsafeUnigramCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const ThreadUnsafeUnigramCandidateSamplerAttrs& attrs = {});

struct UniformCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name = "";
};
struct UniformCandidateSamplerResult {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
};
UniformCandidateSamplerResult UniformCandidateSampler(Graph& graph, const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const UniformCandidateSamplerAttrs& attrs = {});
UniformCandidateSamplerResult UniformCandidateSampler(const Input& true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, const UniformCandidateSamplerAttrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_NN_OPS_H_
