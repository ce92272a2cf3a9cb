#include "graph/compose/feature_column_transforms.h"

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/string_ops.h"
#include "graph/compose/array.h"
#include "graph/compose/checks.h"
#include "graph/compose/dims.h"
#include "graph/compose/lookup.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir::feature_column {
namespace {

// Adds a dimension to a vector whose rank is unknown while the graph is built; other ranks stay.
Output WithTwoDimensions(Output shape, DType dtype) {
  Graph& graph = shape.graph();
  const Output is_vector = Reshape(Cast(Equal(Size(shape), 1), kInt32), {1});
  return ConcatV2(graph, {shape, Fill(graph, is_vector, Cast(Constant(graph, Tensor::Scalar(int32_t{1})), dtype))}, 0);
}

Status NoScalars(const std::string& key) {
  return InvalidArgument("feature '{}' must not be a scalar: its first dimension is that of the examples", key);
}

Result<Output> AtLeastMatrix(const std::string& key, Output x) {
  const PartialShape shape = x.shape();
  if (shape.known_rank()) {
    if (shape.rank() == 0) return NoScalars(key);
    return shape.rank() == 1 ? ExpandDims(x, -1) : x;
  }
  Graph& graph = x.graph();
  WEIR_ASSIGN(Node * check, AssertRank(graph, Relation::kGreaterEqual, x, {1},
                                       {.message = fmt::format("feature '{}' must not be a scalar", key)}));
  ControlDependencies after(graph, {check});
  return Reshape(x, WithTwoDimensions(ShapeOf(x), kInt32));
}

Result<Sparse> AtLeastMatrix(const std::string& key, const Sparse& x) {
  const PartialShape shape = x.dense_shape.shape();
  const int64_t rank = shape.known_rank() && shape.rank() == 1 ? shape[0] : kUnknownDim;
  if (rank == 0) return NoScalars(key);
  if (rank > 1) return x;
  Graph& graph = x.values.graph();
  if (rank == 1) return SparseReshape(x, ConcatV2(graph, {x.dense_shape, Tensor::Vector<int64_t>({1})}, 0));
  return SparseReshape(x, WithTwoDimensions(x.dense_shape, kInt64));
}

// Fails unless the feature and the column both have strings, or both integers.
Status CheckSameClass(const std::string& key, DType column, DType feature) {
  if (feature != kString && !IsInteger(feature))
    return InvalidArgument("feature '{}' of a categorical column must have strings or integers, not {}", key, feature);
  if ((column == kString) == (feature == kString)) return OkStatus();
  return InvalidArgument("feature '{}' has type {}, which does not match the dtype {} of its column", key, feature,
                         column);
}

Output AsInt64(Output x, std::string name = "") {
  return x.base_dtype() == kInt64 ? x : Cast(x, kInt64, {.name = std::move(name)});
}

}  // namespace

Output BatchSize(Output x) { return StridedSlice(ShapeValue(x.graph(), x), {0}, {1}, {1}, {.shrink_axis_mask = 1}); }

Output BatchSize(const Sparse& x) {
  return StridedSlice(Cast(x.dense_shape, kInt32), {0}, {1}, {1}, {.shrink_axis_mask = 1});
}

Result<Combiner> CombinerNamed(const std::string& text) {
  if (text == "mean") return Combiner::kMean;
  if (text == "sqrtn") return Combiner::kSqrtN;
  if (text == "sum") return Combiner::kSum;
  return InvalidArgument("a combiner is 'mean', 'sqrtn' or 'sum', not '{}'", text);
}

Result<RawFeature> Transforms::Raw(const std::string& key) {
  if (const auto known = raw_.find(key); known != raw_.end()) return known->second;
  const auto found = features_.find(key);
  if (found == features_.end()) return InvalidArgument("feature '{}' is not among the features", key);
  RawFeature raw;
  if (const Sparse* sparse = std::get_if<Sparse>(&found->second)) {
    WEIR_ASSIGN(raw, AtLeastMatrix(key, *sparse));
  } else {
    WEIR_ASSIGN(const Output value, ToOutput(graph_, std::get<Input>(found->second)));
    WEIR_ASSIGN(raw, AtLeastMatrix(key, value));
  }
  WEIR_TRY(graph_.TakeError());
  raw_[key] = raw;
  return raw;
}

