#include "graph/compose/beam_search.h"

#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// The value of a weight that is a constant.
std::optional<double> KnownWeight(Graph& graph, Output weight) {
  const Tensor known = graph.ConstantValue(weight);
  if (known.num_elements() != 1) return std::nullopt;
  if (known.dtype() == kFloat) return static_cast<double>(*known.data<float>());
  if (known.dtype() == kDouble) return *known.data<double>();
  return std::nullopt;
}

Result<Output> ScalarWeight(Graph& graph, const Input& given, const char* name) {
  WEIR_ASSIGN(Output weight, ToOutput(graph, given, given.is_output() ? kInvalidType : kFloat, name));
  if (weight.shape().known_rank() && weight.shape().rank() != 0)
    return InvalidArgument("{} should be a scalar, got shape: {}", name, weight.shape());
  return weight;
}

// Finished beams can only be extended by the end token.
Output LogProbsOfStep(Graph& graph, Output logits, Output finished, const Input& end_token) {
  const Output log_probs = LogSoftmax(logits);
  const DType dtype = logits.base_dtype();
  const Output vocabulary = Gather(ShapeOf(logits), 2);
  const double lowest = dtype == kDouble ? std::numeric_limits<double>::lowest()
                                         : static_cast<double>(std::numeric_limits<float>::lowest());
  const Output row = OneHot(end_token, vocabulary, CastValue(graph, 0, dtype), CastValue(graph, lowest, dtype));
  const Output ended = Tile(Reshape(row, {1, 1, -1}), Concat(graph, {ShapeOf(finished), std::vector<int64_t>{1}}, 0));
  const Output mask = Tile(ExpandDims(finished, 2), Stack(graph, {1, 1, vocabulary}));
  return Select(mask, ended, log_probs);
}

// log_probs / ((5 + length) / 6)^weight, plus the coverage penalty.
Result<Output> ScoresOf(Graph& graph, Output log_probs, Output lengths, Output finished, Output attention,
                        const BeamOptions& options) {
  WEIR_ASSIGN(const Output weight, ScalarWeight(graph, options.length_penalty_weight, "length_penalty_weight"));
  WEIR_ASSIGN(const Output coverage, ScalarWeight(graph, options.coverage_penalty_weight, "coverage_penalty_weight"));
  const DType dtype = log_probs.base_dtype();
  Output scores = log_probs;
  if (KnownWeight(graph, weight) != 0.0) {
    const Output base = CastValue(graph, lengths, kFloat) + 5.0f;
    scores = log_probs / CastValue(graph, Pow(base, weight) / Pow(6.0f, weight), dtype);
  }
  if (KnownWeight(graph, coverage) == 0.0) return scores;
  if (!attention.valid())
    return InvalidArgument("accumulated_attention_probs can be None only if coverage penalty is disabled.");
  // Attention of exactly 0 means padding after the end of the memory. It counts as 1, whose logarithm adds no penalty.
  const Output seen = Select(Equal(attention, 0.0f), OnesLike(attention), attention);
  const Output penalty = ReduceSum(Log(Minimum(seen, 1.0f)), 2) * CastValue(graph, finished, dtype);
  return scores + ExpandDims(penalty * CastValue(graph, coverage, dtype), 2);
}

}  // namespace

Result<BeamState> FirstBeams(Graph& graph, const Input& batch_size, int64_t beam_width, DType dtype) {
  const Output zeros = Zeros(graph, Stack(graph, {batch_size}), kInt32);
  const auto first = [&](const Input& on, const Input& off, DType type) {
    return ComposeOneHot(graph, zeros, beam_width, on, off, -1, type);
  };
  BeamState state;
  state.log_probs = first(0.0, -std::numeric_limits<double>::infinity(), dtype);
  state.finished = first(false, true, kBool);
  state.lengths = ZerosOf(graph, state.finished, kInt64);
  WEIR_TRY(graph.TakeError());
  return state;
}

Result<BeamStepResult> BeamSearchStep(Graph& graph, const Input& given, const BeamState& state,
                                      const BeamOptions& options, const Input& attention) {
  const Output logits = ValueOf(graph, given, kInvalidType, "logits");
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = logits.shape();
  if (!shape.known_rank() || shape.rank() != 3)
    return InvalidArgument("the logits of a beam search must be [batch, beams, vocabulary], but have the shape {}",
                           shape);
  const Dim vocabulary_dim = DimsOf(logits)[2];
  const Output vocabulary = vocabulary_dim.known() ? ValueOf(graph, vocabulary_dim.size, kInt32) : vocabulary_dim.value;
  const int64_t width = options.beam_width;
  const Output batch = Gather(ShapeOf(logits), 0), running = LogicalNot(state.finished);
  WEIR_ASSIGN(const Output end, ToOutput(graph, options.end_token, kInt32, "end_token"));
  const Output total = ExpandDims(state.log_probs, 2) + LogProbsOfStep(graph, logits, state.finished, end);
  // The lengths after each possible next token: the end token does not count.
  const Output row =
      OneHot(end, vocabulary, Constant(graph, Tensor::Scalar(int64_t{0})), Constant(graph, Tensor::Scalar(int64_t{1})));
  const Output lengths =
      Reshape(row, {1, 1, -1}) * ExpandDims(CastValue(graph, running, kInt64), 2) + ExpandDims(state.lengths, 2);
  BeamStepResult result;
  Output seen;
  if (!attention.absent()) {
    const Output now = ValueOf(graph, attention);
    seen = state.attention_probs + now * ExpandDims(CastValue(graph, running, now.base_dtype()), 2);
  }
  WEIR_ASSIGN(const Output scores, ScoresOf(graph, total, lengths, state.finished, seen, options));
  const auto best = TopKV2(Reshape(scores, Stack(graph, {batch, -1})), width);
  const Output rows = ExpandDims(Range(graph, 0, batch, 1, kInt32) * (vocabulary * static_cast<int32_t>(width)), 1);
  const Output chosen = Reshape(best.indices + rows, {-1});
  const Output dims = Stack(graph, {batch, width});
  result.scores = Reshape(best.values, dims);
  result.state.log_probs = Reshape(ComposeGatherRows(graph, Reshape(total, {-1}), chosen), dims);
  result.predicted_ids = Reshape(FloorMod(best.indices, vocabulary), dims);
  result.parent_ids = Reshape(FloorDiv(best.indices, vocabulary), dims);
  const Output was_finished = GatherBeams(graph, state.finished, result.parent_ids);
  result.state.finished = LogicalOr(was_finished, Equal(result.predicted_ids, end));
  result.state.lengths =
      GatherBeams(graph, state.lengths, result.parent_ids) + CastValue(graph, LogicalNot(was_finished), kInt64);
  if (seen.valid()) result.state.attention_probs = GatherBeams(graph, seen, result.parent_ids);
  WEIR_TRY(graph.TakeError());
  return result;
}

