#include "graph/compose/feature_columns.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "graph/compose/dims.h"
#include "graph/compose/feature_column_kinds.h"
#include "graph/texts.h"
#include "tensor/tensor.h"

namespace weir {

using namespace feature_column;

namespace {

FeatureColumn NewColumn(Kind kind, std::string name, const Status& status = OkStatus()) {
  return FeatureColumn(std::make_shared<const FeatureColumn::Description>(
      FeatureColumn::Description{std::move(kind), std::move(name), status}));
}

// The name of a column that is made of another one.
std::string NameFrom(const FeatureColumn& source, const char* suffix) { return source.name() + suffix; }

Status CheckIdType(const std::string& key, DType dtype) {
  if (dtype == kString || IsInteger(dtype)) return OkStatus();
  return InvalidArgument("column '{}': the dtype must be string or an integer type, not {}", key, dtype);
}

Status CheckNumberType(const std::string& key, DType dtype) {
  if (IsFloating(dtype) || IsInteger(dtype)) return OkStatus();
  return InvalidArgument("column '{}': the dtype must be convertible to float, {} is not", key, dtype);
}

std::string ColumnShapeText(const std::vector<int64_t>& shape) {
  return TupleText(PartialShape(DimVector(shape.begin(), shape.end())));
}

Status CheckColumnShape(const std::string& key, const std::vector<int64_t>& shape) {
  for (const int64_t size : shape)
    if (size < 1)
      return InvalidArgument("column '{}': the dimensions of the shape must be greater than 0, not {}", key,
                             ColumnShapeText(shape));
  return OkStatus();
}

// The status of a column that `what` makes of a categorical one.
Status CheckCategorical(const FeatureColumn& column, const char* what) {
  if (!column.valid()) return InvalidArgument("{} needs a categorical column", what);
  WEIR_TRY(column.status());
  if (column.is_categorical()) return OkStatus();
  return InvalidArgument("{} needs a categorical column, '{}' is not one", what, column.name());
}

Status CheckVocabulary(const std::string& key, const VocabularyOptions& options) {
  WEIR_TRY(CheckIdType(key, options.dtype));
  if (options.num_oov_buckets < 0)
    return InvalidArgument("column '{}': invalid num_oov_buckets {}", key, options.num_oov_buckets);
  if (options.num_oov_buckets > 0 && options.default_value != -1)
    return InvalidArgument("column '{}': unknown words go to num_oov_buckets or to a default_value, not both", key);
  return OkStatus();
}

Status CheckWords(const std::string& key, const Tensor& words, DType dtype) {
  if (words.num_elements() == 0) return InvalidArgument("column '{}': the vocabulary is empty", key);
  if (words.dtype() != kString && words.dtype() != kInt64)
    return InvalidArgument("column '{}': the vocabulary must consist of strings or integers, not {}", key,
                           words.dtype());
  if ((words.dtype() == kString) != (dtype == kString))
    return InvalidArgument("column '{}': dtype {} does not match a vocabulary of {}", key, dtype, words.dtype());
  const auto distinct = [&](auto first) {
    return std::set(first, first + words.num_elements()).size() == static_cast<size_t>(words.num_elements());
  };
  if (words.dtype() == kString ? distinct(words.data<std::string>()) : distinct(words.data<int64_t>()))
    return OkStatus();
  return InvalidArgument("column '{}': the vocabulary contains a word twice", key);
}

Status CheckCrossed(const std::vector<CrossedKey>& keys, int64_t num_buckets) {
  if (num_buckets < 1)
    return InvalidArgument("a crossed column needs a hash_bucket_size of at least 1, not {}", num_buckets);
  if (keys.size() < 2) return InvalidArgument("a crossed column needs at least 2 keys, not {}", keys.size());
  for (const CrossedKey& key : keys) {
    const FeatureColumn* column = std::get_if<FeatureColumn>(&key);
    if (column == nullptr) continue;
    WEIR_TRY(CheckCategorical(*column, "crossed_column"));
    if (As<Hashed>(*column) != nullptr)
      return InvalidArgument(
          "a crossed column hashes its keys itself: replace the hashed column '{}' by the key of its feature",
          column->name());
  }
  return OkStatus();
}

// Adds the names of the features of a key to `names`.
void AddFeatureNames(const CrossedKey& key, std::vector<std::string>& names) {
  if (const std::string* text = std::get_if<std::string>(&key)) {
    names.push_back(*text);
  } else {
    names.push_back(std::get<FeatureColumn>(key).name());
  }
}

std::string CrossedName(const std::vector<CrossedKey>& keys) {
  std::vector<std::string> names;
  for (const CrossedKey& key : LeafKeys({.keys = keys})) AddFeatureNames(key, names);
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, "_X_"));
}

