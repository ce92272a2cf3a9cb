// RawRnn: an RNN loop that the caller controls step by step.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/flow.h"
#include "graph/compose/rnn_parts.h"

namespace weir {

namespace {

using rnn::BatchOf;
using rnn::CheckStaticInputs;
using rnn::DimValue;
using rnn::MaskFinishedRows;
using rnn::RnnScope;
using rnn::StepOf;
using rnn::ZeroOutputs;

// The arrays for the results, and the zeros for finished sequences.
struct Emitted {
  std::vector<TensorArray> arrays;
  OutputList zeros;
};

Result<Emitted> EmittedBy(Graph& graph, RnnCell& cell, const RawRnnLoopOutput& first, const Dim& batch) {
  Emitted emitted;
  std::vector<PartialShape> sizes;
  std::vector<DType> types;
  const Input rows = batch.known() ? Input(batch.size) : Input(batch.value);
  if (first.emit.has_value()) {
    for (const Output& pattern : *first.emit) {
      const PartialShape size = pattern.shape();
      sizes.push_back(size);
      types.push_back(pattern.base_dtype());
      if (size.fully_defined()) {
        WEIR_ASSIGN(const Output zero, ZerosForBatch(graph, rows, size, pattern.base_dtype()));
        emitted.zeros.push_back(zero);
      } else {
        const Output all = Concat(graph, {Stack(graph, {DimValue(graph, batch)}), ShapeOf(pattern)}, 0);
        emitted.zeros.push_back(Zeros(graph, all, pattern.base_dtype()));
      }
    }
  } else {
    if (first.state.empty()) return InvalidArgument("Unable to infer dtype from empty state.");
    WEIR_ASSIGN(sizes, cell.OutputSizes());
    types.assign(sizes.size(), first.state[0].base_dtype());
    WEIR_ASSIGN(emitted.zeros, ZeroOutputs(graph, cell, batch, types.empty() ? kFloat : types[0]));
  }
  for (size_t i = 0; i < sizes.size(); ++i)
    emitted.arrays.emplace_back(graph, types[i], 0,
                                TensorArray::Options{.element_shape = PartialShape{batch.size}.Concat(sizes[i]),
                                                     .dynamic_size = true,
                                                     .name = fmt::format("rnn_output_{}", i)});
  WEIR_TRY(graph.TakeError());
  return emitted;
}

Status CheckTurn(const RawRnnLoopOutput& turn, const RawRnnLoopOutput& first, size_t emitted) {
  const auto check = [](size_t now, size_t before, const char* what) -> Status {
    if (now == before) return OkStatus();
    return InvalidArgument("loop_fn returned {} {} tensors, but {} before the first step", now, what, before);
  };
  WEIR_TRY(check(turn.inputs.size(), first.inputs.size(), "input"));
  WEIR_TRY(check(turn.state.size(), first.state.size(), "state"));
  WEIR_TRY(check(turn.loop_state.size(), first.loop_state.size(), "loop state"));
  if (!turn.emit.has_value() || turn.emit->size() != emitted)
    return InvalidArgument("loop_fn must emit {} tensors at each step, but gives {}", emitted,
                           turn.emit.has_value() ? turn.emit->size() : 0);
  return OkStatus();
}

}  // namespace

Result<RawRnnResult> RawRnn(Graph& graph, RnnCell& cell, const RawRnnFn& next, const RnnOptions& options) {
  RnnScope scope(graph, options, "rnn");
  const Output start = Constant(graph, Tensor::Scalar(int32_t{0}), "time");
  WEIR_ASSIGN(const RawRnnLoopOutput first, next({.time = start}));
  WEIR_TRY(graph.TakeError());
  if (first.inputs.empty()) return InvalidArgument("loop_fn returned no input for the first step");
  WEIR_TRY(CheckStaticInputs({first.inputs}));
  const Dim batch = BatchOf({first.inputs});
  WEIR_ASSIGN(const Emitted emitted, EmittedBy(graph, cell, first, batch));
  const size_t inputs = first.inputs.size(), emits = emitted.arrays.size(), states = first.state.size();
  WEIR_ASSIGN(const std::vector<PartialShape> sizes, cell.OutputSizes());
  InputList variables = {start, first.finished};
  const auto append = [](auto& list, const OutputList& more) { list.insert(list.end(), more.begin(), more.end()); };
  append(variables, first.inputs);
  for (const TensorArray& array : emitted.arrays) variables.push_back(array.flow());
  append(variables, first.state);
  append(variables, first.loop_state);
  const auto part = [](const OutputList& v, size_t begin, size_t count) {
    return OutputList(v.begin() + static_cast<int64_t>(begin), v.begin() + static_cast<int64_t>(begin + count));
  };
  const auto body = [&](const OutputList& v) -> Result<OutputList> {
    const OutputList state = part(v, 2 + inputs + emits, states);
    const OutputList own = part(v, 2 + inputs + emits + states, first.loop_state.size());
    WEIR_ASSIGN(const RnnStep step, StepOf(graph, cell, sizes.size(), part(v, 2, inputs), state));
    const Output time = v[0] + 1;
    WEIR_ASSIGN(const RawRnnLoopOutput turn,
                next({.time = time, .outputs = &step.outputs, .state = &step.state, .loop_state = &own}));
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(CheckTurn(turn, first, emits));
    const RnnStep kept = MaskFinishedRows(v[1], emitted.zeros, state, {*turn.emit, turn.state});
    OutputList all = {time, LogicalOr(v[1], turn.finished)};
    append(all, turn.inputs);
    for (size_t i = 0; i < emits; ++i)
      all.push_back(emitted.arrays[i].WithFlow(v[2 + inputs + i]).Write(v[0], kept.outputs[i]).flow());
    append(all, kept.state);
    append(all, turn.loop_state);
    WEIR_TRY(graph.TakeError());
    return all;
  };
  const auto goes_on = [](const OutputList& v) -> Result<Output> { return LogicalNot(ReduceAll(v[1])); };
  WEIR_ASSIGN(const OutputList ends,
              WhileLoop(graph, goes_on, body, variables,
                        {.parallel_iterations = options.parallel_iterations, .swap_memory = options.swap_memory}));
  RawRnnResult result;
  for (size_t i = 0; i < emits; ++i) result.outputs.push_back(emitted.arrays[i].WithFlow(ends[2 + inputs + i]));
  result.state = part(ends, 2 + inputs + emits, states);
  result.loop_state = part(ends, 2 + inputs + emits + states, first.loop_state.size());
  return result;
}

}  // namespace weir
