// tf.feature_column: how raw features become the inputs of a model. A column describes one feature. InputLayer makes
// one dense matrix of all columns, LinearModel a weighted sum. Variables have TensorFlow's names, so checkpoints
// can be exchanged.
//
//   FeatureColumn age = NumericColumn("age"), job = HashBucketColumn("job", 100);
//   const FeatureSpecs specs = *ParseExampleSpec({age, job});
//   ... x = InputLayer(graph, features, {age, EmbeddingColumn(job, 8)})->value;
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "weir/graph/compose/embedding.h"
#include "weir/graph/compose/parse.h"
#include "weir/graph/compose/sparse.h"
#include "weir/graph/compose/variable_scope.h"

namespace weir {

// An immutable description. A value type: copies share it. Invalid arguments of a column are kept as its error status,
// and every function that uses the column returns that error. Thread-safe.
class FeatureColumn final {
 public:
  struct Description;
  FeatureColumn() = default;
  explicit FeatureColumn(std::shared_ptr<const Description> description) : description_(std::move(description)) {}

  bool valid() const { return description_ != nullptr; }
  const Status& status() const;
  const std::string& name() const;
  // The scope of the column's variables: its name, or the name that shared embeddings have in common.
  const std::string& variable_scope() const;
  bool is_categorical() const;  // gives sparse ids
  bool is_dense() const;        // gives one row of numbers per example
  bool is_sequence() const;     // gives a row of numbers per step of an example
  // The number of ids. REQUIRES: is_categorical()
  int64_t num_buckets() const;
  // The shape of an example in a dense column or of a step in a sequence column. Empty for other columns.
  std::vector<int64_t> variable_shape() const;

  // REQUIRES: valid()
  const Description& description() const { return *description_; }

 private:
  std::shared_ptr<const Description> description_;
};
using FeatureColumns = std::vector<FeatureColumn>;

// --- dense columns ---------------------------------------------------------------------------------------------------
struct NumericOptions {
  std::vector<int64_t> shape = {1};
  Input default_value = {};  // of this shape, for examples without the feature
  DType dtype = kFloat;      // type of the feature in an Example
  std::function<Result<Output>(Output)> normalizer = {};
};
FeatureColumn NumericColumn(std::string key, NumericOptions options = {});
// Buckets of a one-dimensional numeric column. An id is the index of the interval between `boundaries` that contains
// the value. Categorical, and dense as one-hot rows.
FeatureColumn BucketizedColumn(const FeatureColumn& source, std::vector<float> boundaries);

// --- categorical columns ---------------------------------------------------------------------------------------------
FeatureColumn HashBucketColumn(std::string key, int64_t num_buckets, DType dtype = kString);
// The values of the feature are the ids. default_value replaces those outside of [0, num_buckets).
FeatureColumn IdentityColumn(std::string key, int64_t num_buckets, std::optional<int64_t> default_value = {});
struct VocabularyOptions {
  DType dtype = kInvalidType;  // default: the type of the words, or string
  int64_t default_value = -1;  // id of unknown words without num_oov_buckets
  int64_t num_oov_buckets = 0;
};
// An id is the position of a word in `vocabulary`, a vector of strings or int64.
FeatureColumn VocabularyListColumn(std::string key, const Tensor& vocabulary, const VocabularyOptions& options = {});
// An id is the line number of a word in a file, of which only the first `size` lines are read.
FeatureColumn VocabularyFileColumn(std::string key, std::string file, int64_t size,
                                   const VocabularyOptions& options = {});
// An id is the hash of a combination of features or of ids of categorical columns. The hashes equal TensorFlow's.
using CrossedKey = std::variant<std::string, FeatureColumn>;
FeatureColumn CrossedColumn(std::vector<CrossedKey> keys, int64_t num_buckets, std::optional<int64_t> hash_key = {});
// The ids of a categorical column, each with a weight from another feature.
FeatureColumn WeightedColumn(const FeatureColumn& categorical, std::string weight_key, DType dtype = kFloat);
// A categorical column whose second dimension is time.
FeatureColumn SequenceColumn(const FeatureColumn& categorical);

// --- dense columns of categorical ones -------------------------------------------------------------------------------
// The number of times that each id occurs, or the sum of its weights.
FeatureColumn IndicatorColumn(const FeatureColumn& categorical);
struct EmbeddingOptions {
  std::string combiner = "mean";
  ScopedInitializer initializer = {};  // default: truncated normal, standard deviation 1 / sqrt(dimension)
  std::optional<double> max_norm = {};
  bool trainable = true;
  // Called with a new variable, e.g. to initialize it from a checkpoint.
  std::function<Status(const FoundVariable&)> restore = {};
};
FeatureColumn EmbeddingColumn(const FeatureColumn& categorical, int64_t dimension, EmbeddingOptions options = {});
// Columns that share one variable. Its scope is `name`, by default "a_b_shared_embedding" for columns a and b.
FeatureColumns SharedEmbeddingColumns(const FeatureColumns& categorical, int64_t dimension,
                                      const EmbeddingOptions& options = {}, std::string name = "");

// Numbers per step, from a sparse feature whose second dimension is time.
struct SequenceNumericOptions {
  std::vector<int64_t> shape = {1};
  double default_value = 0;  // pads shorter sequences
  DType dtype = kFloat;
  std::function<Result<Sparse>(const Sparse&)> normalizer = {};
};
FeatureColumn SequenceNumericColumn(std::string key, SequenceNumericOptions options = {});

// --- layers ----------------------------------------------------------------------------------------------------------
// FeatureValues by key: what ParseExample returns, tensors, or literals.
using FeatureValues = std::map<std::string, std::variant<Input, Sparse>>;
FeatureValues FeatureValuesFrom(const ParsedFeatures& parsed);

// How ParseExample reads the features of these columns. Columns that read a feature in different ways are an error.
Result<FeatureSpecs> ParseExampleSpec(const FeatureColumns& columns);

// The part of a layer's result that comes from one column.
struct ColumnOutput {
  FeatureColumn column;
  Output value;
  std::vector<VariablePtr> variables;
};

struct InputLayerOptions {
  std::vector<std::string> weight_collections = {};  // besides global and model variables
  bool trainable = true;
  std::string name = "";  // of the scope; default: "input_layer", made unique
};
struct InputLayerResult {
  Output value;                       // [batch, sum of the column sizes]
  std::vector<ColumnOutput> columns;  // in the order of their names, which is that of the values
};
Result<InputLayerResult> InputLayer(Graph& graph, const FeatureValues& features, const FeatureColumns& columns,
                                    const InputLayerOptions& options = {});

struct LinearModelOptions {
  int64_t units = 1;
  std::string sparse_combiner = "sum";  // combines the weights of the ids of a categorical column
  std::vector<std::string> weight_collections = {};
  bool trainable = true;
  std::string name = "";  // of the scope; default: "linear_model", made unique
};
struct LinearModelResult {
  Output value;  // [batch, units]
  std::vector<ColumnOutput> columns;
  std::vector<VariablePtr> bias;
};
Result<LinearModelResult> LinearModel(Graph& graph, const FeatureValues& features, const FeatureColumns& columns,
                                      const LinearModelOptions& options = {});

struct SequenceInputResult {
  Output value;    // [batch, steps, sum of the column sizes]
  Output lengths;  // int64 [batch]
  std::vector<ColumnOutput> columns;
};
// Like InputLayer, for sequence columns. The name defaults to "sequence_input_layer".
Result<SequenceInputResult> SequenceInputLayer(Graph& graph, const FeatureValues& features,
                                               const FeatureColumns& columns, const InputLayerOptions& options = {});

}  // namespace weir
