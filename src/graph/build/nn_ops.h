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
