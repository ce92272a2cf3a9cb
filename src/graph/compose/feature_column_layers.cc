#include "graph/compose/feature_column_layers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/default_scope.h"
#include "graph/compose/layer_weights.h"
#include "graph/compose/names.h"
#include "graph/compose/weights.h"
#include "graph/graph_keys.h"
#include "graph/node_builder.h"
#include "graph/texts.h"
#include "tensor/tensor.h"

namespace weir {
namespace feature_column {
namespace {

void AddMissing(std::vector<std::string>& collections, const char* name) {
  if (std::find(collections.begin(), collections.end(), name) == collections.end()) collections.emplace_back(name);
}

// The variable of shared embeddings, or null if no layer has made it yet.
Result<FoundVariable> SharedTable(Graph& graph, const std::string& name, const PartialShape& shape) {
  FoundVariable found;
  for (const std::any& item : graph.collections().Items(name)) {
    if (const VariablePtr* whole = std::any_cast<VariablePtr>(&item)) found.whole = *whole;
    if (const auto* pieces = std::any_cast<std::shared_ptr<PartitionedVariable>>(&item)) found.pieces = *pieces;
  }
  const PartialShape known = found.whole != nullptr    ? found.whole->shape()
                             : found.pieces != nullptr ? found.pieces->shape
                                                       : shape;
  if (known.CompatibleWith(shape)) return found;
  return InvalidArgument("shared embeddings '{}' have shape {}, not {}: another graph element uses the collection",
                         name, known, shape);
}

Result<Output> IndicatorValue(Transforms& transforms, const Indicator& column) {
  Graph& graph = transforms.graph();
  WEIR_ASSIGN(const IdsAndWeights ids, transforms.Ids(column.categorical));
  const int64_t depth = column.categorical.num_buckets();
  if (!ids.weights.has_value())
    return ReduceSum(ComposeOneHot(graph, SparseToDense(ids.ids, -1), depth, 1.0f, 0.0f), -2);
  WEIR_ASSIGN(Sparse weighted, SparseMerge({ids.ids}, *ids.weights, {depth}));
  // SparseSlice drops the ids that are out of range.
  weighted = SparseSlice(weighted, std::vector<int64_t>{0, 0}, weighted.dense_shape);
  return ScatterNd(weighted.indices, weighted.values, weighted.dense_shape);
}

// The partitions of a variable. Empty if a custom getter returned a value that is not a variable.
std::vector<VariablePtr> PartsOf(const FoundVariable& variable) {
  if (variable.pieces != nullptr) return variable.pieces->parts;
  if (variable.whole != nullptr) return {variable.whole};
  return {};
}

// A variable as the params of an embedding lookup.
InputList TablesOf(const FoundVariable& variable) {
  if (variable.whole == nullptr && variable.pieces == nullptr) return {variable.value};
  InputList tables;
  for (const VariablePtr& part : PartsOf(variable))
    tables.push_back(part->is_resource() ? part->handle() : part->AsInput());
  return tables;
}

// The table of an embedding column. Adds the variables that it makes to `made`.
Result<FoundVariable> EmbeddingTable(Transforms& transforms, const FeatureColumn& column,
                                     const VariableSettings& settings, std::vector<VariablePtr>& made) {
  const Embedding& embedding = *As<Embedding>(column);
  Graph& graph = transforms.graph();
  const PartialShape shape{embedding.categorical.num_buckets(), embedding.dimension};
  const std::string& shared = embedding.shared_name;
  if (!shared.empty()) {
    WEIR_ASSIGN(const FoundVariable known, SharedTable(graph, shared, shape));
    if (known.whole != nullptr || known.pieces != nullptr) return known;
  }
  const ScopedInitializer initializer =
      embedding.options.initializer
          ? embedding.options.initializer
          : TruncatedNormalInitializer(0, 1 / std::sqrt(static_cast<double>(embedding.dimension)));
  WEIR_ASSIGN(FoundVariable table,
              VariableScopeStack(graph).GetAny({.name = "embedding_weights",
                                                .shape = shape,
                                                .dtype = kFloat,
                                                .initializer = std::make_shared<const ScopedInitializer>(initializer),
                                                .trainable = settings.trainable && embedding.options.trainable,
                                                .collections = settings.collections}));
  made = PartsOf(table);
  if (table.whole != nullptr && !shared.empty()) graph.collections().Add(shared, table.whole);
  if (table.pieces != nullptr && !shared.empty()) graph.collections().Add(shared, table.pieces);
  if (embedding.options.restore) WEIR_TRY(embedding.options.restore(table));
  return table;
}

Result<ColumnValue> EmbeddingValue(Transforms& transforms, const FeatureColumn& column,
                                   const VariableSettings& settings) {
  const Embedding& embedding = *As<Embedding>(column);
  Graph& graph = transforms.graph();
  // Only the variable of shared embeddings is outside of the column's own name scope.
  std::optional<NameScope> names;
  if (!embedding.shared_name.empty()) names.emplace(graph, column.name());
  WEIR_ASSIGN(const IdsAndWeights ids, transforms.Ids(embedding.categorical));
  ColumnValue value;
  WEIR_ASSIGN(const FoundVariable table, EmbeddingTable(transforms, column, settings, value.variables));
  std::optional<SparseIds> weights;
  if (ids.weights.has_value()) weights = SparseIds{ids.weights->indices, ids.weights->values, ids.weights->dense_shape};
  SafeLookupOptions options{.name = column.name() + "_weights"};
  WEIR_ASSIGN(options.combiner, CombinerNamed(embedding.options.combiner));
  if (embedding.options.max_norm.has_value()) options.max_norm = *embedding.options.max_norm;
  WEIR_ASSIGN(value.value,
              SafeEmbeddingLookupSparse(graph, TablesOf(table), {ids.ids.indices, ids.ids.values, ids.ids.dense_shape},
                                        weights, options));
  return value;
}

}  // namespace

VariableSettings SettingsWith(std::vector<std::string> collections, bool trainable) {
  AddMissing(collections, graph_keys::kGlobalVariables);
  AddMissing(collections, graph_keys::kModelVariables);
  return {std::move(collections), trainable};
}

Result<ColumnValue> CategoricalValue(Transforms& transforms, const FeatureColumn& column,
                                     const VariableSettings& settings) {
  if (As<Embedding>(column) != nullptr) return EmbeddingValue(transforms, column, settings);
  ColumnValue value;
  WEIR_ASSIGN(value.value, IndicatorValue(transforms, *As<Indicator>(column)));
  return value;
}

Result<ColumnValue> DenseValue(Transforms& transforms, const FeatureColumn& column, const VariableSettings& settings) {
  if (column.is_sequence())
    return InvalidArgument("column '{}' is of a sequence column: it needs sequence_input_layer", column.name());
  if (As<Embedding>(column) != nullptr || As<Indicator>(column) != nullptr)
    return CategoricalValue(transforms, column, settings);
  ColumnValue value;
  WEIR_ASSIGN(value.value, transforms.Numbers(column));
  if (const Bucketized* bucketized = As<Bucketized>(column)) {
    const auto depth = static_cast<int64_t>(bucketized->boundaries.size()) + 1;
    value.value = ComposeOneHot(transforms.graph(), Cast(value.value, kInt64), depth, 1.0f, 0.0f);
  }
  return value;
}

int64_t SizeOf(const FeatureColumn& column) {
  const std::vector<int64_t> shape = column.variable_shape();
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

Result<FeatureColumns> SortedColumns(const FeatureColumns& columns) {
  if (columns.empty()) return InvalidArgument("feature_columns must not be empty");
  for (const FeatureColumn& column : columns) {
    if (!column.valid()) return InvalidArgument("a feature column is missing");
    WEIR_TRY(column.status());
  }
  FeatureColumns sorted = columns;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FeatureColumn& a, const FeatureColumn& b) { return a.name() < b.name(); });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].name() == sorted[i - 1].name())
      return InvalidArgument("two feature columns have the name '{}': drop or rename one of them", sorted[i].name());
  return sorted;
}

