// tf.parse_example and related functions: parse serialized Examples by a description of their features. Nodes and names
// are TensorFlow's. Results are dense or sparse tensors by feature key.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "weir/graph/compose/sparse.h"
#include "weir/graph/graph.h"
#include "weir/graph/input.h"

namespace weir {

// A fixed number of values per example. default_value replaces missing ones; without it the feature is required.
struct FixedLenFeature {
  PartialShape shape;
  DType dtype = kInvalidType;
  Input default_value = {};
};
// Any number of values, as a sparse tensor.
struct VarLenFeature {
  DType dtype = kInvalidType;
};
// A sparse tensor whose indices and values are separate features.
struct SparseFeature {
  std::vector<std::string> index_keys;
  std::string value_key;
  DType dtype = kInvalidType;
  std::vector<int64_t> sizes;  // sizes of the dimensions indexed by index_keys
  bool already_sorted = false;
};
// Any number of rows of a fixed shape. In a batch, shorter ones are padded with default_value (absent: zero).
struct FixedLenSequenceFeature {
  PartialShape shape;
  DType dtype = kInvalidType;
  bool allow_missing = false;
  Input default_value = {};
};
using FeatureSpec = std::variant<FixedLenFeature, VarLenFeature, SparseFeature, FixedLenSequenceFeature>;
using FeatureSpecs = std::map<std::string, FeatureSpec>;
using ParsedFeatures = std::map<std::string, std::variant<Output, Sparse>>;

// Parses a vector of Examples. The first dimension of every result is their number. `names` are used in error messages.
Result<ParsedFeatures> ParseExample(Graph& graph, const Input& serialized, const FeatureSpecs& features,
                                    const Input& names = {}, const std::string& name = "");
// Parses one Example, a scalar.
Result<ParsedFeatures> ParseSingleExample(Graph& graph, const Input& serialized, const FeatureSpecs& features,
                                          const std::string& name = "");

// A SequenceExample: context (FixedLen and VarLen features) and feature lists (FixedLenSequence and VarLen features),
// which have a leading step dimension.
struct ParsedSequence {
  ParsedFeatures context;
  ParsedFeatures lists;
  std::map<std::string, Output> lengths;  // lengths of the dense lists of a batch: int64, one per example
};
Result<ParsedSequence> ParseSingleSequenceExample(Graph& graph, const Input& serialized, const FeatureSpecs& context,
                                                  const FeatureSpecs& lists, const Input& example_name = {},
                                                  const std::string& name = "");
Result<ParsedSequence> ParseSequenceExample(Graph& graph, const Input& serialized, const FeatureSpecs& context,
                                            const FeatureSpecs& lists, const Input& example_names = {},
                                            const std::string& name = "");

// Serializes a sparse tensor to a vector of three strings, or with `rows` to a matrix with three strings per row.
Output SparseToStrings(const Sparse& sparse, bool rows, std::string name = "");
// Deserializes a matrix of strings, one row each, to one sparse tensor. `rank` is the rank of the result, or -1 if it
// is unknown.
Sparse SparseFromStrings(Graph& graph, const Input& strings, DType dtype, int64_t rank = -1, std::string name = "");

}  // namespace weir
