#include "graph/compose/crf.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/layer_weights.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// A cell whose step is a function and whose sizes are vectors.
class CrfCell final : public RnnCell {
 public:
  using StepFn = std::function<RnnStep(Graph&, Output inputs, Output state)>;
  CrfCell(int64_t outputs, int64_t state, StepFn step) : outputs_(outputs), state_(state), step_(std::move(step)) {}
  std::string name() const override { return "CrfCell"; }
  Result<std::vector<PartialShape>> StateSizes() const override { return std::vector<PartialShape>{{state_}}; }
  Result<std::vector<PartialShape>> OutputSizes() const override { return std::vector<PartialShape>{{outputs_}}; }
  Result<RnnStep> Step(Graph& graph, const OutputList& inputs, const OutputList& state) override {
    return step_(graph, inputs[0], state[0]);
  }

 private:
  const int64_t outputs_, state_;
  const StepFn step_;
};

// The inputs, split into the first step and the others. A step of zeros is appended,
// which no row uses, so that the loop over the others has at least one step.
struct CrfSteps {
  Output first;   // [batch, tags]
  Output others;  // [batch, steps, tags]
  int64_t tags = kUnknownDim;
};

Result<CrfSteps> FirstAndOthers(Graph& graph, Output inputs) {
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = inputs.shape();
  if (!shape.known_rank() || shape.rank() != 3 || shape[2] < 0)
    return InvalidArgument(
        "the potentials of a CRF must be [batch, steps, tags] with a known number of tags, but have "
        "the shape {}",
        shape);
  CrfSteps steps;
  const Output first = Slice(inputs, {0, 0, 0}, {-1, 1, -1});
  steps.first = Squeeze(first, {.squeeze_dims = {1}});
  steps.others = Concat(graph, {Slice(inputs, {0, 1, 0}, {-1, -1, -1}), ZerosLike(first)}, 1);
  steps.tags = shape[2];
  WEIR_TRY(graph.TakeError());
  return steps;
}

// Without the first step; never negative.
Output LengthsAfterFirst(Graph& graph, Output lengths) {
  return Maximum(graph, CastValue(graph, 0, lengths.base_dtype()), lengths - 1);
}

Output TagMask(Graph& graph, const Input& lengths, Output tags, DType dtype) {
  return SequenceMask(graph, lengths, Gather(ShapeOf(tags), 1), dtype);
}

Result<Output> LogNorm(Graph& graph, const Input& given, const Input& given_lengths, const Input& given_transitions) {
  const Output inputs = ValueOf(graph, given, kInvalidType, "inputs");
  const Output lengths = ValueOf(graph, given_lengths, kInvalidType, "sequence_lengths");
  const Output transitions = ValueOf(graph, given_transitions, kInvalidType, "transition_params");
  WEIR_ASSIGN(const CrfSteps steps, FirstAndOthers(graph, inputs));
  CrfCell cell(steps.tags, steps.tags, [&](Graph& g, Output x, Output state) {
    const Output next = CrfForwardStep(g, x, state, transitions);
    return RnnStep{{next}, {next}};
  });
  RnnOptions options;
  options.initial_state = InputList{steps.first};
  options.dtype = inputs.base_dtype();
  options.sequence_length = LengthsAfterFirst(graph, lengths);
  WEIR_ASSIGN(const RnnStep ends, DynamicRnn(graph, cell, {steps.others}, options));
  const Output norm = ReduceLogSumExp(graph, ends.state[0], std::vector<int64_t>{1});
  const Output result = Select(LessEqual(lengths, 0), ZerosLike(norm), norm);
  WEIR_TRY(graph.TakeError());
  return result;
}