Status CheckBatchSizes(const std::vector<ColumnOutput>& outputs) {
  const ColumnOutput* first = nullptr;
  for (const ColumnOutput& output : outputs) {
    const PartialShape shape = output.value.shape();
    if (!shape.known_rank() || shape.rank() == 0 || shape[0] < 0) continue;
    if (first == nullptr) first = &output;
    if (first->value.shape()[0] != shape[0])
      return InvalidArgument("the columns have different numbers of examples: '{}' has {}, '{}' has {}",
                             first->column.name(), first->value.shape()[0], output.column.name(), shape[0]);
  }
  return OkStatus();
}

Result<ColumnOutputs> OutputsOf(Transforms& transforms, const FeatureColumns& sorted, const VariableSettings& settings,
                                Result<ColumnValue> (*value_of)(Transforms&, const FeatureColumn&,
                                                                const VariableSettings&),
                                Output (*flatten)(const FeatureColumn&, Output value)) {
  Graph& graph = transforms.graph();
  ColumnOutputs outputs;
  for (const FeatureColumn& column : sorted) {
    const DefaultScope scope(graph, "", column.variable_scope());
    WEIR_ASSIGN(ColumnValue value, value_of(transforms, column, settings));
    WEIR_TRY(graph.TakeError());
    const Output flat = flatten(column, value.value);
    WEIR_TRY(graph.TakeError());
    outputs.values.push_back(flat);
    outputs.lengths.push_back(value.lengths);
    outputs.columns.push_back({column, flat, std::move(value.variables)});
  }
  WEIR_TRY(CheckBatchSizes(outputs.columns));
  return outputs;
}

