// Attention over a memory [batch, steps, depth]: scores of a query, masks for rows of different lengths, probabilities
// (soft or monotonic) and the context that they select.
#pragma once

#include <string>

#include "weir/graph/compose/random.h"
#include "weir/graph/input.h"

namespace weir {

// Returns `memory` with zeros after the end of each row. With `check_sizes`, all dimensions after the second must be
// known.
Result<Output> PrepareMemory(Graph& graph, const Input& memory, const Input& lengths = {}, bool check_sizes = true);

// sum(v * tanh(keys + query)) per step. With `g` and `b`, v is normalized to the length g, and b is added inside tanh.
Result<Output> BahdanauScore(Graph& graph, const Input& query, const Input& keys, const Input& v, const Input& g = {},
                             const Input& b = {});
// query * keys per step, times `scale` if present.
Result<Output> LuongScore(Graph& graph, const Input& query, const Input& keys, const Input& scale = {});
// Replaces the scores after the end of each row by `mask_value`. Lengths must be positive.
Result<Output> MaskScore(Graph& graph, const Input& score, const Input& lengths, const Input& mask_value);
// The mean of the values, weighted by the alignments: [batch, depth].
Output AttentionContext(Graph& graph, const Input& alignments, const Input& values);

// Attention for decoders that the caller unrolls while the graph is built. The features are a 1 x 1 convolution
// of the memory; the context is the sum of the memory weighted by softmax(sum(v * tanh(features + query))).
Result<Output> UnrolledAttentionFeatures(Graph& graph, const Input& memory, const Input& kernel);
Result<Output> UnrolledAttention(Graph& graph, const Input& memory, const Input& features, const Input& v,
                                 const Input& query);

// 1 at the largest element of each row, 0 elsewhere.
Output Hardmax(Graph& graph, const Input& logits, std::string name = "");

// exp(cumsum(log(x))), for x that may be very small.
Output SafeCumprod(Graph& graph, const Input& x, const Input& axis, bool exclusive = false, bool reverse = false);
// Monotonic attention: it starts at the step that it attended to before, and stops at step i with probability
// p_choose[i]. `mode` is "recursive" (exact), "parallel" (fast, for probabilities that are not extreme) or "hard"
// (probabilities are 0 or 1).
Result<Output> MonotonicAttention(Graph& graph, const Input& p_choose, const Input& previous, const std::string& mode);
// MonotonicAttention for scores: p_choose is the sigmoid of score + noise; for "hard", 1 where the score is positive.
Result<Output> MonotonicProbability(Graph& graph, const Input& score, const Input& previous, double noise,
                                    const std::string& mode, OpSeed seed = {});

}  // namespace weir
