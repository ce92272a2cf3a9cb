#include "graph/compose/attention.h"

#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/clip.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow.h"
#include "graph/compose/flow_map.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"
#include "graph/texts.h"

namespace weir {
namespace {

double SmallestNormal(DType dtype) {
  if (dtype == kDouble) return std::numeric_limits<double>::min();
  if (dtype == kHalf) return 6.103515625e-05;
  return static_cast<double>(std::numeric_limits<float>::min());
}

// Swaps the axes: [batch, steps] to [steps, batch], or back.
Output Swapped(Output x) { return Transpose(x, {1, 0}); }

// attention[i] = p[i] * ((1 - p[i - 1]) * attention[i - 1] / p[i - 1] + previous[i]), without the division.
Result<Output> RecursiveAttention(Graph& graph, Output p, Output previous) {
  const Output batch = Gather(ShapeOf(p), 0);
  const Output ones = Ones(graph, Stack(graph, {batch, 1}), p.base_dtype());
  const Output skipped =
      Concat(graph, {ones, 1.0f - Slice(p, {0, 0}, Stack(graph, {-1, Gather(ShapeOf(p), 1) - 1}))}, 1);
  const Output zeros = Zeros(graph, Stack(graph, {batch}), p.base_dtype());
  WEIR_TRY(graph.TakeError());
  const FoldFn step = [&graph](const OutputList& state, const OutputList& rows) -> Result<OutputList> {
    const Output next = rows[0] * state[0] + rows[1];
    WEIR_TRY(graph.TakeError());
    return OutputList{next};
  };
  WEIR_ASSIGN(const OutputList reached, Scan(graph, step, {Swapped(skipped), Swapped(previous)}, {zeros}, {}));
  return p * Swapped(reached[0]);
}

}  // namespace

Result<Output> PrepareMemory(Graph& graph, const Input& given, const Input& lengths, bool check_sizes) {
  WEIR_ASSIGN(const Output memory, ToOutput(graph, given, kInvalidType, "memory"));
  const PartialShape shape = memory.shape();
  bool known = shape.known_rank() && shape.rank() >= 2;
  for (int i = 2; known && i < shape.rank(); ++i) known = shape[i] >= 0;
  if (check_sizes && !known)
    return InvalidArgument("Expected memory {} to have fully defined inner dims, but saw shape: {}", memory.name(),
                           PythonText(shape));
  if (lengths.absent()) return memory;
  if (!shape.known_rank()) return InvalidArgument("the rank of the memory {} must be known", memory.name());
  Output mask = SequenceMask(graph, lengths, Gather(ShapeOf(memory), 1), memory.base_dtype());
  for (int i = 2; i < shape.rank(); ++i) mask = ExpandDims(mask, -1);
  const Output masked = memory * mask;
  WEIR_TRY(graph.TakeError());
  return masked;
}

Result<Output> BahdanauScore(Graph& graph, const Input& given_query, const Input& given_keys, const Input& given_v,
                             const Input& g, const Input& b) {
  const Output query = ExpandDims(ValueOf(graph, given_query), 1);
  const Output keys = ValueOf(graph, given_keys);
  Output v = ValueOf(graph, given_v), sum = keys + query;
  if (!g.absent() && !b.absent()) {
    v = ValueOf(graph, g) * v * Rsqrt(ReduceSum(Square(v)));
    sum = sum + ValueOf(graph, b);
  }
  const Output score = ReduceSum(v * Tanh(sum), 2);
  WEIR_TRY(graph.TakeError());
  return score;
}

Result<Output> LuongScore(Graph& graph, const Input& given_query, const Input& given_keys, const Input& scale) {
  const Output query = ValueOf(graph, given_query), keys = ValueOf(graph, given_keys);
  WEIR_TRY(graph.TakeError());
  const auto depth = [](const PartialShape& s) {
    return s.known_rank() && s.rank() > 0 ? s[s.rank() - 1] : kUnknownDim;
  };
  if (depth(query.shape()) != depth(keys.shape()))
    return InvalidArgument(
        "Incompatible or unknown inner dimensions between query and keys.  Query ({}) has units: {}.  Keys ({}) have "
        "units: {}.  Perhaps you need to set num_units to the keys' dimension ({})?",
        query.name(), depth(query.shape()), keys.name(), depth(keys.shape()), depth(keys.shape()));
  const Output products = MatrixMultiply(graph, ExpandDims(query, 1), keys, {.transpose_b = true});
  Output score = Squeeze(products, {.squeeze_dims = {1}});
  if (!scale.absent()) score = ValueOf(graph, scale) * score;
  WEIR_TRY(graph.TakeError());
  return score;
}

Result<Output> MaskScore(Graph& graph, const Input& given, const Input& given_lengths, const Input& mask_value) {
  const Output score = ValueOf(graph, given), lengths = ValueOf(graph, given_lengths, kInvalidType, "lengths");
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Node * positive, AssertSign(graph, Relation::kGreater, lengths,
                                          {.message = "All values in memory_sequence_length must greater than zero."}));
  const ControlDependencies after(graph, {positive});
  const Output mask = SequenceMask(graph, lengths, Gather(ShapeOf(score), 1));
  const Output value = ValueOf(graph, mask_value, score.base_dtype(), "score_mask_value");
  const Output masked = Select(mask, score, value * OnesOf(graph, score));
  WEIR_TRY(graph.TakeError());
  return masked;
}

