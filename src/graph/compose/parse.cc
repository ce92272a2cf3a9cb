#include "graph/compose/parse.h"

#include <algorithm>
#include <cctype>

#include "graph/build/array_ops.h"
#include "graph/compose/names.h"
#include "graph/node_builder.h"
#include "tensor/tensor.h"

namespace weir {
namespace {

// The features in the form that the ops take.
struct RawFeatures {
  std::vector<std::string> sparse_keys;
  std::vector<DType> sparse_types;
  std::vector<std::string> dense_keys;
  std::vector<DType> dense_types;
  std::vector<PartialShape> dense_shapes;
  InputList dense_defaults;
};

Status CheckType(const std::string& key, DType dtype) {
  if (dtype == kFloat || dtype == kInt64 || dtype == kString) return OkStatus();
  return MarkTypeError(InvalidArgument("Feature '{}': values are float32, int64 or string, not {}", key, dtype));
}

Status AddSparse(RawFeatures& raw, const std::string& key, DType dtype) {
  WEIR_TRY(CheckType(key, dtype));
  const auto earlier = std::find(raw.sparse_keys.begin(), raw.sparse_keys.end(), key);
  if (earlier == raw.sparse_keys.end()) {
    raw.sparse_keys.push_back(key);
    raw.sparse_types.push_back(dtype);
    return OkStatus();
  }
  const DType before = raw.sparse_types[static_cast<size_t>(earlier - raw.sparse_keys.begin())];
  if (before == dtype) return OkStatus();
  return InvalidArgument("Conflicting type {} vs {} for feature {}.", before, dtype, key);
}

class Collector final {
 public:
  Status operator()(const std::string& key, const VarLenFeature& feature) { return AddSparse(raw, key, feature.dtype); }
  Status operator()(const std::string& key, const SparseFeature& feature) {
    if (feature.index_keys.empty()) return InvalidArgument("Missing index_key for SparseFeature '{}'.", key);
    if (feature.value_key.empty()) return InvalidArgument("Missing value_key for SparseFeature '{}'.", key);
    std::vector<std::string> index_keys = feature.index_keys;
    std::sort(index_keys.begin(), index_keys.end());
    for (const std::string& index_key : index_keys) WEIR_TRY(AddSparse(raw, index_key, kInt64));
    return AddSparse(raw, feature.value_key, feature.dtype);
  }
  Status operator()(const std::string& key, const FixedLenFeature& feature) {
    if (!feature.shape.fully_defined())
      return InvalidArgument(
          "the shape of FixedLenFeature '{}' must be known, but is {}: a FixedLenSequenceFeature "
          "has a first size that may vary",
          key, feature.shape);
    return AddDense(key, feature.dtype, feature.shape, feature.default_value);
  }
  Status operator()(const std::string& key, const FixedLenSequenceFeature& feature) {
    if (!feature.shape.fully_defined())
      return InvalidArgument("the shape of FixedLenSequenceFeature '{}' must be known, but is {}", key, feature.shape);
    if (!feature.allow_missing)
      return InvalidArgument("Unsupported: FixedLenSequenceFeature '{}' requires allow_missing to be True.", key);
    PartialShape shape = feature.shape;
    shape.InsertDim(0, kUnknownDim);
    return AddDense(key, feature.dtype, shape, feature.default_value);
  }
  RawFeatures raw;

