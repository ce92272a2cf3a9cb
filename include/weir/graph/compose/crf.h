// Conditional random fields over sequences of tags: scores, normalization, likelihood, and the most likely tags. Inputs
// are [batch, steps, tags] potentials; transitions[i, j] is the score of tag j after tag i. Only the first
// sequence_lengths[b] steps of row b count. Errors are recorded in the graph's build state.
#pragma once

#include <string>
#include <vector>

#include "weir/graph/compose/rnn.h"

namespace weir {

// The sum of the potentials of the given tags, [batch].
Output CrfUnaryScore(Graph& graph, const Input& tags, const Input& lengths, const Input& inputs);
// The sum of the transitions between the given tags, [batch].
Output CrfBinaryScore(Graph& graph, const Input& tags, const Input& lengths, const Input& transitions);
// The sum of CrfUnaryScore and CrfBinaryScore, [batch].
Output CrfSequenceScore(Graph& graph, const Input& inputs, const Input& tags, const Input& lengths,
                        const Input& transitions);
// log(sum(exp(score))) over all sequences of tags, or over those that `allowed` [batch, steps, tags] permits.
Output CrfLogNorm(Graph& graph, const Input& inputs, const Input& lengths, const Input& transitions);
Output CrfMultitagScore(Graph& graph, const Input& inputs, const Input& allowed, const Input& lengths,
                        const Input& transitions);

struct CrfLikelihood {
  Output log_likelihood;  // [batch]
  Output transitions;
};
// Without `transitions`, gets or creates the variable "transitions" in the current scope.
Result<CrfLikelihood> CrfLogLikelihood(Graph& graph, const Input& inputs, const Input& tags, const Input& lengths,
                                       const Input& transitions = {});

struct CrfDecoded {
  Output tags;   // [batch, steps] int32
  Output score;  // [batch]
};
// The tags with the highest score.
CrfDecoded CrfDecode(Graph& graph, const Input& potentials, const Input& transitions, const Input& lengths);

// One time step of the forward and Viterbi recursions, for use in a recurrent cell.
Output CrfForwardStep(Graph& graph, const Input& inputs, const Input& state, const Input& transitions);
struct CrfBackpointers {
  Output pointers;  // the best previous tag for each tag
  Output state;
};
CrfBackpointers CrfDecodeForwardStep(Graph& graph, const Input& inputs, const Input& state, const Input& transitions);
// The tag that `pointers` give for the tag in `state`, [batch, 1].
Output CrfDecodeBackwardStep(Graph& graph, const Input& pointers, const Input& state);

struct ViterbiPath {
  std::vector<int64_t> tags;
  double score;
};
// The best path for one sequence: `score` is [steps, tags], both tensors hold doubles.
Result<ViterbiPath> ViterbiDecode(const Tensor& score, const Tensor& transitions);

}  // namespace weir
