#include "graph/compose/rnn_cells.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/clip.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/initializers.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

Result<Output> Activated(const Activation& activation, Output x) {
  return activation ? activation(x) : Result<Output>(Tanh(x));
}

// [x, h] * kernel + bias.
Result<Output> Linear(Output x, Output h, Output kernel, Output bias) {
  if (!x.has_graph()) return InvalidArgument("the RNN cell has no input");
  Graph& graph = x.graph();
  const Output y = BiasAdd(MatMul(Concat(graph, {x, h}, 1), kernel), bias);
  WEIR_TRY(graph.TakeError());
  return y;
}

Output Clipped(Output x, const std::optional<double>& bound) {
  if (!bound.has_value()) return x;
  return ClipByValueBounds(x, -*bound, *bound);
}

Status CheckStates(const RnnCell& cell, const OutputList& state, size_t wanted) {
  if (state.size() == wanted) return OkStatus();
  return InvalidArgument("{} needs {} state tensors, but got {}", cell.name(), wanted, state.size());
}

}  // namespace

Result<Output> BasicRnnStep(Output x, Output h, Output kernel, Output bias, const Activation& activation) {
  WEIR_ASSIGN(Output y, Linear(x, h, kernel, bias));
  return Activated(activation, y);
}

Result<Output> GruStep(Output x, Output h, const GruWeights& weights, const Activation& activation) {
  WEIR_ASSIGN(Output gates, Linear(x, h, weights.gate_kernel, weights.gate_bias));
  Graph& graph = x.graph();
  const OutputList parts = SplitEvenly(graph, Sigmoid(gates), 2, 1);
  WEIR_TRY(graph.TakeError());
  const Output reset = parts[0], update = parts[1];
  WEIR_ASSIGN(Output candidate, Linear(x, reset * h, weights.candidate_kernel, weights.candidate_bias));
  WEIR_ASSIGN(Output fresh, Activated(activation, candidate));
  const Output next = update * h + (1.0f - update) * fresh;
  WEIR_TRY(graph.TakeError());
  return next;
}

Result<LstmState> BasicLstmStep(Output x, const LstmState& state, Output kernel, Output bias, double forget_bias,
                                const Activation& activation) {
  WEIR_ASSIGN(Output gates, Linear(x, state.h, kernel, bias));
  Graph& graph = x.graph();
  const OutputList parts = SplitEvenly(graph, gates, 4, 1);
  WEIR_TRY(graph.TakeError());
  const Output forgotten = Sigmoid(Add(parts[2], forget_bias, {.name = "Add"}));
  const Output kept = Mul(state.c, forgotten, {.name = "Mul"});
  const Output input_gate = Sigmoid(parts[0]);
  WEIR_ASSIGN(Output candidate, Activated(activation, parts[1]));
  const Output c = Add(kept, Mul(input_gate, candidate, {.name = "Mul"}), {.name = "Add"});
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Output active, Activated(activation, c));
  const Output h = Mul(active, Sigmoid(parts[3]), {.name = "Mul"});
  WEIR_TRY(graph.TakeError());
  return LstmState{c, h};
}

Result<LstmState> LstmStep(Output x, const LstmState& state, const LstmWeights& weights, const LstmSettings& settings) {
  WEIR_ASSIGN(Output gates, Linear(x, state.h, weights.kernel, weights.bias));
  Graph& graph = x.graph();
  const OutputList parts = SplitEvenly(graph, gates, 4, 1);
  WEIR_TRY(graph.TakeError());
  const auto gate = [](Output value, Output peephole, Output seen) {
    return Sigmoid(peephole.valid() ? value + peephole * seen : value);
  };
  const Output kept = gate(parts[2] + settings.forget_bias, weights.forget_peephole, state.c) * state.c;
  const Output input_gate = gate(parts[0], weights.input_peephole, state.c);
  WEIR_ASSIGN(Output candidate, Activated(settings.activation, parts[1]));
  const Output c = Clipped(kept + input_gate * candidate, settings.cell_clip);
  const Output output_gate = gate(parts[3], weights.output_peephole, c);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Output active, Activated(settings.activation, c));
  Output h = output_gate * active;
  if (weights.projection.valid()) h = Clipped(MatMul(h, weights.projection), settings.projection_clip);
  WEIR_TRY(graph.TakeError());
  return LstmState{c, h};
}

