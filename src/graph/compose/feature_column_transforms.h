// FeatureValues as columns see them: each feature is read once, and each column transforms it once, however many
// columns use it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "graph/compose/feature_column_kinds.h"

namespace weir::feature_column {

// A feature with at least one dimension beside that of the examples.
using RawFeature = CrossInput;

struct IdsAndWeights {
  Sparse ids;
  std::optional<Sparse> weights;
};

// Not thread-safe. Nodes are built in the scope of the first user.
class Transforms final {
 public:
  Transforms(Graph& graph, const FeatureValues& features) : graph_(graph), features_(features) {}
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;

  Graph& graph() const { return graph_; }
  Result<RawFeature> Raw(const std::string& key);
  // The feature as a sparse tensor. Drops missing values of a dense one: "" for strings, -1 for integers (0 with
  // zero_is_missing), 0 for floats.
  Result<Sparse> RawSparse(const std::string& key, bool zero_is_missing = false);
  // Numbers of a numeric column; bucket numbers of a bucketized one.
  Result<Output> Numbers(const FeatureColumn& column);
  // REQUIRES: column.is_categorical()
  Result<IdsAndWeights> Ids(const FeatureColumn& column);

 private:
  Result<Output> MakeNumbers(const FeatureColumn& column);
  Result<IdsAndWeights> MakeIds(const FeatureColumn& column);
  Result<Sparse> BucketIds(const Bucketized& column, const FeatureColumn& self);
  Result<Sparse> HashedIds(const Hashed& column);
  Result<Sparse> PlainIds(const IdentityIds& column);
  Result<Sparse> VocabularyIds(const Vocabulary& column);
  Result<Sparse> CrossedIds(const Crossed& column);
  Result<IdsAndWeights> WeightedIds(const Weighted& column);
  Result<IdsAndWeights> SequenceIds(const Sequence& column);

  Graph& graph_;
  const FeatureValues& features_;
  std::map<std::string, RawFeature> raw_;
  std::map<const FeatureColumn::Description*, Output> numbers_;
  std::map<const FeatureColumn::Description*, IdsAndWeights> ids_;
};

// The size of the first dimension, as an int32 scalar.
Output BatchSize(Output x);
Output BatchSize(const Sparse& x);
// "mean", "sqrtn" or "sum".
Result<Combiner> CombinerNamed(const std::string& text);

}  // namespace weir::feature_column
