// Beam search: one step, and the sequences at its end. Tensors of a beam are [batch, beams, ...].
#pragma once

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

struct BeamState {
  Output log_probs;             // [batch, beams]
  Output finished;              // [batch, beams] bools
  Output lengths;               // [batch, beams] int64
  Output attention_probs = {};  // [batch, beams, memory steps], for the coverage penalty
};
struct BeamOptions {
  int64_t beam_width = 1;
  Input end_token;
  Input length_penalty_weight = 0.0f;
  Input coverage_penalty_weight = 0.0f;
};
// Only the first beam of each row is likely at the start, so that the others differ from it after one step.
Result<BeamState> FirstBeams(Graph& graph, const Input& batch_size, int64_t beam_width, DType dtype);

struct BeamStepResult {
  Output scores;         // [batch, beams]
  Output predicted_ids;  // the next tokens, int32
  Output parent_ids;     // the beams that they extend, int32
  BeamState state;
};
// Extends the beams by the best tokens. `logits` are [batch, beams, vocabulary]; `attention` is that of this step, for
// the coverage penalty.
Result<BeamStepResult> BeamSearchStep(Graph& graph, const Input& logits, const BeamState& state,
                                      const BeamOptions& options, const Input& attention = {});

// The values of the given beams: result[b, k, ...] = values[b, ids[b, k], ...].
Output GatherBeams(Graph& graph, const Input& values, const Input& ids);
// [batch, beams, ...] to [batch * beams, ...], and back. Values with fewer dimensions than that stay as they are.
Output MergeBeams(Graph& graph, const Input& values);
Output SplitBeams(Graph& graph, const Input& values, const Input& batch_size, int64_t beam_width);

// Reorders values [steps, batch * beams, ...]: sequences may change beams from step to step. In the result, beam k has
// the values of the sequence that ends in beam k. `lengths` are [batch, beams].
Output GatherTreeFromArray(Graph& graph, const Input& values, const Input& parent_ids, const Input& lengths);

}  // namespace weir
