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
#include "graph/compose/tensor_array.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

// The scope that the options name, opened.
class RnnScope {
 public:
  RnnScope(Graph& graph, const RnnOptions& options, const char* fallback) {
    if (const auto* opened = std::get_if<VariableScope>(&options.scope)) {
      guard_.emplace(graph, *opened);
    } else {
      const std::string& name = std::get<std::string>(options.scope);
      guard_.emplace(graph, name.empty() ? fallback : name);
    }
  }
  VariableScope scope() const { return guard_->scope(); }

 private:
  std::optional<VariableScopeGuard> guard_;
};

Result<OutputList> OutputsOf(Graph& graph, const InputList& inputs, const std::string& what) {
  OutputList values;
  for (const Input& input : inputs) {
    WEIR_ASSIGN(Output value, ToOutput(graph, input, kInvalidType, what));
    values.push_back(value);
  }
  return values;
}

// [a, b, ...] as [b, a, ...].
Result<Output> SwapFirstAxes(Graph& graph, Output x) {
  const PartialShape shape = x.shape();
  if (!shape.known_rank() || shape.rank() < 2)
    return InvalidArgument("Expected input tensor {} to have rank at least 2, but saw shape: {}", x.name(), shape);
  std::vector<int64_t> axes(static_cast<size_t>(shape.rank()));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  std::swap(axes[0], axes[1]);
  const Output swapped = Transpose(x, axes, {.name = "transpose"});
  WEIR_TRY(graph.TakeError());
  return swapped;
}

Output DimValue(Graph& graph, const Dim& dim) {
  return dim.known() ? Constant(graph, Tensor::Scalar(static_cast<int32_t>(dim.size))) : dim.value;
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

Result<OutputList> ZeroOutputs(Graph& graph, RnnCell& cell, const Dim& batch, DType dtype) {
  WEIR_ASSIGN(std::vector<PartialShape> sizes, cell.OutputSizes());
  OutputList zeros;
  for (const PartialShape& size : sizes) {
    WEIR_ASSIGN(Output zero, ZerosForBatch(graph, batch.known() ? Input(batch.size) : Input(batch.value), size, dtype));
    zeros.push_back(zero);
  }
  return zeros;
}

Result<RnnStep> StepOf(Graph& graph, RnnCell& cell, size_t outputs, const OutputList& inputs, const OutputList& state) {
  WEIR_ASSIGN(RnnStep step, cell.Step(graph, inputs, state));
  WEIR_TRY(graph.TakeError());
  if (step.outputs.size() != outputs)
    return InvalidArgument("the cell {} gives {} outputs, but its output size has {}", cell.name(), step.outputs.size(),
                           outputs);
  if (step.state.size() != state.size())
    return InvalidArgument("the cell {} gives a state of {} tensors, but got one of {}", cell.name(), step.state.size(),
                           state.size());
  return step;
}

// How long the sequences are; all invalid when nobody said.
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
  const Output wanted = StackAll(graph, {DimValue(graph, batch)});
  WEIR_ASSIGN(Node * same, AssertRelation(graph, Relation::kEqual, ShapeValue(graph, named), wanted,
                                          {.message = "sequence_length must have one element for each of the batch"}));
  return WithDependencies({same}, named, "CheckSeqLen");
}

Result<Lengths> WithEnds(Graph& graph, Output each) {
  const Lengths lengths{each, Min(each, {0}, {.name = "Min"}), Max(each, {0}, {.name = "Max"})};
  WEIR_TRY(graph.TakeError());
  return lengths;
}

// What goes on where a row is finished. A scalar (also the flow of an array) has no rows.
Output Kept(Output finished, Output before, Output fresh) {
  if (fresh.shape().known_rank() && fresh.shape().rank() == 0) return fresh;
  return Select(finished, before, fresh, {.name = "Select"});
}