Status CheckEmbedding(const FeatureColumn& categorical, int64_t dimension) {
  if (!categorical.valid()) return InvalidArgument("embedding_column needs a categorical column");
  WEIR_TRY(categorical.status());
  if (dimension < 1) return InvalidArgument("invalid dimension {} of an embedding", dimension);
  return OkStatus();
}

// Returns the categorical column of a weighted one, and any other column unchanged.
const FeatureColumn& Unweighted(const FeatureColumn& column) {
  const Weighted* weighted = As<Weighted>(column);
  return weighted == nullptr ? column : weighted->categorical;
}

size_t KindOfIds(const FeatureColumn& column) {
  const Sequence* sequence = As<Sequence>(Unweighted(column));
  return sequence == nullptr ? Unweighted(column).description().kind.index()
                             : sequence->categorical.description().kind.index() + std::variant_size_v<Kind>;
}

Status CheckSharedColumns(const FeatureColumns& columns) {
  for (const FeatureColumn& column : columns) {
    WEIR_TRY(CheckCategorical(column, "shared_embedding_columns"));
    if (column.num_buckets() != columns[0].num_buckets())
      return InvalidArgument("columns with shared embeddings need the same number of buckets: '{}' has {}, '{}' has {}",
                             columns[0].name(), columns[0].num_buckets(), column.name(), column.num_buckets());
    if (KindOfIds(column) != KindOfIds(columns[0]))
      return InvalidArgument("columns with shared embeddings must be of the same kind: '{}' and '{}' are not",
                             columns[0].name(), column.name());
  }
  return OkStatus();
}

}  // namespace

std::vector<CrossedKey> feature_column::LeafKeys(const Crossed& crossed) {
  std::vector<CrossedKey> leaves;
  for (const CrossedKey& key : crossed.keys) {
    const FeatureColumn* column = std::get_if<FeatureColumn>(&key);
    const Crossed* inner = column == nullptr ? nullptr : As<Crossed>(*column);
    if (inner == nullptr) {
      leaves.push_back(key);
    } else {
      for (CrossedKey& leaf : LeafKeys(*inner)) leaves.push_back(std::move(leaf));
    }
  }
  return leaves;
}

bool feature_column::HasTime(const FeatureColumn& categorical) { return As<Sequence>(categorical) != nullptr; }

const Status& FeatureColumn::status() const { return description_->status; }
const std::string& FeatureColumn::name() const { return description_->name; }

const std::string& FeatureColumn::variable_scope() const {
  const Embedding* embedding = As<Embedding>(*this);
  return embedding != nullptr && !embedding->shared_name.empty() ? embedding->shared_name : name();
}

bool FeatureColumn::is_categorical() const {
  const Kind& kind = description_->kind;
  return std::holds_alternative<Bucketized>(kind) || std::holds_alternative<Hashed>(kind) ||
         std::holds_alternative<IdentityIds>(kind) || std::holds_alternative<Vocabulary>(kind) ||
         std::holds_alternative<Crossed>(kind) || std::holds_alternative<Weighted>(kind) ||
         std::holds_alternative<Sequence>(kind);
}

bool FeatureColumn::is_dense() const {
  if (As<Numeric>(*this) != nullptr || As<Bucketized>(*this) != nullptr) return true;
  return As<Indicator>(*this) != nullptr || As<Embedding>(*this) != nullptr;
}

bool FeatureColumn::is_sequence() const {
  if (const Indicator* indicator = As<Indicator>(*this)) return HasTime(indicator->categorical);
  if (const Embedding* embedding = As<Embedding>(*this)) return HasTime(embedding->categorical);
  return As<SequenceNumeric>(*this) != nullptr;
}