Output GatherBeams(Graph& graph, const Input& given, const Input& given_ids) {
  const Output values = ValueOf(graph, given), ids = ValueOf(graph, given_ids, kInt32);
  if (!values.valid() || !ids.valid()) return Output::Failed(graph);
  if (values.shape().known_rank() && values.shape().rank() < 2) return values;
  const std::vector<Dim> dims = DimsOf(values);
  const Output batch = Gather(ShapeOf(values), 0), width = Gather(ShapeOf(values), 1);
  const Output at = Reshape(ids + ExpandDims(Range(graph, 0, batch, 1, kInt32) * width, 1), {-1});
  return Reshape(ComposeGatherRows(graph, MergeBeams(graph, values), at), ShapeVector(graph, dims));
}

Output MergeBeams(Graph& graph, const Input& given) {
  const Output values = ValueOf(graph, given);
  if (!values.valid()) return Output::Failed(graph);
  if (!values.shape().known_rank())
    return FailedOutput(graph,
                        InvalidArgument("Expected tensor ({}) to have known rank, but ndims == None.", values.name()));
  if (values.shape().rank() < 2) return values;
  const std::vector<Dim> dims = DimsOf(values);
  std::vector<Dim> merged = {ProductOf(graph, {dims[0], dims[1]})};
  merged.insert(merged.end(), dims.begin() + 2, dims.end());
  return Reshape(values, ShapeVector(graph, merged));
}

Output SplitBeams(Graph& graph, const Input& given, const Input& batch_size, int64_t beam_width) {
  const Output values = ValueOf(graph, given);
  if (!values.valid()) return Output::Failed(graph);
  if (!values.shape().known_rank())
    return FailedOutput(graph,
                        InvalidArgument("Expected tensor ({}) to have known rank, but ndims == None.", values.name()));
  if (values.shape().rank() < 1) return values;
  const std::vector<Dim> dims = DimsOf(values);
  const Output batch = ValueOf(graph, batch_size, kInt32);
  if (!batch.valid()) return Output::Failed(graph);
  const Tensor known = graph.ConstantValue(batch);
  const Dim rows = known.num_elements() == 1 && known.dtype() == kInt32 ? Dim(known.Int(0)) : Dim(batch);
  if (rows.known() && dims[0].known() && dims[0].size != rows.size * beam_width)
    return FailedOutput(graph,
                        InvalidArgument("cannot split {} rows of {} into a batch of {} with {} beams; a state must "
                                        "be tiled to the beams (tf.contrib.seq2seq.tile_batch)",
                                        dims[0].size, values.name(), rows.size, beam_width));
  std::vector<Dim> split = {rows, Dim(beam_width)};
  split.insert(split.end(), dims.begin() + 1, dims.end());
  return Reshape(values, ShapeVector(graph, split));
}

Output GatherTreeFromArray(Graph& graph, const Input& given, const Input& given_parents, const Input& given_lengths) {
  const Output values = ValueOf(graph, given), parents = ValueOf(graph, given_parents, kInt32),
               lengths = ValueOf(graph, given_lengths);
  if (!values.valid() || !parents.valid() || !lengths.valid()) return Output::Failed(graph);
  const Output shape = ShapeOf(parents);
  const Output steps = Gather(shape, 0), batch = Gather(shape, 1), width = Gather(shape, 2);
  const auto positions = [&](const Output& count, std::initializer_list<int> dims, const InputList& tiling) {
    return Tile(Reshape(Range(graph, 0, count, 1, kInt32), dims), Stack(graph, tiling));
  };
  const Output beams = positions(width, {1, 1, -1}, {steps, batch, 1});
  const Output longest = CastValue(graph, ReduceMax(lengths, 1), kInt32);
  const Output sorted = GatherTree(beams, parents, longest, width + 1);
  const Output inside = Transpose(SequenceMask(graph, lengths, steps), {2, 0, 1});
  const Output from = Select(inside, sorted, beams);
  const Output at = Stack(
      graph, {positions(steps, {-1, 1, 1}, {1, batch, width}), positions(batch, {1, -1, 1}, {steps, 1, width}), from},
      -1);
  const Output flat = Reshape(values, Stack(graph, {steps, batch, width, -1}));
  return Reshape(GatherNd(flat, at), ShapeOf(values));
}

}  // namespace weir
