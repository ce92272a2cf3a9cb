#include "graph/compose/ctc.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dims.h"
#include "graph/compose/flow_map.h"
#include "graph/compose/math.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"

namespace weir {
namespace {

// Moves the blank to the last class; the labels after it go down by one.
struct WithLastBlank {
  Output labels, logits;
};
Result<WithLastBlank> MovedBlank(Graph& graph, Output labels, Output logits, int64_t blank) {
  WEIR_TRY(graph.TakeError());
  const PartialShape shape = logits.shape();
  if (!shape.known_rank() || shape.rank() != 3 || shape[2] < 1)
    return InvalidArgument("the logits must have 3 dimensions, the last one known, but their shape is {}", shape);
  const int64_t classes = shape[2];
  const int64_t index = blank < 0 ? blank + classes : blank;
  if (index < 0 || index >= classes)
    return InvalidArgument("blank_index {} is not one of the {} classes", blank, classes);
  if (index == classes - 1) return WithLastBlank{labels, logits};
  const OutputList parts =
      SplitSizes(graph, logits, std::vector<int64_t>{index, 1, classes - 1 - index}, /*count=*/3, /*axis=*/2);
  WEIR_TRY(graph.TakeError());
  const Output moved = Concat(graph, {parts[0], parts[2], parts[1]}, 2);
  const Output lower = Select(Less(labels, CastValue(graph, index, labels.base_dtype())), labels, labels - 1);
  WEIR_TRY(graph.TakeError());
  return WithLastBlank{lower, moved};
}

CtcDecoded DecodedFrom(const OutputList& outputs, size_t paths) {
  CtcDecoded decoded;
  if (outputs.size() < 3 * paths + 1) return decoded;
  for (size_t p = 0; p < paths; ++p) decoded.paths.push_back({outputs[p], outputs[paths + p], outputs[2 * paths + p]});
  decoded.score = outputs[3 * paths];
  return decoded;
}

}  // namespace

Output CtcLoss(Graph& graph, const Sparse& labels, const Input& given, const Input& sequence_length,
               const CtcLossOptions& options) {
  Output logits = ValueOf(graph, given, kInvalidType, "inputs");
  if (!options.time_major) logits = Transpose(logits, {1, 0, 2});
  return CTCLoss(graph, logits, labels.indices, labels.values, sequence_length,
                 {.preprocess_collapse_repeated = options.preprocess_collapse_repeated,
                  .ctc_merge_repeated = options.merge_repeated,
                  .ignore_longer_outputs_than_inputs = options.ignore_longer_outputs})
      .loss;
}

Output CtcLossWithBlank(Graph& graph, const Sparse& labels, const Input& logits, const Input& logit_length,
                        int64_t blank_index, bool time_major) {
  const Result<WithLastBlank> moved =
      MovedBlank(graph, labels.values, ValueOf(graph, logits, kInvalidType, "logits"), blank_index);
  if (!moved.ok()) return FailedOutput(graph, moved.status());
  return CtcLoss(graph, {labels.indices, moved->labels, labels.dense_shape}, moved->logits, logit_length,
                 {.time_major = time_major});
}

Output CtcLossOfDense(Graph& graph, const Input& given, const Input& logits, const Input& label_length,
                      const Input& logit_length, int64_t blank_index, bool time_major) {
  const Output labels = CastValue(graph, given, kInt32);
  const Result<WithLastBlank> moved =
      MovedBlank(graph, labels, ValueOf(graph, logits, kInvalidType, "logits"), blank_index);
  if (!moved.ok()) return FailedOutput(graph, moved.status());
  const Output lengths = CastValue(graph, label_length, kInt32);
  const Output columns = Gather(ShapeOf(labels), 1);
  // A row without labels keeps one entry with an invalid class, which the op treats as the end of the row.
  const Output used = SequenceMask(graph, lengths, columns);
  const Output kept = SequenceMask(graph, Maximum(graph, lengths, 1), columns);
  const Output ends = Fill(ShapeOf(labels), static_cast<int>(moved->logits.shape()[2]));
  const Output indices = Where(graph, kept, {}, {});
  const Output values = GatherNd(Select(used, moved->labels, ends), indices);
  const Output shape = CastValue(graph, ShapeOf(labels), kInt64);
  return CtcLoss(graph, {indices, values, shape}, moved->logits, logit_length, {.time_major = time_major});
}

Result<CtcUnique> CtcUniqueLabels(Graph& graph, const Input& labels, std::string name) {
  const NameScope scope(graph, NameOrDefault(std::move(name), "ctc_unique_labels"));
  const RowFn unique = [&graph](const OutputList& rows) -> Result<OutputList> {
    const auto found = Unique(rows[0], {.out_idx = kInt32});
    const Output zeros = Gather(ShapeOf(found.idx), 0) - Gather(ShapeOf(found.y), 0);
    const Output padded = Pad(CastValue(graph, found.y, kInt64), ExpandDims(Stack(graph, {0, zeros}), 0));
    WEIR_TRY(graph.TakeError());
    return OutputList{padded, found.idx};
  };
  WEIR_ASSIGN(const OutputList all, MapFn(graph, unique, {labels}, {.dtypes = {kInt64, kInt32}}));
  return CtcUnique{all[0], all[1]};
}

CtcDecoded CtcGreedyDecode(Graph& graph, const Input& logits, const Input& sequence_length, bool merge_repeated) {
  const auto decoded = CTCGreedyDecoder(graph, logits, sequence_length, {.merge_repeated = merge_repeated});
  return {{{decoded.decoded_indices, decoded.decoded_values, decoded.decoded_shape}}, decoded.log_probability};
}

CtcDecoded CtcBeamSearchDecode(Graph& graph, const Input& logits, const Input& sequence_length, int64_t beam_width,
                               int64_t top_paths, bool merge_repeated) {
  return DecodedFrom(
      CTCBeamSearchDecoder(graph, logits, sequence_length, beam_width, top_paths, {.merge_repeated = merge_repeated}),
      static_cast<size_t>(std::max<int64_t>(top_paths, 0)));
}

}  // namespace weir