Result<Sparse> Transforms::RawSparse(const std::string& key, bool zero_is_missing) {
  WEIR_ASSIGN(const RawFeature raw, Raw(key));
  if (const Sparse* sparse = std::get_if<Sparse>(&raw)) return *sparse;
  const Output x = std::get<Output>(raw);
  const DType dtype = x.base_dtype();
  Input missing = dtype == kString ? Input("") : IsInteger(dtype) && !zero_is_missing ? Input(-1) : Input(0);
  NameScope scope(graph_, "to_sparse_input");
  const Output present = NotEqual(x, missing);
  const Output indices = weir::Where(present, {.name = "indices"});
  const Sparse sparse{indices, GatherNd(x, indices, {.name = "values"}), ShapeValue(graph_, x, kInt64, "dense_shape")};
  WEIR_TRY(graph_.TakeError());
  return sparse;
}

Result<Output> Transforms::Numbers(const FeatureColumn& column) {
  const auto known = numbers_.find(&column.description());
  if (known != numbers_.end()) return known->second;
  WEIR_ASSIGN(const Output made, MakeNumbers(column));
  WEIR_TRY(graph_.TakeError());
  return numbers_[&column.description()] = made;
}

Result<Output> Transforms::MakeNumbers(const FeatureColumn& column) {
  if (const Bucketized* bucketized = As<Bucketized>(column)) {
    WEIR_ASSIGN(const Output source, Numbers(bucketized->source));
    return Bucketize(source, bucketized->boundaries);
  }
  const Numeric* numeric = As<Numeric>(column);
  if (numeric == nullptr) return Internal("column '{}' has no numbers", column.name());
  WEIR_ASSIGN(const RawFeature raw, Raw(numeric->key));
  const Output* dense = std::get_if<Output>(&raw);
  if (dense == nullptr)
    return InvalidArgument("feature '{}' of a numeric column must be dense, not a SparseTensor", numeric->key);
  Output x = *dense;
  if (numeric->options.normalizer) {
    WEIR_ASSIGN(x, numeric->options.normalizer(x));
  }
  return x.base_dtype() == kFloat ? x : Cast(x, kFloat);
}

Result<IdsAndWeights> Transforms::Ids(const FeatureColumn& column) {
  const auto known = ids_.find(&column.description());
  if (known != ids_.end()) return known->second;
  WEIR_ASSIGN(const IdsAndWeights made, MakeIds(column));
  WEIR_TRY(graph_.TakeError());
  return ids_[&column.description()] = made;
}

Result<IdsAndWeights> Transforms::MakeIds(const FeatureColumn& column) {
  if (const Weighted* c = As<Weighted>(column)) return WeightedIds(*c);
  if (const Sequence* c = As<Sequence>(column)) return SequenceIds(*c);
  Result<Sparse> ids = Internal("column '{}' has no ids", column.name());
  if (const Bucketized* c = As<Bucketized>(column)) ids = BucketIds(*c, column);
  if (const Hashed* c = As<Hashed>(column)) ids = HashedIds(*c);
  if (const IdentityIds* c = As<IdentityIds>(column)) ids = PlainIds(*c);
  if (const Vocabulary* c = As<Vocabulary>(column)) ids = VocabularyIds(*c);
  if (const Crossed* c = As<Crossed>(column)) ids = CrossedIds(*c);
  if (!ids.ok()) return ids.status();
  return IdsAndWeights{*ids, {}};
}

// Dimension i of the source has its own range of bucket numbers.
Result<Sparse> Transforms::BucketIds(const Bucketized& column, const FeatureColumn& self) {
  WEIR_ASSIGN(const Output buckets, Numbers(self));
  const auto width = static_cast<int>(As<Numeric>(column.source)->options.shape[0]);
  const auto per_dimension = static_cast<int>(column.boundaries.size()) + 1;
  const Output batch = BatchSize(buckets);
  const Output example = Reshape(Tile(ExpandDims(Range(graph_, 0, batch, 1), 1), std::vector<int64_t>{1, width}), {-1});
  const Output dimension = Tile(Range(graph_, 0, width, 1), Pack(graph_, {batch}));
  const Output ids = Reshape(buckets, {-1}) + per_dimension * dimension;
  const Output indices =
      Cast(TransposeAxes(graph_, Pack(graph_, {example, dimension}), std::vector<int64_t>{1, 0}), kInt64);
  return Sparse{indices, ids, Cast(Pack(graph_, {batch, width}), kInt64)};
}

Result<Sparse> Transforms::HashedIds(const Hashed& column) {
  WEIR_ASSIGN(Sparse ids, RawSparse(column.key));
  WEIR_TRY(CheckSameClass(column.key, column.dtype, ids.values.base_dtype()));
  const Output text = column.dtype == kString ? ids.values : AsString(ids.values);
  ids.values = StringToHashBucketFast(text, column.num_buckets, {.name = "lookup"});
  return ids;
}

