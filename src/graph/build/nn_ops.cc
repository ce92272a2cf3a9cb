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
