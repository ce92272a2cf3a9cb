// Steps of less common recurrent cells, from the values of their variables.
#pragma once

#include "weir/graph/compose/rnn_cells.h"

namespace weir {

// Update gate RNN: a gate chooses between the state and activation([x, h] * kernel + bias).
Result<Output> UgrnnStep(Output x, Output h, Output kernel, Output bias, double forget_bias = 1,
                         const Activation& activation = {});
// An LSTM whose products are convolutions: x and h are [batch, spatial..., channels], the kernel is [spatial..., in,
// 4 * out]. The bias may be invalid. With `skip`, h is joined with x.
Result<LstmState> ConvLstmStep(Output x, const LstmState& state, Output kernel, Output bias, double forget_bias = 1,
                               bool skip = false);
// carry * x + transform * y, where carry = sigmoid(x * carry_kernel + carry_bias). Without weights of its own,
// transform is 1 - carry.
struct HighwayWeights {
  Output carry_kernel, carry_bias;
  Output transform_kernel = {}, transform_bias = {};
};
Result<Output> HighwayMix(Output x, Output y, const HighwayWeights& weights);

}  // namespace weir