RnnStep KeptStep(Output finished, const OutputList& zeros, const OutputList& state, const RnnStep& fresh) {
  RnnStep kept;
  for (size_t i = 0; i < zeros.size(); ++i) kept.outputs.push_back(Kept(finished, zeros[i], fresh.outputs[i]));
  for (size_t i = 0; i < state.size(); ++i) kept.state.push_back(Kept(finished, state[i], fresh.state[i]));
  return kept;
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

// --- dynamic
struct TimeAndBatch {
  Dim time = Dim(kUnknownDim);
  Dim batch = Dim(kUnknownDim);
};

// Of inputs [time, batch, size...]: known sizes are those that any of them knows.
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
  // At least one step, so that the arrays learn the shape of what is in them.
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
    if (lengths.given()) step = KeptStep(finished, zeros, now, step);
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

// The inputs in the order of time turned around, each row over its own length.
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

// --- static
Dim BatchOf(const std::vector<OutputList>& inputs) {
  for (const OutputList& step : inputs)
    for (const Output& input : step)
      if (input.shape().known_rank() && input.shape().rank() > 0 && input.shape()[0] >= 0) return Dim(input.shape()[0]);
  return Dim(StridedSlice(ShapeOf(inputs[0][0]), {0}, {1}, {1}, {.shrink_axis_mask = 1}));
}

Status CheckStaticInputs(const std::vector<OutputList>& inputs) {
  int64_t batch = kUnknownDim;
  for (const OutputList& step : inputs) {
    if (step.size() != inputs[0].size() || step.empty())
      return InvalidArgument("all steps must have the same inputs: one has {}, another {}", inputs[0].size(),
                             step.size());
    for (const Output& input : step) {
      const PartialShape shape = input.shape();
      if (shape.known_rank() && shape.rank() < 2)
        return InvalidArgument("Shape {} of '{}' must have rank at least 2", shape, input.name());
      for (int i = 1; shape.known_rank() && i < shape.rank(); ++i)
        if (shape[i] < 0)
          return InvalidArgument(
              "Input size (dimension {} of inputs) must be accessible via shape inference, but '{}' has {}", i,
              input.name(), shape);
      const int64_t size = shape.known_rank() ? shape[0] : kUnknownDim;
      if (batch >= 0 && size >= 0 && size != batch)
        return InvalidArgument("Batch_size is not the same for all the elements in the input: {} and {}", batch, size);
      if (size >= 0) batch = size;
    }
  }
  return OkStatus();
}

// One unrolled step where sequences may have ended: nothing is computed once all have.
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
        [&]() -> Result<OutputList> { return Joined(KeptStep(finished, zeros, state, fresh)); });
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

// Lists of steps turned around; with lengths, each row over its own.
Result<std::vector<OutputList>> ReversedSteps(Graph& graph, std::vector<OutputList> steps, const Input& lengths) {
  if (lengths.absent()) {
    std::reverse(steps.begin(), steps.end());
    return steps;
  }
  for (size_t i = 0; i < steps[0].size(); ++i) {
    InputList rows;
    for (const OutputList& step : steps) rows.push_back(step[i]);
    const Output stacked = StackAll(graph, rows);
    const Output turned = ReverseSequence(graph, stacked, CastValue(graph, lengths, kInt64), 0, {.batch_dim = 1});
    const OutputList parts = UnstackAll(graph, turned, static_cast<int64_t>(steps.size()));
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
      VariableScopes(graph).SetCurrent(shared);
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
      both.push_back(ConcatAll(graph, {result.forward.outputs[t][i], result.backward.outputs[t][i]}, 1));
    result.outputs.push_back(std::move(both));
  }
  WEIR_TRY(graph.TakeError());
  return result;
}

namespace {

// The arrays that results are written to, and zeros for those whose sequence has ended.
struct Emitted {
  std::vector<TensorArray> arrays;
  OutputList zeros;
};

Result<Emitted> EmittedBy(Graph& graph, RnnCell& cell, const RawRnnTurn& first, const Dim& batch) {
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
        const Output all = ConcatAll(graph, {StackAll(graph, {DimValue(graph, batch)}), ShapeOf(pattern)}, 0);
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

Status CheckTurn(const RawRnnTurn& turn, const RawRnnTurn& first, size_t emitted) {
  const auto check = [](size_t now, size_t before, const char* what) -> Status {
    if (now == before) return OkStatus();
    return InvalidArgument("loop_fn gives {} {} tensors, but gave {} before the first step", now, what, before);
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
  WEIR_ASSIGN(const RawRnnTurn first, next({.time = start}));
  WEIR_TRY(graph.TakeError());
  if (first.inputs.empty()) return InvalidArgument("loop_fn gives no input for the first step");
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
    WEIR_ASSIGN(const RawRnnTurn turn,
                next({.time = time, .outputs = &step.outputs, .state = &step.state, .loop_state = &own}));
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(CheckTurn(turn, first, emits));
    const RnnStep kept = KeptStep(v[1], emitted.zeros, state, {*turn.emit, turn.state});
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