Output DropoutWithNoise(Output x, const Input& noise, const Input& keep_prob) {
  const Output kept = Floor(AddInput(keep_prob, noise));
  return DivInput(x, keep_prob) * kept;
}

Result<RnnStep> ScopedRnnCell::Step(Graph& graph, const OutputList& inputs, const OutputList& state) {
  if (inputs.size() != 1) return InvalidArgument("{} takes one input, but got {}", name(), inputs.size());
  WEIR_ASSIGN(std::vector<PartialShape> sizes, StateSizes());
  WEIR_TRY(CheckStates(*this, state, sizes.size()));
  if (!scope_.has_value()) {
    DefaultScope opened(graph, "", base_name_);
    scope_ = opened.scope();
    Result<RnnStep> first = Compute(graph, inputs[0], state);
    scope_->reuse = Reuse::kYes;
    return first;
  }
  VariableScopeStack scopes(graph);
  const NameScope names(graph, scope_->original_name_scope);
  scopes.Push(scopes.Reopened(*scope_, Reuse::kYes, {}));
  Result<RnnStep> step = Compute(graph, inputs[0], state);
  scopes.Pop();
  return step;
}

Result<Output> ScopedRnnCell::Weight(Graph& graph, const std::string& name, const PartialShape& shape, DType dtype,
                                     std::optional<float> initial) const {
  VariableRequest request;
  request.name = name;
  request.shape = shape;
  request.dtype = dtype;
  if (initial.has_value()) {
    request.initializer = std::make_shared<const ScopedInitializer>(
        [value = *initial](Graph& g, const PartialShape& size, DType type, const PartitionInfo*) -> Result<Output> {
          return value == 0 ? ZerosInitial(g, size, type) : ConstantInitial(g, size, type, Tensor::Scalar(value));
        });
  }
  WEIR_ASSIGN(VariablePtr variable, VariableScopeStack(graph).Get(std::move(request)));
  return variable->AsInput();
}

Result<int64_t> ScopedRnnCell::Depth(Output x) {
  const PartialShape shape = x.shape();
  if (!shape.known_rank() || shape.rank() != 2 || shape[1] < 0)
    return InvalidArgument("Expected inputs.shape[-1] to be known, saw shape: {} of '{}'", shape, x.name());
  return shape[1];
}

Result<RnnStep> BasicRnnCell::Compute(Graph& graph, Output x, const OutputList& state) {
  WEIR_ASSIGN(int64_t depth, Depth(x));
  WEIR_ASSIGN(Output kernel, Weight(graph, "kernel", {depth + units_, units_}, x.base_dtype()));
  WEIR_ASSIGN(Output bias, Weight(graph, "bias", {units_}, x.base_dtype(), 0.0f));
  WEIR_ASSIGN(Output h, BasicRnnStep(x, state[0], kernel, bias, activation_));
  return RnnStep{{h}, {h}};
}

Result<RnnStep> GruCell::Compute(Graph& graph, Output x, const OutputList& state) {
  WEIR_ASSIGN(int64_t depth, Depth(x));
  const DType dtype = x.base_dtype();
  GruWeights weights;
  WEIR_ASSIGN(weights.gate_kernel, Weight(graph, "gates/kernel", {depth + units_, 2 * units_}, dtype));
  WEIR_ASSIGN(weights.gate_bias, Weight(graph, "gates/bias", {2 * units_}, dtype, 1.0f));
  WEIR_ASSIGN(weights.candidate_kernel, Weight(graph, "candidate/kernel", {depth + units_, units_}, dtype));
  WEIR_ASSIGN(weights.candidate_bias, Weight(graph, "candidate/bias", {units_}, dtype, 0.0f));
  WEIR_ASSIGN(Output h, GruStep(x, state[0], weights, activation_));
  return RnnStep{{h}, {h}};
}

