#include "graph/compose/rnn_block_cells.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/compose/nn.h"
#include "graph/compose/rnn_wrappers.h"
#include "graph/compose/weights.h"
#include "graph/node_builder.h"
#include "graph/texts.h"

namespace weir {
namespace {

const char* const kNormScopes[] = {"input", "transform", "forget", "output", "state"};

// The number of columns of the inputs.
Result<int64_t> InputWidth(const PartialShape& input) {
  if (!input.known_rank() || input.rank() == 0 || input[input.rank() - 1] < 0)
    return InvalidArgument("Expecting inputs_shape[{}] to be set: {}", input.known_rank() ? input.rank() - 1 : 1,
                           PythonText(input));
  return input[input.rank() - 1];
}

WeightSpec MatrixSpec(const std::string& name, int64_t rows, int64_t columns, DType dtype) {
  return {.name = name, .shape = PartialShape{rows, columns}, .dtype = dtype};
}
WeightSpec VectorSpec(const std::string& name, int64_t size, DType dtype, ScopedInitializer initializer = {}) {
  return {.name = name, .shape = PartialShape{size}, .dtype = dtype, .initializer = std::move(initializer)};
}

Result<Output> WeightOf(const WeightValues& weights, const std::string& name, Graph& graph) {
  if (weights[name].absent()) return InvalidArgument("the cell has no variable '{}'", name);
  return ToOutput(graph, weights[name], kInvalidType, name);
}

// The weights of an LSTM that is one op. Without peepholes, the op ignores its three vectors.
struct LstmBlockWeights {
  Output kernel, bias, input, forget, output;
};
Result<LstmBlockWeights> LstmBlockWeightsFrom(const WeightValues& weights, bool peepholes, int64_t units,
                                              Graph& graph) {
  LstmBlockWeights all;
  WEIR_ASSIGN(all.kernel, WeightOf(weights, "kernel", graph));
  WEIR_ASSIGN(all.bias, WeightOf(weights, "bias", graph));
  if (peepholes) {
    WEIR_ASSIGN(all.input, WeightOf(weights, "w_i_diag", graph));
    WEIR_ASSIGN(all.forget, WeightOf(weights, "w_f_diag", graph));
    WEIR_ASSIGN(all.output, WeightOf(weights, "w_o_diag", graph));
  } else {
    all.input = all.forget = all.output = Zeros(graph, std::vector<int64_t>{units}, all.kernel.base_dtype());
  }
  WEIR_TRY(graph.TakeError());
  return all;
}

// x of each row at the step of its index; x is [steps, batch, units].
Output AtSteps(Graph& graph, Output x, Output steps) {
  const Output rows = Range(graph, 0, Gather(ShapeOf(x), 1), 1, kInt32);
  return GatherNd(x, Stack(graph, {steps, rows}, 1));
}

}  // namespace

Result<std::vector<WeightSpec>> LstmBlockRnnCell::Weights(const PartialShape& input, DType dtype) const {
  WEIR_ASSIGN(const int64_t depth, InputWidth(input));
  std::vector<WeightSpec> specs{MatrixSpec("kernel", depth + units_, 4 * units_, dtype),
                                VectorSpec("bias", 4 * units_, dtype, ZerosInitializer())};
  if (options_.use_peepholes)
    for (const char* name : {"w_i_diag", "w_f_diag", "w_o_diag"}) specs.push_back(VectorSpec(name, units_, dtype));
  return specs;
}

Result<LstmState> LstmBlockRnnCell::ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                                const Activation&) const {
  Graph& graph = x.graph();
  WEIR_ASSIGN(const LstmBlockWeights w, LstmBlockWeightsFrom(weights, options_.use_peepholes, units_, graph));
  const auto step = LSTMBlockCell(x, state.c, state.h, w.kernel, w.input, w.forget, w.output, w.bias,
                                  {.forget_bias = static_cast<float>(options_.forget_bias),
                                   .cell_clip = static_cast<float>(options_.cell_clip.value_or(-1)),
                                   .use_peephole = options_.use_peepholes});
  WEIR_TRY(graph.TakeError());
  return LstmState{step.cs, step.h};
}

Result<LstmBlockRnnCell::Run> LstmBlockRnnCell::RunAll(Graph& graph, Output inputs,
                                                       const std::optional<LstmState>& initial,
                                                       const WeightValues& weights, const Input& given_lengths) const {
  WEIR_ASSIGN(const LstmBlockWeights w, LstmBlockWeightsFrom(weights, options_.use_peepholes, units_, graph));
  const DType dtype = inputs.base_dtype();
  const Output shape = ShapeOf(inputs);
  LstmState first;
  if (initial.has_value()) {
    first = *initial;
  } else {
    const Output size = Stack(graph, {Gather(shape, 1), units_});
    first = {Zeros(graph, size, dtype), Zeros(graph, size, dtype)};
  }
  Output lengths, longest;
  if (given_lengths.absent()) {
    longest = CastValue(graph, Gather(shape, 0), kInt64);
  } else {
    lengths = CastValue(graph, given_lengths, kInt32);
    longest = CastValue(graph, ReduceMax(lengths), kInt64);
  }
  const auto all = BlockLSTM(longest, inputs, first.c, first.h, w.kernel, w.input, w.forget, w.output, w.bias,
                             {.forget_bias = static_cast<float>(options_.forget_bias),
                              .cell_clip = static_cast<float>(options_.cell_clip.value_or(-1)),
                              .use_peephole = options_.use_peepholes});
  Run run;
  if (given_lengths.absent()) {
    const auto last = [](Output x) { return StridedSlice(x, {-1}, {0}, {1}, {.end_mask = 1, .shrink_axis_mask = 1}); };
    run = {all.h, {last(all.cs), last(all.h)}};
  } else {
    const Output mask = Transpose(SequenceMask(graph, lengths, Gather(shape, 0), dtype), {1, 0});
    // Row 0 is the initial state. It is also the final state of empty sequences.
    const auto last = [&](Output before, Output x) {
      return AtSteps(graph, Concat(graph, {ExpandDims(before, 0), x}, 0), lengths);
    };
    run = {all.h * ExpandDims(mask, -1), {last(first.c, all.cs), last(first.h, all.h)}};
  }
  WEIR_TRY(graph.TakeError());
  return run;
}