 private:
  Status AddDense(const std::string& key, DType dtype, const PartialShape& shape, const Input& default_value) {
    WEIR_TRY(CheckType(key, dtype));
    raw.dense_keys.push_back(key);
    raw.dense_types.push_back(dtype);
    raw.dense_shapes.push_back(shape);
    raw.dense_defaults.push_back(default_value);
    return OkStatus();
  }
};

Result<RawFeatures> Collect(const FeatureSpecs& features) {
  if (features.empty()) return InvalidArgument("Missing: features was {{}}.");
  Collector collector;
  for (const auto& [key, spec] : features) {
    WEIR_TRY(std::visit([&, k = key](const auto& one) { return collector(k, one); }, spec));
  }
  for (const std::string& key : collector.raw.dense_keys) {
    const auto& sparse = collector.raw.sparse_keys;
    if (std::find(sparse.begin(), sparse.end(), key) != sparse.end())
      return InvalidArgument("Dense and sparse keys must not intersect; intersection: {}", key);
  }
  return std::move(collector.raw);
}

std::string NodeNameOf(const char* prefix, const std::string& key) {
  std::string name = prefix + key;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.' && c != '-' && c != '/') c = '_';
  }
  return name;
}

// Default values: empty if the feature is required, a scalar for padding if the number of rows varies.
Result<OutputList> Defaults(Graph& graph, const RawFeatures& raw) {
  OutputList defaults;
  for (size_t d = 0; d < raw.dense_keys.size(); ++d) {
    const DType dtype = raw.dense_types[d];
    const PartialShape& shape = raw.dense_shapes[d];
    const Input& given = raw.dense_defaults[d];
    const bool variable = shape.rank() > 0 && shape[0] == kUnknownDim;
    if (given.absent()) {
      WEIR_ASSIGN(const Tensor none, Tensor::Zeros(dtype, variable ? Shape{} : Shape{0}));
      defaults.push_back(Constant(graph, none));
      continue;
    }
    if (given.is_output() && !variable) {
      WEIR_ASSIGN(const Output value, ToOutput(graph, given, dtype));
      defaults.push_back(value);
      continue;
    }
    WEIR_ASSIGN(const Output value,
                ToOutput(graph, given, dtype, NodeNameOf(variable ? "padding_" : "key_", raw.dense_keys[d])));
    std::vector<int32_t> sizes;
    if (!variable) sizes.assign(shape.dims().begin(), shape.dims().end());
    defaults.push_back(Reshape(value, Tensor::Vector<int32_t>(absl::MakeConstSpan(sizes))));
  }
  WEIR_TRY(graph.TakeError());
  return defaults;
}

InputList Strings(const std::vector<std::string>& keys) {
  InputList inputs;
  for (const std::string& key : keys) inputs.push_back(Tensor::Scalar(key));
  return inputs;
}

// The outputs by key. The op returns sparse indices, values and shapes, then dense values.
ParsedFeatures ByKey(const RawFeatures& raw, const OutputList& outputs) {
  ParsedFeatures parsed;
  const size_t sparse = raw.sparse_keys.size();
  for (size_t k = 0; k < sparse; ++k)
    parsed[raw.sparse_keys[k]] = Sparse{outputs[k], outputs[sparse + k], outputs[2 * sparse + k]};
  for (size_t d = 0; d < raw.dense_keys.size(); ++d) parsed[raw.dense_keys[d]] = outputs[3 * sparse + d];
  return parsed;
}

// Assembles SparseFeatures, and drops their index and value features unless those are requested too.
Result<ParsedFeatures> AssembleSparseFeatures(const FeatureSpecs& features, ParsedFeatures all) {
  ParsedFeatures chosen;
  for (const auto& [key, spec] : features) {
    const auto* sparse = std::get_if<SparseFeature>(&spec);
    if (sparse == nullptr) {
      chosen[key] = all[key];
      continue;
    }
    std::vector<Sparse> ids;
    InputList sizes;
    for (const std::string& index_key : sparse->index_keys) ids.push_back(std::get<Sparse>(all[index_key]));
    for (const int64_t size : sparse->sizes) sizes.push_back(size);
    if (ids.size() != sizes.size())
      return InvalidArgument("SparseFeature '{}' has {} index keys but {} sizes", key, ids.size(), sizes.size());
    WEIR_ASSIGN(const Sparse merged,
                SparseMerge(ids, std::get<Sparse>(all[sparse->value_key]), sizes, sparse->already_sorted));
    chosen[key] = merged;
  }
  return chosen;
}

}  // namespace

Result<ParsedFeatures> ParseExample(Graph& graph, const Input& serialized, const FeatureSpecs& features,
                                    const Input& names, const std::string& name) {
  WEIR_ASSIGN(const RawFeatures raw, Collect(features));
  OutputList outputs;
  {
    const NameScope scope(graph, NameOrDefault(name, "ParseExample"));
    WEIR_ASSIGN(const OutputList defaults, Defaults(graph, raw));
    NodeBuilder node(graph, "ParseExample", name);
    node.In(serialized).In(names.absent() ? Input(Tensor::Vector<std::string>({})) : names);
    node.In(Strings(raw.sparse_keys)).In(Strings(raw.dense_keys)).In(defaults);
    node.Attr("Nsparse", static_cast<int64_t>(raw.sparse_keys.size()));
    node.Attr("Ndense", static_cast<int64_t>(raw.dense_keys.size()));
    node.Attr("Tdense", raw.dense_types);
    node.Attr("sparse_types", raw.sparse_types).Attr("dense_shapes", raw.dense_shapes);
    outputs = node.BuildOutputs();
    WEIR_TRY(graph.TakeError());
  }
  return AssembleSparseFeatures(features, ByKey(raw, outputs));
}

