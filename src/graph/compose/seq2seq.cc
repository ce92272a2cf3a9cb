#include "graph/compose/seq2seq.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/compose/nn.h"
#include "graph/compose/rnn_parts.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// As in TensorFlow, tensors with fewer than two dimensions stay as they are.
Result<Output> SwapBatchAndTime(Graph& graph, Output x) {
  if (!x.shape().known_rank() || x.shape().rank() < 2) return x;
  return rnn::SwapFirstAxes(graph, x);
}

Status CheckRank(Output x, int rank, const char* message) {
  const PartialShape shape = x.shape();
  if (shape.known_rank() && shape.rank() == rank) return OkStatus();
  return InvalidArgument("{}, but the shape is {}", message, shape);
}

// --- the loop ---

struct DecodeLoop {
  Graph& graph;
  Decoder& decoder;
  const DecodeOptions& options;
  DecoderStart start = {};
  OutputList zeros = {};                 // outputs of finished sequences
  std::vector<TensorArray> arrays = {};  // the outputs

  // The loop variables: time, flows of the arrays, state, inputs, finished, lengths.
  size_t state_at() const { return 1 + arrays.size(); }
  size_t inputs_at() const { return state_at() + start.state.size(); }
  size_t finished_at() const { return inputs_at() + start.inputs.size(); }
  OutputList Part(const OutputList& v, size_t begin, size_t end) const {
    return OutputList(v.begin() + static_cast<int64_t>(begin), v.begin() + static_cast<int64_t>(end));
  }

  Status MakeArrays() {
    WEIR_ASSIGN(const Input batch, decoder.BatchSize(graph));
    WEIR_ASSIGN(const std::vector<PartialShape> sizes, decoder.OutputSizes());
    WEIR_ASSIGN(const std::vector<DType> types, decoder.OutputTypes());
    if (sizes.size() != types.size())
      return InvalidArgument("the decoder has {} output sizes, but {} output types", sizes.size(), types.size());
    int64_t known_batch = kUnknownDim;
    WEIR_ASSIGN(const Output rows, ToOutput(graph, batch, kInvalidType, "batch_size"));
    const Tensor value = graph.ConstantValue(rows);
    if (value.num_elements() == 1 && (value.dtype() == kInt32 || value.dtype() == kInt64)) known_batch = value.Int(0);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (options.impute_finished) {
        const Input rows_of = known_batch >= 0 ? Input(known_batch) : Input(rows);
        WEIR_ASSIGN(const Output zero, ZerosForBatch(graph, rows_of, sizes[i], types[i]));
        zeros.push_back(zero);
      }
      const PartialShape element = sizes[i].known_rank() ? PartialShape{known_batch}.Concat(sizes[i]) : PartialShape();
      arrays.emplace_back(graph, types[i], 0, TensorArray::Options{.element_shape = element, .dynamic_size = true});
    }
    return graph.TakeError();
  }

  Status Check(const DecoderStep& step) const {
    const auto check = [](size_t now, size_t before, const char* what) -> Status {
      if (now == before) return OkStatus();
      return InvalidArgument("the decoder returned {} {} tensors in a step, but {} before", now, what, before);
    };
    WEIR_TRY(check(step.outputs.size(), arrays.size(), "output"));
    WEIR_TRY(check(step.state.size(), start.state.size(), "state"));
    return check(step.inputs.size(), start.inputs.size(), "input");
  }

  Result<OutputList> Body(const OutputList& v) {
    const Output time = v[0], finished = v[finished_at()], lengths = v[finished_at() + 1];
    const OutputList state = Part(v, state_at(), inputs_at());
    WEIR_ASSIGN(const DecoderStep step, decoder.Step(graph, time, Part(v, inputs_at(), finished_at()), state));
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(Check(step));
    const bool tracks = decoder.TracksOwnFinished();
    const Output next_finished = tracks ? step.finished : LogicalOr(step.finished, finished);
    Output next_lengths;
    if (tracks && step.lengths.valid()) {
      next_lengths = CastValue(graph, step.lengths, kInt32);
    } else {
      next_lengths = Select(LogicalNot(finished), Fill(ShapeOf(lengths), time + 1), lengths);
    }
    RnnStep kept{step.outputs, step.state};
    if (options.impute_finished) kept = rnn::MaskFinishedRows(finished, zeros, state, kept);
    OutputList next = {time + 1};
    for (size_t i = 0; i < arrays.size(); ++i)
      next.push_back(arrays[i].WithFlow(v[1 + i]).Write(time, kept.outputs[i]).flow());
    next.insert(next.end(), kept.state.begin(), kept.state.end());
    next.insert(next.end(), step.inputs.begin(), step.inputs.end());
    next.insert(next.end(), {next_finished, next_lengths});
    WEIR_TRY(graph.TakeError());
    return next;
  }

  Result<DecodeResult> Run(const Output& most) {
    WEIR_ASSIGN(start, decoder.Initialize(graph));
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(MakeArrays());
    Output finished = start.finished;
    if (most.valid()) finished = LogicalOr(finished, GreaterEqual(graph, 0, most));
    InputList variables = {Constant(graph, Tensor::Scalar(int32_t{0}), "time")};
    for (const TensorArray& array : arrays) variables.push_back(array.flow());
    variables.insert(variables.end(), start.state.begin(), start.state.end());
    variables.insert(variables.end(), start.inputs.begin(), start.inputs.end());
    variables.push_back(finished);
    variables.push_back(ZerosOf(graph, finished, kInt32));
    WEIR_TRY(graph.TakeError());
    const auto goes_on = [this](const OutputList& v) -> Result<Output> {
      return LogicalNot(ReduceAll(v[finished_at()]));
    };
    WhileOptions how{.parallel_iterations = options.parallel_iterations, .swap_memory = options.swap_memory};
    if (most.valid()) how.maximum_iterations = most;
    WEIR_ASSIGN(const OutputList ends,
                WhileLoop(
                    graph, goes_on, [this](const OutputList& v) { return Body(v); }, variables, how));
    DecoderEnd end{{}, Part(ends, state_at(), inputs_at())};
    for (size_t i = 0; i < arrays.size(); ++i) end.outputs.push_back(arrays[i].WithFlow(ends[1 + i]).Stack());
    const Output lengths = ends[finished_at() + 1];
    WEIR_TRY(graph.TakeError());
    WEIR_ASSIGN(end, decoder.Finalize(graph, end, lengths));
    WEIR_TRY(graph.TakeError());
    if (!options.output_time_major) {
      for (Output& output : end.outputs) {
        WEIR_ASSIGN(output, SwapBatchAndTime(graph, output));
      }
    }
    return DecodeResult{end.outputs, end.state, lengths};
  }
};