Result<RnnStep> BasicLstmCell::Compute(Graph& graph, Output x, const OutputList& state) {
  WEIR_ASSIGN(int64_t depth, Depth(x));
  WEIR_ASSIGN(Output kernel, Weight(graph, "kernel", {depth + units_, 4 * units_}, x.base_dtype()));
  WEIR_ASSIGN(Output bias, Weight(graph, "bias", {4 * units_}, x.base_dtype(), 0.0f));
  WEIR_ASSIGN(LstmState next, BasicLstmStep(x, {state[0], state[1]}, kernel, bias, forget_bias_, activation_));
  return RnnStep{{next.h}, {next.c, next.h}};
}

Result<RnnStep> LstmCell::Compute(Graph& graph, Output x, const OutputList& state) {
  WEIR_ASSIGN(int64_t depth, Depth(x));
  const DType dtype = x.base_dtype();
  const int64_t seen = options_.projected_units.value_or(units_);
  LstmWeights weights;
  WEIR_ASSIGN(weights.kernel, Weight(graph, "kernel", {depth + seen, 4 * units_}, dtype));
  WEIR_ASSIGN(weights.bias, Weight(graph, "bias", {4 * units_}, dtype, 0.0f));
  if (options_.use_peepholes) {
    WEIR_ASSIGN(weights.forget_peephole, Weight(graph, "w_f_diag", {units_}, dtype));
    WEIR_ASSIGN(weights.input_peephole, Weight(graph, "w_i_diag", {units_}, dtype));
    WEIR_ASSIGN(weights.output_peephole, Weight(graph, "w_o_diag", {units_}, dtype));
  }
  if (options_.projected_units.has_value()) {
    WEIR_ASSIGN(weights.projection, Weight(graph, "projection/kernel", {units_, seen}, dtype));
  }
  WEIR_ASSIGN(LstmState next, LstmStep(x, {state[0], state[1]}, weights, options_.settings));
  return RnnStep{{next.h}, {next.c, next.h}};
}

Result<std::vector<PartialShape>> MultiRnnCell::StateSizes() const {
  std::vector<PartialShape> all;
  for (const auto& cell : cells_) {
    WEIR_ASSIGN(std::vector<PartialShape> sizes, cell->StateSizes());
    all.insert(all.end(), sizes.begin(), sizes.end());
  }
  return all;
}

Result<std::vector<PartialShape>> MultiRnnCell::OutputSizes() const {
  if (cells_.empty()) return InvalidArgument("Must specify at least one cell for MultiRNNCell.");
  return cells_.back()->OutputSizes();
}

Result<RnnStep> MultiRnnCell::Step(Graph& graph, const OutputList& inputs, const OutputList& state) {
  WEIR_ASSIGN(std::vector<PartialShape> sizes, StateSizes());
  WEIR_TRY(CheckStates(*this, state, sizes.size()));
  std::optional<DefaultScope> first;
  std::optional<VariableScopeGuard> again;
  if (scope_.has_value()) {
    again.emplace(graph, *scope_, Reuse::kYes);
  } else {
    first.emplace(graph, "", "multi_rnn_cell");
    scope_ = first->scope();
  }
  RnnStep all{inputs, {}};
  auto at = state.begin();
  for (size_t i = 0; i < cells_.size(); ++i) {
    VariableScopeGuard scope(graph, fmt::format("cell_{}", i));
    WEIR_ASSIGN(std::vector<PartialShape> own, cells_[i]->StateSizes());
    const auto end = at + static_cast<int64_t>(own.size());
    WEIR_ASSIGN(RnnStep step, cells_[i]->Step(graph, all.outputs, OutputList(at, end)));
    at = end;
    all.outputs = std::move(step.outputs);
    all.state.insert(all.state.end(), step.state.begin(), step.state.end());
  }
  return all;
}

Result<OutputList> MultiRnnCell::ZeroState(Graph& graph, const Input& batch_size, DType dtype) {
  NameScope scope(graph, name() + "ZeroState");
  OutputList all;
  for (const auto& cell : cells_) {
    WEIR_ASSIGN(OutputList state, cell->ZeroState(graph, batch_size, dtype));
    all.insert(all.end(), state.begin(), state.end());
  }
  return all;
}

}  // namespace weir