Result<ParsedFeatures> ParseSingleExample(Graph& graph, const Input& serialized, const FeatureSpecs& features,
                                          const std::string& name) {
  WEIR_ASSIGN(const RawFeatures raw, Collect(features));
  OutputList outputs;
  {
    const NameScope scope(graph, NameOrDefault(name, "ParseSingleExample"));
    const Output one = ValueOrLiteralOf(graph, serialized, kString, "serialized");
    WEIR_TRY(graph.TakeError());
    WEIR_ASSIGN(const OutputList defaults, Defaults(graph, raw));
    NodeBuilder node(graph, "ParseSingleExample", name);
    node.In(one).In(defaults).Attr("num_sparse", static_cast<int64_t>(raw.sparse_keys.size()));
    node.Attr("Tdense", raw.dense_types);
    node.Attr("sparse_keys", raw.sparse_keys).Attr("dense_keys", raw.dense_keys);
    node.Attr("sparse_types", raw.sparse_types).Attr("dense_shapes", raw.dense_shapes);
    outputs = node.BuildOutputs();
    WEIR_TRY(graph.TakeError());
  }
  return AssembleSparseFeatures(features, ByKey(raw, outputs));
}

namespace {

struct RawSequence {
  RawFeatures context;
  RawFeatures lists;
  std::vector<std::string> may_be_missing;
};

Result<RawSequence> CollectSequence(const FeatureSpecs& context, const FeatureSpecs& lists) {
  if (context.empty() && lists.empty()) return InvalidArgument("Missing features.");
  RawSequence raw;
  for (const auto& [key, spec] : context) {
    if (!std::holds_alternative<FixedLenFeature>(spec) && !std::holds_alternative<VarLenFeature>(spec))
      return InvalidArgument("Unsupported: context feature '{}' must be a FixedLenFeature or a VarLenFeature.", key);
  }
  if (!context.empty()) {
    WEIR_ASSIGN(raw.context, Collect(context));
  }
  for (const auto& [key, spec] : lists) {
    if (const auto* sparse = std::get_if<VarLenFeature>(&spec)) {
      WEIR_TRY(AddSparse(raw.lists, key, sparse->dtype));
      continue;
    }
    const auto* dense = std::get_if<FixedLenSequenceFeature>(&spec);
    if (dense == nullptr)
      return InvalidArgument("Unsupported: feature list '{}' must be a FixedLenSequenceFeature or a VarLenFeature.",
                             key);
    if (!dense->shape.fully_defined())
      return InvalidArgument("the shape of one step of feature list '{}' must be known, but is {}", key, dense->shape);
    WEIR_TRY(CheckType(key, dense->dtype));
    raw.lists.dense_keys.push_back(key);
    raw.lists.dense_types.push_back(dense->dtype);
    raw.lists.dense_shapes.push_back(dense->shape);
    if (dense->allow_missing) raw.may_be_missing.push_back(key);
  }
  return raw;
}

void AddTypes(NodeBuilder& node, const RawSequence& raw) {
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  node.Attr("Ncontext_sparse", count(raw.context.sparse_keys)).Attr("Ncontext_dense", count(raw.context.dense_keys));
  node.Attr("Nfeature_list_sparse", count(raw.lists.sparse_keys));
  node.Attr("Nfeature_list_dense", count(raw.lists.dense_keys));
  node.Attr("context_sparse_types", raw.context.sparse_types).Attr("Tcontext_dense", raw.context.dense_types);
  node.Attr("context_dense_shapes", raw.context.dense_shapes);
  node.Attr("feature_list_sparse_types", raw.lists.sparse_types);
  node.Attr("feature_list_dense_types", raw.lists.dense_types);
  node.Attr("feature_list_dense_shapes", raw.lists.dense_shapes);
}

ParsedSequence SequenceByKey(const RawSequence& raw, const OutputList& outputs) {
  ParsedSequence parsed;
  const size_t context = 3 * raw.context.sparse_keys.size() + raw.context.dense_keys.size();
  parsed.context = ByKey(raw.context, outputs);
  const OutputList lists(outputs.begin() + static_cast<std::ptrdiff_t>(context), outputs.end());
  parsed.lists = ByKey(raw.lists, lists);
  const size_t lengths = 3 * raw.lists.sparse_keys.size() + raw.lists.dense_keys.size();
  for (size_t d = 0; d < raw.lists.dense_keys.size() && lengths + d < lists.size(); ++d)
    parsed.lengths[raw.lists.dense_keys[d]] = lists[lengths + d];
  return parsed;
}

}  // namespace

