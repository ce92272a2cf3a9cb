// Neural-network functions made of several nodes, with TensorFlow's formulas: losses on logits, normalization, dropout.
#pragma once

#include <optional>
#include <vector>

#include "graph/build/reduce.h"
#include "graph/compose/random.h"
#include "graph/input.h"

namespace weir {

// Per-example losses; logits and labels are [..., classes]. The gradient also reaches the labels in the V2 form.
Output SoftmaxCrossEntropy(const Input& logits, const Input& labels, int axis = -1, bool stop_labels = false,
                           std::string name = "");
// labels are class numbers, one rank less than logits.
Output SparseSoftmaxCrossEntropy(const Input& logits, const Input& labels, std::string name = "");
// Independent classes: max(x, 0) - x * z + log(1 + exp(-|x|)).
Output SigmoidCrossEntropy(const Input& logits, const Input& labels, std::string name = "");
Output WeightedCrossEntropy(const Input& targets, const Input& logits, const Input& pos_weight, std::string name = "");

// Whether the class of each row is among the k most likely.
Output InTopKOf(const Input& predictions, const Input& targets, const Input& k, std::string name = "");

// Softmax along any axis (the op itself works on the last).
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
// The same with a weight per element; weights broadcast against x.
MomentsResult WeightedMoments(Graph& graph, const Input& x, const Axes& axes, const Input& weights,
                              bool keep_dims = false, std::string name = "");
// What moments can be computed from, of x - shift where a shift is given: count, sum, sum of squares, and the shift.
struct Statistics {
  Output count;
  Output sum;
  Output squares;
  Output shift;  // invalid without one
};
Statistics SufficientStatistics(Graph& graph, const Input& x, const Axes& axes, const Input& shift = {},
                                bool keep_dims = false, std::string name = "");
MomentsResult NormalizeMoments(Graph& graph, Output count, Output sum, Output squares, const Input& shift = {},
                               std::string name = "");
// (x - mean) * scale / sqrt(variance + epsilon) + offset; scale and offset may be absent.
Output BatchNormalization(const Input& x, const Input& mean, const Input& variance, const Input& offset,
                          const Input& scale, const Input& variance_epsilon, std::string name = "");
// x / sqrt(max(sum(x^2), epsilon)) along the axes.
Output L2Normalize(const Input& x, const Axes& axes, float epsilon = 1e-12f, std::string name = "");
// The fraction of zeros in a tensor.
Output ZeroFraction(const Input& x, std::string name = "");
// x * w + b.
Output XwPlusB(const Input& x, const Input& weights, const Input& biases, std::string name = "");
// relu(x * w + b).
Output ReluLayer(const Input& x, const Input& weights, const Input& biases, std::string name = "");
// relu of x and of -x, side by side along the axis.
Output ConcatRelu(Graph& graph, const Input& x, int axis = -1, std::string name = "");
Output LogSigmoid(Graph& graph, const Input& x, std::string name = "");
// x * sigmoid(beta * x).
Output Swish(Graph& graph, const Input& x, const Input& beta = 1.0f);
Output LogPoissonLoss(const Input& targets, const Input& log_input, bool compute_full_loss = false,
                      std::string name = "");

}  // namespace weir