Output AttentionContext(Graph& graph, const Input& alignments, const Input& values) {
  const Output product = MatrixMultiply(graph, ExpandDims(ValueOf(graph, alignments), 1), values);
  return Squeeze(product, {.squeeze_dims = {1}});
}

Result<Output> UnrolledAttentionFeatures(Graph& graph, const Input& memory, const Input& kernel) {
  const Output hidden = ExpandDims(ValueOf(graph, memory), 2);
  const Output features = Conv2D(hidden, kernel, {1, 1, 1, 1}, "SAME");
  WEIR_TRY(graph.TakeError());
  return features;
}

Result<Output> UnrolledAttention(Graph& graph, const Input& given_memory, const Input& features, const Input& v,
                                 const Input& given_query) {
  const Output memory = ValueOf(graph, given_memory);
  const Output query = ExpandDims(ExpandDims(ValueOf(graph, given_query), 1), 1);
  const Output score = ReduceSum(ValueOf(graph, v) * Tanh(ValueOf(graph, features) + query), {2, 3});
  const Output read = ReduceSum(ExpandDims(Softmax(score), 2) * memory, 1);
  WEIR_TRY(graph.TakeError());
  return read;
}

Output Hardmax(Graph& graph, const Input& given, std::string name) {
  const NameScope scope(graph, NameOrDefault(std::move(name), "Hardmax"));
  const Output logits = ValueOf(graph, given, kInvalidType, "logits");
  if (!logits.valid()) return Output::Failed(graph);
  const PartialShape shape = logits.shape();
  const Output depth = shape.known_rank() && shape.rank() > 0 && shape[shape.rank() - 1] >= 0
                           ? ValueOf(graph, shape[shape.rank() - 1], kInt32)
                           : Gather(ShapeOf(logits), AddInput(RankValue(graph, logits), -1));
  return ComposeOneHot(graph, ArgMax(logits, -1), depth, {}, {}, -1, logits.base_dtype());
}

Output SafeCumprod(Graph& graph, const Input& given, const Input& axis, bool exclusive, bool reverse) {
  const NameScope scope(graph, "SafeCumprod");
  const Output x = ValueOf(graph, given, kInvalidType, "x");
  if (!x.valid()) return Output::Failed(graph);
  const Output logs = Log(ClipByValueBounds(x, SmallestNormal(x.base_dtype()), 1.0));
  return Exp(Cumsum(logs, axis, {.exclusive = exclusive, .reverse = reverse}));
}

Result<Output> MonotonicAttention(Graph& graph, const Input& given, const Input& given_previous,
                                  const std::string& mode) {
  const Output p = ValueOf(graph, given, kInvalidType, "p_choose_i");
  WEIR_TRY(graph.TakeError());
  const Output previous = ValueOf(graph, given_previous, p.base_dtype(), "previous_attention");
  Output attention;
  if (mode == "recursive") {
    WEIR_ASSIGN(attention, RecursiveAttention(graph, p, previous));
  } else if (mode == "parallel") {
    const Output passed = SafeCumprod(graph, 1.0f - p, 1, /*exclusive=*/true);
    attention = p * passed * Cumsum(previous / ClipByValueBounds(passed, 1e-10, 1.0), 1);
  } else if (mode == "hard") {
    const Output chosen = p * Cumsum(previous, 1);
    attention = chosen * Cumprod(1.0f - chosen, 1, {.exclusive = true});
  } else {
    return InvalidArgument("mode must be 'recursive', 'parallel', or 'hard'.");
  }
  WEIR_TRY(graph.TakeError());
  return attention;
}

Result<Output> MonotonicProbability(Graph& graph, const Input& given, const Input& previous, double noise,
                                    const std::string& mode, OpSeed seed) {
  Output score = ValueOf(graph, given, kInvalidType, "score");
  WEIR_TRY(graph.TakeError());
  if (noise > 0) score = score + RandomNormal(graph, ShapeOf(score), 0.0f, 1.0f, score.base_dtype(), seed) * noise;
  const Output p = mode == "hard" ? CastValue(graph, Greater(score, 0), score.base_dtype()) : Sigmoid(score);
  return MonotonicAttention(graph, p, previous, mode);
}

}  // namespace weir
