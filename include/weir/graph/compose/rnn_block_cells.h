// LSTM and GRU cells whose step is one op, an LSTM that runs all steps in one op, and an LSTM with layer normalization.
// Variables have TensorFlow's names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weir/graph/compose/rnn_cells.h"

namespace weir {

struct LstmBlockOptions {
  double forget_bias = 1;
  std::optional<double> cell_clip = {};
  bool use_peepholes = false;
};
// Variables "kernel" and "bias"; with peepholes "w_i_diag", "w_f_diag" and "w_o_diag".
class LstmBlockRnnCell final : public TwoStateRnnCell {
 public:
  explicit LstmBlockRnnCell(int64_t units, LstmBlockOptions options = {}, const std::string& scope = "lstm_cell")
      : TwoStateRnnCell(units, units, /*joined_state=*/false, {}, scope), options_(options) {}
  std::string name() const override { return "LSTMBlockCell"; }
  Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const override;
  // All steps of inputs [steps, batch, depth]. Rows end at their lengths, if there are any.
  struct Run {
    Output outputs;  // [steps, batch, units]
    LstmState state;
  };
  Result<Run> RunAll(Graph& graph, Output inputs, const std::optional<LstmState>& initial, const WeightValues& weights,
                     const Input& lengths = {}) const;

 private:
  Result<LstmState> ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                const Activation& activation) const override;
  const LstmBlockOptions options_;
};

// Variables "w_ru", "b_ru", "w_c" and "b_c"; with `named_as_gru` those of GruCell.
class GruBlockRnnCell final : public OneStateRnnCell {
 public:
  explicit GruBlockRnnCell(int64_t units, bool named_as_gru = false, const std::string& scope = "gru_cell")
      : OneStateRnnCell(units, {}, scope), named_as_gru_(named_as_gru) {}
  std::string name() const override { return named_as_gru_ ? "GRUBlockCellV2" : "GRUBlockCell"; }
  Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const override;

 private:
  Result<RnnStep> ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                              const Activation& activation) const override;
  std::vector<std::string> Names() const;
  const bool named_as_gru_;
};

struct LayerNormLstmOptions {
  double forget_bias = 1;
  bool layer_norm = true;
  double gain = 1;   // initial gamma
  double shift = 0;  // initial beta
  Input keep_prob = 1.0;
  OpSeed seed = {};
  Activation activation = {};
};
// Variable "kernel"; "gamma" and "beta" in the scopes "input", "transform", "forget", "output" and "state"; without
// normalization "bias" instead of those.
class LayerNormLstmCell final : public TwoStateRnnCell {
 public:
  explicit LayerNormLstmCell(int64_t units, LayerNormLstmOptions options = {},
                             const std::string& scope = "layer_norm_basic_lstm_cell")
      : TwoStateRnnCell(units, units, /*joined_state=*/false, options.activation, scope),
        options_(std::move(options)) {}
  std::string name() const override { return "LayerNormBasicLSTMCell"; }
  Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const override;

 private:
  Result<LstmState> ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                const Activation& activation) const override;
  const LayerNormLstmOptions options_;
};

}  // namespace weir
