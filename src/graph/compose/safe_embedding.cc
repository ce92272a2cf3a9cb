// Embedding lookups that accept invalid ids and empty rows.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/embedding.h"
#include "graph/compose/names.h"
#include "graph/compose/sparse.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

struct SafeIds {
  Sparse ids;
  std::optional<Sparse> weights;
};

// The entries for which `keep` is true.
SafeIds KeptIds(const SafeIds& all, Output keep) {
  SafeIds kept{SparseRetain(all.ids, keep), {}};
  if (all.weights.has_value()) kept.weights = SparseRetain(*all.weights, keep);
  return kept;
}

SafeIds WithoutInvalid(SafeIds all, Combiner combiner) {
  const Output ids = all.ids.values;
  all = KeptIds(all, GreaterEqual(ids, 0));
  if (!all.weights.has_value() || combiner == Combiner::kSum) return all;
  const Output weights = all.weights->values;
  return KeptIds(all, Greater(weights, 0));
}

// The rank of the ids, and their shape without the last dimension. A known rank is a number.
struct OuterShape {
  int64_t rank = kUnknownDim;
  Output rows;  // [1]: the number of rows if the ids were a matrix
  Output last;  // the last dimension
  Input size;   // [1]: rank - 1
};

OuterShape OuterShapeOf(Graph& graph, Output shape) {
  OuterShape outer;
  const PartialShape static_shape = shape.shape();
  if (static_shape.known_rank() && static_shape.rank() == 1) outer.rank = static_shape[0];
  if (outer.rank >= 0) {
    outer.size = std::vector<int64_t>{outer.rank - 1};
    outer.last = GatherV2(shape, static_cast<int>(outer.rank - 1), 0);
  } else {
    const Output last = Size(shape) - 1;
    outer.size = Reshape(last, {1});
    outer.last = GatherV2(shape, last, 0);
  }
  outer.rows = Prod(Slice(shape, {0}, outer.size), {0});
  return outer;
}

}  // namespace

Result<Output> SafeEmbeddingLookupSparse(Graph& graph, const InputList& params, const SparseIds& ids_in,
                                         const std::optional<SparseIds>& weights_in, const SafeLookupOptions& options) {
  NameScope scope(graph, NameOrDefault(options.name, "embedding_lookup"));
  const OuterShape outer = OuterShapeOf(graph, ids_in.dense_shape);
  WEIR_TRY(graph.TakeError());
  const SparseReshapeResult flat =
      SparseReshape(graph, ids_in.indices, ids_in.dense_shape, Pack(graph, {outer.rows, outer.last}));
  SafeIds all{{flat.output_indices, ids_in.values, flat.output_shape}, {}};
  if (weights_in.has_value()) all.weights = Sparse{flat.output_indices, weights_in->values, flat.output_shape};
  WEIR_TRY(graph.TakeError());
  all = WithoutInvalid(all, options.combiner);
  WEIR_TRY(graph.TakeError());
  const FilledRows filled = SparseFillEmptyRows(all.ids, options.default_id.value_or(0));
  std::optional<SparseIds> weights;
  if (all.weights.has_value()) {
    const Sparse w = SparseFillEmptyRows(*all.weights, 1).sparse;
    weights = SparseIds{w.indices, w.values, w.dense_shape};
  }
  WEIR_TRY(graph.TakeError());
  WEIR_ASSIGN(Output rows, EmbeddingLookupSparse(
                               graph, params, {filled.sparse.indices, filled.sparse.values, filled.sparse.dense_shape},
                               weights, options.strategy, options.combiner, options.max_norm));
  if (!options.default_id.has_value()) {
    const Output width = StridedSlice(ShapeOf(rows), {1}, {2}, {1}, {.shrink_axis_mask = 1});
    const Output empty = Tile(Reshape(filled.empty_row_indicator, {-1, 1}), Pack(graph, {1, width}));
    rows = Select(empty, ZerosLike(rows), rows, {.name = ExactScopeName(scope)});
  }
  const Output result = Reshape(
      rows,
      ConcatV2(graph, {Slice(Cast(ids_in.dense_shape, kInt32), {0}, outer.size), Slice(ShapeOf(rows), {1}, {-1})}, 0));
  WEIR_TRY(graph.TakeError());
  if (outer.rank >= 1 && rows.shape().known_rank()) {
    const PartialShape outer_shape(DimVector(static_cast<size_t>(outer.rank - 1), kUnknownDim));
    WEIR_ASSIGN(const PartialShape tail, rows.shape().Sub(1));
    WEIR_TRY(graph.SetShape(result, outer_shape.Concat(tail)));
  }
  return result;
}

}  // namespace weir
