#include "graph/compose/dataset.h"

#include <algorithm>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/io_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/dataset_builder.h"
#include "graph/compose/dims.h"
#include "graph/function_library.h"
#include "graph/order_effects.h"

namespace weir {
namespace {

ElementType TypeOf(const OutputList& components) {
  ElementType type;
  for (const Output& component : components) {
    type.types.push_back(component.base_dtype());
    type.shapes.push_back(component.shape());
  }
  return type;
}

OutputList Components(Graph& graph, const InputList& values) {
  OutputList components;
  for (size_t i = 0; i < values.size(); ++i)
    components.push_back(DatasetArg(graph, values[i], kInvalidType, fmt::format("component_{}", i).c_str()));
  return components;
}

bool AllValid(const OutputList& values) {
  return std::all_of(values.begin(), values.end(), [](const Output& value) { return value.valid(); });
}

// The value of a scalar if it is known at construction time.
std::optional<int64_t> KnownInt(Graph& graph, const Input& value) {
  Tensor known;
  if (value.is_output()) {
    known = graph.ConstantValue(value.output());
  } else if (value.literal() != nullptr) {
    known = value.literal()->Value(kInvalidType).value_or(Tensor());
  }
  if (!known.valid() || known.num_elements() != 1) return std::nullopt;
  if (known.dtype() == kBool) return known.scalar<bool>();
  if (known.dtype() != kInt32 && known.dtype() != kInt64) return std::nullopt;
  return known.Int(0);
}

// The size of every batch, if known.
int64_t KnownBatch(Graph& graph, const Input& batch_size, const Input& drop_remainder) {
  if (KnownInt(graph, drop_remainder).value_or(0) == 0) return kUnknownDim;
  return std::max<int64_t>(KnownInt(graph, batch_size).value_or(kUnknownDim), kUnknownDim);
}

ElementType Batched(ElementType element, int64_t batch) {
  for (PartialShape& shape : element.shapes) shape = PartialShape{batch}.Concat(shape);
  return element;
}

std::string NameByContent(const char* prefix, const tensorflow::FunctionDef& def) {
  uint64_t hash = 14695981039346656037ull;
  for (const unsigned char c : def.SerializeAsString()) hash = (hash ^ c) * 1099511628211ull;
  return fmt::format("{}_{:016x}", prefix, hash);
}

Result<std::string> AddFunction(Graph& graph, const Graph& body, const OutputList& inputs, const OutputList& outputs,
                                const char* prefix) {
  WEIR_ASSIGN(tensorflow::FunctionDef def, GraphToFunction(body, "f", inputs, outputs, {}, {}, ""));
  const std::string name = NameByContent(prefix, def);
  def.mutable_signature()->set_name(name);
  WEIR_TRY(graph.functions().AddAll(body.functions()));
  WEIR_TRY(graph.functions().Add(def));
  return name;
}

// Copies the subgraph that `output` depends on, including assertions among the control inputs, into `to`. Nodes with
// session state cannot be copied.
class Copier {
 public:
  explicit Copier(Graph& to) : to_(to) {}

  Result<Output> Copy(const Output& output) {
    std::vector<Node*> pending{output.node};
    while (!pending.empty()) {
      Node* node = pending.back();
      if (copies_.contains(node)) {
        pending.pop_back();
        continue;
      }
      WEIR_TRY(Check(*node));
      const size_t before = pending.size();
      for (const Output& input : node->inputs()) {
        if (!copies_.contains(input.node)) pending.push_back(input.node);
      }
      for (Node* control : node->control_inputs()) {
        if (IsAssertion(*control) && !copies_.contains(control)) pending.push_back(control);
      }
      if (pending.size() > before) {
        if (!entered_.insert(node).second)
          return InvalidArgument("Cannot capture a loop (through node {}) by value.", node->name());
        continue;
      }
      pending.pop_back();
      WEIR_TRY(CopyNode(*node));
    }
    return Output(copies_.at(output.node), output.index);
  }

 private:
  static bool IsAssertion(const Node& node) { return node.op().traits.checks && node.num_outputs() == 0; }