namespace {

// [batch, size of the column]
Output FlatColumn(const FeatureColumn& column, Output x) {
  return Reshape(x, Pack(x.graph(), {BatchSize(x), SizeOf(column)}));
}

Result<FoundVariable> ZeroWeights(Graph& graph, const char* name, const PartialShape& shape,
                                  const VariableSettings& settings) {
  return VariableScopeStack(graph).GetAny({.name = name,
                                           .shape = shape,
                                           .dtype = kFloat,
                                           .initializer = std::make_shared<const ScopedInitializer>(ZerosInitializer()),
                                           .trainable = settings.trainable,
                                           .collections = settings.collections});
}

Output WholeValue(const FoundVariable& variable) {
  if (variable.whole != nullptr) return variable.whole->AsInput();
  return variable.pieces != nullptr ? variable.pieces->AsInput() : variable.value;
}

// The weights of a categorical column are an embedding whose size is the number of units.
Result<Output> CategoricalSum(Transforms& transforms, const FeatureColumn& column, const FoundVariable& weights,
                              Combiner combiner) {
  Graph& graph = transforms.graph();
  WEIR_ASSIGN(IdsAndWeights ids, transforms.Ids(column));
  const auto flat = [&](const Sparse& sparse) {
    return SparseReshape(sparse, Cast(Pack(graph, {BatchSize(sparse), -1}), kInt64));
  };
  ids.ids = flat(ids.ids);
  std::optional<SparseIds> id_weights;
  if (ids.weights.has_value()) {
    const Sparse w = flat(*ids.weights);
    id_weights = SparseIds{w.indices, w.values, w.dense_shape};
  }
  WEIR_TRY(graph.TakeError());
  return SafeEmbeddingLookupSparse(graph, TablesOf(weights), {ids.ids.indices, ids.ids.values, ids.ids.dense_shape},
                                   id_weights, {.combiner = combiner, .name = "weighted_sum"});
}

// The names of the columns' scopes. As in TensorFlow, they are unique in the scope around the
// model, not only inside the model: a second model has names such as "linear_model_1/age_1".
std::vector<std::string> ScopeNames(Graph& graph, const FeatureColumns& columns) {
  const VariableScopeStack scopes(graph);
  std::vector<std::string> names;
  for (const FeatureColumn& column : columns) {
    names.push_back(scopes.UniqueScopeName(column.variable_scope()));
    scopes.Opened(names.back(), {}, {});  // counts it
  }
  return names;
}

Result<ColumnOutput> WeightedSum(Transforms& transforms, const FeatureColumn& column, const std::string& scope_name,
                                 const LinearModelOptions& options, const VariableSettings& settings) {
  Graph& graph = transforms.graph();
  const bool categorical = column.is_categorical();
  if (!categorical && (!column.is_dense() || column.is_sequence()))
    return InvalidArgument("a linear model takes dense and categorical columns, '{}' is neither", column.name());
  const DefaultScope scope(graph, scope_name, scope_name);
  const int64_t rows = categorical ? column.num_buckets() : SizeOf(column);
  WEIR_ASSIGN(const FoundVariable weights, ZeroWeights(graph, "weights", PartialShape{rows, options.units}, settings));
  ColumnOutput output{column, Output(), PartsOf(weights)};
  if (categorical) {
    WEIR_ASSIGN(const Combiner combiner, CombinerNamed(options.sparse_combiner));
    WEIR_ASSIGN(output.value, CategoricalSum(transforms, column, weights, combiner));
  } else {
    WEIR_ASSIGN(const ColumnValue dense, DenseValue(transforms, column, settings));
    output.value = MatMul(FlatColumn(column, dense.value), WholeValue(weights), {.name = "weighted_sum"});
  }
  WEIR_TRY(graph.TakeError());
  return output;
}

}  // namespace
}  // namespace feature_column

