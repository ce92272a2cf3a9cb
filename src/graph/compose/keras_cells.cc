#include "graph/compose/keras_cells.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/clip.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

Result<Output> StateActivated(const Activation& activation, Output x) {
  return activation ? activation(x) : Result<Output>(Tanh(x));
}
Result<Output> GateActivated(const Activation& activation, Output x) {
  return activation ? activation(x) : Result<Output>(HardSigmoid(x));
}

Output WithCellBias(Output x, Output bias) { return bias.valid() ? BiasAdd(x, bias) : x; }

Status CheckOperands(Output x, Output h) {
  if (!x.valid() || !h.valid()) return InvalidArgument("the cell needs an input and a state");
  return OkStatus();
}

}  // namespace

Output HardSigmoid(Output x) { return ClipByValueBounds(0.2f * x + 0.5f, 0.0f, 1.0f); }

Result<Output> KerasRnnStep(Output x, Output h, const KerasCellWeights& weights, const Activation& activation) {
  WEIR_TRY(CheckOperands(x, h));
  const Output sum = WithCellBias(MatMul(x, weights.kernel), weights.bias) + MatMul(h, weights.recurrent_kernel);
  WEIR_TRY(x.graph().TakeError());
  return StateActivated(activation, sum);
}

Result<Output> KerasGruStep(Output x, Output h, const KerasCellWeights& weights, const KerasActivations& activations,
                            bool reset_after) {
  WEIR_TRY(CheckOperands(x, h));
  Graph& graph = x.graph();
  Output input_bias = weights.bias, recurrent_bias;
  if (weights.bias.valid() && reset_after) {
    const OutputList biases = Unstack(graph, weights.bias, 2);
    WEIR_TRY(graph.TakeError());
    input_bias = biases[0];
    recurrent_bias = biases[1];
  }
  const OutputList from_x = SplitEvenly(graph, WithCellBias(MatMul(x, weights.kernel), input_bias), 3, 1);
  WEIR_TRY(graph.TakeError());
  OutputList from_h;
  Output candidate_kernel;
  if (reset_after) {
    from_h = SplitEvenly(graph, WithCellBias(MatMul(h, weights.recurrent_kernel), recurrent_bias), 3, 1);
  } else {
    const OutputList kernels = SplitEvenly(graph, weights.recurrent_kernel, 3, 1);
    WEIR_TRY(graph.TakeError());
    from_h = {MatMul(h, kernels[0]), MatMul(h, kernels[1])};
    candidate_kernel = kernels[2];
  }
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const Output update, GateActivated(activations.gate, from_x[0] + from_h[0]));
  WEIR_ASSIGN(const Output reset, GateActivated(activations.gate, from_x[1] + from_h[1]));
  const Output recurrent = reset_after ? reset * from_h[2] : MatMul(reset * h, candidate_kernel);
  WEIR_ASSIGN(const Output candidate, StateActivated(activations.state, from_x[2] + recurrent));
  const Output next = update * h + (1.0f - update) * candidate;
  WEIR_TRY(graph.TakeError());
  return next;
}

Result<LstmState> KerasLstmStep(Output x, const LstmState& state, const KerasCellWeights& weights,
                                const KerasActivations& activations) {
  WEIR_TRY(CheckOperands(x, state.h));
  Graph& graph = x.graph();
  const Output sum = MatMul(x, weights.kernel) + MatMul(state.h, weights.recurrent_kernel);
  const OutputList parts = SplitEvenly(graph, WithCellBias(sum, weights.bias), 4, 1);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const Output input_gate, GateActivated(activations.gate, parts[0]));
  WEIR_ASSIGN(const Output forget_gate, GateActivated(activations.gate, parts[1]));
  WEIR_ASSIGN(const Output candidate, StateActivated(activations.state, parts[2]));
  WEIR_ASSIGN(const Output output_gate, GateActivated(activations.gate, parts[3]));
  const Output c = forget_gate * state.c + input_gate * candidate;
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const Output active, StateActivated(activations.state, c));
  const Output h = output_gate * active;
  WEIR_TRY(graph.TakeError());
  return LstmState{c, h};
}

Output KeptRows(Output mask, Output fresh, Output before) { return Select(mask, fresh, before); }

}  // namespace weir