  static Status Check(const Node& node) {
    if (node.op().traits.placeholder && node.num_inputs() == 0)
      return InvalidArgument("Cannot capture a placeholder (name:{}, type:{}) by value.", node.name(), node.type());
    const bool is_dataset = node.num_outputs() > 0 && node.output_type(0) == kVariant;
    if (node.op().stateful && !is_dataset && !IsAssertion(node))
      return InvalidArgument(
          "Cannot capture a stateful node (name:{}, type:{}) by value.: A likely cause of this error is that the "
          "dataset "
          "for which you are calling `make_one_shot_iterator()` captures a stateful object, such as a `tf.Variable` or "
          "`tf.lookup.StaticHashTable`, which is not supported. Use `make_initializable_iterator()` instead.",
          node.name(), node.type());
    return OkStatus();
  }

  Status CopyNode(const Node& node) {
    std::vector<Output> inputs;
    for (const Output& input : node.inputs()) inputs.push_back(Output(copies_.at(input.node), input.index));
    std::vector<PartialShape> shapes;
    for (int i = 0; i < node.num_outputs(); ++i) shapes.push_back(node.output_shape(i));
    std::vector<Node*> assertions;
    for (Node* control : node.control_inputs())
      if (IsAssertion(*control)) assertions.push_back(copies_.at(control));
    WEIR_ASSIGN(copies_[&node],
                to_.Insert(node.props(), std::move(inputs), std::move(assertions), node.device(), std::move(shapes)));
    return OkStatus();
  }