Result<CrfDecoded> DecodeTags(Graph& graph, const Input& given, const Input& given_transitions,
                              const Input& given_lengths) {
  const Output potentials = ValueOf(graph, given, kInvalidType, "potentials");
  const Output transitions = ValueOf(graph, given_transitions, kInvalidType, "transition_params");
  const Output lengths = ValueOf(graph, given_lengths, kInvalidType, "sequence_length");
  WEIR_ASSIGN(const CrfSteps steps, FirstAndOthers(graph, potentials));
  const Output later = LengthsAfterFirst(graph, lengths);
  CrfCell forward(steps.tags, steps.tags, [&](Graph& g, Output x, Output state) {
    const CrfBackpointers next = CrfDecodeForwardStep(g, x, state, transitions);
    return RnnStep{{next.pointers}, {next.state}};
  });
  RnnOptions options;
  options.initial_state = InputList{steps.first};
  options.dtype = kInt32;
  options.sequence_length = later;
  WEIR_ASSIGN(const RnnStep scored, DynamicRnn(graph, forward, {steps.others}, options));
  const Output pointers = ReverseSequence(scored.outputs[0], later, /*seq_dim=*/1);
  const Output last = ExpandDims(ArgMax(scored.state[0], 1, {.output_type = kInt32}), -1);
  CrfCell backward(1, 1, [](Graph& g, Output x, Output state) {
    const Output tag = CrfDecodeBackwardStep(g, x, state);
    return RnnStep{{tag}, {tag}};
  });
  WEIR_TRY(graph.TakeError());
  options.initial_state = InputList{last};
  WEIR_ASSIGN(const RnnStep tags, DynamicRnn(graph, backward, {pointers}, options));
  const Output before = StridedSlice(tags.outputs[0], {0, 0}, {0, -1}, {1, 1}, {.begin_mask = 3, .end_mask = 1});
  const Output backwards = Concat(graph, {last, Squeeze(before, {.squeeze_dims = {2}})}, 1);
  const CrfDecoded decoded{ReverseSequence(backwards, lengths, /*seq_dim=*/1), ReduceMax(scored.state[0], 1)};
  WEIR_TRY(graph.TakeError());
  return decoded;
}

}  // namespace

Output CrfUnaryScore(Graph& graph, const Input& given_tags, const Input& lengths, const Input& given) {
  const Output tags = ValueOf(graph, given_tags, kInvalidType, "tag_indices");
  const Output inputs = ValueOf(graph, given, kInvalidType, "inputs");
  if (!tags.valid() || !inputs.valid()) return Output::Failed(graph);
  const Output shape = ShapeOf(inputs);
  const Output batch = Gather(shape, 0), steps = Gather(shape, 1), count = Gather(shape, 2);
  const Output rows = ExpandDims(Range(graph, 0, batch, 1, kInt32) * steps * count, 1);
  const Output columns = ExpandDims(Range(graph, 0, steps, 1, kInt32) * count, 0);
  const Output at = CastValue(graph, rows + columns, tags.base_dtype()) + tags;
  const Output scores =
      Reshape(ComposeGatherRows(graph, Reshape(inputs, {-1}), Reshape(at, {-1})), Pack(InputList{batch, steps}));
  return ReduceSum(scores * TagMask(graph, lengths, tags, inputs.base_dtype()), 1);
}

Output CrfBinaryScore(Graph& graph, const Input& given_tags, const Input& lengths, const Input& given) {
  const Output tags = ValueOf(graph, given_tags, kInvalidType, "tag_indices");
  const Output transitions = ValueOf(graph, given, kInvalidType, "transition_params");
  if (!tags.valid() || !transitions.valid()) return Output::Failed(graph);
  const Output count = CastValue(graph, Gather(ShapeOf(transitions), 0), tags.base_dtype());
  const Output pairs = Maximum(graph, Gather(ShapeOf(tags), 1) - 1, 0);
  const Output size = Stack(graph, {-1, pairs});
  const Output from = Slice(tags, {0, 0}, size), to = Slice(tags, {0, 1}, {-1, -1});
  const Output scores = ComposeGatherRows(graph, Reshape(transitions, {-1}), from * count + to);
  const Output mask = Slice(TagMask(graph, lengths, tags, transitions.base_dtype()), {0, 1}, {-1, -1});
  return ReduceSum(scores * mask, 1);
}

Output CrfSequenceScore(Graph& graph, const Input& inputs, const Input& tags, const Input& lengths,
                        const Input& transitions) {
  return CrfUnaryScore(graph, tags, lengths, inputs) + CrfBinaryScore(graph, tags, lengths, transitions);
}

Output CrfLogNorm(Graph& graph, const Input& inputs, const Input& lengths, const Input& transitions) {
  const Result<Output> norm = LogNorm(graph, inputs, lengths, transitions);
  return norm.ok() ? *norm : FailedOutput(graph, norm.status());
}

Output CrfMultitagScore(Graph& graph, const Input& given, const Input& given_allowed, const Input& lengths,
                        const Input& transitions) {
  const Output inputs = ValueOf(graph, given, kInvalidType, "inputs");
  const Output allowed = ValueOf(graph, given_allowed, kBool, "tag_bitmap");
  if (!inputs.valid() || !allowed.valid()) return Output::Failed(graph);
  const Output none =
      Fill(ShapeOf(inputs), CastValue(graph, -std::numeric_limits<double>::infinity(), inputs.base_dtype()));
  return CrfLogNorm(graph, Select(allowed, inputs, none), lengths, transitions);
}

