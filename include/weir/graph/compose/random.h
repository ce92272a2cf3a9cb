// Random values with TensorFlow's seeding: the graph seed and the op seed together determine the numbers, which equal
// those of TensorFlow's CPU kernels.
#pragma once

#include <optional>
#include <utility>

#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

using OpSeed = std::optional<int64_t>;

// The attributes seed and seed2 of a random op.
std::pair<int64_t, int64_t> SeedsFor(Graph& graph, OpSeed op_seed);

Output RandomNormal(Graph& graph, const Input& shape, const Input& mean = 0.0f, const Input& stddev = 1.0f,
                    DType dtype = kFloat, OpSeed seed = {}, std::string name = "random_normal");
Output TruncatedNormal(Graph& graph, const Input& shape, const Input& mean = 0.0f, const Input& stddev = 1.0f,
                       DType dtype = kFloat, OpSeed seed = {}, std::string name = "truncated_normal");
// In [minval, maxval). Without maxval: 1 for floats, an error for integers.
Output RandomUniform(Graph& graph, const Input& shape, const Input& minval = 0, const Input& maxval = {},
                     DType dtype = kFloat, OpSeed seed = {}, std::string name = "random_uniform");
// Samples of the gamma distribution, of shape `shape` + the broadcast shape of alpha and beta; never zero. Without
// beta: 1.
Output RandomGammaValues(Graph& graph, const Input& shape, const Input& alpha, const Input& beta = {},
                         DType dtype = kFloat, OpSeed seed = {}, std::string name = "random_gamma");
Output RandomPoissonValues(Graph& graph, const Input& rates, const Input& shape, DType dtype = kFloat, OpSeed seed = {},
                           std::string name = "random_poisson");
Output RandomShuffled(const Input& value, OpSeed seed = {}, std::string name = "");
Output RandomCrop(const Input& value, const Input& size, OpSeed seed = {}, std::string name = "random_crop");
Output MultinomialSamples(const Input& logits, const Input& num_samples, OpSeed seed = {}, DType output_dtype = kInt64,
                          std::string name = "");

// Values that depend only on the two numbers of `seed`, not on the graph or on earlier runs.
Output StatelessNormal(Graph& graph, const Input& shape, const Input& seed, const Input& mean = 0.0f,
                       const Input& stddev = 1.0f, DType dtype = kFloat, bool truncated = false, std::string name = "");
Output StatelessUniform(Graph& graph, const Input& shape, const Input& seed, const Input& minval = 0,
                        const Input& maxval = {}, DType dtype = kFloat, std::string name = "");

}  // namespace weir
