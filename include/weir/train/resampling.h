// Sampling of examples by probability: acceptance rates per class, and repetition of rows at given rates.
#pragma once

#include "weir/graph/compose/random.h"
#include "weir/graph/compose/variable.h"

namespace weir {

// Probabilities with which to accept examples of classes that occur with probabilities `initial`, so that accepted
// examples have the probabilities `target`. The largest is 1.
Output AcceptanceProbabilities(Graph& graph, const Input& initial, const Input& target);
// The distribution of the labels seen so far, counted in a variable that starts at `smoothing` per class.
Result<Output> EstimatedDistribution(Graph& graph, const Input& labels, int64_t num_classes, float smoothing);
// Returns row numbers. Row i occurs n times, with n drawn from a Poisson distribution with mean rates[i].
Result<Output> ResampledRows(Graph& graph, const Input& rates, OpSeed seed = {});
// The running mean of batch values, in local variables of the scope; exact for the first 1 / (1 - decay) batches.
Result<Output> EstimatedMean(Graph& graph, const Input& values, float decay);

}  // namespace weir
