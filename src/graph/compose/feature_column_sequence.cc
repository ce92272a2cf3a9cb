// Sequence columns: a row of numbers per step of an example.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/feature_column_layers.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace feature_column {
namespace {

Output FirstDimension(Output vector) { return StridedSlice(vector, {0}, {1}, {1}, {.begin_mask = 1}); }

Output IndexColumn(const Sparse& sparse, int column) {
  return StridedSlice(sparse.indices, {0, column}, {0, column + 1}, {1, 1},
                      {.begin_mask = 1, .end_mask = 1, .shrink_axis_mask = 2});
}

// The number of steps of each example: the last position that has a value. A step has per_step positions.
Output StepCounts(const Sparse& sparse, int64_t per_step) {
  Graph& graph = sparse.values.graph();
  NameScope scope(graph, "sequence_length");
  const Output positions = SegmentMax(IndexColumn(sparse, 1) + 1, IndexColumn(sparse, 0));
  const Output steps = per_step == 1 ? positions : FloorDiv(positions + (per_step - 1), Tensor::Scalar(per_step));
  // SegmentMax has no rows for examples without values at the end of the batch.
  const Output missing = FirstDimension(sparse.dense_shape) - FirstDimension(ShapeOf(steps, {.out_type = kInt64}));
  const Output zeros = Fill(graph, missing, Tensor::Scalar(int64_t{0}));
  return ConcatV2(graph, {steps, zeros}, 0, {.name = scope.name() + "/"});
}

Result<ColumnValue> NumericSequence(Transforms& transforms, const SequenceNumeric& column) {
  Graph& graph = transforms.graph();
  WEIR_ASSIGN(const CrossInput raw, transforms.Raw(column.key));
  const Sparse* given = std::get_if<Sparse>(&raw);
  if (given == nullptr) return InvalidArgument("feature '{}' of a sequence column must be a SparseTensor", column.key);
  Sparse sparse = *given;
  if (column.options.normalizer) {
    WEIR_ASSIGN(sparse, column.options.normalizer(sparse));
  }
  ColumnValue value;
  const Output dense = SparseToDense(sparse, column.options.default_value);
  WEIR_TRY(graph.TakeError());
  InputList dims = {FirstDimension(ShapeOf(dense)), Tensor::Vector<int32_t>({-1}), column.options.shape};
  value.value = Reshape(dense, ConcatV2(graph, dims, 0));
  int64_t size = 1;
  for (const int64_t n : column.options.shape) size *= n;
  // In a sparse matrix, a row holds the elements of all steps of an example, `size` per step.
  const PartialShape shape = sparse.dense_shape.shape();
  value.lengths = StepCounts(sparse, shape.known_rank() && shape[0] == 2 ? size : 1);
  return value;
}

}  // namespace

Result<ColumnValue> SequenceValue(Transforms& transforms, const FeatureColumn& column,
                                  const VariableSettings& settings) {
  if (const SequenceNumeric* numeric = As<SequenceNumeric>(column)) return NumericSequence(transforms, *numeric);
  const Embedding* embedding = As<Embedding>(column);
  const FeatureColumn& categorical = embedding != nullptr ? embedding->categorical : As<Indicator>(column)->categorical;
  WEIR_ASSIGN(ColumnValue value, CategoricalValue(transforms, column, settings));
  WEIR_ASSIGN(const IdsAndWeights ids, transforms.Ids(categorical));
  value.lengths = StepCounts(ids.ids, 1);
  return value;
}

}  // namespace feature_column

using namespace feature_column;

namespace {

// [batch, steps, elements of variable_shape].
Output FlatSequence(const FeatureColumn& column, Output value) {
  Graph& graph = value.graph();
  const Output shape = ShapeValue(graph, value);
  const auto dim = [&](int i) { return StridedSlice(shape, {i}, {i + 1}, {1}, {.shrink_axis_mask = 1}); };
  return Reshape(value, Pack(graph, {dim(0), dim(1), SizeOf(column)}));
}

// The lengths of the first column, after a check that all columns have the same.
Result<Output> CommonLengths(Graph& graph, const OutputList& lengths) {
  if (lengths.size() == 1) return lengths[0];
  NameScope scope(graph, "assert_all_equal");
  std::vector<Node*> checks;
  for (size_t i = 1; i < lengths.size(); ++i) {
    WEIR_ASSIGN(Node * check, AssertRelation(graph, Relation::kEqual, lengths[0], lengths[i]));
    if (check != nullptr) checks.push_back(check);
  }
  ControlDependencies after(graph, checks);
  return Identity(lengths[0]);
}

}  // namespace

Result<SequenceInputResult> SequenceInputLayer(Graph& graph, const FeatureValues& features,
                                               const FeatureColumns& columns, const InputLayerOptions& options) {
  WEIR_ASSIGN(const FeatureColumns sorted, SortedColumns(columns));
  for (const FeatureColumn& column : sorted)
    if (!column.is_sequence())
      return InvalidArgument(
          "column '{}' is not a sequence: use sequence_numeric_column, or an embedding_column or indicator_column of a "
          "sequence_categorical_column",
          column.name());
  const VariableSettings settings = SettingsWith(options.weight_collections, options.trainable);
  Transforms transforms(graph, features);
  const DefaultScope scope(graph, options.name, "sequence_input_layer");
  WEIR_ASSIGN(ColumnOutputs outputs, OutputsOf(transforms, sorted, settings, SequenceValue, FlatSequence));
  SequenceInputResult result;
  result.columns = std::move(outputs.columns);
  WEIR_ASSIGN(result.lengths, CommonLengths(graph, outputs.lengths));
  result.value = Concat(graph, outputs.values, -1);
  WEIR_TRY(graph.TakeError());
  return result;
}

}  // namespace weir
