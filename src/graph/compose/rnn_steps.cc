#include "graph/compose/rnn_steps.h"

#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/convolution.h"

namespace weir {

Result<Output> UgrnnStep(Output x, Output h, Output kernel, Output bias, double forget_bias,
                         const Activation& activation) {
  Graph& graph = x.graph();
  const OutputList parts = SplitEvenly(graph, BiasAdd(MatMul(Concat(graph, {x, h}, 1), kernel), bias), 2, 1);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const Output candidate, activation ? activation(parts[1]) : Result<Output>(Tanh(parts[1])));
  const Output gate = Sigmoid(parts[0] + forget_bias);
  const Output next = gate * h + (1.0f - gate) * candidate;
  WEIR_TRY(graph.TakeError());
  return next;
}

Result<LstmState> ConvLstmStep(Output x, const LstmState& state, Output kernel, Output bias, double forget_bias,
                               bool skip) {
  Graph& graph = x.graph();
  if (!x.shape().known_rank() || x.shape().rank() < 3)
    return InvalidArgument(
        "the input of a convolutional cell must be [batch, spatial..., channels], but has the shape {}", x.shape());
  const int axis = x.shape().rank() - 1;
  Output gates = Convolve(graph, Concat(graph, {x, state.h}, axis), kernel, axis - 1, {.padding = "SAME"});
  if (bias.valid()) gates = gates + bias;
  const OutputList parts = SplitEvenly(graph, gates, 4, axis);
  WEIR_TRY(graph.TakeError());
  const Output c = Sigmoid(parts[2] + forget_bias) * state.c + Sigmoid(parts[0]) * Tanh(parts[1]);
  Output h = Tanh(c) * Sigmoid(parts[3]);
  if (skip) h = Concat(graph, {h, x}, axis);
  WEIR_TRY(graph.TakeError());
  return LstmState{c, h};
}

Result<Output> HighwayMix(Output x, Output y, const HighwayWeights& weights) {
  const auto gate = [&](Output kernel, Output bias) { return Sigmoid(BiasAdd(MatMul(x, kernel), bias)); };
  const Output carry = gate(weights.carry_kernel, weights.carry_bias);
  const Output transform =
      weights.transform_kernel.valid() ? gate(weights.transform_kernel, weights.transform_bias) : 1.0f - carry;
  const Output mixed = x * carry + y * transform;
  WEIR_TRY(x.graph().TakeError());
  return mixed;
}

}  // namespace weir
