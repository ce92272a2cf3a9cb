#include "graph/compose/rnn_cells.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/clip.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/weights.h"
#include "graph/node_builder.h"
#include "graph/texts.h"
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

constexpr int64_t kMaxWidth = int64_t{1} << 40;  // so that 4 * units cannot overflow

// The width of the inputs, after a check of all sizes.
Result<int64_t> Depth(const PartialShape& input, int64_t units, int64_t outputs) {
  if (!input.known_rank() || input.rank() == 0 || input[input.rank() - 1] < 0)
    return InvalidArgument("Expected inputs.shape[-1] to be known, saw shape: {}", PythonText(input));
  const int64_t depth = input[input.rank() - 1];
  if (units < 0 || outputs < 0 || std::max({units, outputs, depth}) > kMaxWidth)
    return InvalidArgument("a cell cannot have {} inputs, {} units and {} outputs", depth, units, outputs);
  return depth;
}

WeightSpec KernelOf(const char* name, const PartialShape& shape, DType dtype) {
  return {.name = name, .shape = shape, .dtype = dtype};
}
WeightSpec BiasOf(const char* name, int64_t size, DType dtype, ScopedInitializer initializer = ZerosInitializer()) {
  return {.name = name, .shape = PartialShape{size}, .dtype = dtype, .initializer = std::move(initializer)};
}

// The value of a variable; invalid if the cell has no such variable.
Result<Output> ValueIn(const WeightValues& weights, const char* name, Graph& graph) {
  const Input value = weights[name];
  return value.absent() ? Result<Output>(Output()) : ToOutput(graph, value, kInvalidType, name);
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
  const Output x = inputs[0];
  const auto step = [&]() -> Result<RnnStep> {
    WEIR_ASSIGN(const std::vector<WeightSpec> specs, Weights(x.shape(), x.base_dtype()));
    WEIR_ASSIGN(const WeightValues weights, GetWeights(graph, specs, settings_));
    return Compute(x, state, weights, activation_);
  };
  if (!scope_.has_value()) {
    DefaultScope opened(graph, "", base_name_);
    scope_ = opened.scope();
    Result<RnnStep> first = step();
    scope_->reuse = Reuse::kYes;
    return first;
  }
  VariableScopeStack scopes(graph);
  const NameScope names(graph, scope_->original_name_scope);
  scopes.Push(scopes.Reopened(*scope_, Reuse::kYes, {}));
  Result<RnnStep> later = step();
  scopes.Pop();
  return later;
}

Result<RnnStep> ScopedRnnCell::Compute(Output x, const OutputList& state, const WeightValues& weights,
                                       const Activation& activation) const {
  WEIR_ASSIGN(const std::vector<PartialShape> sizes, StateSizes());
  WEIR_TRY(CheckStates(*this, state, sizes.size()));
  return ComputeStep(x, state, weights, activation);
}

Result<std::vector<WeightSpec>> BasicRnnCell::Weights(const PartialShape& input, DType dtype) const {
  WEIR_ASSIGN(const int64_t depth, Depth(input, units_, units_));
  return std::vector<WeightSpec>{KernelOf("kernel", {depth + units_, units_}, dtype), BiasOf("bias", units_, dtype)};
}

Result<RnnStep> BasicRnnCell::ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                                          const Activation& activation) const {
  WEIR_ASSIGN(const Output kernel, ValueIn(weights, "kernel", x.graph()));
  WEIR_ASSIGN(const Output bias, ValueIn(weights, "bias", x.graph()));
  WEIR_ASSIGN(const Output h, BasicRnnStep(x, state[0], kernel, bias, activation));
  return RnnStep{{h}, {h}};
}

Result<std::vector<WeightSpec>> GruCell::Weights(const PartialShape& input, DType dtype) const {
  WEIR_ASSIGN(const int64_t depth, Depth(input, units_, units_));
  const int64_t rows = depth + units_;
  return std::vector<WeightSpec>{KernelOf("gates/kernel", {rows, 2 * units_}, dtype),
                                 BiasOf("gates/bias", 2 * units_, dtype, ConstantInitializer(1)),
                                 KernelOf("candidate/kernel", {rows, units_}, dtype),
                                 BiasOf("candidate/bias", units_, dtype)};
}