  Graph& to_;
  std::unordered_map<const Node*, Node*> copies_;
  std::set<const Node*> entered_;
};

// The contents of files, one file after the other.
Dataset OfFiles(Graph& graph, const char* op, const Input& filenames, const Input& compression,
                const Input& buffer_size) {
  return DatasetBuilder(graph, op)
      .In(filenames, kString, "filenames")
      .In(compression, kString, "compression_type")
      .In(buffer_size, kInt64, "buffer_size")
      .BuildOfText();
}

}  // namespace

Result<DatasetFunction> TraceDatasetFunction(Graph& graph, const ElementType& arguments,
                                             const std::function<OutputList(Graph&, const OutputList&)>& body) {
  Graph inner(graph.registry());
  inner.set_constant_evaluator(graph.constant_evaluator());
  inner.seed = graph.seed;
  OutputList args;
  for (size_t i = 0; i < arguments.types.size(); ++i) {
    args.push_back(
        Placeholder(inner, arguments.types[i], {.shape = arguments.shapes[i], .name = fmt::format("args_{}", i)}));
  }
  const OutputList results = body(inner, args);
  WEIR_TRY(inner.TakeError());
  OrderEffects(inner);
  WEIR_ASSIGN(const std::string name, AddFunction(graph, inner, args, results, "Dataset"));
  return DatasetFunction{{name, nullptr}, {}, TypeOf(results)};
}

// --- Sources ---
Dataset Dataset::FromTensors(Graph& graph, const InputList& components) {
  const OutputList values = Components(graph, components);
  if (!AllValid(values)) return {};
  return DatasetBuilder(graph, "TensorDataset").In(values).Build(TypeOf(values), false);
}

Dataset Dataset::FromTensorSlices(Graph& graph, const InputList& components) {
  const OutputList values = Components(graph, components);
  if (!AllValid(values)) return {};
  ElementType element = TypeOf(values);
  int64_t rows = kUnknownDim;
  for (PartialShape& shape : element.shapes) {
    if (!shape.known_rank()) continue;
    if (shape.rank() == 0) {
      graph.RecordError(InvalidArgument("Unbatching a tensor is only supported for rank >= 1"));
      return {};
    }
    if (rows != kUnknownDim && shape[0] != kUnknownDim && rows != shape[0]) {
      graph.RecordError(InvalidArgument("Dimensions {} and {} are not compatible", rows, shape[0]));
      return {};
    }
    if (shape[0] != kUnknownDim) rows = shape[0];
    shape.RemoveDim(0);
  }
  return DatasetBuilder(graph, "TensorSliceDataset").In(values).Build(std::move(element), false);
}

Dataset Dataset::Range(Graph& graph, const Input& start, const Input& stop, const Input& step) {
  return DatasetBuilder(graph, "RangeDataset")
      .In(start, kInt64, "start")
      .In(stop, kInt64, "stop")
      .In(step, kInt64, "step")
      .Build({{kInt64}, {PartialShape::Scalar()}});
}

Dataset Dataset::Generate(Graph& graph, const DatasetFunction& init, const DatasetFunction& next,
                          const DatasetFunction& finalize, ElementType element) {
  DatasetBuilder builder(graph, "GeneratorDataset");
  const auto add = [&builder](const DatasetFunction& f, const std::string& what) {
    std::vector<DType> types;
    for (const Output& value : f.captured) types.push_back(value.base_dtype());
    builder.In(f.captured).Attr(what, f.function).Attr(fmt::format("T{}_args", what), types);
  };
  add(init, "init_func");
  add(next, "next_func");
  add(finalize, "finalize_func");
  return builder.Build(std::move(element));
}

Dataset Dataset::TextLines(Graph& graph, const Input& filenames, const Input& compression, const Input& buffer_size) {
  return OfFiles(graph, "TextLineDataset", filenames, compression, buffer_size);
}

Dataset Dataset::Records(Graph& graph, const Input& filenames, const Input& compression, const Input& buffer_size) {
  return OfFiles(graph, "TFRecordDataset", filenames, compression, buffer_size);
}

Dataset Dataset::FixedLengthRecords(Graph& graph, const Input& filenames, const Input& record_bytes,
                                    const Input& header_bytes, const Input& footer_bytes, const Input& buffer_size,
                                    const Input& compression) {
  return DatasetBuilder(graph, "FixedLengthRecordDatasetV2")
      .In(filenames, kString, "filenames")
      .In(header_bytes, kInt64, "header_bytes")
      .In(record_bytes, kInt64, "record_bytes")
      .In(footer_bytes, kInt64, "footer_bytes")
      .In(buffer_size, kInt64, "buffer_size")
      .In(compression, kString, "compression_type")
      .BuildOfText();
}

Dataset Dataset::ListFiles(Graph& graph, const Input& pattern, bool shuffle, std::optional<int64_t> seed) {
  NameScope scope(graph, "list_files");
  const Output patterns = DatasetArg(graph, pattern, kString, "file_pattern");
  Output files = MatchingFiles(patterns);
  const Output count = weir::Size(files, {.out_type = kInt64});
  const Output message =
      StringJoin({Constant(graph, Tensor::Scalar("No files matched pattern: ")),
                  ReduceJoin(patterns, weir::Range(graph, 0, Rank(patterns), 1), {.separator = ", "})});
  Node* found = NodeBuilder(graph, "Assert", "assert_not_empty")
                    .In(Greater(count, Constant(graph, Tensor::Scalar<int64_t>(0))))
                    .In(OutputList{message})
                    .Attr("summarize", 1)
                    .BuildNode();
  if (found == nullptr) return {};
  {
    ControlDependencies after(graph, {found});
    files = Identity(files);
  }
  Dataset names = FromTensorSlices(graph, {files});
  if (!shuffle || !names.valid()) return names;
  return names.Shuffle(Maximum(count, Constant(graph, Tensor::Scalar<int64_t>(1))), seed);
}

Dataset Dataset::Zip(const std::vector<Dataset>& datasets) {
  OutputList variants;
  ElementType element;
  for (const Dataset& dataset : datasets) {
    variants.push_back(dataset.variant());
    const ElementType& one = dataset.element();
    element.types.insert(element.types.end(), one.types.begin(), one.types.end());
    element.shapes.insert(element.shapes.end(), one.shapes.begin(), one.shapes.end());
  }
  return DatasetBuilder(datasets.at(0).graph(), "ZipDataset").In(variants).Build(std::move(element));
}

// --- Transformations ---
Dataset Dataset::Map(const DatasetFunction& f, bool preserve_cardinality) const {
  return DatasetBuilder(*this, "MapDataset")
      .Function(f)
      .Attr("preserve_cardinality", preserve_cardinality)
      .Build(f.result);
}

Dataset Dataset::ParallelMap(const DatasetFunction& f, const Input& num_parallel_calls, bool preserve_cardinality,
                             std::optional<bool> deterministic) const {
  if (deterministic.value_or(false)) {  // the first version of the op has no such attribute
    return DatasetBuilder(*this, "ParallelMapDatasetV2")
        .Function(f)
        .In(num_parallel_calls, kInt64, "num_parallel_calls")
        .Attr("preserve_cardinality", preserve_cardinality)
        .Attr("deterministic", "true")
        .Build(f.result);
  }
  return DatasetBuilder(*this, "ParallelMapDataset")
      .Function(f)
      .In(num_parallel_calls, kInt32, "num_parallel_calls")
      .Attr("preserve_cardinality", preserve_cardinality)
      .Attr("sloppy", deterministic.has_value())
      .Build(f.result);
}

Dataset Dataset::MapAndBatch(const DatasetFunction& f, const Input& batch_size, const Input& num_parallel_calls,
                             const Input& drop_remainder) const {
  return DatasetBuilder(*this, "MapAndBatchDataset")
      .Function(f)
      .In(batch_size, kInt64, "batch_size")
      .In(num_parallel_calls, kInt64, "num_parallel_calls")
      .In(drop_remainder, kBool, "drop_remainder")
      .Attr("preserve_cardinality", true)
      .Build(Batched(f.result, KnownBatch(graph(), batch_size, drop_remainder)));
}

Dataset Dataset::FlatMap(const DatasetFunction& f, ElementType element) const {
  return DatasetBuilder(*this, "FlatMapDataset").Function(f).Build(std::move(element));
}

Dataset Dataset::Interleave(const DatasetFunction& f, ElementType element, const Input& cycle_length,
                            const Input& block_length) const {
  return DatasetBuilder(*this, "InterleaveDataset")
      .Function(f)
      .In(cycle_length, kInt64, "cycle_length")
      .In(block_length, kInt64, "block_length")
      .Build(std::move(element));
}

Dataset Dataset::ParallelInterleave(const DatasetFunction& f, ElementType element, const Input& cycle_length,
                                    const Input& block_length, const Input& num_parallel_calls, bool sloppy) const {
  return DatasetBuilder(*this, "ParallelInterleaveDatasetV2")
      .Function(f)
      .In(cycle_length, kInt64, "cycle_length")
      .In(block_length, kInt64, "block_length")
      .In(num_parallel_calls, kInt64, "num_parallel_calls")
      .Attr("sloppy", sloppy)
      .Build(std::move(element));
}

Dataset Dataset::InAnyOrder() const {
  return DatasetBuilder(*this, "OptimizeDataset")
      .In(Constant(graph(), Tensor::Vector<std::string>({"make_sloppy"}), "optimizations"), kString, "optimizations")
      .Build(element_);
}

Dataset Dataset::Filter(const DatasetFunction& predicate) const {
  return DatasetBuilder(*this, "FilterDataset").Function(predicate, "predicate").Build(element_);
}

Dataset Dataset::Batch(const Input& batch_size, const Input& drop_remainder) const {
  return DatasetBuilder(*this, "BatchDatasetV2")
      .In(batch_size, kInt64, "batch_size")
      .In(drop_remainder, kBool, "drop_remainder")
      .Build(Batched(element_, KnownBatch(graph(), batch_size, drop_remainder)));
}

Dataset Dataset::PaddedBatch(const Input& batch_size, const InputList& padded_shapes, const InputList& padding_values,
                             const Input& drop_remainder) const {
  OutputList shapes;
  OutputList values;
  ElementType element{element_.types, {}};
  for (size_t i = 0; i < element_.types.size() && i < padded_shapes.size() && i < padding_values.size(); ++i) {
    shapes.push_back(DatasetArg(graph(), padded_shapes[i], kInt64, "padded_shape"));
    values.push_back(DatasetArg(graph(), padding_values[i], element_.types[i], "padding_value"));
    element.shapes.push_back(shapes.back().valid() ? graph().ConstantShape(shapes.back()) : PartialShape());
    const PartialShape& given = element_.shapes[i];
    const PartialShape& padded = element.shapes.back();
    if (given.known_rank() && padded.known_rank() && given.rank() != padded.rank()) {
      graph().RecordError(InvalidArgument(
          "The padded shape {} is not compatible with the shape {} of component {} of the elements", padded, given, i));
      return {};
    }
  }
  if (shapes.size() != element_.types.size()) {
    graph().RecordError(InvalidArgument(
        "padded_batch needs a padded shape and a padding value for each of the {} components", element_.types.size()));
    return {};
  }
  return DatasetBuilder(*this, "PaddedBatchDatasetV2")
      .In(batch_size, kInt64, "batch_size")
      .In(shapes)
      .In(values)
      .In(drop_remainder, kBool, "drop_remainder")
      .Build(Batched(std::move(element), KnownBatch(graph(), batch_size, drop_remainder)), false);
}

Dataset Dataset::Unbatch() const {
  ElementType element = element_;
  for (PartialShape& shape : element.shapes) {
    if (!shape.known_rank()) continue;
    if (shape.rank() == 0) {
      graph().RecordError(InvalidArgument("Cannot unbatch an input with scalar components."));
      return {};
    }
    shape.RemoveDim(0);
  }
  return DatasetBuilder(*this, "UnbatchDataset").Build(std::move(element));
}

Dataset Dataset::Window(const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder) const {
  const size_t count = element_.types.size();
  return DatasetBuilder(*this, "WindowDataset")
      .In(size, kInt64, "size")
      .In(shift, kInt64, "shift")
      .In(stride, kInt64, "stride")
      .In(drop_remainder, kBool, "drop_remainder")
      .Build({std::vector<DType>(count, kVariant), std::vector<PartialShape>(count, PartialShape::Scalar())});
}

Dataset Dataset::Repeat(const Input& count) const {
  return DatasetBuilder(*this, "RepeatDataset").In(count, kInt64, "count").Build(element_);
}

Dataset Dataset::Take(const Input& count) const {
  return DatasetBuilder(*this, "TakeDataset").In(count, kInt64, "count").Build(element_);
}

Dataset Dataset::Skip(const Input& count) const {
  return DatasetBuilder(*this, "SkipDataset").In(count, kInt64, "count").Build(element_);
}

Dataset Dataset::Shard(const Input& num_shards, const Input& index) const {
  return DatasetBuilder(*this, "ShardDataset")
      .In(num_shards, kInt64, "num_shards")
      .In(index, kInt64, "index")
      .Build(element_);
}

Dataset Dataset::IgnoreErrors(bool log_warning) const {
  return DatasetBuilder(*this, "IgnoreErrorsDataset").Attr("log_warning", log_warning).Build(element_);
}

Dataset Dataset::Concatenate(const Dataset& other) const {
  if (element_.types != other.element_.types) {
    graph().RecordError(MarkTypeError(InvalidArgument("Two datasets to concatenate have different types")));
    return {};
  }
  ElementType element = element_;
  for (size_t i = 0; i < element.shapes.size(); ++i)
    element.shapes[i] = CommonShape(element.shapes[i], other.element_.shapes[i]);
  return DatasetBuilder(*this, "ConcatenateDataset")
      .In(other.variant(), kVariant, "another_dataset")
      .Build(std::move(element));
}

Dataset Dataset::Shuffle(const Input& buffer_size, std::optional<int64_t> seed, bool each_iteration) const {
  const Output size = DatasetArg(graph(), buffer_size, kInt64, "buffer_size");
  const auto [first, second] = DatasetSeeds(graph(), seed);
  return DatasetBuilder(*this, "ShuffleDataset")
      .In(size, kInt64, "buffer_size")
      .In(first, kInt64, "seed")
      .In(second, kInt64, "seed2")
      .Attr("reshuffle_each_iteration", each_iteration)
      .Build(element_);
}

Dataset Dataset::ShuffleAndRepeat(const Input& buffer_size, const Input& count, std::optional<int64_t> seed) const {
  const Output size = DatasetArg(graph(), buffer_size, kInt64, "buffer_size");
  const auto [first, second] = DatasetSeeds(graph(), seed);
  return DatasetBuilder(*this, "ShuffleAndRepeatDataset")
      .In(size, kInt64, "buffer_size")
      .In(first, kInt64, "seed")
      .In(second, kInt64, "seed2")
      .In(count, kInt64, "count")
      .Build(element_);
}

Dataset Dataset::Prefetch(const Input& buffer_size) const {
  return DatasetBuilder(*this, "PrefetchDataset").In(buffer_size, kInt64, "buffer_size").Build(element_);
}

Dataset Dataset::Cache(const Input& filename) const {
  return DatasetBuilder(*this, "CacheDataset").In(filename, kString, "filename").Build(element_);
}

// --- Results ---
OutputList Dataset::Reduce(const InputList& initial_state, const DatasetFunction& f) const {
  OutputList state;
  for (const Input& value : initial_state) state.push_back(DatasetArg(graph(), value, kInvalidType, "initial_state"));
  std::vector<DType> captured;
  for (const Output& value : f.captured) captured.push_back(value.base_dtype());
  return NodeBuilder(graph(), "ReduceDataset")
      .In(variant_)
      .In(state)
      .In(f.captured)
      .Attr("f", f.function)
      .Attr("Targuments", captured)
      .Attr("output_types", f.result.types)
      .Attr("output_shapes", f.result.shapes)
      .BuildOutputs(state.size());
}

OutputList Dataset::SingleElement() const {
  return NodeBuilder(graph(), "DatasetToSingleElement")
      .In(variant_)
      .Attr("output_types", element_.types)
      .Attr("output_shapes", element_.shapes)
      .BuildOutputs(element_.types.size());
}

Output SparseComponent(const Sparse& value) { return SerializeSparse(value.indices, value.values, value.dense_shape); }
Output SparseRowComponents(const Sparse& value) {
  return SerializeManySparse(value.indices, value.values, value.dense_shape);
}

Sparse SparseFromComponent(Output component, DType dtype, const PartialShape& shape) {
  const auto [indices, values, dense_shape] = DeserializeSparse(component, dtype);
  if (!indices.valid() || !shape.known_rank()) return {indices, values, dense_shape};
  Graph& graph = component.graph();
  graph.RecordError(graph.SetShape(indices, PartialShape{kUnknownDim, shape.rank()}));
  graph.RecordError(graph.SetShape(dense_shape, PartialShape{shape.rank()}));
  return {indices, values, dense_shape};
}

// --- Iterators ---
Result<DatasetIterator> DatasetIterator::OneShot(const Dataset& dataset) {
  Graph& graph = dataset.graph();
  Graph body(graph.registry());
  WEIR_TRY(body.functions().AddAll(graph.functions()));
  WEIR_ASSIGN(const Output copied, Copier(body).Copy(dataset.variant()));
  WEIR_ASSIGN(const std::string factory, AddFunction(graph, body, {}, {copied}, "_make_dataset"));
  WEIR_ASSIGN(Node * node, NodeBuilder(graph, "OneShotIterator")
                               .Attr("dataset_factory", FuncAttr{factory, nullptr})
                               .Attr("output_types", dataset.element().types)
                               .Attr("output_shapes", dataset.element().shapes)
                               .Build());
  return DatasetIterator(node->output(0), dataset.element());
}

DatasetIterator DatasetIterator::FromStructure(Graph& graph, ElementType element, const std::string& shared_name) {
  const Output resource = NodeBuilder(graph, "IteratorV2")
                              .Attr("shared_name", shared_name)
                              .Attr("container", std::string())
                              .Attr("output_types", element.types)
                              .Attr("output_shapes", element.shapes)
                              .BuildOutput();
  return DatasetIterator(resource, std::move(element));
}

DatasetIterator DatasetIterator::FromStringHandle(Graph& graph, const Input& handle, ElementType element) {
  const Output resource = NodeBuilder(graph, "IteratorFromStringHandleV2")
                              .In(DatasetArg(graph, handle, kString, "string_handle"))
                              .Attr("output_types", element.types)
                              .Attr("output_shapes", element.shapes)
                              .BuildOutput();
  return DatasetIterator(resource, std::move(element));
}

Node* DatasetIterator::MakeInitializer(const Dataset& dataset, const std::string& name) const {
  if (!valid() || !dataset.valid()) return nullptr;
  ColocationScope with(resource_.graph(), resource_.node);
  return NodeBuilder(resource_.graph(), "MakeIterator", name).In(dataset.variant()).In(resource_).BuildNode();
}

OutputList DatasetIterator::GetNext(const std::string& name) const {
  if (!valid()) return OutputList(element_.types.size());
  ColocationScope with(resource_.graph(), resource_.node);
  return NodeBuilder(resource_.graph(), "IteratorGetNext", name)
      .In(resource_)
      .Attr("output_types", element_.types)
      .Attr("output_shapes", element_.shapes)
      .BuildOutputs(element_.types.size());
}

Output DatasetIterator::StringHandle(const std::string& name) const {
  if (!valid()) return {};
  ColocationScope with(resource_.graph(), resource_.node);
  return NodeBuilder(resource_.graph(), "IteratorToStringHandle", name).In(resource_).BuildOutput();
}

}  // namespace weir