Result<ParsedSequence> ParseSingleSequenceExample(Graph& graph, const Input& serialized, const FeatureSpecs& context,
                                                  const FeatureSpecs& lists, const Input& example_name,
                                                  const std::string& name) {
  WEIR_ASSIGN(const RawSequence raw, CollectSequence(context, lists));
  const NameScope scope(graph, NameOrDefault(name, "ParseSingleSequenceExample"));
  WEIR_ASSIGN(const OutputList defaults, Defaults(graph, raw.context));
  NodeBuilder node(graph, "ParseSingleSequenceExample", name);
  node.In(serialized).In(Tensor::Vector<std::string>(absl::MakeConstSpan(raw.may_be_missing)));
  node.In(Strings(raw.context.sparse_keys)).In(Strings(raw.context.dense_keys));
  node.In(Strings(raw.lists.sparse_keys)).In(Strings(raw.lists.dense_keys)).In(defaults);
  node.In(example_name.absent() ? Input("") : example_name);
  AddTypes(node, raw);
  const OutputList outputs = node.BuildOutputs();
  WEIR_TRY(graph.TakeError());
  return SequenceByKey(raw, outputs);
}

Result<ParsedSequence> ParseSequenceExample(Graph& graph, const Input& serialized, const FeatureSpecs& context,
                                            const FeatureSpecs& lists, const Input& example_names,
                                            const std::string& name) {
  WEIR_ASSIGN(const RawSequence raw, CollectSequence(context, lists));
  const NameScope scope(graph, NameOrDefault(name, "ParseSequenceExample"));
  WEIR_ASSIGN(const OutputList defaults, Defaults(graph, raw.context));
  NodeBuilder node(graph, "ParseSequenceExample", name);
  node.In(serialized).In(example_names.absent() ? Input(Tensor::Vector<std::string>({})) : example_names).In(defaults);
  node.Attr("feature_list_dense_missing_assumed_empty", raw.may_be_missing);
  node.Attr("context_sparse_keys", raw.context.sparse_keys).Attr("context_dense_keys", raw.context.dense_keys);
  node.Attr("feature_list_sparse_keys", raw.lists.sparse_keys);
  node.Attr("feature_list_dense_keys", raw.lists.dense_keys);
  AddTypes(node, raw);
  const OutputList outputs = node.BuildOutputs();
  WEIR_TRY(graph.TakeError());
  return SequenceByKey(raw, outputs);
}

Output SparseToStrings(const Sparse& sparse, bool rows, std::string name) {
  if (!sparse.values.valid()) return {};
  NodeBuilder node(sparse.values.graph(), rows ? "SerializeManySparse" : "SerializeSparse", std::move(name));
  return node.In(sparse.indices).In(sparse.values).In(sparse.dense_shape).BuildOutput();
}

Sparse SparseFromStrings(Graph& graph, const Input& strings, DType dtype, int64_t rank, std::string name) {
  NodeBuilder node(graph, "DeserializeManySparse", std::move(name));
  const OutputList parts = node.In(strings).Attr("dtype", dtype).BuildOutputs(3);
  if (rank >= 0 && parts[0].valid()) {
    for (const auto& [part, shape] :
         {std::pair(parts[0], PartialShape{kUnknownDim, rank}), std::pair(parts[2], PartialShape{rank})}) {
      if (Status status = graph.SetShape(part, shape); !status.ok()) graph.RecordError(status);
    }
  }
  return {parts[0], parts[1], parts[2]};
}

}  // namespace weir