using namespace feature_column;

Result<InputLayerResult> InputLayer(Graph& graph, const FeatureValues& features, const FeatureColumns& columns,
                                    const InputLayerOptions& options) {
  WEIR_ASSIGN(const FeatureColumns sorted, SortedColumns(columns));
  for (const FeatureColumn& column : sorted)
    if (!column.is_dense())
      return InvalidArgument(
          "column '{}' is not dense: an input layer takes categorical columns in an embedding_column or an "
          "indicator_column",
          column.name());
  const VariableSettings settings = SettingsWith(options.weight_collections, options.trainable);
  Transforms transforms(graph, features);
  const DefaultScope scope(graph, options.name, "input_layer");
  WEIR_ASSIGN(ColumnOutputs outputs, OutputsOf(transforms, sorted, settings, DenseValue, FlatColumn));
  InputLayerResult result;
  result.columns = std::move(outputs.columns);
  result.value = Concat(graph, outputs.values, 1);
  WEIR_TRY(graph.TakeError());
  return result;
}

Result<LinearModelResult> LinearModel(Graph& graph, const FeatureValues& features, const FeatureColumns& columns,
                                      const LinearModelOptions& options) {
  WEIR_ASSIGN(const FeatureColumns sorted, SortedColumns(columns));
  const VariableSettings settings = SettingsWith(options.weight_collections, options.trainable);
  Transforms transforms(graph, features);
  const std::vector<std::string> names = ScopeNames(graph, sorted);
  const DefaultScope scope(graph, options.name, "linear_model");
  LinearModelResult result;
  OutputList sums;
  for (size_t i = 0; i < sorted.size(); ++i) {
    WEIR_ASSIGN(ColumnOutput output, WeightedSum(transforms, sorted[i], names[i], options, settings));
    sums.push_back(output.value);
    result.columns.push_back(std::move(output));
  }
  WEIR_TRY(CheckBatchSizes(result.columns));
  const Output sum = sums.size() == 1 ? Identity(sums[0], {.name = "weighted_sum_no_bias"})
                                      : AddN(InputList(sums.begin(), sums.end()), {.name = "weighted_sum_no_bias"});
  WEIR_ASSIGN(const FoundVariable bias, ZeroWeights(graph, "bias_weights", PartialShape{options.units}, settings));
  result.bias = PartsOf(bias);
  result.value = BiasAdd(sum, WholeValue(bias), {.name = "weighted_sum"});
  WEIR_TRY(graph.TakeError());
  return result;
}

}  // namespace weir