int64_t FeatureColumn::num_buckets() const {
  struct Count {
    int64_t operator()(const Bucketized& c) const {
      const std::vector<int64_t>& shape = As<Numeric>(c.source)->options.shape;
      return (static_cast<int64_t>(c.boundaries.size()) + 1) * shape[0];
    }
    int64_t operator()(const Hashed& c) const { return c.num_buckets; }
    int64_t operator()(const IdentityIds& c) const { return c.num_buckets; }
    int64_t operator()(const Vocabulary& c) const {
      return (c.words.valid() ? c.words.num_elements() : c.size) + c.options.num_oov_buckets;
    }
    int64_t operator()(const Crossed& c) const { return c.num_buckets; }
    int64_t operator()(const Weighted& c) const { return c.categorical.num_buckets(); }
    int64_t operator()(const Sequence& c) const { return c.categorical.num_buckets(); }
    int64_t operator()(const Numeric&) const { return 0; }
    int64_t operator()(const Indicator&) const { return 0; }
    int64_t operator()(const Embedding&) const { return 0; }
    int64_t operator()(const SequenceNumeric&) const { return 0; }
  };
  return std::visit(Count(), description_->kind);
}

std::vector<int64_t> FeatureColumn::variable_shape() const {
  if (const Numeric* numeric = As<Numeric>(*this)) return numeric->options.shape;
  if (const SequenceNumeric* numeric = As<SequenceNumeric>(*this)) return numeric->options.shape;
  if (const Embedding* embedding = As<Embedding>(*this)) return {embedding->dimension};
  if (const Indicator* indicator = As<Indicator>(*this)) return {1, indicator->categorical.num_buckets()};
  if (const Bucketized* bucketized = As<Bucketized>(*this)) {
    std::vector<int64_t> shape = As<Numeric>(bucketized->source)->options.shape;
    shape.push_back(static_cast<int64_t>(bucketized->boundaries.size()) + 1);
    return shape;
  }
  return {};
}

FeatureColumn NumericColumn(std::string key, NumericOptions options) {
  Status status = CheckColumnShape(key, options.shape);
  if (status.ok()) status = CheckNumberType(key, options.dtype);
  return NewColumn(Numeric{key, std::move(options)}, key, status);
}

FeatureColumn BucketizedColumn(const FeatureColumn& source, std::vector<float> boundaries) {
  const Numeric* numeric = As<Numeric>(source);
  if (numeric == nullptr)
    return NewColumn(Bucketized{NumericColumn(""), {}}, "bucketized",
                     InvalidArgument("the source of a bucketized column must be a numeric column"));
  Status status = source.status();
  if (status.ok() && numeric->options.shape.size() > 1)
    status = InvalidArgument("the source of a bucketized column must have one dimension, but '{}' has shape {}",
                             source.name(), ColumnShapeText(numeric->options.shape));
  if (status.ok() && boundaries.empty()) status = InvalidArgument("a bucketized column needs boundaries");
  const auto increasing = [&] {
    return std::adjacent_find(boundaries.begin(), boundaries.end(), std::greater_equal<>()) == boundaries.end();
  };
  if (status.ok() && !increasing())
    status = InvalidArgument("the boundaries of a bucketized column must be a sorted list, not [{}]",
                             fmt::join(boundaries, ", "));
  return NewColumn(Bucketized{source, std::move(boundaries)}, NameFrom(source, "_bucketized"), status);
}

FeatureColumn HashBucketColumn(std::string key, int64_t num_buckets, DType dtype) {
  Status status = CheckIdType(key, dtype);
  if (num_buckets < 1)
    status = InvalidArgument("column '{}': hash_bucket_size must be at least 1, not {}", key, num_buckets);
  return NewColumn(Hashed{key, num_buckets, dtype}, key, status);
}

FeatureColumn IdentityColumn(std::string key, int64_t num_buckets, std::optional<int64_t> default_value) {
  Status status = OkStatus();
  if (num_buckets < 1) {
    status = InvalidArgument("column '{}': num_buckets must be at least 1, not {}", key, num_buckets);
  } else if (default_value.has_value() && (*default_value < 0 || *default_value >= num_buckets)) {
    status = InvalidArgument("column '{}': default_value {} is not in [0, {})", key, *default_value, num_buckets);
  }
  return NewColumn(IdentityIds{key, num_buckets, default_value}, key, status);
}