Result<CrfLikelihood> CrfLogLikelihood(Graph& graph, const Input& given, const Input& tags, const Input& lengths,
                                       const Input& given_transitions) {
  const Output inputs = ValueOf(graph, given, kInvalidType, "inputs");
  WEIR_TRY(graph.TakeError());
  Output transitions;
  if (given_transitions.absent()) {
    const PartialShape shape = inputs.shape();
    if (!shape.known_rank() || shape.rank() != 3 || shape[2] < 0)
      return InvalidArgument(
          "the inputs of a CRF must be [batch, steps, tags] with a known number of tags, but have the "
          "shape {}",
          shape);
    WEIR_ASSIGN(const WeightValues weights,
                GetWeights(graph, {{.name = "transitions", .shape = {shape[2], shape[2]}, .dtype = kFloat}}));
    transitions = ValueOf(graph, weights["transitions"]);
  } else {
    transitions = ValueOf(graph, given_transitions, kInvalidType, "transition_params");
  }
  const Output score = CrfSequenceScore(graph, inputs, tags, lengths, transitions);
  const CrfLikelihood result{score - CrfLogNorm(graph, inputs, lengths, transitions), transitions};
  WEIR_TRY(graph.TakeError());
  return result;
}

CrfDecoded CrfDecode(Graph& graph, const Input& potentials, const Input& transitions, const Input& lengths) {
  const Result<CrfDecoded> decoded = DecodeTags(graph, potentials, transitions, lengths);
  if (decoded.ok()) return *decoded;
  const Output failed = FailedOutput(graph, decoded.status());
  return {failed, failed};
}

Output CrfForwardStep(Graph& graph, const Input& inputs, const Input& state, const Input& transitions) {
  const Output from = ExpandDims(ValueOf(graph, state), 2);
  const Output scores = from + ExpandDims(ValueOf(graph, transitions), 0);
  return ValueOf(graph, inputs) + ReduceLogSumExp(graph, scores, std::vector<int64_t>{1});
}

CrfBackpointers CrfDecodeForwardStep(Graph& graph, const Input& inputs, const Input& state, const Input& transitions) {
  const Output scores = ExpandDims(ValueOf(graph, state), 2) + ExpandDims(ValueOf(graph, transitions), 0);
  return {ArgMax(scores, 1, {.output_type = kInt32}), ValueOf(graph, inputs) + ReduceMax(scores, 1)};
}

Output CrfDecodeBackwardStep(Graph& graph, const Input& given, const Input& given_state) {
  const Output pointers = ValueOf(graph, given), state = Squeeze(ValueOf(graph, given_state), {.squeeze_dims = {1}});
  if (!pointers.valid() || !state.valid()) return Output::Failed(graph);
  const Output rows = Range(graph, 0, Gather(ShapeOf(pointers), 0), 1, kInt32);
  return ExpandDims(GatherNd(pointers, Stack(graph, {rows, state}, 1)), -1);
}

Result<ViterbiPath> ViterbiDecode(const Tensor& score, const Tensor& transitions) {
  if (score.rank() != 2 || score.num_elements() == 0)
    return InvalidArgument("score must be a matrix [steps, tags], but has the shape {}", score.shape());
  const int64_t steps = score.dim(0), tags = score.dim(1);
  if (transitions.rank() != 2 || transitions.dim(0) != tags || transitions.dim(1) != tags)
    return InvalidArgument("transition_params must be a matrix of {} x {} tags, but has the shape {}", tags, tags,
                           transitions.shape());
  const double *x = score.data<double>(), *move = transitions.data<double>();
  std::vector<double> best(x, x + tags), next(static_cast<size_t>(tags));
  std::vector<int64_t> pointers(static_cast<size_t>(steps * tags));
  for (int64_t t = 1; t < steps; ++t) {
    for (int64_t to = 0; to < tags; ++to) {
      int64_t from = 0;
      for (int64_t i = 1; i < tags; ++i)
        if (best[static_cast<size_t>(i)] + move[i * tags + to] >
            best[static_cast<size_t>(from)] + move[from * tags + to])
          from = i;
      next[static_cast<size_t>(to)] = x[t * tags + to] + best[static_cast<size_t>(from)] + move[from * tags + to];
      pointers[static_cast<size_t>(t * tags + to)] = from;
    }
    best.swap(next);
  }
  ViterbiPath path;
  int64_t tag = std::max_element(best.begin(), best.end()) - best.begin();
  path.score = best[static_cast<size_t>(tag)];
  for (int64_t t = steps - 1; t > 0; --t) {
    path.tags.push_back(tag);
    tag = pointers[static_cast<size_t>(t * tags + tag)];
  }
  path.tags.push_back(tag);
  std::reverse(path.tags.begin(), path.tags.end());
  return path;
}

}  // namespace weir