Result<Sparse> Transforms::PlainIds(const IdentityIds& column) {
  WEIR_ASSIGN(Sparse ids, RawSparse(column.key));
  if (!IsInteger(ids.values.base_dtype()))
    return InvalidArgument("feature '{}' of an identity column must have integers, not {}", column.key,
                           ids.values.base_dtype());
  ids.values = AsInt64(ids.values, "values");
  if (column.default_value.has_value()) {
    const Output out = LogicalOr(Less(ids.values, 0), GreaterEqual(ids.values, Tensor::Scalar(column.num_buckets)),
                                 {.name = "out_of_range"});
    const Output fallback =
        Fill(graph_, ShapeOf(ids.values), Tensor::Scalar(*column.default_value), {.name = "default_values"});
    ids.values = Select(out, fallback, ids.values);
  }
  return ids;
}

Result<Sparse> Transforms::VocabularyIds(const Vocabulary& column) {
  WEIR_ASSIGN(Sparse ids, RawSparse(column.key));
  const VocabularyOptions& options = column.options;
  WEIR_TRY(CheckSameClass(column.key, options.dtype, ids.values.base_dtype()));
  DType key_dtype = kString;
  if (options.dtype != kString) {
    key_dtype = kInt64;
    ids.values = AsInt64(ids.values);
  }
  LookupTable table;
  {
    NameScope scope(graph_, column.key + "_lookup");
    const Tensor fallback = Tensor::Scalar(options.num_oov_buckets > 0 ? int64_t{-1} : options.default_value);
    TableContents contents;
    if (column.words.valid()) {
      std::vector<int64_t> numbers;
      for (int64_t i = 0; i < column.words.num_elements(); ++i) numbers.push_back(i);
      WEIR_ASSIGN(contents, TableFromLists(graph_, column.words, numbers, key_dtype, kInt64, "table_init"));
    } else {
      WEIR_ASSIGN(contents, TableFromFile(graph_, column.file,
                                          {.key_dtype = key_dtype,
                                           .value_dtype = kInt64,
                                           .key_index = TableContents::kWholeLine,
                                           .value_index = TableContents::kLineNumber,
                                           .vocab_size = column.size,
                                           .name = "table_init"}));
    }
    WEIR_ASSIGN(table, StaticTable(graph_, contents, fallback));
    table.num_oov_buckets = options.num_oov_buckets;
  }
  WEIR_ASSIGN(ids.values, LookUp(table, ids.values, "hash_table_Lookup"));
  return ids;
}

Result<Sparse> Transforms::CrossedIds(const Crossed& column) {
  std::vector<RawFeature> parts;
  for (const CrossedKey& key : LeafKeys(column)) {
    if (const std::string* text = std::get_if<std::string>(&key)) {
      WEIR_ASSIGN(const RawFeature raw, Raw(*text));
      parts.push_back(raw);
      continue;
    }
    const FeatureColumn& part = std::get<FeatureColumn>(key);
    WEIR_ASSIGN(const IdsAndWeights ids, Ids(part));
    if (ids.weights.has_value())
      return InvalidArgument("a crossed column cannot contain '{}': its ids have weights", part.name());
    parts.push_back(ids.ids);
  }
  return SparseCrossHashed(graph_, parts, column.num_buckets, column.hash_key);
}

Result<IdsAndWeights> Transforms::WeightedIds(const Weighted& column) {
  WEIR_ASSIGN(Sparse weights, RawSparse(column.weight_key, /*zero_is_missing=*/true));
  const DType dtype = weights.values.base_dtype();
  if (dtype != BaseType(column.dtype))
    return InvalidArgument("feature '{}' of weights has type {}, not {} as its column says", column.weight_key, dtype,
                           column.dtype);
  if (dtype != kFloat) weights.values = Cast(weights.values, kFloat);
  WEIR_ASSIGN(IdsAndWeights ids, Ids(column.categorical));
  ids.weights = weights;
  return ids;
}

// Makes the ids three-dimensional: [batch, steps, ids of a step].
Result<IdsAndWeights> Transforms::SequenceIds(const Sequence& column) {
  WEIR_ASSIGN(IdsAndWeights ids, Ids(column.categorical));
  const Output shape = ids.ids.dense_shape;
  const Output behind = StridedSlice(shape, {2}, {0}, {1}, {.end_mask = 1});
  const Output per_step = Prod(behind, Tensor::Vector<int32_t>({0}), {.keep_dims = true});
  const Output wanted = ConcatV2(graph_, {StridedSlice(shape, {0}, {2}, {1}, {.begin_mask = 1}), per_step}, 0);
  ids.ids = SparseReshape(ids.ids, wanted);
  if (ids.weights.has_value()) ids.weights = SparseReshape(*ids.weights, wanted);
  return ids;
}

}  // namespace weir::feature_column