FeatureColumn VocabularyListColumn(std::string key, const Tensor& vocabulary, const VocabularyOptions& given) {
  VocabularyOptions options = given;
  if (options.dtype == kInvalidType) options.dtype = vocabulary.dtype();
  Status status = CheckWords(key, vocabulary, options.dtype);
  if (status.ok()) status = CheckVocabulary(key, options);
  return NewColumn(Vocabulary{.key = key, .words = vocabulary, .options = options}, key, status);
}

FeatureColumn VocabularyFileColumn(std::string key, std::string file, int64_t size, const VocabularyOptions& given) {
  VocabularyOptions options = given;
  if (options.dtype == kInvalidType) options.dtype = kString;
  Status status = CheckVocabulary(key, options);
  if (file.empty()) status = InvalidArgument("column '{}': the vocabulary_file is missing", key);
  if (size < 1) status = InvalidArgument("column '{}': invalid vocabulary_size {}", key, size);
  return NewColumn(Vocabulary{.key = key, .file = std::move(file), .size = size, .options = options}, key, status);
}

FeatureColumn CrossedColumn(std::vector<CrossedKey> keys, int64_t num_buckets, std::optional<int64_t> hash_key) {
  Status status = CheckCrossed(keys, num_buckets);
  std::string name = status.ok() ? CrossedName(keys) : "crossed";
  return NewColumn(Crossed{std::move(keys), num_buckets, hash_key}, std::move(name), status);
}

FeatureColumn WeightedColumn(const FeatureColumn& categorical, std::string weight_key, DType dtype) {
  Status status = CheckCategorical(categorical, "weighted_categorical_column");
  if (status.ok()) status = CheckNumberType(weight_key, dtype);
  std::string name = categorical.valid() ? NameFrom(categorical, "_weighted_by_") + weight_key : weight_key;
  return NewColumn(Weighted{categorical, std::move(weight_key), dtype}, std::move(name), status);
}

FeatureColumn SequenceColumn(const FeatureColumn& categorical) {
  const Status status = CheckCategorical(categorical, "a sequence column");
  return NewColumn(Sequence{categorical}, categorical.valid() ? categorical.name() : "sequence", status);
}

FeatureColumn IndicatorColumn(const FeatureColumn& categorical) {
  const Status status = CheckCategorical(categorical, "indicator_column");
  return NewColumn(Indicator{categorical}, categorical.valid() ? NameFrom(categorical, "_indicator") : "indicator",
                   status);
}

FeatureColumn EmbeddingColumn(const FeatureColumn& categorical, int64_t dimension, EmbeddingOptions options) {
  Status status = CheckEmbedding(categorical, dimension);
  if (status.ok()) status = CheckCategorical(categorical, "embedding_column");
  return NewColumn(Embedding{categorical, dimension, std::move(options), ""},
                   categorical.valid() ? NameFrom(categorical, "_embedding") : "embedding", status);
}

FeatureColumns SharedEmbeddingColumns(const FeatureColumns& categorical, int64_t dimension,
                                      const EmbeddingOptions& options, std::string name) {
  FeatureColumns columns;
  Status status = CheckSharedColumns(categorical);
  if (name.empty() && status.ok()) {
    std::vector<std::string> names;
    for (const FeatureColumn& column : categorical) names.push_back(column.name());
    std::sort(names.begin(), names.end());
    name = fmt::format("{}_shared_embedding", fmt::join(names, "_"));
  }
  for (const FeatureColumn& column : categorical) {
    if (status.ok()) status = CheckEmbedding(column, dimension);
    columns.push_back(NewColumn(Embedding{column, dimension, options, name},
                                column.valid() ? NameFrom(column, "_shared_embedding") : "shared_embedding", status));
  }
  return columns;
}

FeatureColumn SequenceNumericColumn(std::string key, SequenceNumericOptions options) {
  Status status = CheckColumnShape(key, options.shape);
  if (status.ok()) status = CheckNumberType(key, options.dtype);
  return NewColumn(SequenceNumeric{key, std::move(options)}, key, status);
}

FeatureValues FeatureValuesFrom(const ParsedFeatures& parsed) {
  FeatureValues features;
  for (const auto& [key, value] : parsed) {
    if (const Output* dense = std::get_if<Output>(&value)) {
      features[key] = Input(*dense);
    } else {
      features[key] = std::get<Sparse>(value);
    }
  }
  return features;
}

}  // namespace weir
