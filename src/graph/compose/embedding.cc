#include "graph/compose/embedding.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/build/state_ops.h"
#include "graph/compose/clip.h"
#include "graph/compose/dims.h"
#include "graph/compose/names.h"
#include "graph/compose/nn.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// Gathers rows of one table (a tensor, a reference or a resource variable), colocated with it.
Result<Output> GatherRows(Graph& graph, const Input& params, const Input& ids, const Input& max_norm,
                          std::string name) {
  WEIR_ASSIGN(Output table, ToOutput(graph, params, kInvalidType, "params"));
  ColocationScope colocated(graph, table.node);
  Output rows;
  if (table.base_dtype() == kResource) {
    WEIR_ASSIGN(DType dtype, table.node->Attr<DType>("dtype"));
    rows = ResourceGather(graph, table, ids, dtype, {.name = std::move(name)});
  } else {
    rows = GatherV2(graph, table, ids, 0, {.name = std::move(name)});
  }
  if (!max_norm.absent() && rows.valid()) {
    // Norms are per row: over all axes after those of the ids.
    WEIR_ASSIGN(const Output id_values, ToOutput(graph, ids));
    Input axes;
    if (id_values.shape().known_rank() && rows.shape().known_rank()) {
      std::vector<int64_t> behind;
      for (int i = id_values.shape().rank(); i < rows.shape().rank(); ++i) behind.push_back(i);
      axes = behind;
    } else {
      axes = Range(graph, Rank(id_values), Rank(rows), 1);
    }
    rows = ClipByNorm(rows, max_norm, axes);
  }
  WEIR_TRY(graph.TakeError());
  return rows;
}

// The total number of rows of all tables as a scalar of `dtype`, from static shapes if possible.
Output TotalRows(Graph& graph, const InputList& params, DType dtype) {
  int64_t known = 0;
  for (const Input& p : params) {
    const PartialShape shape = p.is_output() ? p.output().shape() : PartialShape();
    if (known < 0 || !shape.known_rank() || shape.rank() == 0 || shape[0] < 0) {
      known = -1;
    } else {
      known += shape[0];
    }
  }
  if (known >= 0)
    return Constant(graph, dtype == kInt32 ? Tensor::Scalar(static_cast<int32_t>(known)) : Tensor::Scalar(known));
  InputList sizes;
  for (const Input& p : params)
    sizes.push_back(StridedSlice(ShapeOf(p, {.out_type = dtype}), {0}, {1}, {1}, {.shrink_axis_mask = 1}));
  return AddN(graph, sizes);
}

}  // namespace

Result<Output> EmbeddingLookup(Graph& graph, const InputList& params, const Input& ids_in, PartitionStrategy strategy,
                               const Input& max_norm, std::string name) {
  if (params.empty()) return InvalidArgument("an embedding lookup needs at least one table");
  NameScope scope(graph, NameOrDefault(name, "embedding_lookup"));
  WEIR_ASSIGN(Output ids, ToOutput(graph, ids_in, kInvalidType, "ids"));
  if (params.size() == 1) {
    WEIR_ASSIGN(Output rows, GatherRows(graph, params[0], ids, max_norm, ExactScopeName(scope)));
    return Identity(rows);
  }
  const int64_t n = static_cast<int64_t>(params.size());
  const DType id_type = ids.base_dtype();
  const auto number = [&](int64_t v) {
    return id_type == kInt32 ? Tensor::Scalar(static_cast<int32_t>(v)) : Tensor::Scalar(v);
  };
  Output flat = Reshape(ids, {-1});
  Output position = Range(graph, 0, Size(flat), 1);
  Output which;
  Output row;
  if (strategy == PartitionStrategy::kMod) {
    which = FloorMod(flat, number(n));
    row = FloorDiv(flat, number(n));
  } else {
    // The first `extras` tables have one more row than the others.
    Output total = TotalRows(graph, params, id_type);
    Output per_table = FloorDiv(total, number(n));
    Output extras = FloorMod(total, number(n));
    which = Maximum(FloorDiv(flat, per_table + 1), FloorDiv(flat - extras, per_table));
    row = Select(Less(which, extras), FloorMod(flat, per_table + 1), FloorMod(flat - extras, per_table));
  }
  which = Cast(which, kInt32);
  WEIR_TRY(graph.TakeError());
  OutputList rows_of = DynamicPartition(row, which, n);
  OutputList positions = DynamicPartition(position, which, n);
  WEIR_TRY(graph.TakeError());
  InputList gathered;
  InputList index_lists;
  for (int64_t i = 0; i < n; ++i) {
    WEIR_ASSIGN(Output rows, GatherRows(graph, params[i], rows_of[i], max_norm, ""));
    gathered.push_back(rows);
    index_lists.push_back(positions[i]);
  }
  Output joined = ParallelDynamicStitch(graph, index_lists, gathered, {.name = ExactScopeName(scope)});
  // [ids..., row...]
  const Output first = gathered[0].output();
  Output row_shape = StridedSlice(ShapeOf(first), {1}, {0}, {1}, {.end_mask = 1});
  Output shape = ConcatV2(graph, {ShapeOf(ids), row_shape}, 0);
  Output result = Reshape(joined, shape);
  WEIR_TRY(graph.TakeError());
  if (first.shape().known_rank() && ids.shape().known_rank()) {
    Result<PartialShape> tail = first.shape().Sub(1);
    if (tail.ok()) WEIR_TRY(graph.SetShape(result, ids.shape().Concat(*tail)));
  }
  return result;
}

