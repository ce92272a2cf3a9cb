// Embedding lookups in whole or partitioned tables, and sampled losses.
#pragma once

#include <optional>

#include "weir/graph/compose/random.h"
#include "weir/graph/input.h"

namespace weir {

enum class PartitionStrategy { kMod, kDiv };

// Rows `ids` of the table `params`. Several params are partitions of the table, over which `strategy` distributes the
// ids. The gradient is sparse.
Result<Output> EmbeddingLookup(Graph& graph, const InputList& params, const Input& ids,
                               PartitionStrategy strategy = PartitionStrategy::kMod, const Input& max_norm = {},
                               std::string name = "");

enum class Combiner { kMean, kSqrtN, kSum };
struct SparseIds {
  Output indices;      // [n, 2] int64
  Output values;       // [n] ids
  Output dense_shape;  // [2]
};
// For each row of the sparse ids, combines the (weighted) embeddings of its ids.
Result<Output> EmbeddingLookupSparse(Graph& graph, const InputList& params, const SparseIds& ids,
                                     const std::optional<SparseIds>& weights,
                                     PartitionStrategy strategy = PartitionStrategy::kMod,
                                     Combiner combiner = Combiner::kMean, const Input& max_norm = {},
                                     std::string name = "");

// Like EmbeddingLookupSparse, for ids of any rank of which some may be invalid or missing: ignores negative ids, and
// ids whose weight is not positive unless they are summed. An empty row gets the embedding of default_id, or zeros.
struct SafeLookupOptions {
  Combiner combiner = Combiner::kMean;
  std::optional<int64_t> default_id = {};
  PartitionStrategy strategy = PartitionStrategy::kDiv;
  Input max_norm = {};
  std::string name = "";
};
Result<Output> SafeEmbeddingLookupSparse(Graph& graph, const InputList& params, const SparseIds& ids,
                                         const std::optional<SparseIds>& weights = {},
                                         const SafeLookupOptions& options = {});

struct SampledCandidates {
  Output sampled;
  Output true_expected;
  Output sampled_expected;
};
struct SampledLossOptions {
  int64_t num_true = 1;
  std::optional<SampledCandidates> sampled_values = {};
  bool remove_accidental_hits = true;
  PartitionStrategy strategy = PartitionStrategy::kMod;
  OpSeed seed = {};
  std::string name = "";
};
// One loss per example. Draws num_sampled classes with a log-uniform sampler unless sampled_values is set.
Result<Output> SampledSoftmaxLoss(Graph& graph, const InputList& weights, const Input& biases, const Input& labels,
                                  const Input& inputs, int64_t num_sampled, int64_t num_classes,
                                  const SampledLossOptions& options = {});
Result<Output> NceLoss(Graph& graph, const InputList& weights, const Input& biases, const Input& labels,
                       const Input& inputs, int64_t num_sampled, int64_t num_classes, SampledLossOptions options = {});

}  // namespace weir