// The weighted losses and the weights are summed over the same axes.
Output DividedLoss(Graph& graph, Output losses, Output weights, const Axes& axes, bool average) {
  const Input over = AxesInput(losses, axes);
  const Output total =
      average ? ReduceSum(weights, axes) : CastValue(graph, CountNonzero(graph, weights, over), losses.base_dtype());
  return DivNoNan(ReduceSum(losses, axes), total);
}

Result<OutputList> ReadAll(const std::vector<TensorArray>& arrays, const Input& index) {
  OutputList values;
  for (const TensorArray& array : arrays) values.push_back(array.Read(index));
  return values;
}

}  // namespace

Result<Output> SequenceLoss(Graph& graph, const Input& given_logits, const Input& given_targets,
                            const Input& given_weights, const SequenceLossOptions& options) {
  const NameScope scope(graph, NameOrDefault(options.name, "sequence_loss"));
  const Output logits = ValueOf(graph, given_logits, kInvalidType, "logits");
  const Output targets = ValueOf(graph, given_targets, kInvalidType, "targets");
  WEIR_TRY(graph.TakeError());
  WEIR_TRY(CheckRank(logits, 3, "Logits must be a [batch_size x sequence_length x logits] tensor"));
  WEIR_TRY(CheckRank(targets, 2, "Targets must be a [batch_size x sequence_length] tensor"));
  const Output weights = ValueOf(graph, given_weights, logits.base_dtype(), "weights");
  WEIR_TRY(graph.TakeError());
  WEIR_TRY(CheckRank(weights, 2, "Weights must be a [batch_size x sequence_length] tensor"));
  const bool over_time = options.average_across_timesteps || options.sum_over_timesteps;
  const bool over_batch = options.average_across_batch || options.sum_over_batch;
  if (options.average_across_timesteps && options.sum_over_timesteps)
    return InvalidArgument("average_across_timesteps and sum_over_timesteps cannot be set to True at same time.");
  if (options.average_across_batch && options.sum_over_batch)
    return InvalidArgument("average_across_batch and sum_over_batch cannot be set to True at same time.");
  if ((options.average_across_batch && options.sum_over_timesteps) ||
      (options.average_across_timesteps && options.sum_over_batch))
    return InvalidArgument(
        "a loss can be averaged over one dimension or both, or summed over one or both, but not "
        "averaged over one and summed over the other");
  const Output shape = ShapeOf(logits);
  const Output rows = Reshape(logits, Pack(InputList{-1, Gather(shape, 2)}));
  const Output classes = Reshape(targets, {-1});
  Output losses;
  if (options.loss) {
    WEIR_ASSIGN(losses, options.loss(classes, rows));
  } else {
    losses = SparseSoftmaxCrossEntropy(rows, classes);
  }
  losses = losses * Reshape(weights, {-1});
  const bool average = options.average_across_timesteps || options.average_across_batch;
  if (over_time && over_batch) {
    losses = DividedLoss(graph, losses, Reshape(weights, {-1}), Axes(), average);
  } else {
    losses = Reshape(losses, Slice(shape, {0}, {2}));
    if (over_time || over_batch) losses = DividedLoss(graph, losses, weights, Axes(over_batch ? 0 : 1), average);
  }
  WEIR_TRY(graph.TakeError());
  return losses;
}

