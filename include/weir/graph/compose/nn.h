// Neural-network functions made of several nodes, with TensorFlow's formulas: losses on logits, normalization, dropout.
#pragma once

#include <optional>
#include <vector>

#include "weir/graph/build/reduce.h"
#include "weir/graph/compose/random.h"
#include "weir/graph/input.h"

namespace weir {

// Loss per example. Logits and labels are [..., classes]. Gradients also flow to the labels unless stop_labels.
Output SoftmaxCrossEntropy(const Input& logits, const Input& labels, int axis = -1, bool stop_labels = false,
                           std::string name = "");
// Labels are class ids, with one dimension fewer than logits.
Output SparseSoftmaxCrossEntropy(const Input& logits, const Input& labels, std::string name = "");
// Independent classes: max(x, 0) - x * z + log(1 + exp(-|x|)).
Output SigmoidCrossEntropy(const Input& logits, const Input& labels, std::string name = "");
Output WeightedCrossEntropy(const Input& targets, const Input& logits, const Input& pos_weight, std::string name = "");

// Whether the target class of each row is among its k most likely classes.
Output InTopKOf(Graph& graph, const Input& predictions, const Input& targets, const Input& k, std::string name = "");

// Softmax along any axis; the op itself supports only the last one.
Output SoftmaxAlong(const Input& logits, int axis = -1, std::string name = "");
Output LogSoftmaxAlong(const Input& logits, int axis = -1, std::string name = "");

// Zeroes elements with probability `rate` and scales the others by 1 / (1 - rate). noise_shape broadcasts against x.
Output Dropout(const Input& x, const Input& rate, const Input& noise_shape = {}, OpSeed seed = {},
               std::string name = "");

struct MomentsResult {
  Output mean;
  Output variance;
};
MomentsResult Moments(const Input& x, const Axes& axes, bool keep_dims = false, std::string name = "");
// Moments with a weight per element. Weights broadcast against x.
MomentsResult WeightedMoments(Graph& graph, const Input& x, const Axes& axes, const Input& weights,
                              bool keep_dims = false, std::string name = "");
// The statistics from which moments are computed: count, sum and sum of squares of x, or of x - shift if there is a
// shift.
struct Statistics {
  Output count;
  Output sum;
  Output squares;
  Output shift;  // invalid if there is none
};
Statistics SufficientStatistics(Graph& graph, const Input& x, const Axes& axes, const Input& shift = {},
                                bool keep_dims = false, std::string name = "");
MomentsResult NormalizeMoments(Graph& graph, const Input& count, const Input& sum, const Input& squares,
                               const Input& shift = {}, std::string name = "");
// (x - mean) * scale / sqrt(variance + epsilon) + offset; scale and offset may be absent.
Output BatchNormalization(const Input& x, const Input& mean, const Input& variance, const Input& offset,
                          const Input& scale, const Input& variance_epsilon, std::string name = "");
// x / sqrt(max(sum(x^2), epsilon)) along the axes.
Output L2Normalize(const Input& x, const Axes& axes, float epsilon = 1e-12f, std::string name = "");
// The fraction of zeros in a tensor.
Output ZeroFraction(const Input& x, std::string name = "");
// value + bias, which has one number per channel. `format` says where the channels are: "NC..." or "N...C" (the
// default).
Output AddBias(Graph& graph, const Input& value, const Input& bias, const std::string& format = "",
               std::string name = "");
// x * w + b.
Output XwPlusB(const Input& x, const Input& weights, const Input& biases, std::string name = "");
// relu(x * w + b).
Output ReluLayer(const Input& x, const Input& weights, const Input& biases, std::string name = "");
// Concatenates relu(x) and relu(-x) along the axis.
Output ConcatRelu(Graph& graph, const Input& x, int axis = -1, std::string name = "");
Output LogSigmoid(Graph& graph, const Input& x, std::string name = "");
// x * sigmoid(beta * x).
Output Swish(Graph& graph, const Input& x, const Input& beta = 1.0f);
Output LogPoissonLoss(const Input& targets, const Input& log_input, bool compute_full_loss = false,
                      std::string name = "");

}  // namespace weir