Result<Output> EmbeddingLookupSparse(Graph& graph, const InputList& params, const SparseIds& ids,
                                     const std::optional<SparseIds>& weights, PartitionStrategy strategy,
                                     Combiner combiner, const Input& max_norm, std::string name) {
  if (weights.has_value()) {
    const std::pair<Output, Output> parts[] = {
        {ids.values, weights->values}, {ids.indices, weights->indices}, {ids.dense_shape, weights->dense_shape}};
    for (const auto& [id, weight] : parts)
      if (!id.shape().CompatibleWith(weight.shape()))
        return InvalidArgument("Shapes {} and {} are incompatible: sp_ids and sp_weights must have the same shape",
                               TupleText(id.shape()), TupleText(weight.shape()));
  }
  NameScope scope(graph, NameOrDefault(name, "embedding_lookup_sparse"));
  Output segments =
      Cast(StridedSlice(ids.indices, {0, 0}, {0, 1}, {1, 1}, {.begin_mask = 1, .end_mask = 1, .shrink_axis_mask = 2}),
           kInt32);
  UniqueResult unique = Unique(ids.values);
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Output rows, EmbeddingLookup(graph, params, unique.y, strategy, max_norm));
  Output result;
  if (!weights.has_value()) {
    switch (combiner) {
      case Combiner::kSum:
        result = SparseSegmentSum(rows, unique.idx, segments);
        break;
      case Combiner::kMean:
        result = SparseSegmentMean(rows, unique.idx, segments);
        break;
      case Combiner::kSqrtN:
        result = SparseSegmentSqrtN(rows, unique.idx, segments);
        break;
    }
  } else {
    Output w = weights->values;
    if (w.base_dtype() != rows.base_dtype()) w = Cast(w, rows.base_dtype());
    Output picked = GatherV2(rows, unique.idx, 0);
    // Reshape the weights to broadcast over the rows.
    Output ones = Fill(graph, ExpandDims(Rank(picked) - 1, 0), 1);
    Output column = Reshape(w, ConcatV2(graph, {ShapeOf(w), ones}, 0));
    Output weighted = picked * column;
    WEIR_TRY(graph.TakeError());
    WEIR_TRY(graph.SetShape(weighted, picked.shape()));
    result = SegmentSum(weighted, segments);
    if (combiner == Combiner::kMean) result = RealDiv(result, SegmentSum(column, segments));
    if (combiner == Combiner::kSqrtN) result = RealDiv(result, Sqrt(SegmentSum(column * column, segments)));
  }
  WEIR_TRY(graph.TakeError());
  return result;
}

