// Parsing serialized Examples by a description of their features: tf.parse_example and its kin. Nodes and names are
// TensorFlow's. What comes out is by the key of the feature: a dense tensor or a sparse one.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "graph/compose/sparse.h"
#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

// As many values in every example; default_value (or absent: required) stands for what is missing.
struct FixedLenFeature {
  PartialShape shape;
  DType dtype = kInvalidType;
  Input default_value = {};
};
// Any number of values, as a sparse tensor.
struct VarLenFeature {
  DType dtype = kInvalidType;
};
// A sparse tensor whose indices and values are features of their own.
struct SparseFeature {
  std::vector<std::string> index_keys;
  std::string value_key;
  DType dtype = kInvalidType;
  std::vector<int64_t> sizes;  // of the dimensions that the index keys give
  bool already_sorted = false;
};
// Rows of a shape, any number of them. In a batch shorter ones are filled up with default_value (absent: zero).
struct FixedLenSequenceFeature {
  PartialShape shape;
  DType dtype = kInvalidType;
  bool allow_missing = false;
  Input default_value = {};
};
using FeatureSpec = std::variant<FixedLenFeature, VarLenFeature, SparseFeature, FixedLenSequenceFeature>;
using FeatureSpecs = std::map<std::string, FeatureSpec>;
using ParsedFeatures = std::map<std::string, std::variant<Output, Sparse>>;

// A vector of Examples: every result has their number in front. `names` are for messages.
Result<ParsedFeatures> ParseExamples(Graph& graph, const Input& serialized, const FeatureSpecs& features,
                                     const Input& names = {}, const std::string& name = "");
// One Example, a scalar.
Result<ParsedFeatures> ParseOneExample(Graph& graph, const Input& serialized, const FeatureSpecs& features,
                                       const std::string& name = "");

// The context of a SequenceExample (FixedLen and VarLen features) and its feature lists (FixedLenSequence and VarLen
// features), which have a step more in front.
struct ParsedSequence {
  ParsedFeatures context;
  ParsedFeatures lists;
  std::map<std::string, Output> lengths;  // of the dense lists of a batch: int64, one per example
};
Result<ParsedSequence> ParseOneSequenceExample(Graph& graph, const Input& serialized, const FeatureSpecs& context,
                                               const FeatureSpecs& lists, const Input& example_name = {},
                                               const std::string& name = "");
Result<ParsedSequence> ParseSequenceExamples(Graph& graph, const Input& serialized, const FeatureSpecs& context,
                                             const FeatureSpecs& lists, const Input& example_names = {},
                                             const std::string& name = "");

// A sparse tensor as strings: a vector of three; with rows, a matrix with three for each.
Output SparseToStrings(const Sparse& sparse, bool rows, std::string name = "");
// A matrix of strings as a sparse tensor, a row for each. rank: of the result, -1 where it is not known.
Sparse SparseFromStrings(Graph& graph, const Input& strings, DType dtype, int64_t rank = -1, std::string name = "");

}  // namespace weir
