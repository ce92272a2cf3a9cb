// Recurrent cells. Free functions compute one step from the weights; cell classes create the weights as variables in
// the first step and share them in later ones. A cell belongs to one graph. Variables have TensorFlow's names.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) final;

 protected:
  explicit ScopedRnnCell(std::string scope) : base_name_(std::move(scope)) {}
  virtual Result<RnnStep> Compute(Graph& graph, Output x, const OutputList& state) = 0;
  // A variable of the cell, created in the first step.
  Result<Output> Weight(Graph& graph, const std::string& name, const PartialShape& shape, DType dtype,
                        std::optional<float> initial = {}) const;
  static Result<int64_t> Depth(Output x);

 private:
  std::string base_name_;
  std::optional<VariableScope> scope_;
};

// A cell whose output is its state, of width `units`.
class OneStateRnnCell : public ScopedRnnCell {
 public:
  Result<std::vector<PartialShape>> StateSizes() const final { return std::vector<PartialShape>{{units_}}; }
  Result<std::vector<PartialShape>> OutputSizes() const final { return std::vector<PartialShape>{{units_}}; }

 protected:
  OneStateRnnCell(int64_t units, Activation activation, const std::string& scope)
      : ScopedRnnCell(scope), units_(units), activation_(std::move(activation)) {}

  int64_t units_;
  Activation activation_;
};

class BasicRnnCell final : public OneStateRnnCell {
 public:
  explicit BasicRnnCell(int64_t units, Activation activation = {}, const std::string& scope = "basic_rnn_cell")
      : OneStateRnnCell(units, std::move(activation), scope) {}
  std::string name() const override { return "BasicRNNCell"; }

 private:
  Result<RnnStep> Compute(Graph& graph, Output x, const OutputList& state) override;
};

class GruCell final : public OneStateRnnCell {
 public:
  explicit GruCell(int64_t units, Activation activation = {}, const std::string& scope = "gru_cell")
      : OneStateRnnCell(units, std::move(activation), scope) {}
  std::string name() const override { return "GRUCell"; }

 private:
  Result<RnnStep> Compute(Graph& graph, Output x, const OutputList& state) override;
};

// The state is c, then h.
class BasicLstmCell final : public ScopedRnnCell {
 public:
  explicit BasicLstmCell(int64_t units, double forget_bias = 1, Activation activation = {},
                         const std::string& scope = "basic_lstm_cell")
      : ScopedRnnCell(scope), units_(units), forget_bias_(forget_bias), activation_(std::move(activation)) {}
  std::string name() const override { return "BasicLSTMCell"; }
  Result<std::vector<PartialShape>> StateSizes() const override {
    return std::vector<PartialShape>{{units_}, {units_}};
  }
  Result<std::vector<PartialShape>> OutputSizes() const override { return std::vector<PartialShape>{{units_}}; }

 private:
  Result<RnnStep> Compute(Graph& graph, Output x, const OutputList& state) override;
  int64_t units_;
  double forget_bias_;
  Activation activation_;
};

struct LstmCellOptions {
  bool use_peepholes = false;
  std::optional<int64_t> projected_units = {};
  LstmSettings settings = {};
  std::string scope = "lstm_cell";
};
class LstmCell final : public ScopedRnnCell {
 public:
  explicit LstmCell(int64_t units, LstmCellOptions options = {})
      : ScopedRnnCell(options.scope), units_(units), options_(std::move(options)) {}
  std::string name() const override { return "LSTMCell"; }
  Result<std::vector<PartialShape>> StateSizes() const override {
    return std::vector<PartialShape>{{units_}, {options_.projected_units.value_or(units_)}};
  }
  Result<std::vector<PartialShape>> OutputSizes() const override {
    return std::vector<PartialShape>{{options_.projected_units.value_or(units_)}};
  }

 private:
  Result<RnnStep> Compute(Graph& graph, Output x, const OutputList& state) override;
  int64_t units_;
  LstmCellOptions options_;
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

 private:
  std::vector<std::shared_ptr<RnnCell>> cells_;
  std::optional<VariableScope> scope_;
};

}  // namespace weir
