// Steps of recurrent cells with the formulas and weights of Keras: a kernel for the inputs and one for the state, with
// the gates side by side. (rnn_cells.h has those of tf.nn.rnn_cell.)
#pragma once

#include "graph/compose/rnn_cells.h"

namespace weir {

// Widths: the number of units times the number of gates.
struct KerasCellWeights {
  Output kernel;            // [inputs, width]
  Output recurrent_kernel;  // [units, width]
  Output bias = {};         // [width]; [2, width] for a GRU whose reset gate is applied last; invalid: none
};
struct KerasActivations {
  Activation state = {};  // default: tanh
  Activation gate = {};   // default: hard sigmoid
};

// max(0, min(1, 0.2 * x + 0.5)).
Output HardSigmoid(Output x);

// The output is the next state.
Result<Output> KerasRnnStep(Output x, Output h, const KerasCellWeights& weights, const Activation& activation);
// Gate order: update, reset, candidate. `reset_after`: the reset gate is applied after the product with the kernel.
Result<Output> KerasGruStep(Output x, Output h, const KerasCellWeights& weights, const KerasActivations& activations,
                            bool reset_after);
// Gate order: input, forget, candidate, output.
Result<LstmState> KerasLstmStep(Output x, const LstmState& state, const KerasCellWeights& weights,
                                const KerasActivations& activations);

// The value of `fresh` in the rows where the mask is true, else that of `before`. mask: [rows].
Output KeptRows(Output mask, Output fresh, Output before);

}  // namespace weir