std::vector<std::string> GruBlockRnnCell::Names() const {
  if (named_as_gru_) return {"gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias"};
  return {"w_ru", "b_ru", "w_c", "b_c"};
}

Result<std::vector<WeightSpec>> GruBlockRnnCell::Weights(const PartialShape& input, DType dtype) const {
  WEIR_ASSIGN(const int64_t depth, InputWidth(input));
  const std::vector<std::string> names = Names();
  return std::vector<WeightSpec>{MatrixSpec(names[0], depth + units_, 2 * units_, dtype),
                                 VectorSpec(names[1], 2 * units_, dtype, ConstantInitializer(1)),
                                 MatrixSpec(names[2], depth + units_, units_, dtype),
                                 VectorSpec(names[3], units_, dtype, ConstantInitializer(0))};
}

Result<RnnStep> GruBlockRnnCell::ComputeStep(Output x, const OutputList& state, const WeightValues& weights,
                                             const Activation&) const {
  Graph& graph = x.graph();
  std::vector<Output> values;
  for (const std::string& name : Names()) {
    WEIR_ASSIGN(const Output value, WeightOf(weights, name, graph));
    values.push_back(value);
  }
  const Output h = GRUBlockCell(x, state[0], values[0], values[2], values[1], values[3]).h;
  WEIR_TRY(graph.TakeError());
  return RnnStep{{h}, {h}};
}

Result<std::vector<WeightSpec>> LayerNormLstmCell::Weights(const PartialShape& input, DType dtype) const {
  WEIR_ASSIGN(const int64_t depth, InputWidth(input));
  std::vector<WeightSpec> specs{MatrixSpec("kernel", depth + units_, 4 * units_, dtype)};
  if (!options_.layer_norm) {
    specs.push_back(VectorSpec("bias", 4 * units_, dtype));
    return specs;
  }
  for (const char* scope : kNormScopes) {
    specs.push_back(VectorSpec(std::string(scope) + "/gamma", units_, dtype, ConstantInitializer(options_.gain)));
    specs.push_back(VectorSpec(std::string(scope) + "/beta", units_, dtype, ConstantInitializer(options_.shift)));
  }
  return specs;
}

Result<LstmState> LayerNormLstmCell::ComputeNext(Output x, const LstmState& state, const WeightValues& weights,
                                                 const Activation& activation) const {
  Graph& graph = x.graph();
  const auto normed = [&](Output value, int scope) -> Result<Output> {
    if (!options_.layer_norm) return value;
    const std::string name = kNormScopes[scope];
    WEIR_ASSIGN(const Output gamma, WeightOf(weights, name + "/gamma", graph));
    WEIR_ASSIGN(const Output beta, WeightOf(weights, name + "/beta", graph));
    const MomentsResult moments = Moments(value, -1, /*keep_dims=*/true);
    return BatchNormalization(value, moments.mean, moments.variance, beta, gamma, 1e-12);
  };
  WEIR_ASSIGN(const Output kernel, WeightOf(weights, "kernel", graph));
  Output gates = MatMul(Concat(graph, {x, state.h}, 1), kernel);
  if (!options_.layer_norm) {
    WEIR_ASSIGN(const Output bias, WeightOf(weights, "bias", graph));
    gates = BiasAdd(gates, bias);
  }
  OutputList parts = SplitEvenly(graph, gates, 4, 1);
  WEIR_TRY(graph.TakeError());
  for (int i = 0; i < 4; ++i) {
    WEIR_ASSIGN(parts[static_cast<size_t>(i)], normed(parts[static_cast<size_t>(i)], i));
  }
  const auto active = [&](Output value) { return activation ? activation(value) : Result<Output>(Tanh(value)); };
  WEIR_ASSIGN(Output fresh, active(parts[1]));
  if (DropsElements(options_.keep_prob)) {
    const Output keep = ValueOf(graph, options_.keep_prob, fresh.base_dtype(), "keep_prob");
    fresh = Dropout(fresh, 1.0f - keep, {}, options_.seed);
  }
  const Output kept = state.c * Sigmoid(parts[2] + options_.forget_bias);
  WEIR_ASSIGN(const Output c, normed(kept + Sigmoid(parts[0]) * fresh, 4));
  WEIR_ASSIGN(const Output seen, active(c));
  const Output h = seen * Sigmoid(parts[3]);
  WEIR_TRY(graph.TakeError());
  return LstmState{c, h};
}

}  // namespace weir
