#include "graph/compose/rnn.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/math.h"
#include "graph/compose/rnn_parts.h"
#include "graph/compose/tensor_array.h"
#include "graph/node_builder.h"

namespace weir {

namespace {

using rnn::BatchOf;
using rnn::CheckStaticInputs;
using rnn::DimValue;
using rnn::MaskFinishedRows;
using rnn::RnnScope;
using rnn::StepOf;
using rnn::SwapFirstAxes;
using rnn::ZeroOutputs;

Result<OutputList> OutputsOf(Graph& graph, const InputList& inputs, const std::string& what) {
  OutputList values;
  for (const Input& input : inputs) {
    WEIR_ASSIGN(Output value, ToOutput(graph, input, kInvalidType, what));
    values.push_back(value);
  }
  return values;
}

Result<OutputList> FirstState(Graph& graph, RnnCell& cell, const Dim& batch, const RnnOptions& options) {
  if (options.initial_state.has_value()) return OutputsOf(graph, *options.initial_state, "state");
  if (options.dtype == kInvalidType) return InvalidArgument("If there is no initial_state, you must give a dtype.");
  return cell.ZeroState(graph, batch.known() ? Input(batch.size) : Input(batch.value), options.dtype);
}

Result<DType> OutputType(const RnnOptions& options, const OutputList& state) {
  if (options.dtype != kInvalidType) return options.dtype;
  if (state.empty()) return InvalidArgument("Unable to infer dtype from empty state.");
  for (const Output& value : state)
    if (value.base_dtype() != state[0].base_dtype())
      return InvalidArgument(
          "State has tensors of different inferred_dtypes. Unable to infer a single representative dtype.");
  return state[0].base_dtype();
}

// Sequence lengths; invalid if not given.
struct Lengths {
  Output each, shortest, longest;
  bool given() const { return each.valid(); }
};

Result<Output> GivenLengths(Graph& graph, const Input& given, const Dim& batch, bool check) {
  const Output cast = CastValue(graph, given, kInt32);
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = cast.shape();
  if (shape.known_rank() && shape.rank() != 1)
    return InvalidArgument("sequence_length must be a vector of length batch_size, but saw shape: {}", shape);
  const int64_t count = shape.known_rank() ? shape[0] : kUnknownDim;
  if (count >= 0 && batch.known() && count != batch.size)
    return InvalidArgument("sequence_length has {} elements, but the batch has {}", count, batch.size);
  const Output named = Identity(cast, {.name = "sequence_length"});
  WEIR_TRY(graph.TakeError());
  if (!check || (count >= 0 && batch.known())) return named;
  const Output wanted = Stack(graph, {DimValue(graph, batch)});
  WEIR_ASSIGN(Node * same, AssertRelation(graph, Relation::kEqual, ShapeValue(graph, named), wanted,
                                          {.message = "sequence_length must have one element for each of the batch"}));
  return WithDependencies({same}, named, "CheckSeqLen");
}

Result<Lengths> WithEnds(Graph& graph, Output each) {
  const Lengths lengths{each, Min(each, {0}, {.name = "Min"}), Max(each, {0}, {.name = "Max"})};
  WEIR_TRY(graph.TakeError());
  return lengths;
}

OutputList Joined(const RnnStep& step) {
  OutputList all = step.outputs;
  all.insert(all.end(), step.state.begin(), step.state.end());
  return all;
}

RnnStep Parted(const OutputList& all, size_t outputs) {
  const auto middle = all.begin() + static_cast<int64_t>(outputs);
  return {OutputList(all.begin(), middle), OutputList(middle, all.end())};
}

// --- Dynamic ---
struct TimeAndBatch {
  Dim time = Dim(kUnknownDim);
  Dim batch = Dim(kUnknownDim);
};

// For inputs [time, batch, size...]. A size is known if any input has it.
Result<TimeAndBatch> SizesOf(Graph& graph, const OutputList& inputs) {
  TimeAndBatch sizes;
  for (const Output& input : inputs) {
    const PartialShape shape = input.shape();
    if (!shape.known_rank() || shape.rank() < 3)
      return InvalidArgument("Shape {} of '{}' must have rank at least 3", shape, input.name());
    for (int i = 2; i < shape.rank(); ++i)
      if (shape[i] < 0)
        return InvalidArgument("Input size (depth of inputs) must be accessible via shape inference, but '{}' has {}",
                               input.name(), shape);
    if (sizes.time.known() && shape[0] >= 0 && shape[0] != sizes.time.size)
      return InvalidArgument("Time steps is not the same for all the elements in the input in a batch.");
    if (sizes.batch.known() && shape[1] >= 0 && shape[1] != sizes.batch.size)
      return InvalidArgument("Batch_size is not the same for all the elements in the input.");
    if (shape[0] >= 0) sizes.time = Dim(shape[0]);
    if (shape[1] >= 0) sizes.batch = Dim(shape[1]);
  }
  const std::vector<Dim> first = DimsOf(inputs[0]);
  if (!sizes.time.known()) sizes.time = first[0];
  if (!sizes.batch.known()) sizes.batch = first[1];
  WEIR_TRY(graph.TakeError());
  return sizes;
}

struct Loop {
  std::vector<TensorArray> outputs;
  std::vector<TensorArray> inputs;
};

Result<Loop> ArraysOf(Graph& graph, RnnCell& cell, const OutputList& inputs, const TimeAndBatch& sizes, Output steps,
                      DType dtype) {
  WEIR_ASSIGN(std::vector<PartialShape> output_sizes, cell.OutputSizes());
  std::string base;
  {
    NameScope scope(graph, "dynamic_rnn");
    base = scope.name();
  }
  Loop loop;
  for (const PartialShape& size : output_sizes)
    loop.outputs.emplace_back(
        graph, dtype, steps,
        TensorArray::Options{.element_shape = PartialShape{sizes.batch.size}.Concat(size),
                             .tensor_array_name = fmt::format("{}/output_{}", base, loop.outputs.size())});
  for (const Output& input : inputs) {
    WEIR_ASSIGN(PartialShape row, input.shape().Sub(1));
    loop.inputs.emplace_back(
        graph, input.base_dtype(), steps,
        TensorArray::Options{.element_shape = row,
                             .tensor_array_name = fmt::format("{}/input_{}", base, loop.inputs.size())});
  }
  for (size_t i = 0; i < inputs.size(); ++i) loop.inputs[i] = loop.inputs[i].Unstack(inputs[i]);
  WEIR_TRY(graph.TakeError());
  return loop;
}

Result<RnnStep> RunLoop(Graph& graph, RnnCell& cell, const OutputList& inputs, const TimeAndBatch& sizes,
                        const OutputList& state, const Lengths& lengths, const OutputList& zeros, DType dtype,
                        const RnnOptions& options) {
  const Output start = Constant(graph, Tensor::Scalar(int32_t{0}), "time");
  const Output steps = DimValue(graph, sizes.time);
  WEIR_ASSIGN(Loop loop, ArraysOf(graph, cell, inputs, sizes, steps, dtype));
  // At least one step, so that the arrays get their element shapes.
  const Output bound =
      Minimum(steps, Maximum(1, lengths.given() ? lengths.longest : steps, {.name = "Maximum"}), {.name = "Minimum"});
  InputList variables = {start};
  for (const TensorArray& array : loop.outputs) variables.push_back(array.flow());
  variables.insert(variables.end(), state.begin(), state.end());
  WEIR_TRY(graph.TakeError());
  const size_t outputs = loop.outputs.size();
  const auto body = [&](const OutputList& v) -> Result<OutputList> {
    const OutputList now(v.begin() + 1 + static_cast<int64_t>(outputs), v.end());
    OutputList rows;
    for (const TensorArray& array : loop.inputs) rows.push_back(array.Read(v[0]));
    const Output finished = lengths.given() ? GreaterEqual(v[0], lengths.each) : Output();
    WEIR_TRY(graph.TakeError());
    WEIR_ASSIGN(RnnStep step, StepOf(graph, cell, outputs, rows, now));
    if (lengths.given()) step = MaskFinishedRows(finished, zeros, now, step);
    OutputList next = {Output()};
    for (size_t i = 0; i < outputs; ++i)
      next.push_back(loop.outputs[i].WithFlow(v[i + 1]).Write(v[0], step.outputs[i]).flow());
    next.insert(next.end(), step.state.begin(), step.state.end());
    next[0] = v[0] + 1;
    return next;
  };
  WEIR_ASSIGN(
      OutputList ends,
      WhileLoop(graph, [&](const OutputList& v) -> Result<Output> { return Less(v[0], bound); }, body, variables,
                {.parallel_iterations = options.parallel_iterations,
                 .swap_memory = options.swap_memory,
                 .maximum_iterations = steps}));
  ends.erase(ends.begin());
  RnnStep result = Parted(ends, outputs);
  for (size_t i = 0; i < outputs; ++i) {
    result.outputs[i] = loop.outputs[i].WithFlow(result.outputs[i]).Stack();
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(graph.SetShape(result.outputs[i], PartialShape{sizes.time.size, sizes.batch.size}.Concat(
                                                   loop.outputs[i].element_shape().Sub(1).value_or(PartialShape()))));
  }
  return result;
}

// Reverses the inputs in time, each row over its own length.
Result<OutputList> Reversed(Graph& graph, const OutputList& inputs, const RnnOptions& options) {
  const int time_axis = options.time_major ? 0 : 1;
  OutputList reversed;
  for (const Output& input : inputs)
    reversed.push_back(options.sequence_length.absent()
                           ? ReverseV2(input, {time_axis})
                           : ReverseSequence(graph, input, options.sequence_length, time_axis,
                                             {.batch_dim = 1 - time_axis, .name = "ReverseSequence"}));
  WEIR_TRY(graph.TakeError());
  return reversed;
}

// --- Static ---
// One unrolled step with sequence lengths. Computes nothing once all sequences have ended.
Result<RnnStep> GuardedStep(Graph& graph, RnnCell& cell, int32_t time, const Lengths& lengths, const OutputList& zeros,
                            const OutputList& inputs, const OutputList& state) {
  const Output finished = LessEqual(lengths.each, time);
  const Output all_finished = LessEqual(lengths.longest, time);
  WEIR_TRY(graph.TakeError());
  const auto compute = [&]() -> Result<OutputList> {
    WEIR_ASSIGN(RnnStep fresh, StepOf(graph, cell, zeros.size(), inputs, state));
    const Output none_finished = Greater(lengths.shortest, time);
    WEIR_TRY(graph.TakeError());
    return Cond(
        graph, none_finished, [&]() -> Result<OutputList> { return Joined(fresh); },
        [&]() -> Result<OutputList> { return Joined(MaskFinishedRows(finished, zeros, state, fresh)); });
  };
  WEIR_ASSIGN(OutputList all, Cond(
                                  graph, all_finished,
                                  [&]() -> Result<OutputList> {
                                    return Joined({zeros, state});
                                  },
                                  compute));
  return Parted(all, zeros.size());
}

Result<std::vector<OutputList>> StepInputs(Graph& graph, const std::vector<InputList>& inputs) {
  if (inputs.empty()) return InvalidArgument("inputs must not be empty");
  std::vector<OutputList> steps;
  for (const InputList& step : inputs) {
    WEIR_ASSIGN(OutputList values, OutputsOf(graph, step, "inputs"));
    steps.push_back(std::move(values));
  }
  WEIR_TRY(CheckStaticInputs(steps));
  return steps;
}

std::vector<InputList> AsInputs(const std::vector<OutputList>& steps) {
  std::vector<InputList> inputs;
  for (const OutputList& step : steps) inputs.emplace_back(step.begin(), step.end());
  return inputs;
}

// Reverses a list of steps; with lengths, each row over its own length.
Result<std::vector<OutputList>> ReversedSteps(Graph& graph, std::vector<OutputList> steps, const Input& lengths) {
  if (lengths.absent()) {
    std::reverse(steps.begin(), steps.end());
    return steps;
  }
  for (size_t i = 0; i < steps[0].size(); ++i) {
    InputList rows;
    for (const OutputList& step : steps) rows.push_back(step[i]);
    const Output stacked = Stack(graph, rows);
    const Output turned = ReverseSequence(graph, stacked, CastValue(graph, lengths, kInt64), 0, {.batch_dim = 1});
    const OutputList parts = Unstack(graph, turned, static_cast<int64_t>(steps.size()));
    WEIR_TRY(graph.TakeError());
    for (size_t t = 0; t < steps.size(); ++t) steps[t][i] = parts[t];
  }
  return steps;
}

RnnOptions Within(RnnOptions options, VariableScope scope, const std::optional<InputList>& initial) {
  options.scope = std::move(scope);
  options.initial_state = initial;
  return options;
}

}  // namespace

Result<OutputList> RnnCell::ZeroState(Graph& graph, const Input& batch_size, DType dtype) {
  NameScope scope(graph, name() + "ZeroState");
  WEIR_ASSIGN(std::vector<PartialShape> sizes, StateSizes());
  OutputList state;
  for (const PartialShape& size : sizes) {
    WEIR_ASSIGN(Output zeros, ZerosForBatch(graph, batch_size, size, dtype));
    state.push_back(zeros);
  }
  return state;
}

Result<std::vector<bool>> RnnCell::DroppableState() const {
  WEIR_ASSIGN(const std::vector<PartialShape> sizes, StateSizes());
  return std::vector<bool>(sizes.size(), true);
}

Result<Output> ZerosForBatch(Graph& graph, const Input& batch_size, const PartialShape& size, DType dtype) {
  if (!size.fully_defined()) return InvalidArgument("the size {} of a cell must be known", size);
  const Output batch = CastValue(graph, batch_size, kInt32);
  WEIR_TRY(graph.TakeError());
  if (batch.shape().known_rank() && batch.shape().rank() != 0)
    return InvalidArgument("batch_size must be a scalar, but has the shape {}", batch.shape());
  const Tensor known = graph.ConstantValue(batch);
  std::vector<Dim> dims;
  if (known.dtype() == kInt32 && known.num_elements() == 1) {
    if (known.data<int32_t>()[0] < 0)
      return InvalidArgument("batch_size must not be negative: {}", known.data<int32_t>()[0]);
    dims.emplace_back(int64_t{known.data<int32_t>()[0]});
  } else {
    dims.emplace_back(batch);
  }
  for (int i = 0; i < size.rank(); ++i) dims.emplace_back(size[i]);
  const Output zeros = Zeros(graph, ShapeVector(graph, dims), dtype);
  WEIR_TRY(graph.TakeError());
  return zeros;
}

Result<RnnStep> DynamicRnn(Graph& graph, RnnCell& cell, const InputList& inputs_in, const RnnOptions& options) {
  if (inputs_in.empty()) return InvalidArgument("inputs must not be empty");
  RnnScope scope(graph, options, "rnn");
  WEIR_ASSIGN(OutputList inputs, OutputsOf(graph, inputs_in, "input"));
  if (!options.time_major)
    for (Output& input : inputs) {
      WEIR_ASSIGN(input, SwapFirstAxes(graph, input));
    }
  WEIR_ASSIGN(TimeAndBatch sizes, SizesOf(graph, inputs));
  Output each;
  if (!options.sequence_length.absent()) {
    WEIR_ASSIGN(each, GivenLengths(graph, options.sequence_length, sizes.batch, /*check=*/true));
  }
  WEIR_ASSIGN(OutputList state, FirstState(graph, cell, sizes.batch, options));
  WEIR_ASSIGN(DType dtype, OutputType(options, state));
  Lengths lengths;
  OutputList zeros;
  if (each.valid()) {
    WEIR_ASSIGN(zeros, ZeroOutputs(graph, cell, sizes.batch, dtype));
    WEIR_ASSIGN(lengths, WithEnds(graph, each));
  }
  WEIR_ASSIGN(RnnStep result, RunLoop(graph, cell, inputs, sizes, state, lengths, zeros, dtype, options));
  if (!options.time_major)
    for (Output& output : result.outputs) {
      WEIR_ASSIGN(output, SwapFirstAxes(graph, output));
    }
  return result;
}

Result<StaticRnnResult> StaticRnn(Graph& graph, RnnCell& cell, const std::vector<InputList>& inputs_in,
                                  const RnnOptions& options) {
  RnnScope scope(graph, options, "rnn");
  WEIR_ASSIGN(std::vector<OutputList> inputs, StepInputs(graph, inputs_in));
  const Dim batch = BatchOf(inputs);
  StaticRnnResult result;
  WEIR_ASSIGN(result.state, FirstState(graph, cell, batch, options));
  Lengths lengths;
  OutputList zeros;
  if (!options.sequence_length.absent()) {
    WEIR_ASSIGN(Output each, GivenLengths(graph, options.sequence_length, batch, /*check=*/false));
    WEIR_ASSIGN(DType dtype, OutputType(options, result.state));
    WEIR_ASSIGN(zeros, ZeroOutputs(graph, cell, batch, dtype));
    WEIR_ASSIGN(lengths, WithEnds(graph, each));
  }
  WEIR_ASSIGN(std::vector<PartialShape> output_sizes, cell.OutputSizes());
  for (size_t t = 0; t < inputs.size(); ++t) {
    if (t > 0) {
      VariableScope shared = scope.scope();
      shared.reuse = Reuse::kYes;
      VariableScopeStack(graph).SetCurrent(shared);
    }
    Result<RnnStep> stepped =
        lengths.given() ? GuardedStep(graph, cell, static_cast<int32_t>(t), lengths, zeros, inputs[t], result.state)
                        : StepOf(graph, cell, output_sizes.size(), inputs[t], result.state);
    WEIR_ASSIGN(RnnStep step, std::move(stepped));
    result.outputs.push_back(std::move(step.outputs));
    result.state = std::move(step.state);
  }
  return result;
}

Result<BidirectionalRnnResult> BidirectionalDynamicRnn(Graph& graph, RnnCell& forward, RnnCell& backward,
                                                       const InputList& inputs, const RnnOptions& options,
                                                       const BidirectionalStates& initial) {
  BidirectionalRnnResult result;
  {
    RnnScope scope(graph, options, "bidirectional_rnn");
    {
      VariableScopeGuard names(graph, "fw");
      WEIR_ASSIGN(result.forward, DynamicRnn(graph, forward, inputs, Within(options, names.scope(), initial.forward)));
    }
    VariableScopeGuard names(graph, "bw");
    WEIR_ASSIGN(OutputList values, OutputsOf(graph, inputs, "input"));
    WEIR_ASSIGN(OutputList reversed, Reversed(graph, values, options));
    WEIR_ASSIGN(result.backward, DynamicRnn(graph, backward, InputList(reversed.begin(), reversed.end()),
                                            Within(options, names.scope(), initial.backward)));
  }
  WEIR_ASSIGN(result.backward.outputs, Reversed(graph, result.backward.outputs, options));
  return result;
}

Result<StaticBidirectionalResult> StaticBidirectionalRnn(Graph& graph, RnnCell& forward, RnnCell& backward,
                                                         const std::vector<InputList>& inputs,
                                                         const RnnOptions& options,
                                                         const BidirectionalStates& initial) {
  StaticBidirectionalResult result;
  {
    RnnScope scope(graph, options, "bidirectional_rnn");
    {
      VariableScopeGuard names(graph, "fw");
      WEIR_ASSIGN(result.forward, StaticRnn(graph, forward, inputs, Within(options, names.scope(), initial.forward)));
    }
    VariableScopeGuard names(graph, "bw");
    WEIR_ASSIGN(std::vector<OutputList> steps, StepInputs(graph, inputs));
    WEIR_ASSIGN(std::vector<OutputList> reversed, ReversedSteps(graph, std::move(steps), options.sequence_length));
    WEIR_ASSIGN(result.backward,
                StaticRnn(graph, backward, AsInputs(reversed), Within(options, names.scope(), initial.backward)));
  }
  WEIR_ASSIGN(result.backward.outputs,
              ReversedSteps(graph, std::move(result.backward.outputs), options.sequence_length));
  for (size_t t = 0; t < result.forward.outputs.size(); ++t) {
    OutputList both;
    for (size_t i = 0; i < result.forward.outputs[t].size(); ++i)
      both.push_back(Concat(graph, {result.forward.outputs[t][i], result.backward.outputs[t][i]}, 1));
    result.outputs.push_back(std::move(both));
  }
  WEIR_TRY(graph.TakeError());
  return result;
}

}  // namespace weir