namespace {

struct SampledLogits {
  Output logits;
  Output labels;
};

// Logits of the true and the sampled classes, concatenated, and their labels.
Result<SampledLogits> ComputeSampledLogits(Graph& graph, const InputList& weights, const Input& biases,
                                           const Input& labels_in, const Input& inputs, int64_t num_sampled,
                                           int64_t num_classes, bool subtract_log_q,
                                           const SampledLossOptions& options) {
  WEIR_ASSIGN(Output labels, ToOutput(graph, labels_in, kInvalidType, "labels"));
  if (labels.base_dtype() != kInt64) labels = Cast(labels, kInt64);
  WEIR_ASSIGN(Output x, ToOutput(graph, inputs, kInvalidType, "inputs"));
  Output flat_labels = Reshape(labels, {-1});
  SampledCandidates drawn;
  if (options.sampled_values.has_value()) {
    drawn = *options.sampled_values;
  } else {
    const auto [seed1, seed2] = SeedsFor(graph, options.seed);
    auto sampled = LogUniformCandidateSampler(graph, labels, options.num_true, num_sampled, true, num_classes,
                                              {.seed = seed1, .seed2 = seed2});
    drawn = {sampled.sampled_candidates, sampled.true_expected_count, sampled.sampled_expected_count};
  }
  WEIR_TRY(graph.TakeError());
  drawn.sampled = StopGradient(drawn.sampled);
  drawn.true_expected = StopGradient(drawn.true_expected);
  drawn.sampled_expected = StopGradient(drawn.sampled_expected);
  Output sampled = drawn.sampled.base_dtype() == kInt64 ? drawn.sampled : Cast(drawn.sampled, kInt64);
  Output all_ids = ConcatV2(graph, {flat_labels, sampled}, 0);
  WEIR_ASSIGN(Output all_w, EmbeddingLookup(graph, weights, all_ids, options.strategy));
  WEIR_ASSIGN(Output all_b, EmbeddingLookup(graph, {biases}, all_ids, options.strategy));
  Output count = Reshape(Size(flat_labels), {1});
  Output zero_then = Constant(graph, Tensor::Vector<int32_t>({0}));
  Output minus_one = Constant(graph, Tensor::Vector<int32_t>({-1}));
  Output true_w = Slice(all_w, ConcatV2(graph, {zero_then, zero_then}, 0), ConcatV2(graph, {count, minus_one}, 0));
  Output sampled_w = Slice(all_w, ConcatV2(graph, {count, zero_then}, 0), ConcatV2(graph, {minus_one, minus_one}, 0));
  Output true_b = Slice(all_b, zero_then, count);
  Output sampled_b = Slice(all_b, count, minus_one);
  Output sampled_logits = MatMul(x, sampled_w, {.transpose_b = true}) + sampled_b;
  // Multiply each example with its own num_true classes.
  const int num_true = static_cast<int>(options.num_true);
  Output dim = StridedSlice(ShapeOf(true_w), {1}, {2}, {1});
  Output shape3 = ConcatV2(graph, {Tensor::Vector<int32_t>({-1, num_true}), dim}, 0);
  Output products = ExpandDims(x, 1) * Reshape(true_w, shape3);
  Output true_logits = Reshape(Sum(products, {2}), {-1, num_true}) + Reshape(true_b, {-1, num_true});
  if (options.remove_accidental_hits) {
    auto hits = ComputeAccidentalHits(graph, labels, sampled, options.num_true);
    Output where = Pack(graph, {hits.indices, Cast(hits.ids, kInt32)}, {.axis = 1});
    Output at = ScatterNd(where, Cast(hits.weights, sampled_logits.base_dtype()), ShapeOf(sampled_logits));
    sampled_logits = sampled_logits + at;
  }
  if (subtract_log_q) {
    true_logits = true_logits - Log(drawn.true_expected);
    sampled_logits = sampled_logits - Log(drawn.sampled_expected);
  }
  Output logits = ConcatV2(graph, {true_logits, sampled_logits}, 1);
  Output targets =
      ConcatV2(graph, {OnesLike(true_logits) / static_cast<float>(num_true), ZerosLike(sampled_logits)}, 1);
  WEIR_TRY(graph.TakeError());
  return SampledLogits{logits, targets};
}

}  // namespace

Result<Output> SampledSoftmaxLoss(Graph& graph, const InputList& weights, const Input& biases, const Input& labels,
                                  const Input& inputs, int64_t num_sampled, int64_t num_classes,
                                  const SampledLossOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "sampled_softmax_loss"));
  WEIR_ASSIGN(SampledLogits sampled,
              ComputeSampledLogits(graph, weights, biases, labels, inputs, num_sampled, num_classes, true, options));
  Output loss = SoftmaxCrossEntropy(sampled.logits, StopGradient(sampled.labels));
  WEIR_TRY(graph.TakeError());
  return loss;
}

Result<Output> NceLoss(Graph& graph, const InputList& weights, const Input& biases, const Input& labels,
                       const Input& inputs, int64_t num_sampled, int64_t num_classes, SampledLossOptions options) {
  NameScope scope(graph, NameOrDefault(options.name, "nce_loss"));
  WEIR_ASSIGN(SampledLogits sampled,
              ComputeSampledLogits(graph, weights, biases, labels, inputs, num_sampled, num_classes, true, options));
  Output losses = SigmoidCrossEntropy(sampled.logits, sampled.labels, "sampled_losses");
  Output summed = ReduceSum(losses, 1);
  WEIR_TRY(graph.TakeError());
  return summed;
}

}  // namespace weir
