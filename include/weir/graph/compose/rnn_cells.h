// Recurrent cells. Free functions compute one step from the weights; cell classes list the weights, create them as
// variables in the first step and share them in later ones. A cell belongs to one graph. Variables have TensorFlow's
// names.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/graph/compose/layer_weights.h"
#include "weir/graph/compose/random.h"
#include "weir/graph/compose/rnn.h"

namespace weir {

using Activation = std::function<Result<Output>(Output)>;  // empty: tanh

// --- Step functions; kernels are [inputs + units, ...] ---
// activation([x, h] * kernel + bias) is both output and state.
Result<Output> BasicRnnStep(Output x, Output h, Output kernel, Output bias, const Activation& activation = {});

struct GruWeights {
  Output gate_kernel, gate_bias;  // reset gate, update gate
  Output candidate_kernel, candidate_bias;
};
Result<Output> GruStep(Output x, Output h, const GruWeights& weights, const Activation& activation = {});

struct LstmState {
  Output c, h;
};
// Gate order: input, candidate, forget, output.
Result<LstmState> BasicLstmStep(Output x, const LstmState& state, Output kernel, Output bias, double forget_bias = 1,
                                const Activation& activation = {});

struct LstmWeights {
  Output kernel, bias;
  Output forget_peephole = {}, input_peephole = {}, output_peephole = {};  // invalid: no peephole connections
  Output projection = {};                                                  // invalid: no projection
};
struct LstmSettings {
  double forget_bias = 1;
  std::optional<double> cell_clip = {};
  std::optional<double> projection_clip = {};
  Activation activation = {};
};
Result<LstmState> LstmStep(Output x, const LstmState& state, const LstmWeights& weights,
                           const LstmSettings& settings = {});

// x / keep_prob where noise + keep_prob >= 1, else zero: dropout with given noise in [0, 1).
Output DropoutWithNoise(Output x, const Input& noise, const Input& keep_prob);

// --- Cells ---

// A cell whose variables are in its own scope, the same one in each step.
class ScopedRnnCell : public RnnCell {
 public:
  // Initializers, regularizers and constraints of the variables by name. Call it before the first step.
  void SetWeights(std::map<std::string, Weight> settings) { settings_ = std::move(settings); }
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) final;

  // The variables for inputs of this shape and type, in creation order.
  virtual Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const = 0;
  // One step from given values of the variables. An error if the number of state tensors is wrong.
  Result<RnnStep> Compute(Output x, const OutputList& state, const WeightValues& weights,
                          const Activation& activation) const;

 protected:
  ScopedRnnCell(std::string scope, Activation activation)
      : base_name_(std::move(scope)), activation_(std::move(activation)) {}
  virtual Result<RnnStep> ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                                      const Activation& activation) const = 0;

 private:
  std::string base_name_;
  Activation activation_;
  std::map<std::string, Weight> settings_;
  std::optional<VariableScope> scope_;
};

// A cell whose output is its state, of width `units`.
class OneStateRnnCell : public ScopedRnnCell {
 public:
  Result<std::vector<PartialShape>> StateSizes() const final { return std::vector<PartialShape>{{units_}}; }
  Result<std::vector<PartialShape>> OutputSizes() const final { return std::vector<PartialShape>{{units_}}; }

 protected:
  OneStateRnnCell(int64_t units, Activation activation, const std::string& scope)
      : ScopedRnnCell(scope, std::move(activation)), units_(units) {}

  const int64_t units_;
};

// Variables "kernel" and "bias".
class BasicRnnCell final : public OneStateRnnCell {
 public:
  explicit BasicRnnCell(int64_t units, Activation activation = {}, const std::string& scope = "basic_rnn_cell")
      : OneStateRnnCell(units, std::move(activation), scope) {}
  std::string name() const override { return "BasicRNNCell"; }
  Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const override;

 private:
  Result<RnnStep> ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                              const Activation& activation) const override;
};

// Variables "gates/kernel", "gates/bias", "candidate/kernel" and "candidate/bias".
class GruCell final : public OneStateRnnCell {
 public:
  explicit GruCell(int64_t units, Activation activation = {}, const std::string& scope = "gru_cell")
      : OneStateRnnCell(units, std::move(activation), scope) {}
  std::string name() const override { return "GRUCell"; }
  Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const override;

 private:
  Result<RnnStep> ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                              const Activation& activation) const override;
};

// A cell with the state c, of width `units`, and h, which is also the output.
class TwoStateRnnCell : public ScopedRnnCell {
 public:
  Result<std::vector<PartialShape>> StateSizes() const final;
  Result<std::vector<PartialShape>> OutputSizes() const final { return std::vector<PartialShape>{{outputs_}}; }
  Result<std::vector<bool>> DroppableState() const final {
    return joined_state_ ? std::vector<bool>{true} : std::vector<bool>{false, true};
  }

 protected:
  TwoStateRnnCell(int64_t units, int64_t outputs, bool joined_state, Activation activation, const std::string& scope)
      : ScopedRnnCell(scope, std::move(activation)), units_(units), outputs_(outputs), joined_state_(joined_state) {}
  virtual Result<LstmState> ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                        const Activation& activation) const = 0;

  const int64_t units_;
  const int64_t outputs_;

 private:
  Result<RnnStep> ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                              const Activation& activation) const final;
  const bool joined_state_;
};

// Variables "kernel" and "bias". With `joined_state`, the state is one tensor: c and h concatenated.
class BasicLstmCell final : public TwoStateRnnCell {
 public:
  explicit BasicLstmCell(int64_t units, double forget_bias = 1, Activation activation = {},
                         const std::string& scope = "basic_lstm_cell", bool joined_state = false)
      : TwoStateRnnCell(units, units, joined_state, std::move(activation), scope), forget_bias_(forget_bias) {}
  std::string name() const override { return "BasicLSTMCell"; }
  Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const override;

 private:
  Result<LstmState> ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                const Activation& activation) const override;
  const double forget_bias_;
};

struct LstmCellOptions {
  bool use_peepholes = false;
  std::optional<int64_t> projected_units = {};
  LstmSettings settings = {};
  std::string scope = "lstm_cell";
  bool joined_state = false;  // c and h are concatenated in one tensor
};
// Variables "kernel" and "bias"; with peepholes "w_f_diag", "w_i_diag" and "w_o_diag"; with a projection
// "projection/kernel".
class LstmCell final : public TwoStateRnnCell {
 public:
  explicit LstmCell(int64_t units, LstmCellOptions options = {})
      : TwoStateRnnCell(units, options.projected_units.value_or(units), options.joined_state,
                        options.settings.activation, options.scope),
        options_(std::move(options)) {}
  std::string name() const override { return "LSTMCell"; }
  Result<std::vector<WeightSpec>> Weights(const PartialShape& input, DType dtype) const override;

 private:
  Result<LstmState> ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                const Activation& activation) const override;
  const LstmCellOptions options_;
};

// Stacked cells. The state is the concatenation of their states.
class MultiRnnCell final : public RnnCell {
 public:
  explicit MultiRnnCell(std::vector<std::shared_ptr<RnnCell>> cells) : cells_(std::move(cells)) {}
  std::string name() const override { return "MultiRNNCell"; }
  Result<std::vector<PartialShape>> StateSizes() const override;
  Result<std::vector<PartialShape>> OutputSizes() const override;
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) override;
  Result<OutputList> ZeroState(Graph& graph, const Input& batch_size, DType dtype) override;
  Result<std::vector<bool>> DroppableState() const override;

 private:
  std::vector<std::shared_ptr<RnnCell>> cells_;
  std::optional<VariableScope> scope_;
};

}  // namespace weir
