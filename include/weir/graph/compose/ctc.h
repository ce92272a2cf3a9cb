// Connectionist temporal classification: the loss for label sequences without a known alignment, and decoders. Inputs
// are logits [steps, batch, classes]; the last class is the blank. Errors are recorded in the graph's build state.
#pragma once

#include <string>
#include <vector>

#include "weir/graph/compose/sparse.h"

namespace weir {

struct CtcLossOptions {
  bool preprocess_collapse_repeated = false;  // merges repeated labels before the loss is computed
  bool merge_repeated = true;                 // repeated classes without a blank between them are one label
  bool ignore_longer_outputs = false;         // rows with more labels than steps have the loss 0
  bool time_major = true;                     // else the inputs are [batch, steps, classes]
};
// The loss per row of the batch.
Output CtcLoss(Graph& graph, const Sparse& labels, const Input& logits, const Input& sequence_length,
               const CtcLossOptions& options = {});

// Like CtcLoss, but the blank may be any class. A negative blank_index counts from the end.
Output CtcLossWithBlank(Graph& graph, const Sparse& labels, const Input& logits, const Input& logit_length,
                        int64_t blank_index, bool time_major = true);
// Dense labels [batch, longest]; row b has label_length[b] of them.
Output CtcLossOfDense(Graph& graph, const Input& labels, const Input& logits, const Input& label_length,
                      const Input& logit_length, int64_t blank_index, bool time_major = true);

// The distinct labels of each row, in order, with zeros after them, and the position of each label among them.
struct CtcUnique {
  Output labels;     // int64, as labels
  Output positions;  // int32, as labels
};
Result<CtcUnique> CtcUniqueLabels(Graph& graph, const Input& labels, std::string name = "");

struct CtcDecoded {
  std::vector<Sparse> paths;  // most likely first
  Output score;               // [batch, paths]
};
// The most likely class of each step. The score is the negative sum of their logits.
CtcDecoded CtcGreedyDecode(Graph& graph, const Input& logits, const Input& sequence_length, bool merge_repeated = true);
// The scores are log probabilities.
CtcDecoded CtcBeamSearchDecode(Graph& graph, const Input& logits, const Input& sequence_length,
                               int64_t beam_width = 100, int64_t top_paths = 1, bool merge_repeated = true);

}  // namespace weir
