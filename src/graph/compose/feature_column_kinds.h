// The kinds of feature columns: what a FeatureColumn holds.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "graph/compose/feature_columns.h"

namespace weir::feature_column {

struct Numeric {
  std::string key;
  NumericOptions options;
};
struct Bucketized {
  FeatureColumn source;
  std::vector<float> boundaries;
};
struct Hashed {
  std::string key;
  int64_t num_buckets = 0;
  DType dtype = kString;
};
struct IdentityIds {
  std::string key;
  int64_t num_buckets = 0;
  std::optional<int64_t> default_value;
};
struct Vocabulary {
  std::string key;
  Tensor words;      // or
  std::string file;  // ... whose first `size` lines are the words
  int64_t size = 0;
  VocabularyOptions options;
};
struct Crossed {
  std::vector<CrossedKey> keys;
  int64_t num_buckets = 0;
  std::optional<int64_t> hash_key;
};
struct Weighted {
  FeatureColumn categorical;
  std::string weight_key;
  DType dtype = kFloat;
};
struct Sequence {
  FeatureColumn categorical;
};
struct Indicator {
  FeatureColumn categorical;
};
struct Embedding {
  FeatureColumn categorical;
  int64_t dimension = 0;
  EmbeddingOptions options;
  std::string shared_name;  // empty: the column has its own variable
};
struct SequenceNumeric {
  std::string key;
  SequenceNumericOptions options;
};
using Kind = std::variant<Numeric, Bucketized, Hashed, IdentityIds, Vocabulary, Crossed, Weighted, Sequence, Indicator,
                          Embedding, SequenceNumeric>;

// The kind K of a column, or null if it is of another one.
template <class K>
const K* As(const FeatureColumn& column);
// Whether the ids of a categorical column have a time dimension.
bool HasTime(const FeatureColumn& categorical);
// The keys of a crossed column. Replaces keys that are crossed columns by their own keys.
std::vector<CrossedKey> LeafKeys(const Crossed& crossed);

}  // namespace weir::feature_column

namespace weir {

struct FeatureColumn::Description {
  feature_column::Kind kind;
  std::string name;
  Status status;
};

template <class K>
const K* feature_column::As(const FeatureColumn& column) {
  return column.valid() ? std::get_if<K>(&column.description().kind) : nullptr;
}

}  // namespace weir