Result<Output> SequenceLossByExample(Graph& graph, const InputList& logits, const InputList& targets,
                                     const InputList& weights, const SequenceLossOptions& options) {
  if (logits.empty() || targets.size() != logits.size() || weights.size() != logits.size())
    return InvalidArgument("Lengths of logits, weights, and targets must be the same {}, {}, {}.", logits.size(),
                           weights.size(), targets.size());
  const NameScope scope(graph, NameOrDefault(options.name, "sequence_loss_by_example"));
  InputList losses, sizes;
  for (size_t i = 0; i < logits.size(); ++i) {
    const Output rows = ValueOf(graph, logits[i], kInvalidType, "logits");
    const Output classes = ValueOf(graph, targets[i], kInvalidType, "targets");
    WEIR_TRY(graph.TakeError());
    Output loss;
    if (options.loss) {
      WEIR_ASSIGN(loss, options.loss(classes, rows));
    } else {
      loss = SparseSoftmaxCrossEntropy(rows, Reshape(classes, {-1}));
    }
    const Output weight = ValueOf(graph, weights[i], loss.valid() ? loss.base_dtype() : kInvalidType, "weights");
    losses.push_back(loss * weight);
    sizes.push_back(weight);
  }
  Output total = AddN(losses);
  if (options.average_across_timesteps) total = total / (AddN(sizes) + 1e-12f);
  WEIR_TRY(graph.TakeError());
  return total;
}

Result<DecodeResult> DynamicDecode(Graph& graph, Decoder& decoder, const DecodeOptions& options) {
  std::optional<DefaultScope> unnamed;
  std::optional<rnn::RnnScope> given;
  const auto* const name = std::get_if<std::string>(&options.scope);
  if (name != nullptr && name->empty()) {
    unnamed.emplace(graph, "", "decoder");
  } else {
    RnnOptions scoped;
    scoped.scope = options.scope;
    given.emplace(graph, scoped, "decoder");
  }
  Output most;
  if (!options.maximum_iterations.absent()) {
    WEIR_ASSIGN(most, ToOutput(graph, options.maximum_iterations, kInt32, "maximum_iterations"));
    if (most.shape().known_rank() && most.shape().rank() != 0)
      return InvalidArgument("maximum_iterations must be a scalar");
  }
  DecodeLoop loop{graph, decoder, options};
  return loop.Run(most);
}

Result<TrainingInputs> UnstackTrainingInputs(Graph& graph, const InputList& inputs, bool time_major) {
  TrainingInputs result;
  for (const Input& input : inputs) {
    WEIR_ASSIGN(Output steps, ToOutput(graph, input, kInvalidType, "inputs"));
    if (!time_major) {
      WEIR_ASSIGN(steps, SwapBatchAndTime(graph, steps));
    }
    PartialShape element = steps.shape();
    if (element.known_rank() && element.rank() > 0) {
      PartialShape rest = PartialShape::Scalar();
      for (int i = 1; i < element.rank(); ++i) rest = rest.Concat(PartialShape{element[i]});
      element = rest;
    }
    const TensorArray array(graph, steps.base_dtype(), Gather(ShapeOf(steps), 0), {.element_shape = element});
    result.arrays.push_back(array.Unstack(steps));
    result.zeros.push_back(ZerosOf(graph, StridedSlice(steps, {0}, {1}, {1}, {.shrink_axis_mask = 1})));
    WEIR_TRY(graph.TakeError());
  }
  return result;
}