Result<RnnStep> GruCell::ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                                     const Activation& activation) const {
  GruWeights values;
  WEIR_ASSIGN(values.gate_kernel, ValueIn(weights, "gates/kernel", x.graph()));
  WEIR_ASSIGN(values.gate_bias, ValueIn(weights, "gates/bias", x.graph()));
  WEIR_ASSIGN(values.candidate_kernel, ValueIn(weights, "candidate/kernel", x.graph()));
  WEIR_ASSIGN(values.candidate_bias, ValueIn(weights, "candidate/bias", x.graph()));
  WEIR_ASSIGN(const Output h, GruStep(x, state[0], values, activation));
  return RnnStep{{h}, {h}};
}

Result<std::vector<PartialShape>> TwoStateRnnCell::StateSizes() const {
  if (joined_state_) return std::vector<PartialShape>{{units_ + outputs_}};
  return std::vector<PartialShape>{{units_}, {outputs_}};
}

Result<RnnStep> TwoStateRnnCell::ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                                             const Activation& activation) const {
  if (!joined_state_) {
    WEIR_ASSIGN(const LstmState next, ComputeNext(x, {state[0], state[1]}, weights, activation));
    return RnnStep{{next.h}, {next.c, next.h}};
  }
  Graph& graph = state[0].graph();
  const OutputList parts = SplitSizes(graph, state[0], std::vector<int64_t>{units_, outputs_}, {}, 1);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const LstmState next, ComputeNext(x, {parts[0], parts[1]}, weights, activation));
  const Output joined = Concat(graph, {next.c, next.h}, 1);
  WEIR_TRY(graph.TakeError());
  return RnnStep{{next.h}, {joined}};
}

Result<std::vector<WeightSpec>> BasicLstmCell::Weights(const PartialShape& input, DType dtype) const {
  WEIR_ASSIGN(const int64_t depth, Depth(input, units_, outputs_));
  return std::vector<WeightSpec>{KernelOf("kernel", {depth + units_, 4 * units_}, dtype),
                                 BiasOf("bias", 4 * units_, dtype)};
}

Result<LstmState> BasicLstmCell::ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                             const Activation& activation) const {
  WEIR_ASSIGN(const Output kernel, ValueIn(weights, "kernel", x.graph()));
  WEIR_ASSIGN(const Output bias, ValueIn(weights, "bias", x.graph()));
  return BasicLstmStep(x, state, kernel, bias, forget_bias_, activation);
}

Result<std::vector<WeightSpec>> LstmCell::Weights(const PartialShape& input, DType dtype) const {
  WEIR_ASSIGN(const int64_t depth, Depth(input, units_, outputs_));
  std::vector<WeightSpec> specs{KernelOf("kernel", {depth + outputs_, 4 * units_}, dtype),
                                BiasOf("bias", 4 * units_, dtype)};
  if (options_.use_peepholes)
    for (const char* name : {"w_f_diag", "w_i_diag", "w_o_diag"}) specs.push_back(KernelOf(name, {units_}, dtype));
  if (options_.projected_units.has_value()) specs.push_back(KernelOf("projection/kernel", {units_, outputs_}, dtype));
  return specs;
}

Result<LstmState> LstmCell::ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                        const Activation& activation) const {
  LstmWeights values;
  WEIR_ASSIGN(values.kernel, ValueIn(weights, "kernel", x.graph()));
  WEIR_ASSIGN(values.bias, ValueIn(weights, "bias", x.graph()));
  WEIR_ASSIGN(values.forget_peephole, ValueIn(weights, "w_f_diag", x.graph()));
  WEIR_ASSIGN(values.input_peephole, ValueIn(weights, "w_i_diag", x.graph()));
  WEIR_ASSIGN(values.output_peephole, ValueIn(weights, "w_o_diag", x.graph()));
  WEIR_ASSIGN(values.projection, ValueIn(weights, "projection/kernel", x.graph()));
  LstmSettings settings = options_.settings;
  settings.activation = activation;
  return LstmStep(x, state, values, settings);
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

Result<std::vector<bool>> MultiRnnCell::DroppableState() const {
  std::vector<bool> all;
  for (const auto& cell : cells_) {
    WEIR_ASSIGN(const std::vector<bool> droppable, cell->DroppableState());
    all.insert(all.end(), droppable.begin(), droppable.end());
  }
  return all;
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