Result<HelperStep> FirstTrainingStep(Graph& graph, const TrainingInputs& inputs, const Input& lengths) {
  const Output finished = Equal(graph, 0, lengths);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(OutputList first,
              UnlessAllFinished(graph, finished, inputs.zeros, [&] { return ReadAll(inputs.arrays, 0); }));
  return HelperStep{finished, std::move(first)};
}

Result<HelperStep> NextTrainingStep(Graph& graph, const TrainingInputs& inputs, const Input& lengths,
                                    const Input& time) {
  const Output next = ValueOf(graph, time, kInt32, "time") + 1;
  const Output finished = GreaterEqual(next, lengths);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(OutputList read,
              UnlessAllFinished(graph, finished, inputs.zeros, [&] { return ReadAll(inputs.arrays, next); }));
  return HelperStep{finished, std::move(read)};
}

Result<OutputList> UnlessAllFinished(Graph& graph, const Input& finished, const OutputList& otherwise,
                                     const TensorsFn& next) {
  const Output all = ReduceAll(ValueOf(graph, finished, kBool, "finished"));
  WEIR_TRY(graph.TakeError());
  return Cond(
      graph, all, [&otherwise]() -> Result<OutputList> { return otherwise; }, next);
}

Output SampleClasses(Graph& graph, const Input& given, const Input& temperature, OpSeed seed) {
  Output logits = ValueOf(graph, given, kInvalidType, "logits");
  if (!logits.valid()) return Output::Failed(graph);
  if (!temperature.absent()) logits = logits / ValueOf(graph, temperature, logits.base_dtype(), "temperature");
  return Squeeze(MultinomialSamples(logits, 1, seed, kInt32), {.squeeze_dims = {1}});
}

Output SampleFlags(Graph& graph, const Input& given, const Input& count, OpSeed seed) {
  const Output probability = ValueOf(graph, given, kInvalidType, "probability");
  if (!probability.valid()) return Output::Failed(graph);
  const Output noise = RandomUniform(graph, Stack(graph, {count}), 0, {}, probability.base_dtype(), seed);
  return Less(noise, probability);
}

Output SampleSomeClasses(Graph& graph, const Input& logits, const Input& probability, const Input& count,
                         OpSeed scheduling_seed, OpSeed seed) {
  const Output chosen = SampleFlags(graph, probability, count, scheduling_seed);
  const Output classes = SampleClasses(graph, logits, {}, seed);
  return Select(chosen, classes, Fill(ShapeOf(chosen), -1));
}

Result<Output> ReplaceSampledRows(Graph& graph, Output sampled, Output inputs, const RowsFn& replace) {
  const Output at = CastValue(graph, Where(graph, sampled, {}, {}), kInt32);
  const Output others = CastValue(graph, Where(graph, LogicalNot(sampled), {}, {}), kInt32);
  const Output kept = GatherNd(inputs, others);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(const Output rows, replace(at));
  const Output shape = ShapeOf(inputs);
  const Output mixed = ScatterNd(at, rows, shape) + ScatterNd(others, kept, shape);
  WEIR_TRY(graph.TakeError());
  return mixed;
}

Result<OutputList> TileBatch(Graph& graph, const InputList& tensors, const Input& multiplier, std::string name) {
  const NameScope scope(graph, NameOrDefault(std::move(name), "tile_batch"));
  OutputList tiled;
  for (const Input& tensor : tensors) {
    WEIR_ASSIGN(const Output t, ToOutput(graph, tensor, kInvalidType, "t"));
    const PartialShape shape = t.shape();
    if (!shape.known_rank() || shape.rank() < 1)
      return InvalidArgument("t must have statically known rank, at least 1, but has the shape {}", shape);
    WEIR_ASSIGN(const Output times, ToOutput(graph, multiplier, kInt32, "multiplier"));
    std::vector<Dim> dims = DimsOf(t);
    InputList tiling(static_cast<size_t>(shape.rank()) + 1, Input(1));
    const Tensor known = graph.ConstantValue(times);
    const Dim repeat = known.num_elements() == 1 && known.dtype() == kInt32 ? Dim(known.Int(0)) : Dim(times);
    tiling[1] = times;
    dims[0] = ProductOf(graph, {dims[0], repeat});
    tiled.push_back(Reshape(Tile(ExpandDims(t, 1), Stack(graph, tiling)), ShapeVector(graph, dims)));
    WEIR_TRY(graph.TakeError());
  }
  return tiled;
}

}  // namespace weir
